//! A directory as a tar stream, and back.

use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path};
use tar::{Archive, Builder, EntryType, Header};

/// Writes all that is in `root`: files, directories and symbolic links, with modes and times. The rest, such as sockets,
/// is left out and named to `skipped`.
///
/// # Errors
/// With the name of the file: it cannot be read, or changed meanwhile; or those of `sink`.
pub(crate) fn pack<W: Write>(root: &Path, sink: W, skipped: &mut dyn FnMut(&Path)) -> Result<()> {
    let mut builder = Builder::new(sink);
    pack_entry(&mut builder, root, Path::new(""), skipped)?;
    Ok(builder.finish()?)
}

fn pack_entry<W: Write>(
    builder: &mut Builder<W>,
    root: &Path,
    name: &Path,
    skipped: &mut dyn FnMut(&Path),
) -> Result<()> {
    let path = root.join(name);
    let cannot = || format!("cannot read {}", path.display());
    // The root may be a link to a directory; what is in it stays a link.
    let is_root = name.as_os_str().is_empty();
    let found = if is_root { fs::metadata(&path) } else { fs::symlink_metadata(&path) }.with_context(cannot)?;
    let mut header = Header::new_gnu();
    header.set_metadata(&found);
    if found.is_dir() {
        header.set_size(0);
        let own = if is_root { Path::new(".") } else { name };
        builder.append_data(&mut header, own, io::empty())?;
        let mut names = fs::read_dir(&path)
            .and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>())
            .with_context(cannot)?;
        names.sort();
        names.iter().try_for_each(|entry| pack_entry(builder, root, &name.join(entry), skipped))
    } else if found.is_symlink() {
        let leads_to = fs::read_link(&path).with_context(cannot)?;
        header.set_size(0);
        Ok(builder.append_link(&mut header, name, leads_to)?)
    } else if found.is_file() {
        let file = open(&path).with_context(cannot)?;
        let found = file.metadata().with_context(cannot)?;
        ensure!(found.is_file(), "{} changed while it was read", path.display());
        header.set_metadata(&found);
        let mut exact = Exact { file: file.take(found.len()), left: found.len(), error: None };
        let done = builder.append_data(&mut header, name, &mut exact);
        if let Some(error) = exact.error {
            return Err(error).with_context(cannot);
        }
        done?;
        let after = fs::symlink_metadata(&path).with_context(cannot)?;
        let is_same = after.len() == found.len() && after.modified().ok() == found.modified().ok();
        ensure!(is_same, "{} changed while it was read", path.display());
        Ok(())
    } else {
        skipped(&path);
        Ok(())
    }
}

/// Whatever has taken the file's place since it was looked at: not through a link, and without waiting for a pipe's end.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    fs::OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// As many bytes as the entry says, or an error of its own, which the archive would otherwise make anonymous.
struct Exact {
    file: io::Take<File>,
    left: u64,
    error: Option<io::Error>,
}

impl Read for Exact {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let error = match self.file.read(buffer) {
            Ok(0) if self.left > 0 && !buffer.is_empty() => io::Error::other("it became shorter while it was read"),
            Ok(n) => {
                self.left -= n as u64;
                return Ok(n);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => error,
        };
        self.error = Some(error);
        Err(io::Error::other("unreadable"))
    }
}

/// Makes in the directory `place` what [`pack`] wrote, and reads `source` to its end.
///
/// Whoever knows the key can have made any stream: only files, directories and symbolic links are taken, with names within
/// `place`, and nothing is written through a link. Where a link leads is not looked at. Files do not become setuid.
///
/// # Errors
/// Those of `source` as they are, and for people the rest, with the entry's name.
pub(crate) fn unpack<R: Read>(source: R, place: &Path) -> Result<()> {
    let mut archive = Archive::new(source);
    archive.set_preserve_permissions(false);
    archive.set_overwrite(false);
    let mut directories = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.into_owned();
        let shown = name.display().to_string();
        let is_within = name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        ensure!(is_within, "the directory's entry {shown} leads out of it");
        match entry.header().entry_type() {
            // Modes and times come last: files in it would change them, or could not be made.
            EntryType::Directory => {
                let path = inside(place, &name)?;
                ensure!(!path.is_symlink(), "the directory's entry {shown} is a link as well");
                fs::create_dir_all(path).with_context(|| format!("cannot create {shown}"))?;
                directories.push(entry);
            }
            EntryType::Regular | EntryType::Symlink => {
                inside(place, &name)?;
                let made = entry.unpack_in(place);
                ensure!(made.map_err(|error| within(error, &shown))?, "the directory's entry {shown} leads out of it");
            }
            other => bail!("the directory's entry {shown} is neither a file nor a directory nor a link, but {other:?}"),
        }
    }
    for mut entry in directories.into_iter().rev() {
        entry.unpack_in(place)?;
    }
    // What is behind the archive's end belongs to the message: it is to be verified, too.
    io::copy(&mut archive.into_inner(), &mut io::sink())?;
    Ok(())
}

/// `name` in `place`, if no part of the way there is a link.
fn inside(place: &Path, name: &Path) -> Result<std::path::PathBuf> {
    let mut path = place.to_owned();
    for part in name.components() {
        ensure!(!path.is_symlink(), "the directory's entry {} is behind a link", name.display());
        path.push(part);
    }
    Ok(path)
}

/// The error of a damaged message stays what it is; of the others the cause is told, without the place's temporary name.
fn within(error: io::Error, name: &str) -> anyhow::Error {
    let mut cause: &(dyn std::error::Error + 'static) = &error;
    loop {
        if let Some(damage) = cause.downcast_ref::<evariste_store::Error>() {
            return io::Error::from(*damage).into();
        }
        // An I/O error's source is that of what it wraps, which it leaves out itself.
        let wrapped = cause.downcast_ref::<io::Error>().and_then(|error| error.get_ref()).map(|error| error as _);
        match wrapped.or_else(|| cause.source()) {
            Some(next) => cause = next,
            None => return anyhow::anyhow!("cannot create {name}: {cause}"),
        }
    }
}

//! A directory with NSS's libraries.

use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The library that ours stands for.
const FREEBL: &str = "libfreeblpriv3";
/// What goes along: libraries that find each other in one directory, with the signatures for FIPS beside them.
const OTHERS: [&str; 7] = ["libnss3", "libnssutil3", "libsmime3", "libssl3", "libsoftokn3", "libnssdbm3", "libfreebl3"];
/// What is in our library and in no other.
const MARK: &[u8] = b"EVARISTE_NSS_COUNTERS";

/// A directory that has libfreeblpriv3.so.
pub(super) struct Libraries(PathBuf);

impl Libraries {
    /// Those in `given`, or those that a program started now would load.
    ///
    /// # Errors
    /// Why there are none.
    pub(super) fn find(given: Option<&Path>) -> Result<Self, String> {
        if let Some(given) = given {
            let found = Self(std::path::absolute(given).map_err(|error| error.to_string())?);
            return match found.freebl().exists() {
                true => Ok(found),
                false => Err(format!("there is no {FREEBL}.so in {}", given.display())),
            };
        }
        let variable = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let arch = match env::consts::ARCH {
            "powerpc64" if cfg!(target_endian = "little") => "powerpc64le",
            arch => arch,
        };
        let system = [format!("/usr/lib/{arch}-linux-gnu"), "/usr/lib64".into(), "/usr/lib".into()].map(PathBuf::from);
        let places = env::split_paths(&variable).filter(|place| place.is_absolute()).chain(system);
        let found = places.map(Self).find(|found| found.freebl().exists());
        found.ok_or_else(|| {
            format!("there is no {FREEBL}.so: on Debian, install libnss3; or name a directory by --from")
        })
    }

    pub(super) fn place(&self) -> &Path {
        &self.0
    }

    /// The library that NSS loads.
    pub(super) fn freebl(&self) -> PathBuf {
        self.file(FREEBL)
    }

    /// NSS's own one, where ours stands in its place.
    pub(super) fn original(&self) -> Option<PathBuf> {
        Some(self.file(&format!("{FREEBL}-orig"))).filter(|file| file.exists())
    }

    pub(super) fn are_ours(&self) -> bool {
        fs::read(self.freebl()).is_ok_and(|library| is_ours(&library))
    }

    /// What NSS says of itself.
    pub(super) fn version(&self) -> Option<String> {
        let library = fs::read(self.file("libnss3")).ok()?;
        let at = library.windows(6).position(|bytes| bytes == b"NSS 3.")?;
        let text = library[at..].iter().take(20).take_while(|b| b.is_ascii_graphic() || **b == b' ');
        Some(text.map(|b| char::from(*b)).collect::<String>().trim_end_matches([' ', '$']).to_owned())
    }

    /// Copies them into the new directory `into`, or one that was made so, with our library among them.
    pub(super) fn copy(&self, into: &Path, shim: Option<&Path>) -> Result<Self> {
        let made = Self(into.to_owned());
        let is_empty = fs::read_dir(into).map_or(true, |mut entries| entries.next().is_none());
        ensure!(is_empty || made.original().is_some(), "{} is in use for something else", into.display());
        ensure!(into != self.0, "{} is where NSS's libraries come from", into.display());
        let shim = shim.map_or_else(beside_this_program, |shim| Ok(shim.to_owned()))?;
        let ours = fs::read(&shim).with_context(|| {
            let build = "cargo build --release -p evariste-nss makes it; --shim FILE names it";
            format!("cannot read {}: {build}", shim.display())
        })?;
        ensure!(is_ours(&ours), "{} is not evariste's library for NSS", shim.display());
        // Where these have ours already, NSS's own is the one behind it.
        let original = self.original().unwrap_or_else(|| self.freebl());
        fs::create_dir_all(into).with_context(|| into.display().to_string())?;
        for name in OTHERS {
            if self.file(name).exists() {
                put(&fs::read(self.file(name))?, &made.file(name))?;
                // A signature is of use to who wants NSS's own code checked.
                if let Ok(signature) = fs::read(self.file(name).with_extension("chk")) {
                    put(&signature, &made.file(name).with_extension("chk"))?;
                }
            }
        }
        put(&fs::read(&original)?, &made.file(&format!("{FREEBL}-orig")))?;
        if let Ok(signature) = fs::read(original.with_extension("chk")) {
            put(&signature, &made.file(&format!("{FREEBL}-orig")).with_extension("chk"))?;
        }
        put(&ours, &made.freebl())?;
        Ok(made)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name).with_extension("so")
    }
}

fn is_ours(library: &[u8]) -> bool {
    library.windows(MARK.len()).any(|bytes| bytes == MARK)
}

fn beside_this_program() -> Result<PathBuf> {
    let program = env::current_exe().context("where is this program? name our library by --shim FILE")?;
    let Some(place) = program.parent() else { bail!("name our library by --shim FILE") };
    Ok(place.join("libevariste_nss.so"))
}

/// In one step: a program that runs on the old file keeps that.
fn put(bytes: &[u8], file: &Path) -> Result<()> {
    let cannot = || format!("cannot write {}", file.display());
    let place = file.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::NamedTempFile::new_in(place).with_context(cannot)?;
    std::io::Write::write_all(&mut new, bytes).with_context(cannot)?;
    use std::os::unix::fs::PermissionsExt;
    new.as_file().set_permissions(fs::Permissions::from_mode(0o755)).with_context(cannot)?;
    new.persist(file).map_err(|failed| failed.error).with_context(cannot)?;
    Ok(())
}

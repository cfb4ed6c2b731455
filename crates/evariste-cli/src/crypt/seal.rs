//! Encrypting.

use super::Files;
use super::input::{self, Input};
use super::part::Part;
use super::sealed::{new_secret, raw_key};
use super::{progress, tree};
use crate::output::{Output, Target};
use crate::secret::Key;
use anyhow::{Context, Result, anyhow};
use evariste_store::header::{Content, Cost, DataKey, Header};
use evariste_store::{CopyError, Suite, Writer, parallel, sealed_len};
use indicatif::ProgressBar;
use std::io::{self, Write};
use std::path::Path;

/// # Errors
/// For people. Then there is no output, or one that does not verify.
pub(super) fn seal(files: &Files, target: &Target, suite: Suite, cost: Cost) -> Result<u64> {
    let directory = files.input.as_deref().filter(|path| !files.raw && input::is_directory(Some(path)));
    let input = if directory.is_some() { None } else { Some(Input::open(files.input.clone())?) };
    if let Some((input, len)) = input.as_ref().and_then(|input| Some((input, input.len?))) {
        sealed_len(len).map_err(|error| anyhow!("{}: {error}; nothing was written", input.name))?;
    }
    let raw = if files.raw { Some(raw_key(&files.secret)?) } else { None };
    input::refuse_same(target, input.as_ref(), raw.as_ref())?;
    let mut output = Output::create(target, input.as_ref().map_or(0o666, |input| input.mode), files.existing())?;
    let content = if directory.is_some() { Content::Tar } else { Content::Bytes };
    let under = match raw {
        Some(key) => Under::Raw(key),
        None => {
            let (mut header, key) = Header::create(suite, content)?;
            let name = if matches!(target, Target::Stdout) { "what is written".into() } else { target.to_string() };
            let held = new_secret(&files.secret, &name)?;
            header.add(&key, held.secret(), cost)?;
            Under::Header(Box::new(header), key)
        }
    };
    output.write_all(under.front()).with_context(|| target.to_string())?;
    let len = match (directory, &input) {
        (Some(path), _) => pack(files, path, &mut output, target, &under)?,
        (None, Some(input)) => one(files, input, &mut output, target, &under)?,
        (None, None) => 0,
    };
    output.commit().with_context(|| target.to_string())?;
    Ok(len)
}

/// What it is sealed under.
enum Under {
    Raw(Key),
    Header(Box<Header>, DataKey),
}

impl Under {
    fn front(&self) -> &[u8] {
        match self {
            Self::Raw(_) => &[],
            Self::Header(header, _) => header.as_bytes(),
        }
    }

    fn writer<W: Write>(&self, sink: W) -> Result<Writer<W>> {
        let (key, context) = self.key();
        Writer::new(sink, key, context).context("cannot encrypt")
    }

    /// And the context.
    fn key(&self) -> (&[u8], &[u8]) {
        match self {
            Self::Raw(key) => (&key.bytes, &[]),
            Self::Header(header, key) => (key.as_bytes(), header.context()),
        }
    }
}

/// One file, or a stream.
fn one(files: &Files, input: &Input, output: &mut Output, target: &Target, under: &Under) -> Result<u64> {
    let bar = progress::bar(input, files.quiet)?;
    if let (Some(from), Some(len), Some(file)) = (input.start, input.len, output.file()) {
        let source = Part { file: &input.file, from, len, bar };
        let (key, context) = under.key();
        let sink = Part { file, from: under.front().len() as u64, len: 0, bar: ProgressBar::hidden() };
        parallel::seal(&source, &sink, key, context, files.threads()).map_err(|error| match error {
            CopyError::Source(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                anyhow!("{} became shorter while it was read; nothing was written", input.name)
            }
            CopyError::Source(error) => anyhow::Error::from(error).context(input.name.clone()),
            CopyError::Sink(error) => anyhow::Error::from(error).context(target.to_string()),
            error => error.into(),
        })?;
        input.check_unchanged()?;
        return Ok(len);
    }
    // What comes slowly is to go on at once: only a file is read a megabyte at a time.
    let threads = if input.len.is_some() { files.threads() } else { 1 };
    let mut writer = under.writer(output)?.threads(threads);
    let mut source = bar.wrap_read(&input.file);
    let mut len = 0;
    loop {
        let room = writer.room().with_context(|| target.to_string())?;
        match io::Read::read(&mut source, room) {
            Ok(0) => break,
            Ok(n) => {
                writer.advance(n);
                len += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).with_context(|| input.name.clone()),
        }
    }
    writer.finish().with_context(|| target.to_string())?;
    Ok(len)
}

/// A directory.
fn pack(files: &Files, path: &Path, output: &mut Output, target: &Target, under: &Under) -> Result<u64> {
    let writer = under.writer(output)?.threads(files.threads());
    let mut counted = Counted { writer, len: 0, failed: None };
    let packed = tree::pack(path, &mut counted, &mut |skipped| {
        if !files.quiet {
            eprintln!("evariste: left out {}: neither a file nor a directory nor a link", skipped.display());
        }
    });
    if let Some(error) = counted.failed {
        return Err(error).with_context(|| target.to_string());
    }
    packed.map_err(|error| error.context("nothing was written"))?;
    let len = counted.len;
    counted.writer.finish().with_context(|| target.to_string())?;
    Ok(len)
}

/// Tells the sink's errors from those of the files.
struct Counted<'a> {
    writer: Writer<&'a mut Output>,
    len: u64,
    failed: Option<io::Error>,
}

impl Write for &mut Counted<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self.writer.write(data) {
            Ok(n) => {
                self.len += n as u64;
                Ok(n)
            }
            Err(error) => {
                let kind = error.kind();
                self.failed = Some(error);
                Err(kind.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

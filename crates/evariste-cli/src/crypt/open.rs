//! Decrypting.

use super::Files;
use super::input::{self, Input};
use super::part::Part;
use super::sealed::Sealed;
use super::{progress, tree};
use crate::output::{Output, Target, TemporaryDirectory};
use anyhow::{Context, Error, Result, anyhow};
use evariste_store::header::Content;
use evariste_store::{CopyError, parallel};
use indicatif::ProgressBar;
use std::io::{BufRead, Write};

/// # Errors
/// For people. Then there is no output, or to standard output only a genuine beginning.
pub(super) fn open(files: &Files, target: &Target) -> Result<u64> {
    let input = Input::open(files.input.clone())?;
    input::refuse_same(target, Some(&input), None)?;
    // As long as nothing is out yet.
    let nothing = |error: Error| anyhow!("{error:#}; nothing was written");
    let sealed = Sealed::new(&input, files.raw, &files.secret).map_err(|error| keep_usage(error, nothing))?;
    input::refuse_same(target, None, sealed.raw_key())?;
    sealed.check_len().map_err(nothing)?;
    match target {
        Target::File(path) if sealed.content() == Content::Tar => {
            let directory = TemporaryDirectory::create(path.clone())?;
            let source = progress::bar(&input, files.quiet)?.wrap_read(&input.file);
            let mut reader = sealed.reader(source, files.threads()).map_err(nothing)?;
            let unpacked = tree::unpack(&mut reader, directory.path());
            unpacked.map_err(|error| nothing(error.context(input.name.clone())))?;
            directory.commit().with_context(|| target.to_string())?;
            Ok(input.len.unwrap_or(0))
        }
        _ => file(files, target, &sealed, nothing),
    }
}

/// Into a file or standard output.
fn file(files: &Files, target: &Target, sealed: &Sealed<'_>, nothing: impl Fn(Error) -> Error) -> Result<u64> {
    let input = sealed.input;
    let mut output = Output::create(target, input.mode, files.existing())?;
    let bar = progress::bar(input, files.quiet)?;
    if let (Some(source), Some(file)) = (sealed.part(bar.clone()), output.file()) {
        let sink = Part { file, from: 0, len: 0, bar: ProgressBar::hidden() };
        let opened = parallel::open(&source, &sink, sealed.key(), sealed.context(), files.threads());
        let len = opened.map_err(|error| match error {
            CopyError::Source(error) => nothing(sealed.error(error)),
            CopyError::Sink(error) => Error::from(error).context(target.to_string()),
            error => error.into(),
        })?;
        output.commit().with_context(|| target.to_string())?;
        return Ok(len);
    }
    // What comes slowly is to go on at once: only a file is read a megabyte at a time.
    let threads = if input.len.is_some() { files.threads() } else { 1 };
    let mut reader = sealed.reader(bar.wrap_read(&input.file), threads).map_err(&nothing)?;
    let mut written = 0;
    loop {
        let text = reader.fill_buf().map_err(|error| match target {
            Target::Stdout if written > 0 => {
                anyhow!("{}; the first {written} bytes, already written, are genuine", sealed.error(error))
            }
            _ => nothing(sealed.error(error)),
        })?;
        if text.is_empty() {
            break;
        }
        output.write_all(text).with_context(|| target.to_string())?;
        let n = text.len();
        written += n as u64;
        reader.consume(n);
    }
    output.commit().with_context(|| target.to_string())?;
    Ok(written)
}

/// Bad usage stays what it is.
fn keep_usage(error: Error, otherwise: impl Fn(Error) -> Error) -> Error {
    if error.is::<crate::pick::UsageError>() { error } else { otherwise(error) }
}

//! `evariste cat`.

use crate::crypt::input::Input;
use crate::crypt::sealed::Sealed;
use crate::output;
use crate::secret::Current;
use anyhow::{Context, Result};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use zeroize::Zeroizing;

/// Bytes decrypted at once.
const AT_ONCE: u64 = 1 << 20;

/// Print an encrypted file, or a range of it, decrypted
///
/// Of FILE only the chunks that hold the range are read, and the last one, which shows that FILE was not cut
/// short. Each chunk is verified before any byte of it is printed.
#[derive(clap::Args)]
#[command(after_help = "Examples: evariste cat notes.evr\n          \
                        evariste cat -k my.key --range 0-512 disk.evr | xxd")]
pub(crate) struct Args {
    /// Bytes A up to but not including B; A- from A to the end, -N the last N
    #[arg(long, value_name = "A-B", value_parser = range, allow_hyphen_values = true)]
    range: Option<Wanted>,

    /// No header: nothing but C2SP chunked encryption under the key of -k itself
    #[arg(long)]
    raw: bool,

    #[command(flatten)]
    secret: Current,

    /// The encrypted file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// A range as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    From(u64, Option<u64>),
    Last(u64),
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    output::exit_code(cat(args))
}

fn cat(args: Args) -> Result<()> {
    let input = Input::open(Some(args.file))?;
    let sealed = Sealed::new(&input, args.raw, &args.secret)?;
    let text = sealed.ranges()?;
    let len = text.text_len();
    let (mut at, end) = match args.range {
        None => (0, len),
        Some(Wanted::From(from, to)) => (from.min(len), to.unwrap_or(len).min(len)),
        Some(Wanted::Last(n)) => (len.saturating_sub(n), len),
    };
    let mut sink = output::stdout()?;
    let mut buffer = Zeroizing::new(vec![0; end.saturating_sub(at).min(AT_ONCE) as usize]);
    while at < end {
        // Up to where a chunk ends, so that no chunk is opened twice.
        let n = (end - at).min(AT_ONCE - at % AT_ONCE) as usize;
        text.read_exact_at(&mut buffer[..n], at).map_err(|error| sealed.error(error))?;
        sink.write_all(&buffer[..n]).context("standard output")?;
        at += n as u64;
    }
    Ok(())
}

fn range(text: &str) -> Result<Wanted, String> {
    let wrong = || "two numbers of bytes such as 100-200, or 100-, or -100".to_owned();
    let number = |text: &str| text.parse().map_err(|_| wrong());
    match text.split_once('-').ok_or_else(wrong)? {
        ("", last) => Ok(Wanted::Last(number(last)?)),
        (from, "") => Ok(Wanted::From(number(from)?, None)),
        (from, to) => {
            let (from, to) = (number(from)?, number(to)?);
            if from > to { Err(format!("{from} is behind {to}")) } else { Ok(Wanted::From(from, Some(to))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(range("1-2"), Ok(Wanted::From(1, Some(2))));
        assert_eq!(range("7-7"), Ok(Wanted::From(7, Some(7))));
        assert_eq!(range("5-"), Ok(Wanted::From(5, None)));
        assert_eq!(range("-5"), Ok(Wanted::Last(5)));
        for wrong in ["", "-", "5", "2-1", "a-b", "1--2", "-1-2", "99999999999999999999-"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}

//! `evariste vectors`: test vectors of others, run through the backends.

pub(crate) mod aead;
mod buffer;
mod cavp;
mod chunked;
pub(crate) mod cipher;
mod wycheproof;

use crate::pick::Pick;
use anyhow::{Context, Result};
pub(crate) use buffer::Turn;
use evariste::Backend;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Run files of test vectors through the backends
///
/// Takes Wycheproof's JSON (AES-GCM, AES-CCM, AES-GCM-SIV, AES-GMAC, XAES-256-GCM, C2SP chunked encryption) and
/// NIST's CAVP response files (GCM, CCM, and AES in ECB and CTR mode), told apart by their content. Each vector is
/// sealed and opened in place, to another buffer, with the tag appended, in pieces, in a batch, and at every
/// alignment; one that must fail has to leave zeros behind.
///
/// Prints a line per file and backend, and what is wrong with a vector to standard error. The exit code is 1 when
/// a vector failed, a file could not be read, or no vector ran.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  evariste vectors --backend all aes_gcm_test.json gcmDecrypt256.rsp")]
pub(crate) struct Args {
    #[command(flatten)]
    pick: Pick,

    /// Files of test vectors
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let backends = args.pick.backends()?;
    let mut out = std::io::stdout();
    let (mut ran, mut good) = (0, true);
    for path in &args.files {
        let vectors = match read(path) {
            Ok(vectors) => vectors,
            Err(error) => {
                eprintln!("evariste: {error:#}");
                good = false;
                continue;
            }
        };
        for backend in &backends {
            let tally = Tally::of(&vectors, *backend);
            for (name, why) in tally.failures.iter().take(SHOWN) {
                eprintln!("{} {backend}: {name}: {why}", path.display());
            }
            if tally.failures.len() > SHOWN {
                eprintln!("{} {backend}: … and {} more", path.display(), tally.failures.len() - SHOWN);
            }
            writeln!(out, "{} {backend}: {tally}", path.display())?;
            ran += tally.passed + tally.failures.len();
            good &= tally.failures.is_empty();
        }
    }
    if ran == 0 && good {
        eprintln!("evariste: no vector ran");
    }
    Ok(if ran > 0 && good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How many failures of a file on a backend are shown.
const SHOWN: usize = 10;

fn read(path: &Path) -> Result<Vec<Vector>> {
    let named = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(named)?;
    let text = str::from_utf8(&bytes).ok().filter(|text| !text.contains('\0')).context("not a text file");
    let text = text.with_context(named)?;
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') { wycheproof::parse(text) } else { cavp::parse(text) }.with_context(named)
}

/// Runs vectors in the form of response files, none of which may fail or be skipped.
pub(crate) fn check(text: &str, backend: Backend) -> Result<(), String> {
    let vectors = cavp::parse(text).map_err(|error| format!("{error:#}"))?;
    let tally = Tally::of(&vectors, backend);
    match tally.failures.first() {
        Some((name, why)) => Err(format!("{name}: {why}")),
        None if tally.passed == vectors.len() => Ok(()),
        None => Err(tally.to_string()),
    }
}

/// A vector of any kind.
struct Vector {
    /// What it is called in its file.
    name: String,
    test: Test,
}

/// What a vector asks for.
enum Test {
    Aead(aead::Vector),
    Ctr(cipher::Ctr),
    Ecb(cipher::Ecb),
    Chunked(chunked::Vector),
    /// Nothing that can be run, and why.
    Skip(String),
}

impl Test {
    fn skip(&self) -> Option<String> {
        match self {
            Self::Aead(vector) => vector.skip(),
            Self::Ctr(vector) => vector.skip(),
            Self::Ecb(vector) => vector.skip(),
            Self::Chunked(_) => None,
            Self::Skip(reason) => Some(reason.clone()),
        }
    }

    fn run(&self, backend: Backend, turn: &mut Turn) -> Result<(), String> {
        match self {
            Self::Aead(vector) => vector.run(backend, turn),
            Self::Ctr(vector) => vector.run(backend, turn),
            Self::Ecb(vector) => vector.run(backend, turn),
            Self::Chunked(vector) => vector.run(backend, turn),
            Self::Skip(_) => Ok(()),
        }
    }
}

/// The results of a file on a backend.
#[derive(Default)]
struct Tally {
    passed: usize,
    /// The vectors and what is wrong.
    failures: Vec<(String, String)>,
    /// The reasons and how many vectors they concern.
    skipped: BTreeMap<String, usize>,
}

impl Tally {
    fn of(vectors: &[Vector], backend: Backend) -> Self {
        let (mut tally, mut turn) = (Self::default(), Turn::default());
        for Vector { name, test } in vectors {
            turn.next_vector();
            if let Some(reason) = test.skip() {
                *tally.skipped.entry(reason).or_default() += 1;
            } else if let Err(why) = test.run(backend, &mut turn) {
                tally.failures.push((name.clone(), why));
            } else {
                tally.passed += 1;
            }
        }
        tally
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped: usize = self.skipped.values().sum();
        write!(f, "{} passed, {} failed, {skipped} skipped", self.passed, self.failures.len())?;
        for (n, (reason, count)) in self.skipped.iter().enumerate() {
            write!(f, "{}{reason}: {count}", if n == 0 { " (" } else { "; " })?;
        }
        f.write_str(if skipped > 0 { ")" } else { "" })
    }
}

/// What one way to do something gave.
pub(crate) type Outcome = Result<Vec<u8>, Fault>;

/// Why there is no output.
pub(crate) enum Fault {
    /// An error, and the buffers as they must be then.
    Refused,
    /// An error, and something else in the output.
    Untidy,
    /// Bytes beside the output were written.
    Overrun,
    /// Equal messages of a batch gave different results.
    Disagreement,
}

impl Fault {
    fn refused_if(tidy: bool) -> Self {
        if tidy { Self::Refused } else { Self::Untidy }
    }

    fn refused_if_zero(output: &[u8]) -> Self {
        Self::refused_if(output.iter().all(|b| *b == 0))
    }
}

/// Compares what was `done` in one `way` with what is wanted: an output, or to be refused.
fn judge(done: &str, way: &str, got: Outcome, want: Option<&[u8]>) -> Result<(), String> {
    let wrong = match (got, want) {
        (Ok(got), Some(want)) if got == want => return Ok(()),
        (Err(Fault::Refused), None) => return Ok(()),
        (Ok(_), Some(_)) => "wrong output",
        (Ok(_), None) => "must be refused",
        (Err(Fault::Refused), Some(_)) => "refused",
        (Err(Fault::Untidy), _) => "refused, but the output is not what it must be",
        (Err(Fault::Overrun), _) => "bytes beside the output were written",
        (Err(Fault::Disagreement), _) => "equal messages gave different results",
    };
    Err(format!("{done} {way}: {wrong}"))
}

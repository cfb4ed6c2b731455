//! `evariste speed`: the figures of `openssl speed`, for every backend.

mod algorithm;
mod job;
mod measure;
mod plot;
mod report;

use crate::pick::{Pick, UsageError};
use algorithm::Algorithm;
use anyhow::{Context, Result, bail};
use clap::builder::RangedU64ValueParser;
use evariste::Backend;
use job::Shape;
use report::{Report, Row};
use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Measure how fast each algorithm runs, in a table like that of `openssl speed`
///
/// Three tables: 1000s of bytes per second; nanoseconds per message; and, where several backends run,
/// how many times as fast as portable code each is. Every result is checked against the portable backend
/// before it is timed.
///
/// Keys are made once, outside the timing, whereas `openssl speed -aead` sets the key for each message.
/// AEADs have nonces of 12 bytes, each message another, and tags of 16. Messages are sealed in place, and
/// opened from one authentic ciphertext to another buffer. ECB pads to whole blocks. GMAC takes AES-128.
///
/// With one thread, waiting for other programs hardly counts: figures are medians of milliseconds. Several
/// threads are timed from a common start to the end, and so are their waits.
#[derive(clap::Args)]
#[command(after_help = "Example: evariste speed aes-128-gcm --backend all --bytes 64,1k,16k --plot gcm.svg")]
pub(crate) struct Args {
    /// Any of aes-{128,192,256}-{ecb,ctr,gcm,ccm}, aes-{128,256}-gcm-siv, ghash and gmac;
    /// without one, a choice of these that takes about a quarter of a minute per backend
    #[arg(value_name = "ALGORITHM")]
    algorithms: Vec<String>,

    #[command(flatten)]
    pick: Pick,

    /// Message sizes in bytes, up to 1024M; k and M stand for 1024 and 1024²
    #[arg(long, value_name = "N,…", default_value = "16,64,256,1024,8192,16384")]
    bytes: String,

    /// Seconds for each figure, 0.001 to 3600: nine rounds, in which the backends take turns, and the median counts
    #[arg(long, value_name = "S", default_value = "0.3", value_parser = seconds)]
    seconds: Duration,

    /// Open or decrypt instead of seal or encrypt; gmac verifies, ghash and ctr are the same both ways
    #[arg(long)]
    decrypt: bool,

    /// Threads that run at once, up to 1024; figures count the messages of all of them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: usize,

    /// Bytes of additional data of AEADs; 13 as in TLS and `openssl speed -aead`
    #[arg(long, value_name = "N", default_value = "13")]
    aad: String,

    /// Bytes by which to move the buffers off a 64-byte boundary, up to 4096
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = RangedU64ValueParser::<usize>::new().range(..=4096))]
    misalign: usize,

    /// Print an array of {algorithm, direction, aad, size (bytes), implementation, ns (per message), gbps (10⁹
    /// bytes per second)} and nothing else
    #[arg(long)]
    json: bool,

    /// Draw GB/s over message size, to a file ending in .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let algorithms = algorithm::named(&args.algorithms)?;
    let sizes = sizes(&args.bytes, &algorithms)?;
    let shape = Shape { size: 0, aad: size(&args.aad)?, misalign: args.misalign, decrypt: args.decrypt };
    let backends = args.pick.backends()?;
    let plot = args.plot.map(plot::File::create).transpose()?;

    let mut rows = Vec::new();
    let mut progress = Progress::new(algorithms.len() * sizes.len());
    for &algorithm in &algorithms {
        let first = rows.len();
        rows.extend(backends.iter().map(|&backend| Row { algorithm, backend, ns: Vec::new() }));
        for &size in &sizes {
            progress.next(algorithm, size);
            let ns = figures(algorithm, &backends, &Shape { size, ..shape.clone() }, args.threads, args.seconds)
                .with_context(|| format!("{} on {size} bytes", algorithm.name))?;
            rows[first..].iter_mut().zip(ns).for_each(|(row, ns)| row.ns.push(ns));
        }
    }
    drop(progress);

    let report = Report {
        conditions: conditions(&algorithms, &backends, &shape, args.threads),
        sizes,
        rows,
        backends: backends.len(),
        automatic: args.pick.is_automatic(),
        decrypt: args.decrypt,
        aad: shape.aad,
    };
    let text = if args.json { report.json()? } else { report.text() };
    stdout().write_all(text.as_bytes())?;
    if let Some(plot) = plot {
        plot.write(&report)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Nanoseconds per message on each backend, whose result is checked first.
fn figures(
    algorithm: &Algorithm,
    backends: &[Backend],
    shape: &Shape,
    threads: usize,
    time: Duration,
) -> Result<Vec<f64>> {
    let portable = job::portable()?;
    let expected = algorithm.prepare(portable, shape)?.once()?;
    let mut contestants = Vec::with_capacity(backends.len());
    for &backend in backends {
        let mut jobs = (0..threads).map(|_| algorithm.prepare(backend, shape)).collect::<Result<Vec<_>>>()?;
        if backend != portable && jobs[0].once().with_context(|| format!("{backend}"))? != expected {
            bail!("{backend} and portable disagree; see `evariste selftest`");
        }
        contestants.push(jobs);
    }
    measure::measure(&mut contestants, time)
}

/// How the figures were taken, in a line.
fn conditions(algorithms: &[&Algorithm], backends: &[Backend], shape: &Shape, threads: usize) -> String {
    let mut directions: Vec<_> = algorithms.iter().map(|a| a.direction(shape.decrypt)).collect();
    directions.sort_unstable();
    directions.dedup();
    let mut line = directions.join(", ");
    if let [backend] = backends {
        line += &format!(" on backend {backend}");
    }
    if algorithms.iter().any(|a| a.takes_aad()) {
        line += &format!("; AEADs with {} bytes of AAD", shape.aad);
    }
    line += "; key made once";
    if threads > 1 {
        line += &format!("; sum of {threads} threads");
    }
    if shape.misalign > 0 {
        line += &format!("; buffers {} bytes off alignment", shape.misalign);
    }
    line
}

/// A list of sizes that all the algorithms take, ascending.
fn sizes(list: &str, algorithms: &[&Algorithm]) -> Result<Vec<usize>> {
    let mut sizes = list.split(',').map(size).collect::<Result<Vec<_>>>()?;
    sizes.sort_unstable();
    sizes.dedup();
    if sizes[0] == 0 {
        return Err(UsageError("messages of 0 bytes have no speed".into()).into());
    }
    for algorithm in algorithms {
        if let Some(size) = sizes.iter().find(|size| **size > algorithm.max_size()) {
            let (name, max) = (algorithm.name, algorithm.max_size());
            return Err(UsageError(format!("{size} bytes are too many for {name}, which takes {max}")).into());
        }
    }
    Ok(sizes)
}

/// A number of bytes, with or without a suffix.
fn size(word: &str) -> Result<usize> {
    let (digits, unit) = match word.as_bytes().last() {
        Some(b'k' | b'K') => (&word[..word.len() - 1], 1 << 10),
        Some(b'M') => (&word[..word.len() - 1], 1 << 20),
        _ => (word, 1),
    };
    let number = digits.parse::<usize>().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()));
    match number.and_then(|n| n.checked_mul(unit)) {
        Some(bytes) if bytes <= 1 << 30 => Ok(bytes),
        _ => Err(UsageError(format!("{word:?} is not a number of bytes up to 1024M, such as 100, 16k or 1M")).into()),
    }
}

fn seconds(word: &str) -> Result<Duration, String> {
    match word.parse::<f64>() {
        Ok(seconds) if (0.001..=3600.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("not a number of seconds from 0.001 to 3600".into()),
    }
}

/// A line on the terminal that tells what is being measured.
struct Progress {
    shown: bool,
    done: usize,
    all: usize,
}

impl Progress {
    fn new(all: usize) -> Self {
        Self { shown: stderr().is_terminal(), done: 0, all }
    }

    fn next(&mut self, algorithm: &Algorithm, size: usize) {
        self.done += 1;
        if self.shown {
            _ = write!(stderr(), "\r\x1b[KDoing {} on {size} bytes ({} of {})", algorithm.name, self.done, self.all);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_suffixes() {
        assert_eq!(size("16").ok(), Some(16));
        assert_eq!(size("16k").ok(), Some(16384));
        assert_eq!(size("1024M").ok(), Some(1 << 30));
        for bad in ["", "k", "+1", "-1", "1.5k", "1025M", "99999999999999999999", "16 ", "16kk", "é"] {
            assert!(size(bad).is_err(), "{bad:?}");
        }
        assert_eq!(sizes("64,16,1k,16", &[]).ok(), Some(vec![16, 64, 1024]));
        assert!(sizes("16,,64", &[]).is_err() && sizes("0", &[]).is_err());
    }

    #[test]
    fn ccm_has_less_room() {
        let named = |name: &str| algorithm::named(&[name.into()]).unwrap_or_default();
        assert!(sizes("16M", &named("aes-128-ccm")).is_err());
        assert!(sizes("16777215", &named("aes-128-ccm")).is_ok());
        assert!(sizes("16M", &named("aes-128-gcm")).is_ok());
    }
}

//! `evariste selftest`: what every backend must compute, whoever runs it.

mod cross;
mod golden;
mod hash;

use crate::pick::Pick;
use crate::vectors;
use anyhow::Result;
use evariste::{Aead, Backend, Ccm};
use std::io::Write;
use std::process::ExitCode;

/// Check that the backends compute what the standards say
///
/// Known answers of the standards in every way the library can be called, digests over messages of all lengths, and
/// comparisons with the portable backend at the lengths and counters where kernels go wrong. A line per backend and
/// check; the exit code is 1 when any fails. Checks the active backend unless told otherwise; with `--backend all`
/// it also says which backends cannot run here, and why.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  evariste selftest --backend all")]
pub(crate) struct Args {
    #[command(flatten)]
    pick: Pick,
}

/// Says what is wrong with a backend, if anything.
type Check = fn(Backend) -> Result<(), String>;

/// What is checked, in this order.
const CHECKS: [(&str, Check); 15] = [
    ("aes known answers", |b| vectors::check(include_str!("selftest/aes.txt"), b)),
    ("aes-ctr known answers", |b| vectors::check(include_str!("selftest/ctr.txt"), b)),
    ("ghash and polyval known answers", hash::known_answers),
    ("aes-gcm known answers", |b| vectors::check(include_str!("selftest/gcm.txt"), b)),
    ("gmac known answers", |b| vectors::check(include_str!("selftest/gmac.txt"), b)),
    ("aes-ccm known answers", ccm),
    ("aes-gcm-siv known answers", |b| vectors::check(include_str!("selftest/gcm-siv.txt"), b)),
    ("xaes-256-gcm known answers", |b| vectors::check(include_str!("selftest/xaes.txt"), b)),
    ("aes-gcm digests", golden::digests),
    ("aes against portable", cross::aes),
    ("aes-ctr against portable", cross::ctr),
    ("ghash and polyval against portable", hash::cross),
    ("aes-gcm against portable", cross::gcm),
    ("aes-ccm against portable", cross::ccm),
    ("aes-gcm-siv against portable", cross::gcm_siv),
];

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let mut out = std::io::stdout();
    let backends = args.pick.backends()?;
    let width = Backend::candidates().map(|c| c.name.len()).max().unwrap_or_default();
    let mut failed = 0;
    for backend in &backends {
        for (name, check) in CHECKS {
            let result = check(*backend);
            failed += usize::from(result.is_err());
            let result = result.map_or_else(|why| format!("FAILED: {why}"), |()| "ok".into());
            writeln!(out, "{:width$}  {name} ... {result}", backend.name())?;
        }
    }
    if args.pick.is_all() {
        for c in Backend::candidates() {
            if let Err(reason) = c.backend {
                writeln!(out, "{:width$}  not run: {reason}", c.name)?;
            }
        }
    }
    let checks = CHECKS.len() * backends.len();
    writeln!(out, "{} of {checks} checks passed, {failed} failed", checks - failed)?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// SP 800-38C appendix C; C.4 has too much additional data for a file.
fn ccm(backend: Backend) -> Result<(), String> {
    vectors::check(include_str!("selftest/ccm.txt"), backend)?;
    let bytes: [u8; 256] = std::array::from_fn(|i| i as u8);
    let ccm = Ccm::with_tag_len(&bytes[0x40..0x50], backend, 14).map_err(|e| e.to_string())?;
    let mut sealed = [0; 46];
    ccm.seal_appended(&bytes[0x10..0x1d], &bytes.repeat(256), &bytes[0x20..0x40], &mut sealed)
        .map_err(|e| e.to_string())?;
    let want = "69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72b4ac6bec93e8598e7f0dadbcea5b";
    if hex::encode(sealed) == want { Ok(()) } else { Err("example C.4".into()) }
}

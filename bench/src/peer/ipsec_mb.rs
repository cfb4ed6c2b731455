//! Intel's libipsec-mb, by a small library in C: its jobs are structures that only its header knows.

use super::later::{Later, build_dir};
use super::{Library, foreign};
use anyhow::{Context, Result};
use std::env;
use std::path::PathBuf;
use std::process::Command;

pub(crate) const NAME: &str = "ipsec-mb";

pub(crate) fn load(later: &Later) -> Result<Box<dyn Library>> {
    let library = later.files("libIPSec_MB")?.pop().context("this architecture has none")?;
    let dir = build_dir()?;
    let out = dir.join("libbench_ipsec_mb.so");
    let sources = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/c"));
    let mut rpath = std::ffi::OsString::from("-Wl,-rpath,");
    rpath.push(library.parent().context("it is in no directory")?);
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&out).arg("-I").arg(later.headers());
    debian::output(command.arg(sources.join("ipsec_mb.c")).arg(&library).arg(rpath))?;
    foreign::load(&out)
}

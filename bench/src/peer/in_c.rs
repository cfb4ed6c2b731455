//! Peers whose headers must be seen: each is called from a small library in C, of bench/c.

use super::later::{Later, build_dir};
use super::{Library, foreign};
use anyhow::{Context, Result, ensure};
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

pub(crate) const IPSEC_MB: &str = "ipsec-mb";
pub(crate) const WOLFSSL: &str = "wolfssl";

/// Its jobs are structures.
pub(crate) fn ipsec_mb(later: &Later) -> Result<Box<dyn Library>> {
    let library = later.files("libIPSec_MB")?.pop().context("this architecture has none")?;
    let mut found = OsString::from("-Wl,-rpath,");
    found.push(library.parent().context("it is in no directory")?);
    compile("ipsec_mb.c", |cc| {
        cc.arg("-I").arg(later.headers()).arg(&library).arg(found);
    })
}

/// What distributions have of it is built without its assembler, so this is built from its sources.
pub(crate) fn wolfssl(later: &Later) -> Result<Box<dyn Library>> {
    const SOURCES: &[&str] =
        &["aes.c", "aes_asm.S", "aes_gcm_asm.S", "cpuid.c", "error.c", "logging.c", "memory.c", "wc_port.c"];
    ensure!(cfg!(target_arch = "x86_64"), "it is built here for x86-64 only");
    let root = later.sources(WOLFSSL, "unstable")?;
    compile("wolfssl/wolfssl.c", |cc| {
        cc.args(["-DWOLFSSL_USER_SETTINGS", "-maes", "-mpclmul", "-msse4.1", "-I"]).arg(&root);
        cc.args(SOURCES.iter().map(|name| root.join("wolfcrypt/src").join(name)));
    })
}

/// Builds a library of a file in bench/c and of what is added to the compiler's arguments, and loads it.
fn compile(file: &str, add: impl FnOnce(&mut Command)) -> Result<Box<dyn Library>> {
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/c")).join(file);
    let name = source.file_stem().context("a file without a name")?;
    let out = build_dir()?.join(name).with_extension("so");
    let mut cc = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.args(["-O3", "-shared", "-fPIC", "-Wl,-z,defs", "-I"]).arg(source.with_file_name("")).arg(&source);
    add(&mut cc);
    debian::output(cc.arg("-o").arg(&out))?;
    foreign::load(&out)
}

//! RustCrypto's portable AES: a library that is built with the flag for it, beside this program.

use super::{Library, Run, run};
use crate::algorithm::{Algorithm, Direction};
use anyhow::{Context, Result, ensure};
use libloading::library_filename;
use std::ffi::c_void;
use std::process::Command;
use std::ptr::NonNull;

pub(crate) const NAME: &str = "rustcrypto-soft";

/// The functions of soft/src/lib.rs.
struct Soft {
    key: unsafe extern "C" fn(*const u8, usize) -> Option<NonNull<c_void>>,
    ctr: unsafe extern "C" fn(NonNull<c_void>, &[u8; 16], *mut u8, usize),
}

/// Has cargo build the library where it is not up to date, and loads it.
pub(crate) fn load() -> Result<Box<dyn Library>> {
    let target = super::build_dir()?.join("soft");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--locked", "--package", NAME])
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .arg("--target-dir")
        .arg(&target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", "--cfg aes_backend=\"soft\"")
        .status()
        .context("cannot run cargo")?;
    ensure!(built.success(), "cargo could not build it");
    let path = target.join("release").join(library_filename("rustcrypto_soft"));
    // SAFETY: a Rust library without initializers of its own.
    let library = Box::leak(Box::new(unsafe { libloading::Library::new(path) }?));
    // SAFETY: the types are those of soft/src/lib.rs; its `Key` is opaque here, and a box of it is a
    // pointer that is not null. The library stays loaded.
    let soft = unsafe { Soft { key: *library.get(b"soft_key")?, ctr: *library.get(b"soft_ctr")? } };
    Ok(Box::new(soft))
}

impl Library for Soft {
    fn name(&self) -> String {
        NAME.into()
    }

    fn run(&self, algorithm: Algorithm, _: Direction) -> Option<Run> {
        if !matches!(algorithm, Algorithm::Aes128Ctr | Algorithm::Aes256Ctr) {
            return None;
        }
        let bytes = algorithm.key();
        // SAFETY: pointer and length of one slice.
        let key = unsafe { (self.key)(bytes.as_ptr(), bytes.len()) }?;
        let ctr = self.ctr;
        run(move |m| {
            let (nonce, (text, _)) = (m.nonce, m.parts());
            // SAFETY: a key from `soft_key`, which is never freed; pointer and length of one slice that is
            // borrowed mutably.
            unsafe { ctr(key, nonce, text.as_mut_ptr(), text.len()) };
            true
        })
    }
}

//! The C interface: libevariste.so, called across the border of a shared library, as a program in C does.

use crate::Args;
use crate::messages::{Call, KEY, Messages, Page, Runner};
use anyhow::{Context, Result, ensure};
use libloading::{Library, Symbol};
use std::ffi::{c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

type Init = unsafe extern "C" fn(*mut c_void, usize, c_int, *const u8, usize, usize, c_uint) -> c_int;
type Cleanup = unsafe extern "C" fn(*mut c_void);
type Size = unsafe extern "C" fn() -> usize;
#[rustfmt::skip]
type Attached = unsafe extern "C" fn(
    *const c_void, *mut u8, *mut usize, usize, *const u8, usize, *const u8, usize, *const u8, usize,
) -> c_int;
/// The tag is written or read.
#[rustfmt::skip]
type Detached = unsafe extern "C" fn(
    *const c_void, *mut u8, usize, *mut u8, usize, *const u8, usize, *const u8, usize, *const u8, usize,
) -> c_int;

const EVARISTE_AES_128_GCM: c_int = 1;

struct Capi {
    /// Memory of the caller, in which the key is.
    pages: Box<[Page<[u8; 4096]>]>,
    cleanup: Cleanup,
    call: Function,
}

#[derive(Clone, Copy)]
enum Function {
    Seal(Attached),
    Open(Attached),
    SealDetached(Detached),
    OpenDetached(Detached),
}

pub(crate) fn runner(call: Call, args: &Args) -> Result<Option<Box<dyn Runner>>> {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    let library = match LIBRARY.get() {
        Some(library) => library,
        None => {
            let path = args.library.clone().map_or_else(build, Ok)?;
            // SAFETY: this project's library, which does nothing when it is loaded.
            let library = unsafe { Library::new(&path) }.with_context(|| path.display().to_string())?;
            LIBRARY.get_or_init(|| library)
        }
    };
    // SAFETY: the types are those of evariste.h.
    let (size, init, cleanup, call) = unsafe {
        let call = match call {
            Call::Seal => Function::Seal(*find(library, "evariste_aead_seal")?),
            Call::Open => Function::Open(*find(library, "evariste_aead_open")?),
            Call::SealDetached => Function::SealDetached(*find(library, "evariste_aead_seal_detached")?),
            Call::OpenDetached => Function::OpenDetached(*find(library, "evariste_aead_open_detached")?),
        };
        let size = find::<Size>(library, "evariste_aead_size")?();
        (size, *find::<Init>(library, "evariste_aead_init")?, *find::<Cleanup>(library, "evariste_aead_cleanup")?, call)
    };
    let mut pages: Box<_> = (0..size.div_ceil(4096)).map(|_| Page([0; 4096])).collect();
    // SAFETY: a key of 16 bytes, and memory of at least this size.
    let status = unsafe { init(pages.as_mut_ptr().cast(), size, EVARISTE_AES_128_GCM, KEY.as_ptr(), KEY.len(), 0, 0) };
    ensure!(status == 0, "evariste_aead_init: {status}");
    Ok(Some(Box::new(Capi { pages, cleanup, call })))
}

/// # Safety
/// The function is of this type.
unsafe fn find<'l, T>(library: &'l Library, name: &str) -> Result<Symbol<'l, T>> {
    // SAFETY: the caller's promise.
    unsafe { library.get(name.as_bytes()) }.with_context(|| name.to_owned())
}

/// Installs it to a folder.
fn build() -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let prefix = root.join("bench/target/interfaces");
    let mut cargo = Command::new("cargo");
    cargo.current_dir(&root).args(["xtask", "install-capi", "--prefix"]).arg(&prefix);
    let output = cargo.output().context("cargo")?;
    ensure!(output.status.success(), "{cargo:?}\n{}", String::from_utf8_lossy(&output.stderr));
    Ok(prefix.join("lib/libevariste.so"))
}

impl Runner for Capi {
    fn run(&mut self, messages: &mut Messages) -> bool {
        let (aead, size, mut len) = (self.pages.as_ptr().cast(), messages.size, 0);
        match self.call {
            // SAFETY: a key; buffers of these lengths, text and tag in one, which nobody else uses.
            Function::Seal(seal) => messages.each(|nonce, aad, b| unsafe {
                let at = b.as_mut_ptr();
                seal(aead, at, &mut len, b.len(), nonce.as_ptr(), 12, aad.as_ptr(), 13, at, size) == 0
            }),
            // SAFETY: the same.
            Function::Open(open) => messages.each(|nonce, aad, b| unsafe {
                let at = b.as_mut_ptr();
                open(aead, at, &mut len, size, nonce.as_ptr(), 12, aad.as_ptr(), 13, at, b.len()) == 0
            }),
            // SAFETY: the same.
            Function::SealDetached(seal) => messages.each(|nonce, aad, b| unsafe {
                let at = b.as_mut_ptr();
                seal(aead, at, size, at.add(size), 16, nonce.as_ptr(), 12, aad.as_ptr(), 13, at, size) == 0
            }),
            // SAFETY: the same.
            Function::OpenDetached(open) => messages.each(|nonce, aad, b| unsafe {
                let at = b.as_mut_ptr();
                open(aead, at, size, at.add(size), 16, nonce.as_ptr(), 12, aad.as_ptr(), 13, at, size) == 0
            }),
        }
    }
}

impl Drop for Capi {
    fn drop(&mut self) {
        // SAFETY: there is a key, since `runner` made one.
        unsafe { (self.cleanup)(self.pages.as_mut_ptr().cast()) }
    }
}

//! Peers in libraries of their own that go through a whole pass by themselves: `bench-abi` has the rules.

use super::{Library, Run};
use crate::algorithm::{Algorithm, Direction};
use anyhow::{Context, Result, ensure};
use bench_abi::Pass;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::NonNull;

/// The functions that such a library exports.
#[derive(Clone, Copy)]
struct Functions {
    key: unsafe extern "C" fn(*const c_char, c_int, *const u8, usize) -> Option<NonNull<c_void>>,
    run: unsafe extern "C" fn(NonNull<c_void>, &Pass) -> c_int,
    free: unsafe extern "C" fn(NonNull<c_void>),
    /// A library without it has no limit.
    longest: Option<unsafe extern "C" fn(*const c_char) -> usize>,
}

struct Foreign {
    name: String,
    functions: Functions,
}

pub(crate) fn load(file: &Path) -> Result<Box<dyn Library>> {
    // SAFETY: a library that was built for this program; what it is linked with may be initialized anywhere.
    let library = Box::leak(Box::new(unsafe { libloading::Library::new(file) }?));
    // SAFETY: the types are those of bench-abi and of c/peer.h. The library stays loaded.
    unsafe {
        let name: unsafe extern "C" fn() -> *const c_char = *library.get(b"peer_name")?;
        let functions = Functions {
            key: *library.get(b"peer_key")?,
            run: *library.get(b"peer_run")?,
            free: *library.get(b"peer_free")?,
            longest: library.get(b"peer_longest").ok().map(|longest| *longest),
        };
        let name = name();
        ensure!(!name.is_null(), "it cannot be initialized");
        let name = CStr::from_ptr(name).to_str().context("its name")?.to_owned();
        Ok(Box::new(Foreign { name, functions }))
    }
}

impl Library for Foreign {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn longest(&self, algorithm: Algorithm) -> usize {
        let name = CString::new(algorithm.name()).expect("a name without zeros");
        // SAFETY: a C string.
        self.functions.longest.map_or(usize::MAX, |longest| unsafe { longest(name.as_ptr()) })
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        let key = Key::new(self.functions, algorithm, direction)?;
        Some(Box::new(move |case| case.pass(|pass| key.run(pass))))
    }
}

struct Key {
    functions: Functions,
    key: NonNull<c_void>,
}

impl Key {
    fn new(functions: Functions, algorithm: Algorithm, direction: Direction) -> Option<Self> {
        let name = CString::new(algorithm.name()).ok()?;
        let (bytes, decrypt) = (algorithm.key(), direction == Direction::Open);
        // SAFETY: a C string; pointer and length of one slice.
        let key = unsafe { (functions.key)(name.as_ptr(), decrypt.into(), bytes.as_ptr(), bytes.len()) }?;
        Some(Self { functions, key })
    }

    fn run(&self, pass: &Pass) -> bool {
        // SAFETY: a key of this library; a case vouches for what its pass points to.
        unsafe { (self.functions.run)(self.key, pass) == 1 }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: a key of this library that nobody uses any more.
        unsafe { (self.functions.free)(self.key) }
    }
}

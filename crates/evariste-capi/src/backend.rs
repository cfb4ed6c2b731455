//! Versions and backends.
#![allow(unsafe_code)]

use crate::aead::Aead;
use crate::border::{guard, name_of, object};
use crate::status::{EVARISTE_ERROR_BACKEND, EVARISTE_ERROR_NULL, EVARISTE_ERROR_STATE, Error, code};
use evariste::Backend;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::null;
use std::sync::OnceLock;

/// The version of this header: of the library that it came with.
pub const EVARISTE_VERSION_MAJOR: c_int = 0;
/// Its second number. While the first is 0, another one is another interface, with another soname.
pub const EVARISTE_VERSION_MINOR: c_int = 1;
/// Its third number.
pub const EVARISTE_VERSION_PATCH: c_int = 0;

/// The version of the library that is running, as "0.1.0". Never to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn evariste_version() -> *const c_char {
    VERSION.as_ptr()
}

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version has no zeros"),
};

/// A backend, in strings for C.
struct Candidate {
    name: CString,
    /// Why it cannot run.
    reason: Option<CString>,
}

/// All backends, fastest first: kept for good, so that strings can be handed out.
fn candidates() -> &'static [Candidate] {
    static ALL: OnceLock<Vec<Candidate>> = OnceLock::new();
    ALL.get_or_init(|| {
        let string = |text: String| CString::new(text).unwrap_or_default();
        let candidate = |c: evariste::Candidate| Candidate {
            name: string(c.name.to_owned()),
            reason: c.backend.err().map(|reason| string(reason.to_string())),
        };
        Backend::candidates().map(candidate).collect()
    })
}

/// The name of backend number `index`, fastest first on this CPU, as "vaes512" or "portable"; null behind the last one.
/// All that the library has for this architecture are numbered, also those that this CPU cannot run. Never to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn evariste_backend_at(index: usize) -> *const c_char {
    guard(|| Ok(candidates().get(index).map_or(null(), |c| c.name.as_ptr()))).unwrap_or(null())
}

/// Why this CPU cannot run backend number `index`, as "this CPU lacks avx512"; null if it can, or behind the last one.
/// Never to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn evariste_backend_reason(index: usize) -> *const c_char {
    let reason = || candidates().get(index).and_then(|c| c.reason.as_deref()).map_or(null(), CStr::as_ptr);
    guard(|| Ok(reason())).unwrap_or(null())
}

/// The name of the backend that a key was made for; null for null and without a key. Never to be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_backend_name(aead: *const Aead) -> *const c_char {
    // SAFETY: the caller's promise.
    let aead = unsafe { object(aead) };
    guard(|| {
        let backend = aead.ok_or(Error(EVARISTE_ERROR_NULL))?.backend()?;
        let own = candidates().iter().find(|c| c.name.as_bytes() == backend.name().as_bytes());
        Ok(own.map_or(null(), |c| c.name.as_ptr()))
    })
    .unwrap_or(null())
}

/// Makes a backend the default, which keys are made for from now on, in all threads. Without it, that is the fastest that
/// this CPU can run, or what the environment variable EVARISTE_BACKEND names. It can be set, and set anew, until a first
/// key is asked for, of an AEAD or of CTR, even in vain; then it is decided for good.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _BACKEND (there is none of this name, or this CPU cannot run it), _STATE (it is too
/// late, even for the one that is the default).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_set_backend(name: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    let name = unsafe { name_of(name) };
    code(guard(|| {
        let name = name.ok_or(Error(EVARISTE_ERROR_NULL))?.to_str().unwrap_or_default();
        let backend = Backend::by_name(name).ok_or(Error(EVARISTE_ERROR_BACKEND))?;
        backend.set_active().map_err(|_| Error(EVARISTE_ERROR_STATE))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_the_version_of_the_crate() {
        let header = format!("{EVARISTE_VERSION_MAJOR}.{EVARISTE_VERSION_MINOR}.{EVARISTE_VERSION_PATCH}");
        assert_eq!(VERSION.to_str(), Ok(&*header));
    }

    #[test]
    fn all_backends_are_numbered() {
        assert_eq!(candidates().len(), Backend::candidates().count());
        for (ours, theirs) in candidates().iter().zip(Backend::candidates()) {
            assert_eq!(ours.name.to_str(), Ok(theirs.name));
            assert_eq!(ours.reason.is_some(), theirs.backend.is_err());
        }
    }
}

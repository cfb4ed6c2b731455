//! What OpenSSL's core and a provider agree on: four structures and some numbers, the same since 3.0 (core.h,
//! core_dispatch.h). Declared by hand, so that one file serves all versions and programs, also those that have OpenSSL
//! linked into them: no symbol of libcrypto is needed.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null;

/// Any function; who calls it knows by the number beside it what it takes.
pub(crate) type Function = unsafe extern "C" fn();

/// A function and its number. A table of them ends with number 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Dispatch {
    pub(crate) id: c_int,
    pub(crate) function: Option<Function>,
}

impl Dispatch {
    pub(crate) const END: Self = Self { id: 0, function: None };
}

/// An algorithm. A table of them ends with one without names.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Algorithm {
    names: *const c_char,
    properties: *const c_char,
    pub(crate) implementation: *const Dispatch,
    description: *const c_char,
}

impl Algorithm {
    pub(crate) const END: Self =
        Self { names: null(), properties: null(), implementation: null(), description: null() };

    pub(crate) const fn new(names: &'static CStr, implementation: &'static [Dispatch]) -> Self {
        let (names, properties) = (names.as_ptr(), PROPERTIES.as_ptr());
        Self { names, properties, implementation: implementation.as_ptr(), description: c"evariste".as_ptr() }
    }
}

/// By which queries find our algorithms.
pub(crate) const PROPERTIES: &CStr = c"provider=evariste,fips=no";

// SAFETY: made by `new` and `END` alone, of what is never written and lives for ever.
unsafe impl Sync for Algorithm {}

/// A value with a name. A list of them ends with one without a name.
#[repr(C)]
pub struct Param {
    pub(crate) key: *const c_char,
    pub(crate) data_type: c_uint,
    pub(crate) data: *mut c_void,
    pub(crate) data_size: usize,
    pub(crate) return_size: usize,
}

impl Param {
    pub(crate) const END: Self =
        Self { key: null(), data_type: 0, data: null::<u8>() as _, data_size: 0, return_size: 0 };

    /// What says that there is a parameter of this name and kind.
    pub(crate) const fn named(key: &'static CStr, data_type: c_uint) -> Self {
        Self { key: key.as_ptr(), data_type, ..Self::END }
    }

    /// What asks for a string, to be left in `to`.
    pub(crate) fn wanted(key: &'static CStr, to: &mut *const c_char) -> Self {
        let data = std::ptr::from_mut(to).cast();
        Self { data, data_size: size_of::<*const c_char>(), return_size: UNMODIFIED, ..Self::named(key, UTF8_PTR) }
    }
}

// SAFETY: those in statics are made by `named` and `END`, of what is never written and lives for ever.
unsafe impl Sync for Param {}

/// A `return_size` that nobody has set.
const UNMODIFIED: usize = usize::MAX;

pub(crate) const INTEGER: c_uint = 1;
pub(crate) const UNSIGNED: c_uint = 2;
pub(crate) const UTF8_STRING: c_uint = 4;
pub(crate) const OCTET_STRING: c_uint = 5;
pub(crate) const UTF8_PTR: c_uint = 6;
pub(crate) const OCTET_PTR: c_uint = 7;

/// A number and a text.
#[repr(C)]
pub(crate) struct Item {
    pub(crate) id: c_uint,
    pub(crate) text: *const c_char,
}

// SAFETY: those in statics are made of string literals.
unsafe impl Sync for Item {}

/// What the core knows the provider by.
pub enum Handle {}

/// Functions of the core that we use.
pub(crate) mod core {
    use super::{Handle, Param, c_char, c_int, c_void};

    pub(crate) const GET_PARAMS: c_int = 2;
    pub(crate) const NEW_ERROR: c_int = 5;
    pub(crate) const SET_ERROR_DEBUG: c_int = 6;
    pub(crate) const VSET_ERROR: c_int = 7;

    pub(crate) type GetParams = unsafe extern "C" fn(*const Handle, *mut Param) -> c_int;
    pub(crate) type NewError = unsafe extern "C" fn(*const Handle);
    pub(crate) type SetErrorDebug = unsafe extern "C" fn(*const Handle, *const c_char, c_int, *const c_char);
    pub(crate) type VsetError = unsafe extern "C" fn(*const Handle, u32, *const c_char, *mut c_void);
}

/// Functions of a provider.
pub(crate) mod provider {
    use super::c_int;

    pub(crate) const TEARDOWN: c_int = 1024;
    pub(crate) const GETTABLE_PARAMS: c_int = 1025;
    pub(crate) const GET_PARAMS: c_int = 1026;
    pub(crate) const QUERY_OPERATION: c_int = 1027;
    pub(crate) const GET_REASON_STRINGS: c_int = 1029;
    /// The operation that ciphers are.
    pub(crate) const CIPHER: c_int = 2;
}

/// Functions of a cipher.
pub(crate) mod cipher {
    use super::c_int;

    pub(crate) const NEWCTX: c_int = 1;
    pub(crate) const ENCRYPT_INIT: c_int = 2;
    pub(crate) const DECRYPT_INIT: c_int = 3;
    pub(crate) const UPDATE: c_int = 4;
    pub(crate) const FINAL: c_int = 5;
    pub(crate) const CIPHER: c_int = 6;
    pub(crate) const FREECTX: c_int = 7;
    pub(crate) const DUPCTX: c_int = 8;
    pub(crate) const GET_PARAMS: c_int = 9;
    pub(crate) const GET_CTX_PARAMS: c_int = 10;
    pub(crate) const SET_CTX_PARAMS: c_int = 11;
    pub(crate) const GETTABLE_PARAMS: c_int = 12;
    pub(crate) const GETTABLE_CTX_PARAMS: c_int = 13;
    pub(crate) const SETTABLE_CTX_PARAMS: c_int = 14;
}

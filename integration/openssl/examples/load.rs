//! Loads the provider as OpenSSL does, without OpenSSL, seals and opens a message, and lists the algorithms: for CPUs that
//! no OpenSSL is at hand for.
//!
//! `load evariste.so`

use anyhow::{Context, Result, ensure};
use libloading::{Library, Symbol};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};

// core.h
#[repr(C)]
struct Dispatch(c_int, *const c_void);
#[repr(C)]
struct Algorithm(*const c_char, *const c_char, *const Dispatch, *const c_char);
#[repr(C)]
struct Param(*const c_char, u32, *mut c_void, usize, usize);

type Init = unsafe extern "C" fn(*const c_void, *const Dispatch, *mut *const Dispatch, *mut *mut c_void) -> c_int;
type Query = unsafe extern "C" fn(*mut c_void, c_int, *mut c_int) -> *const Algorithm;
type New = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Start = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *const Param) -> c_int;
type Update = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
type Final = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
type Params = unsafe extern "C" fn(*mut c_void, *mut Param) -> c_int;

const OCTETS: u32 = 5;
const END: Param = Param(null(), 0, null_mut(), 0, 0);

// core_dispatch.h
const QUERY: c_int = 1027;
const TEARDOWN: c_int = 1024;
const CIPHERS: c_int = 2;

/// SP 800-38D, test case 4.
const KEY: u128 = 0xfeffe9928665731c6d6a8f9467308308;
const IV: [u8; 12] = [0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce, 0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88];
const AAD: [u8; 20] = [
    0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xab, 0xad, 0xda,
    0xd2,
];
/// Of the text the last 60 bytes without the first 12 of these words.
const TEXT: [u128; 4] = [
    0xd9313225f88406e5a55909c5aff5269a,
    0x86a7a9531534f7da2e4c303d8a318a72,
    0x1c3c0c95956809532fcf0e2449a6b525,
    0xb16aedf5aa0de657ba637b3900000000,
];
const SEALED: [u128; 4] = [
    0x42831ec2217774244b7221b784d0d49c,
    0xe3aa212f2c02a4e035c17e2329aca12e,
    0x21d514b25466931c7d8f6a5aac84aa05,
    0x1ba30b396a0aac973d58e09100000000,
];
const TAG: u128 = 0x5bc94fbc3221a5db94fae95ae7121a47;

/// The function of a table with this number.
///
/// # Safety
/// The table ends with number 0, and `F` is the type that core_dispatch.h gives to the number.
unsafe fn function<F: Copy>(mut table: *const Dispatch, number: c_int) -> Result<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: the caller's promise.
    unsafe {
        while (*table).0 != 0 {
            if (*table).0 == number {
                return Ok(std::mem::transmute_copy(&(*table).1));
            }
            table = table.add(1);
        }
    }
    anyhow::bail!("no function {number}")
}

fn bytes(words: [u128; 4]) -> Vec<u8> {
    words.into_iter().flat_map(u128::to_be_bytes).take(60).collect()
}

unsafe extern "C" fn no_parameters(_: *const c_void, _: *mut Param) -> c_int {
    1
}

fn main() -> Result<()> {
    let file = std::env::args_os().nth(1).context("usage: load evariste.so")?;
    // SAFETY: its initializers are those of any library in Rust.
    let library = unsafe { Library::new(&file) }?;
    // SAFETY: the type that core.h gives to this function.
    let init: Symbol<'_, Init> = unsafe { library.get(b"OSSL_provider_init") }?;
    let getter: unsafe extern "C" fn(*const c_void, *mut Param) -> c_int = no_parameters;
    // SAFETY: functions are pointers.
    let core =
        [Dispatch(2, unsafe { transmute::<*const (), *const c_void>(getter as *const ()) }), Dispatch(0, null())];
    let (mut functions, mut provider) = (null(), null_mut());
    // SAFETY: tables and places as core.h has them; the provider is used as provider-base(7) says, and unloaded last.
    unsafe {
        ensure!(init(null(), core.as_ptr(), &mut functions, &mut provider) == 1, "it does not start");
        let mut no_cache = 0;
        let mut at = function::<Query>(functions, QUERY)?(provider, CIPHERS, &mut no_cache);
        ensure!(!at.is_null(), "it has no ciphers");
        let mut gcm = None;
        while !(*at).0.is_null() {
            let names = CStr::from_ptr((*at).0).to_str()?;
            println!("{names}");
            if names.starts_with("AES-128-GCM:") {
                gcm = Some((*at).2);
            }
            at = at.add(1);
        }
        message(provider, gcm.context("no AES-128-GCM")?)?;
        function::<Free>(functions, TEARDOWN)?(provider);
    }
    println!("sealed and opened");
    Ok(())
}

/// # Safety
/// The context of a provider, and a table of a cipher of it.
unsafe fn message(provider: *mut c_void, table: *const Dispatch) -> Result<()> {
    let (text, sealed, key) = (bytes(TEXT), bytes(SEALED), KEY.to_be_bytes());
    for (seals, input, expected) in [(true, &text, &sealed), (false, &sealed, &text)] {
        let mut tag = if seals { [0; 16] } else { TAG.to_be_bytes() };
        let mut tags = [Param(c"tag".as_ptr(), OCTETS, tag.as_mut_ptr().cast(), 16, 0), END];
        let (mut output, mut len, mut rest) = ([0; 64], 0, 0);
        // SAFETY: the caller's promise, and buffers of the lengths that are given.
        unsafe {
            let context = function::<New>(table, 1)?(provider);
            ensure!(!context.is_null(), "no context");
            let start = function::<Start>(table, if seals { 2 } else { 3 })?;
            ensure!(start(context, key.as_ptr(), 16, IV.as_ptr(), 12, null()) == 1, "no start");
            if !seals {
                ensure!(function::<Params>(table, 11)?(context, tags.as_mut_ptr()) == 1, "no tag is taken");
            }
            let update = function::<Update>(table, 4)?;
            ensure!(update(context, null_mut(), &mut rest, 0, AAD.as_ptr(), AAD.len()) == 1, "additional data");
            ensure!(update(context, output.as_mut_ptr(), &mut len, 64, input.as_ptr(), 60) == 1, "text");
            ensure!(len == 60 && output[..len] == expected[..], "another text");
            ensure!(function::<Final>(table, 5)?(context, output.as_mut_ptr(), &mut rest, 64) == 1, "no end");
            if seals {
                ensure!(function::<Params>(table, 10)?(context, tags.as_mut_ptr()) == 1, "no tag is told");
                ensure!(tag == TAG.to_be_bytes(), "another tag");
            }
            function::<Free>(table, 7)?(context);
        }
    }
    Ok(())
}

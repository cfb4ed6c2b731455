//! A provider whose AES-128-GCM does nothing: what OpenSSL itself takes for a call. Built as a module; leaves texts as they
//! are, and must not be installed anywhere. OpenSSL has a provider `null` of its own, without ciphers.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null;

// core.h
#[repr(C)]
struct Dispatch(c_int, *const c_void);
#[repr(C)]
struct Algorithm(*const c_char, *const c_char, *const Dispatch, *const c_char);
#[repr(C)]
struct Param(*const c_char, u32, *mut c_void, usize, usize);

/// A table that is never written to.
struct Table<T>(T);
// SAFETY: the pointers in it lead to what is constant.
unsafe impl<T> Sync for Table<T> {}

// The numbers of core_dispatch.h.
static PROVIDER: Table<[Dispatch; 2]> = Table([Dispatch(1027, query as *const c_void), Dispatch(0, null())]);
static CIPHERS: Table<[Algorithm; 2]> = Table([
    Algorithm(c"AES-128-GCM".as_ptr(), c"provider=idle".as_ptr(), GCM.0.as_ptr(), null()),
    Algorithm(null(), null(), null(), null()),
]);
static GCM: Table<[Dispatch; 10]> = Table([
    Dispatch(1, newctx as *const c_void),
    Dispatch(2, init as *const c_void),
    Dispatch(3, init as *const c_void),
    Dispatch(4, update as *const c_void),
    Dispatch(5, finish as *const c_void),
    Dispatch(7, freectx as *const c_void),
    Dispatch(9, get_params as *const c_void),
    Dispatch(10, get_ctx_params as *const c_void),
    Dispatch(11, set_ctx_params as *const c_void),
    Dispatch(0, null()),
]);

/// Where OpenSSL begins.
///
/// # Safety
/// Called by OpenSSL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *mut c_void,
    _: *const c_void,
    out: *mut *const c_void,
    provider: *mut *mut c_void,
) -> c_int {
    // SAFETY: places for results (provider-base(7)).
    unsafe { (*out, *provider) = (PROVIDER.0.as_ptr().cast(), handle) };
    1
}

unsafe extern "C" fn query(_: *mut c_void, operation: c_int, no_cache: *mut c_int) -> *const Algorithm {
    // SAFETY: a place for a result.
    unsafe { *no_cache = 0 };
    if operation == 2 { CIPHERS.0.as_ptr() } else { null() }
}

extern "C" fn newctx(provider: *mut c_void) -> *mut c_void {
    provider
}

extern "C" fn freectx(_: *mut c_void) {}

extern "C" fn init(_: *mut c_void, _: *const u8, _: usize, _: *const u8, _: usize, _: *const Param) -> c_int {
    1
}

unsafe extern "C" fn update(_: *mut c_void, _: *mut u8, done: *mut usize, _: usize, _: *const u8, len: usize) -> c_int {
    // SAFETY: a place for a result.
    unsafe { *done = len };
    1
}

unsafe extern "C" fn finish(_: *mut c_void, _: *mut u8, done: *mut usize, _: usize) -> c_int {
    // SAFETY: a place for a result.
    unsafe { *done = 0 };
    1
}

unsafe extern "C" fn get_params(mut at: *mut Param) -> c_int {
    // SAFETY: a list of parameters that ends with one without a name, and room for numbers of 4 or 8 bytes.
    unsafe {
        while !(*at).0.is_null() {
            let number = match CStr::from_ptr((*at).0).to_bytes() {
                b"mode" => 6,
                b"keylen" => 16,
                b"ivlen" => 12,
                b"blocksize" | b"aead" | b"custom-iv" => 1,
                _ => 0_u64,
            };
            match (*at).3 {
                4 => (*at).2.cast::<u32>().write_unaligned(number as u32),
                8 => (*at).2.cast::<u64>().write_unaligned(number),
                _ => return 0,
            }
            ((*at).4, at) = ((*at).3, at.add(1));
        }
    }
    1
}

unsafe extern "C" fn get_ctx_params(_: *mut c_void, mut at: *mut Param) -> c_int {
    // SAFETY: as above.
    unsafe {
        while !(*at).0.is_null() {
            // Lengths and tags: nobody reads them.
            if (*at).3 == 8 {
                (*at).2.cast::<u64>().write_unaligned(12);
            }
            ((*at).4, at) = ((*at).3, at.add(1));
        }
    }
    1
}

extern "C" fn set_ctx_params(_: *mut c_void, _: *const Param) -> c_int {
    1
}

//! freebl's interface, as far as it is needed: numbers, parameters, functions, and where these stand in the table.
//!
//! The table only ever grows at its end; the places are the same in NSS 3.87, 3.110 and 3.132.

use std::ffi::{c_int, c_uint, c_ulong, c_void};

/// `SECStatus`.
pub(crate) const SUCCESS: c_int = 0;
pub(crate) const FAILURE: c_int = -1;

/// Modes of an AES context. CBC is 1, CTS is 2.
pub(crate) const MODE_ECB: c_int = 0;
pub(crate) const MODE_CTR: c_int = 3;
pub(crate) const MODE_GCM: c_int = 4;

/// `CK_GENERATOR_FUNCTION`.
pub(crate) const NO_GENERATE: c_ulong = 0;
pub(crate) const GENERATE: c_ulong = 1;
pub(crate) const GENERATE_COUNTER: c_ulong = 2;
pub(crate) const GENERATE_RANDOM: c_ulong = 3;
pub(crate) const GENERATE_COUNTER_XOR: c_ulong = 4;

/// `CK_NSS_GCM_PARAMS`, of contexts for one message. Softoken makes it of `CK_GCM_PARAMS_V3` itself.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct GcmParams {
    pub(crate) iv: *const u8,
    pub(crate) iv_len: c_ulong,
    pub(crate) aad: *const u8,
    pub(crate) aad_len: c_ulong,
    pub(crate) tag_bits: c_ulong,
}

/// `CK_GCM_MESSAGE_PARAMS`, of each message of a context for many.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct MessageParams {
    pub(crate) iv: *mut u8,
    pub(crate) iv_len: c_ulong,
    pub(crate) fixed_bits: c_ulong,
    pub(crate) generator: c_ulong,
    pub(crate) tag: *mut u8,
    pub(crate) tag_bits: c_ulong,
}

/// `CK_AES_CTR_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct CtrParams {
    pub(crate) counter_bits: c_ulong,
    pub(crate) block: [u8; 16],
}

/// `AES_CreateContext`: key, parameters or IV, mode, whether to encrypt, length of the key, of a block.
pub(crate) type Create = unsafe extern "C" fn(*const u8, *const u8, c_int, c_int, c_uint, c_uint) -> *mut c_void;
/// `AES_DestroyContext`: context, whether to free it.
pub(crate) type Destroy = unsafe extern "C" fn(*mut c_void, c_int);
/// `AES_Encrypt` and `AES_Decrypt`: context, output, its length, room for it, input, its length.
pub(crate) type Crypt = unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_uint, c_uint, *const u8, c_uint) -> c_int;
/// `AES_InitContext`: context, key, its length, parameters or IV, mode, whether to encrypt, length of a block.
pub(crate) type Init = unsafe extern "C" fn(*mut c_void, *const u8, c_uint, *const u8, c_int, c_uint, c_uint) -> c_int;
/// `AES_AllocateContext`.
pub(crate) type Allocate = unsafe extern "C" fn() -> *mut c_void;
/// `AES_AEAD`: as [`Crypt`], then parameters and their length, additional data and its length.
pub(crate) type Aead = unsafe extern "C" fn(
    *mut c_void,
    *mut u8,
    *mut c_uint,
    c_uint,
    *const u8,
    c_uint,
    *mut c_void,
    c_uint,
    *const u8,
    c_uint,
) -> c_int;
/// `RNG_GenerateGlobalRandomBytes`.
pub(crate) type Random = unsafe extern "C" fn(*mut c_void, usize) -> c_int;
/// `BLAPI_SHVerify`: name and an address in a library.
pub(crate) type Verify = unsafe extern "C" fn(*const u8, *const c_void) -> c_int;

/// Places in the table, counted in pointers behind its head.
pub(crate) mod slot {
    pub(crate) const CREATE: usize = 29;
    pub(crate) const DESTROY: usize = 30;
    pub(crate) const ENCRYPT: usize = 31;
    pub(crate) const DECRYPT: usize = 32;
    pub(crate) const RANDOM: usize = 66;
    pub(crate) const VERIFY: usize = 111;
    pub(crate) const INIT: usize = 120;
    pub(crate) const ALLOCATE: usize = 125;
    pub(crate) const AEAD: usize = 236;
}

/// Bytes before the first function: two 16-bit numbers, the length of all in bytes and the version, and padding.
pub(crate) const HEAD: usize = size_of::<usize>();

//! A core of our own, which calls the provider's tables as OpenSSL does. What it agrees on with the provider stands here a
//! second time, from core.h and core_dispatch.h.
#![allow(dead_code, unsafe_code, reason = "each test uses a part; C is called")]

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Dispatch(c_int, *const c_void);

#[repr(C)]
struct Algorithm(*const c_char, *const c_char, *const Dispatch, *const c_char);

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) key: *const c_char,
    pub(crate) data_type: u32,
    pub(crate) data: *mut c_void,
    pub(crate) data_size: usize,
    pub(crate) return_size: usize,
}

#[repr(C)]
struct Item(u32, *const c_char);

pub(crate) const END: Param = Param { key: null(), data_type: 0, data: null_mut(), data_size: 0, return_size: 0 };
pub(crate) const INTEGER: u32 = 1;
pub(crate) const UNSIGNED: u32 = 2;
pub(crate) const UTF8_STRING: u32 = 4;
pub(crate) const OCTETS: u32 = 5;
pub(crate) const UTF8_PTR: u32 = 6;
pub(crate) const OCTET_PTR: u32 = 7;

/// A parameter that has, or is to get, bytes.
pub(crate) fn param(key: &'static CStr, data_type: u32, data: &mut [u8]) -> Param {
    Param {
        key: key.as_ptr(),
        data_type,
        data: data.as_mut_ptr().cast(),
        data_size: data.len(),
        return_size: usize::MAX,
    }
}

thread_local! {
    static ERRORS: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    static CONFIG: RefCell<Vec<(CString, CString)>> = const { RefCell::new(Vec::new()) };
}

unsafe extern "C" fn core_get_params(_: *const c_void, params: *mut Param) -> c_int {
    CONFIG.with_borrow(|config| {
        let mut at = params;
        // SAFETY: a list that ends with a null key; UTF8_PTR parameters have room for a pointer.
        unsafe {
            while !(*at).key.is_null() {
                for (_, value) in config.iter().filter(|(key, _)| **key == *CStr::from_ptr((*at).key)) {
                    assert_eq!((*at).data_type, UTF8_PTR);
                    (*at).data.cast::<*const c_char>().write(value.as_ptr());
                }
                at = at.add(1);
            }
        }
    });
    1
}

unsafe extern "C" fn core_new_error(_: *const c_void) {}
unsafe extern "C" fn core_set_error_debug(_: *const c_void, file: *const c_char, _: c_int, _: *const c_char) {
    assert!(!file.is_null());
}
unsafe extern "C" fn core_vset_error(_: *const c_void, reason: u32, format: *const c_char, arguments: *mut c_void) {
    assert!(format.is_null() && !arguments.is_null());
    ERRORS.with_borrow_mut(|errors| errors.push(reason));
}

/// The last error, as text; there must be one, and no other.
pub(crate) fn error(provider: &Provider) -> String {
    let errors = ERRORS.take();
    assert_eq!(errors.len(), 1, "{errors:?}");
    provider.reasons.iter().find(|(id, _)| *id == errors[0]).expect("in the table").1.clone()
}

/// That there was no error.
pub(crate) fn no_error() {
    assert_eq!(ERRORS.take(), []);
}

pub(crate) struct Provider {
    context: *mut c_void,
    functions: *const Dispatch,
    reasons: Vec<(u32, String)>,
}

/// A function of a table.
fn find(mut table: *const Dispatch, id: c_int) -> *const c_void {
    // SAFETY: tables end with number 0.
    unsafe {
        while (*table).0 != 0 {
            if (*table).0 == id {
                return (*table).1;
            }
            table = table.add(1);
        }
    }
    panic!("no function {id}")
}

/// The function of a table, as what its number says.
macro_rules! call {
    ($table:expr, $id:literal, fn($($t:ty),*) $(-> $r:ty)?, $($arg:expr),*) => {
        // SAFETY: the type that core_dispatch.h gives to the number; pointers are as it demands.
        unsafe { transmute::<*const c_void, unsafe extern "C" fn($($t),*) $(-> $r)?>(find($table, $id))($($arg),*) }
    };
}

impl Provider {
    pub(crate) fn load(config: &[(&str, &str)]) -> Option<Self> {
        let c = |text: &&str| CString::new(*text).expect("no zeros");
        CONFIG.set(config.iter().map(|(key, value)| (c(key), c(value))).collect());
        ERRORS.take();
        let table = [
            Dispatch(2, core_get_params as *const c_void),
            Dispatch(5, core_new_error as *const c_void),
            Dispatch(6, core_set_error_debug as *const c_void),
            Dispatch(7, core_vset_error as *const c_void),
            Dispatch(20, null::<c_void>().wrapping_add(1)),
            Dispatch(0, null()),
        ];
        let (mut functions, mut context): (*const Dispatch, _) = (null(), null_mut());
        // SAFETY: as the core calls it.
        let status = unsafe {
            evariste_openssl::OSSL_provider_init(
                null(),
                table.as_ptr().cast(),
                std::ptr::from_mut(&mut functions).cast(),
                &mut context,
            )
        };
        if status != 1 {
            return None;
        }
        let mut reasons = Vec::new();
        let mut items = call!(functions, 1029, fn(*mut c_void) -> *const Item, context);
        // SAFETY: up to number 0.
        unsafe {
            while (*items).0 != 0 {
                reasons.push(((*items).0, CStr::from_ptr((*items).1).to_str().expect("UTF-8").to_owned()));
                items = items.add(1);
            }
        }
        Some(Self { context, functions, reasons })
    }

    /// All algorithms: names and functions.
    pub(crate) fn algorithms(&self) -> Vec<(String, String, *const Dispatch)> {
        let mut no_cache = 7;
        let query = |operation, no_cache: &mut c_int| {
            call!(
                self.functions,
                1027,
                fn(*mut c_void, c_int, *mut c_int) -> *const Algorithm,
                self.context,
                operation,
                no_cache
            )
        };
        assert!(query(1, &mut no_cache).is_null());
        let mut at = query(2, &mut no_cache);
        assert_eq!(no_cache, 0);
        let mut all = Vec::new();
        // SAFETY: up to one without names.
        unsafe {
            while !(*at).0.is_null() {
                let text = |text| CStr::from_ptr(text).to_str().expect("UTF-8").to_owned();
                all.push((text((*at).0), text((*at).1), (*at).2));
                at = at.add(1);
            }
        }
        all
    }

    pub(crate) fn cipher(&self, name: &str) -> Cipher<'_> {
        let found = self.algorithms().into_iter().find(|(names, ..)| names.split(':').any(|n| n == name));
        let functions = found.unwrap_or_else(|| panic!("no {name}")).2;
        let context = call!(functions, 1, fn(*mut c_void) -> *mut c_void, self.context);
        assert!(!context.is_null());
        Cipher { provider: self, functions, context }
    }

    pub(crate) fn get(&self, params: &mut [Param]) -> bool {
        status(call!(self.functions, 1026, fn(*mut c_void, *mut Param) -> c_int, self.context, params.as_mut_ptr()))
    }

    pub(crate) fn text(&self, key: &'static CStr) -> String {
        let mut text: *const c_char = null();
        let data = std::ptr::from_mut(&mut text).cast();
        let wanted = Param { key: key.as_ptr(), data_type: UTF8_PTR, data, data_size: 0, return_size: 0 };
        assert!(self.get(&mut [wanted, END]));
        // SAFETY: the provider has set it.
        unsafe { CStr::from_ptr(text) }.to_str().expect("UTF-8").to_owned()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        call!(self.functions, 1024, fn(*mut c_void), self.context);
    }
}

/// Only ever 1 or 0.
fn status(status: c_int) -> bool {
    assert!(status == 0 || status == 1, "{status}");
    status == 1
}

pub(crate) struct Cipher<'p> {
    provider: &'p Provider,
    functions: *const Dispatch,
    context: *mut c_void,
}

impl Cipher<'_> {
    pub(crate) fn try_init(
        &mut self,
        encrypt: bool,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        params: &mut [Param],
    ) -> bool {
        let of = |bytes: Option<&[u8]>| bytes.map_or((null(), 0), |bytes| (bytes.as_ptr(), bytes.len()));
        let ((key, key_len), (iv, iv_len)) = (of(key), of(iv));
        let params = if params.is_empty() { null() } else { params.as_ptr() };
        type Init = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *const Param) -> c_int;
        // SAFETY: as core_dispatch.h says.
        let init = unsafe { transmute::<*const c_void, Init>(find(self.functions, if encrypt { 2 } else { 3 })) };
        // SAFETY: the same.
        status(unsafe { init(self.context, key, key_len, iv, iv_len, params) })
    }

    pub(crate) fn init(&mut self, encrypt: bool, key: Option<&[u8]>, iv: Option<&[u8]>) {
        assert!(self.try_init(encrypt, key, iv, &mut []));
        no_error();
    }

    fn raw(&mut self, id: c_int, out: *mut u8, room: usize, text: *const u8, len: usize) -> Option<usize> {
        let mut written = usize::MAX;
        type Update = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
        // SAFETY: as core_dispatch.h says.
        let update = unsafe { transmute::<*const c_void, Update>(find(self.functions, id)) };
        // SAFETY: the same.
        let done = status(unsafe { update(self.context, out, &mut written, room, text, len) });
        assert!(done || written == 0);
        done.then_some(written)
    }

    /// To another place, by update or by EVP_Cipher; what was written.
    pub(crate) fn try_text(&mut self, text: &[u8], by_cipher: bool) -> Option<Vec<u8>> {
        let mut out = vec![0xee; text.len() + 32];
        let room = text.len() + 16;
        let n = self.raw(if by_cipher { 6 } else { 4 }, out.as_mut_ptr(), room, text.as_ptr(), text.len())?;
        assert!(out[n.max(text.len())..].iter().all(|b| *b == 0xee) || n > text.len());
        out.truncate(n);
        Some(out)
    }

    pub(crate) fn text(&mut self, text: &[u8]) -> Vec<u8> {
        let out = self.try_text(text, false).expect("done");
        no_error();
        out
    }

    /// In place, with no more room than there is text.
    pub(crate) fn try_in_place(&mut self, text: &mut [u8], by_cipher: bool) -> Option<usize> {
        let at = text.as_mut_ptr();
        self.raw(if by_cipher { 6 } else { 4 }, at, text.len(), at, text.len())
    }

    /// Any pointers within `memory`.
    pub(crate) fn try_at(
        &mut self,
        memory: &mut [u8],
        out: Option<(usize, usize)>,
        text: Option<usize>,
        len: usize,
    ) -> Option<usize> {
        let base = memory.as_mut_ptr();
        let (out, room) = out.map_or((null_mut(), 0), |(at, room)| (base.wrapping_add(at), room));
        self.raw(4, out, room, text.map_or(null(), |at| base.wrapping_add(at)), len)
    }

    pub(crate) fn try_aad(&mut self, aad: &[u8], by_cipher: bool) -> bool {
        self.raw(if by_cipher { 6 } else { 4 }, null_mut(), 0, aad.as_ptr(), aad.len()).is_some()
    }

    pub(crate) fn aad(&mut self, aad: &[u8]) {
        assert!(self.try_aad(aad, false));
        no_error();
    }

    /// CCM's length of the text.
    pub(crate) fn announce(&mut self, len: usize) -> bool {
        self.raw(4, null_mut(), 0, null(), len).is_some()
    }

    pub(crate) fn finish(&mut self) -> Option<Vec<u8>> {
        let (mut out, mut written) = ([0xee; 48], usize::MAX);
        type Final = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
        // SAFETY: as core_dispatch.h says.
        let finish = unsafe { transmute::<*const c_void, Final>(find(self.functions, 5)) };
        // SAFETY: the same.
        let done = status(unsafe { finish(self.context, out.as_mut_ptr(), &mut written, 16) });
        assert!(written <= 16 && (done || written == 0) && out[16..].iter().all(|b| *b == 0xee));
        done.then(|| out[..written].to_vec())
    }

    /// The end by EVP_Cipher.
    pub(crate) fn finish_by_cipher(&mut self) -> bool {
        self.raw(6, null_mut(), 0, null(), 0).is_some()
    }

    pub(crate) fn set_all(&mut self, params: &[Param]) -> bool {
        status(call!(self.functions, 11, fn(*mut c_void, *const Param) -> c_int, self.context, params.as_ptr()))
    }

    pub(crate) fn get_all(&mut self, params: &mut [Param]) -> bool {
        status(call!(self.functions, 10, fn(*mut c_void, *mut Param) -> c_int, self.context, params.as_mut_ptr()))
    }

    pub(crate) fn set(&mut self, key: &'static CStr, octets: &[u8]) -> bool {
        self.set_all(&[param(key, OCTETS, &mut octets.to_vec()), END])
    }

    pub(crate) fn set_number(&mut self, key: &'static CStr, number: u64) -> bool {
        self.set_all(&[param(key, UNSIGNED, &mut number.to_ne_bytes()), END])
    }

    pub(crate) fn get(&mut self, key: &'static CStr, len: usize) -> Option<Vec<u8>> {
        let mut octets = vec![0xee; len];
        let mut params = [param(key, OCTETS, &mut octets), END];
        let done = self.get_all(&mut params);
        let n = params[0].return_size;
        done.then(|| octets[..if n == usize::MAX { len } else { n.min(len) }].to_vec())
    }

    pub(crate) fn get_number(&mut self, key: &'static CStr) -> Option<u64> {
        let mut bytes = [0; 8];
        let mut params = [param(key, UNSIGNED, &mut bytes), END];
        let done = self.get_all(&mut params) && params[0].return_size == 8;
        done.then(|| u64::from_ne_bytes(bytes))
    }

    /// A fact of the algorithm.
    pub(crate) fn fact(&self, key: &'static CStr) -> u64 {
        let mut bytes = [0; 8];
        let mut params = [param(key, UNSIGNED, &mut bytes), END];
        assert!(status(call!(self.functions, 9, fn(*mut Param) -> c_int, params.as_mut_ptr())));
        assert_eq!(params[0].return_size, 8);
        u64::from_ne_bytes(bytes)
    }

    pub(crate) fn copy(&self) -> Self {
        let context = call!(self.functions, 8, fn(*mut c_void) -> *mut c_void, self.context);
        assert!(!context.is_null());
        Self { provider: self.provider, functions: self.functions, context }
    }

    pub(crate) fn error(&self) -> String {
        error(self.provider)
    }
}

impl Drop for Cipher<'_> {
    fn drop(&mut self) {
        call!(self.functions, 7, fn(*mut c_void), self.context);
    }
}

pub(crate) fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + seed * 13 + (i >> 8)) as u8).collect()
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..][..2], 16).expect("digits")).collect()
}

/// Errors that nobody asked for, forgotten.
pub(crate) fn errors() -> usize {
    ERRORS.take().len()
}

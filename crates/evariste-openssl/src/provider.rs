//! The provider: what OpenSSL calls before there is a cipher.
//!
//! Parameters that it tells (OSSL_PROVIDER_get_params): `name`, `version`, `buildinfo`, `status` as all providers;
//! `evariste-backend` (UTF8_PTR), the code that this CPU gets, as `vaes512`; `evariste-counters` (UTF8_PTR), the file of
//! [`counters`](crate::counters), `off`, or why there is none; `evariste-operations` and `evariste-bytes` (unsigned), the
//! sums of that file; `evariste-counts` (UTF8_STRING), a line for each of its algorithms: name, operations and bytes
//! encrypted, operations and bytes decrypted.
#![allow(unsafe_code)]

use crate::algorithm::table;
use crate::border::{entry, guard};
use crate::counters::{self, Count, Counter};
use crate::ffi::{Algorithm, Dispatch, Function, Handle, Item, Param, UNSIGNED, UTF8_PTR, UTF8_STRING, provider};
use crate::param::List;
use crate::reason::{Reason, Result, TEXTS};
use crate::upcalls::Core;
use std::ffi::{CStr, CString, OsString, c_int, c_void};
use std::fmt::Write;
use std::sync::Arc;

const NAME: &CStr = c"evariste";
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("one zero, at the end"),
};

/// The provider's context.
pub(crate) struct Provider {
    core: Core,
    with_cbc: bool,
    pub(crate) short_tags: bool,
    backend: CString,
    counters: Option<Arc<evariste_counters::Counters>>,
    /// Where they are, or why not.
    counters_are: CString,
}

impl Provider {
    fn new(core: Core) -> std::result::Result<Self, (Core, Reason)> {
        let [cbc, short_tags] = [c"cbc", c"short-tags"].map(|key| core.configured(key).map_or(Ok(false), yes_or_no));
        let (Ok(with_cbc), Ok(short_tags)) = (cbc, short_tags) else { return Err((core, Reason::Configuration)) };
        let path = core.configured(c"counters").map(path);
        let path = path.or_else(|| evariste::cpu::switch("EVARISTE_OPENSSL_COUNTERS"));
        // Who only counts must not keep a program from running.
        let (counters, counters_are) = match path.as_ref().map(|path| counters::open(path.as_ref())) {
            Some(Ok(counters)) => (Some(counters), path.unwrap_or_default().to_string_lossy().into_owned()),
            Some(Err(error)) => (None, format!("none: {error}")),
            None => (None, "off".into()),
        };
        let backend = text(evariste::Backend::active().name().into());
        Ok(Self { core, with_cbc, short_tags, backend, counters, counters_are: text(counters_are) })
    }

    pub(crate) fn raise(&self, reason: Reason) {
        self.core.raise(reason);
    }

    /// Where an algorithm's work is to be counted.
    pub(crate) fn count(&self, record: usize) -> Option<Count> {
        self.counters.clone().map(|counters| Count { counters, record })
    }

    fn counts(&self) -> Vec<Counter> {
        self.counters.as_ref().map(|counters| counters.now()).unwrap_or_default()
    }

    fn sum(&self, part: impl Fn(&Counter) -> u64) -> u64 {
        self.counts().iter().map(part).fold(0, u64::wrapping_add)
    }

    fn get(&self, mut params: List) -> Result {
        params.try_for_each(|value| match value.name() {
            b"name" => value.put_text(NAME),
            b"version" | b"buildinfo" => value.put_text(VERSION),
            b"status" => value.put_number(1),
            b"evariste-backend" => value.put_text(&self.backend),
            b"evariste-counters" => value.put_text(&self.counters_are),
            b"evariste-operations" => {
                value.put_number(self.sum(|c| c.encrypted.operations.wrapping_add(c.decrypted.operations)))
            }
            b"evariste-bytes" => value.put_number(self.sum(|c| c.encrypted.bytes.wrapping_add(c.decrypted.bytes))),
            b"evariste-counts" => {
                let mut lines = String::new();
                for Counter { algorithm, encrypted, decrypted } in self.counts() {
                    let numbers = [encrypted.operations, encrypted.bytes, decrypted.operations, decrypted.bytes];
                    _ = writeln!(lines, "{algorithm} {}", numbers.map(|n| n.to_string()).join(" "));
                }
                value.put_copy(&lines)
            }
            _ => Ok(()),
        })
    }
}

fn text(text: String) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

fn yes_or_no(value: &CStr) -> Result<bool> {
    match &value.to_bytes().to_ascii_lowercase()[..] {
        b"yes" | b"on" | b"true" | b"1" => Ok(true),
        b"no" | b"off" | b"false" | b"0" => Ok(false),
        _ => Err(Reason::Configuration),
    }
}

fn path(value: &CStr) -> OsString {
    cfg_select! {
        unix => {
            let bytes: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(value.to_bytes());
            bytes.to_owned()
        }
        _ => value.to_string_lossy().into_owned().into(),
    }
}

/// What a program or openssl.cnf loads: makes the provider.
///
/// # Safety
/// Called by OpenSSL's core, as provider-base(7) says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const Handle,
    functions: *const Dispatch,
    ours: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: the core's table, and its handle.
    let core = unsafe { Core::new(handle, functions) };
    let made = guard(|| Ok(Provider::new(core)));
    match made {
        Ok(Ok(provider)) if !ours.is_null() && !context.is_null() => {
            // SAFETY: places for two pointers.
            unsafe {
                ours.write(FUNCTIONS.as_ptr());
                context.write(Box::into_raw(Box::new(provider)).cast());
            }
            1
        }
        Ok(Err((core, reason))) => {
            core.raise(reason);
            0
        }
        _ => 0,
    }
}

static FUNCTIONS: [Dispatch; 6] = [
    entry!(provider::TEARDOWN, teardown => fn(*mut c_void)),
    entry!(provider::GETTABLE_PARAMS, gettable_params => fn(*mut c_void) -> *const Param),
    entry!(provider::GET_PARAMS, get_params => fn(*mut c_void, *mut Param) -> c_int),
    entry!(provider::QUERY_OPERATION, query_operation => fn(*mut c_void, c_int, *mut c_int) -> *const Algorithm),
    entry!(provider::GET_REASON_STRINGS, get_reason_strings => fn(*mut c_void) -> *const Item),
    Dispatch::END,
];

/// # Safety
/// The promise, of what [`OSSL_provider_init`] has made.
unsafe extern "C" fn teardown(provider: *mut c_void) {
    if !provider.is_null() {
        // SAFETY: the promise: of a box, and nobody will use it again.
        drop(unsafe { Box::from_raw(provider.cast::<Provider>()) });
    }
}

extern "C" fn gettable_params(_: *mut c_void) -> *const Param {
    static PARAMS: [Param; 10] = [
        Param::named(c"name", UTF8_PTR),
        Param::named(c"version", UTF8_PTR),
        Param::named(c"buildinfo", UTF8_PTR),
        Param::named(c"status", UNSIGNED),
        Param::named(c"evariste-backend", UTF8_PTR),
        Param::named(c"evariste-counters", UTF8_PTR),
        Param::named(c"evariste-operations", UNSIGNED),
        Param::named(c"evariste-bytes", UNSIGNED),
        Param::named(c"evariste-counts", UTF8_STRING),
        Param::END,
    ];
    PARAMS.as_ptr()
}

/// # Safety
/// The promise, of what [`OSSL_provider_init`] has made.
unsafe extern "C" fn get_params(provider: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: the promise.
    let Some(provider) = (unsafe { provider.cast::<Provider>().as_ref() }) else { return 0 };
    // SAFETY: the promise.
    match guard(|| provider.get(unsafe { List::new(params) })) {
        Ok(()) => 1,
        Err(reason) => {
            provider.raise(reason);
            0
        }
    }
}

/// # Safety
/// The promise, of what [`OSSL_provider_init`] has made.
unsafe extern "C" fn query_operation(
    provider: *mut c_void,
    operation: c_int,
    no_cache: *mut c_int,
) -> *const Algorithm {
    // SAFETY: the promise.
    if let Some(no_cache) = unsafe { no_cache.as_mut() } {
        *no_cache = 0;
    }
    // SAFETY: the promise.
    match unsafe { provider.cast::<Provider>().as_ref() } {
        Some(known) if operation == provider::CIPHER => table(known.with_cbc).as_ptr(),
        _ => std::ptr::null(),
    }
}

extern "C" fn get_reason_strings(_: *mut c_void) -> *const Item {
    TEXTS.as_ptr()
}

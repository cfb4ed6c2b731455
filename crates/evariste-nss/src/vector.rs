//! The table: NSS's own, or a copy of it with our entries.
#![allow(unsafe_code)]

use crate::freebl::{HEAD, slot};
use crate::original::{self, Functions};
use crate::system::Library;
use crate::{counters, entries, switches, system};
use evariste::Backend;
use std::ffi::{CString, c_char, c_void};
use std::mem::transmute;
use std::sync::OnceLock;

type GetVector = unsafe extern "C" fn() -> *const c_void;

/// What is handed out.
struct Answer {
    table: *const c_void,
    is_ours: bool,
}

// SAFETY: a table that stays, and that nobody writes.
unsafe impl Send for Answer {}
// SAFETY: as above.
unsafe impl Sync for Answer {}

/// The table for NSS's softoken: `FREEBL_GetVector`. Null if NSS's own library cannot be loaded.
#[unsafe(no_mangle)]
extern "C" fn FREEBL_GetVector() -> *const c_void {
    answer().table
}

/// The table of hashes for `libfreebl3.so`: NSS's own as it is. Null if NSS's own library cannot be loaded.
#[unsafe(no_mangle)]
extern "C" fn NSSLOW_GetVector() -> *const c_void {
    let table = || call(library().as_ref().ok()?.symbol(c"NSSLOW_GetVector"));
    std::panic::catch_unwind(table).ok().flatten().unwrap_or(std::ptr::null())
}

/// For checks: the name of the backend that our entries run on, as a string of C; null where all goes to NSS's own code.
#[unsafe(no_mangle)]
extern "C" fn evariste_nss_backend() -> *const c_char {
    static NAME: OnceLock<CString> = OnceLock::new();
    if !answer().is_ours {
        return std::ptr::null();
    }
    NAME.get_or_init(|| CString::new(Backend::active().name()).unwrap_or_default()).as_ptr()
}

/// Found out once, in the first call.
fn answer() -> &'static Answer {
    static ANSWER: OnceLock<Answer> = OnceLock::new();
    ANSWER.get_or_init(|| std::panic::catch_unwind(find).unwrap_or(Answer::NONE))
}

impl Answer {
    const NONE: Self = Self { table: std::ptr::null(), is_ours: false };
}

fn library() -> &'static Result<Library, String> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    let own = FREEBL_GetVector as *const c_void;
    let load = || original::load(own).inspect_err(|error| system::note(&format!("NSS's own library: {error}")));
    LIBRARY.get_or_init(load)
}

/// What a function without arguments returns, if there is one.
fn call(get_vector: *mut c_void) -> Option<*const c_void> {
    // SAFETY: both functions of freebl that return tables have this type.
    (!get_vector.is_null()).then(|| unsafe { transmute::<*mut c_void, GetVector>(get_vector)() })
}

fn find() -> Answer {
    let table = || library().as_ref().ok().and_then(|library| call(library.symbol(original::GET_VECTOR)));
    let Some(theirs) = table().filter(|table| !table.is_null()) else { return Answer::NONE };
    let as_it_is = Answer { table: theirs, is_ours: false };
    if fips() {
        system::note("FIPS mode: all goes to NSS's own code");
        return as_it_is;
    }
    // SAFETY: the table of a library that stays.
    let Some(ours) = (unsafe { with_our_entries(theirs) }) else { return as_it_is };
    system::stay(FREEBL_GetVector as *const c_void);
    switches::apply();
    counters::open();
    Answer { table: ours, is_ours: true }
}

/// A copy with our entries, or nothing and a note if it is of a version that is not known.
///
/// # Safety
/// `theirs` begins with its length in bytes and its version, and has that length; what stands in it stays callable.
pub(crate) unsafe fn with_our_entries(theirs: *const c_void) -> Option<*const c_void> {
    // SAFETY: as the caller says.
    let [length, version] = unsafe { theirs.cast::<[u16; 2]>().read_unaligned() };
    let slots = (length as usize).saturating_sub(HEAD) / size_of::<usize>();
    if version >> 8 != 3 || slots <= slot::AEAD {
        system::note(&format!("a table of version {version:#06x} with {length} bytes: all goes to NSS's own code"));
        return None;
    }
    // SAFETY: as the caller says; rounded down to whole pointers, of which these tables consist.
    let table = unsafe { std::slice::from_raw_parts(theirs.cast::<*const c_void>(), slots + 1) };
    let mut copy: Box<[*const c_void]> = table.into();
    let theirs = &table[1..];
    if [slot::DESTROY, slot::ENCRYPT, slot::DECRYPT, slot::INIT, slot::ALLOCATE, slot::AEAD, slot::RANDOM]
        .iter()
        .any(|slot| theirs[*slot].is_null())
    {
        system::note("a table with holes: all goes to NSS's own code");
        return None;
    }
    // SAFETY: at these places stand these functions, in all tables of this version; none is null.
    original::set_functions(unsafe {
        Functions {
            destroy: transmute::<*const c_void, crate::freebl::Destroy>(theirs[slot::DESTROY]),
            encrypt: transmute::<*const c_void, crate::freebl::Crypt>(theirs[slot::ENCRYPT]),
            decrypt: transmute::<*const c_void, crate::freebl::Crypt>(theirs[slot::DECRYPT]),
            init: transmute::<*const c_void, crate::freebl::Init>(theirs[slot::INIT]),
            allocate: transmute::<*const c_void, crate::freebl::Allocate>(theirs[slot::ALLOCATE]),
            aead: transmute::<*const c_void, crate::freebl::Aead>(theirs[slot::AEAD]),
            random: transmute::<*const c_void, crate::freebl::Random>(theirs[slot::RANDOM]),
        }
    });
    for (slot, entry) in entries::OURS {
        copy[1 + slot] = entry.address();
    }
    // For good, as the library.
    Some(Box::leak(copy).as_ptr().cast())
}

/// Whether the system is in FIPS mode, as NSS finds it out.
fn fips() -> bool {
    match std::fs::read("/proc/sys/crypto/fips_enabled") {
        Ok(text) if text.first() == Some(&b'1') => true,
        _ => evariste::cpu::switch("NSS_FIPS")
            .is_some_and(|value| ["fips", "true", "on", "1"].iter().any(|on| value.eq_ignore_ascii_case(on))),
    }
}

//! What is asked of the system: the C library's functions, declared by hand.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const RTLD_LAZY: c_int = 1;
const RTLD_NOW: c_int = 2;
const RTLD_NOLOAD: c_int = 4;
const RTLD_NODELETE: c_int = 0x1000;

/// `Dl_info`.
#[repr(C)]
struct Place {
    file: *const c_char,
    base: *const c_void,
    symbol: *const c_char,
    address: *const c_void,
}

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
    fn dladdr(address: *const c_void, place: *mut Place) -> c_int;
}

/// A library, for good.
#[derive(Clone, Copy)]
pub(crate) struct Library(*mut c_void);

// SAFETY: a handle, which any thread may use.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Loads a library that never goes away again.
    ///
    /// # Errors
    /// What the loader says.
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        Self::open(path.as_os_str(), RTLD_NOW | RTLD_NODELETE)
    }

    /// One that is there already.
    #[cfg(not(test))]
    fn loaded(name: &CStr) -> Option<Self> {
        Self::open(OsStr::from_bytes(name.to_bytes()), RTLD_LAZY | RTLD_NOLOAD).ok()
    }

    fn open(name: &OsStr, flags: c_int) -> Result<Self, String> {
        let name = CString::new(name.as_bytes()).map_err(|_| "a path with a zero".to_owned())?;
        // SAFETY: a string that lives. What the library does when it is loaded is its own: its file was named by whoever
        // installed this one, or by the user.
        let handle = unsafe { dlopen(name.as_ptr(), flags) };
        if !handle.is_null() {
            return Ok(Self(handle));
        }
        // SAFETY: a string or null, which stays until the next call of this thread.
        let error = unsafe { dlerror() };
        if error.is_null() {
            return Err(String::new());
        }
        // SAFETY: not null.
        Err(unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned())
    }

    /// A function or an object of it; null if there is none.
    pub(crate) fn symbol(self, name: &CStr) -> *mut c_void {
        // SAFETY: a handle that stays open, or the one for whatever the program has; a string that lives.
        unsafe { dlsym(self.0, name.as_ptr()) }
    }

    /// All that the program itself was linked with.
    #[cfg(not(test))]
    const PROGRAM: Self = Self(std::ptr::null_mut());
}

/// The file that an address in a library came from.
pub(crate) fn file_of(address: *const c_void) -> Option<PathBuf> {
    let mut place =
        Place { file: std::ptr::null(), base: std::ptr::null(), symbol: std::ptr::null(), address: std::ptr::null() };
    // SAFETY: any address may be asked for; `place` is what the function fills.
    let found = unsafe { dladdr(address, &mut place) } != 0 && !place.file.is_null();
    // SAFETY: a string that lives as long as the library, which is this one.
    found.then(|| PathBuf::from(OsStr::from_bytes(unsafe { CStr::from_ptr(place.file) }.to_bytes())))
}

/// Sees to it that the library with this address stays, also after `dlclose`.
pub(crate) fn stay(address: *const c_void) {
    if let Some(file) = file_of(address) {
        // It is there; if it cannot be held, it goes when its program says so.
        let _ = Library::open(file.as_os_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

/// Tells the user something; if there is no stderr, nobody.
pub(crate) fn note(text: &str) {
    use io::Write;
    let _ = writeln!(io::stderr(), "evariste-nss: {text}");
}

/// Sets what `PR_GetError` says in this thread.
#[cfg(not(test))]
pub(crate) fn set_error(code: c_int) {
    use std::sync::OnceLock;
    type SetError = unsafe extern "C" fn(c_int, c_int);
    static SET_ERROR: OnceLock<Option<SetError>> = OnceLock::new();
    let found = SET_ERROR.get_or_init(|| {
        // NSS's libraries bring NSPR along, but may have been loaded for themselves; a program may have it linked in.
        let libraries = [Library::loaded(c"libnspr4.so"), Some(Library::PROGRAM)];
        let address = libraries.into_iter().flatten().map(|l| l.symbol(c"PR_SetError")).find(|a| !a.is_null())?;
        // SAFETY: NSPR's function of this name has this type, for good.
        Some(unsafe { std::mem::transmute::<*mut c_void, SetError>(address) })
    });
    if let Some(set_error) = found {
        // SAFETY: any two numbers.
        unsafe { set_error(code, 0) };
    }
}

#[cfg(test)]
thread_local! {
    pub(crate) static LAST_ERROR: std::cell::Cell<c_int> = const { std::cell::Cell::new(0) };
}

/// Tests have no NSPR.
#[cfg(test)]
pub(crate) fn set_error(code: c_int) {
    LAST_ERROR.set(code);
}

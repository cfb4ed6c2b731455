//! freebl's table, called directly: NSS's own, or ours.

use crate::Nss;
use anyhow::{Context, Result, ensure};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::path::Path;

type Create = unsafe extern "C" fn(*const u8, *const c_void, c_int, c_int, c_uint, c_uint) -> *mut c_void;
type Destroy = unsafe extern "C" fn(*mut c_void, c_int);
type Crypt = unsafe extern "C" fn(*mut c_void, *mut u8, *mut c_uint, c_uint, *const u8, c_uint) -> c_int;
type Aead = unsafe extern "C" fn(
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

/// A library with its table.
pub struct Freebl {
    table: *const usize,
    error: unsafe extern "C" fn() -> c_int,
    set_error: unsafe extern "C" fn(c_int, c_int),
    // The loader holds them: never closed, as NSS may not be.
    _libraries: Vec<std::mem::ManuallyDrop<Library>>,
}

/// What came of a call: the output's length, or NSS's error and what the length was set to.
pub type Outcome = std::result::Result<usize, (c_int, usize)>;

impl Freebl {
    /// Loads `file` of an NSS's directory.
    pub fn load(nss: &Nss, file: &str) -> Result<Self> {
        let libraries = nss.libraries()?;
        // SAFETY: NSS's libraries, whose constructors expect nothing of the program.
        let open = |path: &Path, flags| unsafe { Library::open(Some(path), RTLD_NOW | flags) };
        let nspr = open(Path::new("libnspr4.so"), RTLD_GLOBAL).context("libnspr4.so")?;
        let util = open(&libraries.join("libnssutil3.so"), RTLD_GLOBAL)?;
        let freebl = open(&libraries.join(file), RTLD_LOCAL).with_context(|| file.to_owned())?;
        // SAFETY: functions of these types, in NSPR and freebl.
        let (error, set_error, table) = unsafe {
            let get_vector = freebl.get::<unsafe extern "C" fn() -> *const usize>("FREEBL_GetVector")?;
            (*nspr.get("PR_GetError")?, *nspr.get("PR_SetError")?, get_vector())
        };
        ensure!(!table.is_null(), "no table");
        let _libraries = [nspr, util, freebl].map(std::mem::ManuallyDrop::new).into();
        let freebl = Self { table, error, set_error, _libraries };
        // As softoken does: BL_Init, RNG_RNGInit.
        for slot in [162, 64] {
            // SAFETY: the functions that stand there, without arguments.
            let status = unsafe { transmute::<usize, unsafe extern "C" fn() -> c_int>(freebl.slot(slot))() };
            ensure!(status == 0, "initialization by slot {slot}");
        }
        Ok(freebl)
    }

    /// The backend of our entries; none if all goes to NSS's own code.
    pub fn backend(&self) -> Result<Option<String>> {
        let freebl = self._libraries.last().context("it was loaded")?;
        // SAFETY: our function of this name: a string that stays, or null.
        let name = unsafe { freebl.get::<unsafe extern "C" fn() -> *const c_char>("evariste_nss_backend")?() };
        // SAFETY: not null.
        Ok((!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()))
    }

    /// Length and version.
    pub fn head(&self) -> [u16; 2] {
        // SAFETY: it begins with these.
        unsafe { self.table.cast::<[u16; 2]>().read() }
    }

    /// The function at this place.
    pub fn slot(&self, slot: usize) -> usize {
        assert!(8 + 8 * slot < self.head()[0] as usize);
        // SAFETY: within the table.
        unsafe { self.table.add(1 + slot).read() }
    }

    /// A context, or NSS's error.
    pub fn create<T>(&self, key: &[u8], params: Option<&T>, mode: c_int, encrypt: bool) -> Result<Cx<'_>, c_int> {
        let params = params.map_or(std::ptr::null(), |params| (params as *const T).cast());
        // SAFETY: the function that stands there; all pointers are good.
        let cx = unsafe {
            (self.set_error)(0, 0);
            let create = transmute::<usize, Create>(self.slot(29));
            create(key.as_ptr(), params, mode, encrypt as c_int, key.len() as c_uint, 16)
        };
        if cx.is_null() { Err(self.error()) } else { Ok(Cx { freebl: self, cx }) }
    }

    fn error(&self) -> c_int {
        // SAFETY: it has no arguments.
        unsafe { (self.error)() }
    }
}

/// A context of it.
pub struct Cx<'f> {
    freebl: &'f Freebl,
    cx: *mut c_void,
}

impl Cx<'_> {
    /// `AES_Encrypt` or `AES_Decrypt` of the first `len` bytes of `data` in place, or of them to the same place in `out`;
    /// `max` is the room that is claimed, and must be there.
    pub fn crypt(&self, encrypt: bool, data: &mut [u8], len: usize, out: Option<&mut [u8]>, max: usize) -> Outcome {
        let (input, in_place) = (data.as_mut_ptr(), out.is_none());
        let out = out.unwrap_or(data);
        assert!(max <= out.len() && (in_place || len <= out.len() + 64));
        let mut out_len = 0xaaaa;
        // SAFETY: the function that stands there; all pointers are good, and there is the room that is claimed.
        let status = unsafe {
            (self.freebl.set_error)(0, 0);
            let crypt = transmute::<usize, Crypt>(self.freebl.slot(if encrypt { 31 } else { 32 }));
            crypt(self.cx, out.as_mut_ptr(), &mut out_len, max as c_uint, input, len as c_uint)
        };
        self.outcome(status, out_len)
    }

    /// `AES_AEAD` of `data` in place; `max` is the room that is claimed, and must be there.
    pub fn aead<T>(&self, data: &mut [u8], len: usize, max: usize, params: &mut T, size: usize, aad: &[u8]) -> Outcome {
        assert!(max <= data.len() && len <= data.len());
        let (mut out_len, at) = (0xaaaa, data.as_mut_ptr());
        let (params, aad_len): (*mut T, _) = (params, aad.len() as c_uint);
        // SAFETY: as above.
        let status = unsafe {
            (self.freebl.set_error)(0, 0);
            let aead = transmute::<usize, Aead>(self.freebl.slot(236));
            let (len, max, size) = (len as c_uint, max as c_uint, size as c_uint);
            aead(self.cx, at, &mut out_len, max, at, len, params.cast(), size, aad.as_ptr(), aad_len)
        };
        self.outcome(status, out_len)
    }

    fn outcome(&self, status: c_int, len: c_uint) -> Outcome {
        if status == 0 { Ok(len as usize) } else { Err((self.freebl.error(), len as usize)) }
    }
}

impl Drop for Cx<'_> {
    fn drop(&mut self) {
        // SAFETY: the function that stands there, and a context of it.
        unsafe { transmute::<usize, Destroy>(self.freebl.slot(30))(self.cx, 1) }
    }
}

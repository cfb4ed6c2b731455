//! NSS's own library, and what of it is called.
#![allow(unsafe_code)]

use crate::freebl::{Aead, Allocate, Crypt, Destroy, Init, Random};
use crate::system::{self, Library};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What NSS's own library is called then.
const NAME: &str = "libfreeblpriv3-orig.so";

/// Functions of its table.
#[derive(Clone, Copy)]
pub(crate) struct Functions {
    pub(crate) destroy: Destroy,
    pub(crate) encrypt: Crypt,
    pub(crate) decrypt: Crypt,
    pub(crate) init: Init,
    pub(crate) allocate: Allocate,
    pub(crate) aead: Aead,
    pub(crate) random: Random,
}

static FUNCTIONS: OnceLock<Functions> = OnceLock::new();

/// Remembers them, the first time.
pub(crate) fn set_functions(functions: Functions) {
    FUNCTIONS.get_or_init(|| functions);
}

/// Those of the table that is served.
pub(crate) fn functions() -> &'static Functions {
    // The table with our entries is handed out only after these were set.
    FUNCTIONS.get().unwrap_or_else(|| std::process::abort())
}

/// Loads it: what `EVARISTE_NSS_ORIGINAL` names, or else what lies beside this library, or beside the file that this one
/// is a link to.
pub(crate) fn load(own: *const c_void) -> Result<Library, String> {
    if let Some(path) = evariste::cpu::switch("EVARISTE_NSS_ORIGINAL").filter(|path| !path.is_empty()) {
        return check(Library::load(Path::new(&path))?, own);
    }
    let file = system::file_of(own).ok_or("the loader does not know where this library is")?;
    let mut places = vec![file.with_file_name(NAME)];
    places.extend(file.canonicalize().ok().map(|file| file.with_file_name(NAME)));
    let place: PathBuf = places.iter().find(|place| place.exists()).unwrap_or(&places[0]).clone();
    check(Library::load(&place)?, own)
}

/// It must not be this one, which would call itself for ever.
fn check(library: Library, own: *const c_void) -> Result<Library, String> {
    match library.symbol(GET_VECTOR) {
        found if found.is_null() => Err("it has no FREEBL_GetVector".to_owned()),
        found if found.cast_const() == own => Err("it is this library itself".to_owned()),
        _ => Ok(library),
    }
}

/// The function that returns the table.
pub(crate) const GET_VECTOR: &std::ffi::CStr = c"FREEBL_GetVector";

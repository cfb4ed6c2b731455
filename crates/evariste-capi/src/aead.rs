//! Keys of AEADs: where they live, and what they are.
#![allow(unsafe_code)]

use crate::algorithm::{EVARISTE_DEFAULT_TAG_LENGTH, EVARISTE_SHORT_TAG, Mode, find};
use crate::border::{Input, Span, allocate, free, guard, object, object_mut, place};
use crate::status::{
    EVARISTE_ERROR_ARGUMENT, EVARISTE_ERROR_KEY, EVARISTE_ERROR_NULL, EVARISTE_ERROR_STATE, EVARISTE_ERROR_TAG, Error,
    Result, code,
};
use evariste::{Backend, Ccm, Gcm, GcmSiv, Xaes256Gcm};
use std::ffi::{c_int, c_uint};

/// Bytes that are enough for an evariste_aead in all versions of the library with this soname.
pub const EVARISTE_AEAD_STORAGE: usize = 4096;

/// What memory for objects must be aligned to.
pub const EVARISTE_STORAGE_ALIGN: usize = 64;

const _: () = assert!(size_of::<Aead>() <= EVARISTE_AEAD_STORAGE && align_of::<Aead>() <= EVARISTE_STORAGE_ALIGN);

/// A key of an AEAD, expanded, with the tag length and the backend that go with it. It does not change once it is made, so
/// that any number of threads may use it at the same time. It must stay where it is: not be copied, not be moved.
pub struct Aead {
    pub(crate) key: Key,
    key_len: usize,
    /// 0 without a key. The key knows it as well; here it is at hand.
    tag_len: usize,
}

/// Which it is. The object that a failure leaves behind has none.
#[allow(clippy::large_enum_variant, reason = "callers give all objects the same room")]
pub(crate) enum Key {
    None,
    Gcm(Gcm),
    Ccm(Ccm),
    GcmSiv(GcmSiv),
    Xaes(Xaes256Gcm),
}

/// Does something with any key as an [`evariste::Aead`].
macro_rules! with_key {
    ($aead:expr, $key:ident => $call:expr) => {
        match &$aead.key {
            $crate::aead::Key::Gcm($key) => $call,
            $crate::aead::Key::Ccm($key) => $call,
            $crate::aead::Key::GcmSiv($key) => $call,
            $crate::aead::Key::Xaes($key) => $call,
            $crate::aead::Key::None => Err($crate::status::Error($crate::status::EVARISTE_ERROR_STATE)),
        }
    };
}
pub(crate) use with_key;

impl Aead {
    const NONE: Self = Self { key: Key::None, key_len: 0, tag_len: 0 };

    /// Makes the key where the object is: first another one, so that none of the real one's bytes is left elsewhere.
    fn init(&mut self, algorithm: c_int, key: Input, tag_len: usize, flags: c_uint) -> Result {
        let (mode, key_len) = find(algorithm)?;
        if flags & !EVARISTE_SHORT_TAG != 0 {
            return Err(Error(EVARISTE_ERROR_ARGUMENT));
        }
        let short = flags & EVARISTE_SHORT_TAG != 0;
        let tag_len = if tag_len == EVARISTE_DEFAULT_TAG_LENGTH { 16 } else { tag_len };
        let key = key.bytes(EVARISTE_ERROR_KEY)?;
        if key.len() != key_len {
            return Err(Error(EVARISTE_ERROR_KEY));
        }
        let (other, backend) = (&[0; 32][..key_len], Backend::active());
        let made = match mode {
            Mode::Gcm if short => Key::Gcm(Gcm::with_short_tag(other, backend, tag_len)?),
            Mode::Gcm => Key::Gcm(Gcm::with_tag_len(other, backend, tag_len)?),
            Mode::Ccm if short => Key::Ccm(Ccm::with_short_tag(other, backend, tag_len)?),
            Mode::Ccm => Key::Ccm(Ccm::with_tag_len(other, backend, tag_len)?),
            Mode::GcmSiv | Mode::Xaes if short || tag_len != 16 => return Err(Error(EVARISTE_ERROR_TAG)),
            Mode::GcmSiv => Key::GcmSiv(GcmSiv::with_backend(other, backend)?),
            Mode::Xaes => Key::Xaes(Xaes256Gcm::with_backend(other, backend)?),
        };
        *self = Self { key: made, key_len, tag_len };
        self.replace(key)
    }

    fn replace(&mut self, key: &[u8]) -> Result {
        if !matches!(self.key, Key::None) && key.len() != self.key_len {
            return Err(Error(EVARISTE_ERROR_KEY));
        }
        match &mut self.key {
            Key::None => return Err(Error(EVARISTE_ERROR_STATE)),
            Key::Gcm(gcm) => gcm.rekey(key)?,
            Key::Ccm(ccm) => ccm.rekey(key)?,
            Key::GcmSiv(siv) => siv.rekey(key)?,
            Key::Xaes(xaes) => xaes.rekey(key)?,
        }
        Ok(())
    }

    /// The length of its tags; 0 without a key.
    #[inline(always)]
    pub(crate) fn tag_len(&self) -> usize {
        self.tag_len
    }

    pub(crate) fn backend(&self) -> Result<Backend> {
        with_key!(self, key => Ok(evariste::Aead::backend(key)))
    }
}

/// Bytes that an evariste_aead takes: never more than EVARISTE_AEAD_STORAGE.
#[unsafe(no_mangle)]
pub extern "C" fn evariste_aead_size() -> usize {
    size_of::<Aead>()
}

/// What memory for an evariste_aead must be aligned to: never more than EVARISTE_STORAGE_ALIGN.
#[unsafe(no_mangle)]
pub extern "C" fn evariste_aead_align() -> usize {
    align_of::<Aead>()
}

/// Makes a key in memory of the caller, which has `size` bytes and may hold anything: an object that is there already must
/// have been cleaned up. `key` has the length that the algorithm says; the caller may wipe it afterwards. `tag_len` is the
/// length of all its tags, or EVARISTE_DEFAULT_TAG_LENGTH; `flags` is 0 or EVARISTE_SHORT_TAG. The backend is
/// the default one, which with the first key is decided for good (see evariste_set_backend).
///
/// Returns 0, or EVARISTE_ERROR_NULL, _BUFFER (`size` is less than evariste_aead_size(), or `aead` is not aligned),
/// _OVERLAP (the key lies in the object), _ARGUMENT (`algorithm`, `flags`), _KEY, _TAG. After a failure other than the
/// first three the object is there, without a key: every call with it returns EVARISTE_ERROR_STATE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_init(
    aead: *mut Aead,
    size: usize,
    algorithm: c_int,
    key: *const u8,
    key_len: usize,
    tag_len: usize,
    flags: c_uint,
) -> c_int {
    code(guard(|| {
        // SAFETY: the caller's promise.
        let key = unsafe { Input::new(key, key_len) };
        key.apart(Span::of(aead))?;
        // SAFETY: the caller's promise.
        unsafe { place(aead, size, Aead::NONE) }?.init(algorithm, key, tag_len, flags)
    }))
}

/// Wipes a key in memory of the caller; the memory is the caller's again. Null, and an object without a key, are nothing
/// to do. Streams that began a message under the key must not be used any more but to clean them up, or to begin
/// another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_cleanup(aead: *mut Aead) {
    // SAFETY: the caller's promise.
    if let Some(aead) = unsafe { object_mut(aead) } {
        *aead = Aead::NONE;
    }
}

/// Makes a key on the heap, as evariste_aead_init does, and leaves a pointer to it in `*aead`; null after a failure. To be
/// given back with evariste_aead_free.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _OVERLAP (the key lies in `*aead`), _ARGUMENT, _KEY, _TAG, _MEMORY. After
/// EVARISTE_ERROR_OVERLAP `*aead` is as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_new(
    aead: *mut *mut Aead,
    algorithm: c_int,
    key: *const u8,
    key_len: usize,
    tag_len: usize,
    flags: c_uint,
) -> c_int {
    // SAFETY: the caller's promise.
    let key = unsafe { Input::new(key, key_len) };
    // Null is written to `*aead` before the key is read.
    code(key.apart(Span::of(aead)).and_then(|()| {
        // SAFETY: the caller's promise.
        unsafe { allocate(aead, Aead::NONE, |made| made.init(algorithm, key, tag_len, flags)) }
    }))
}

/// Wipes a key from evariste_aead_new and gives its memory back. Null is nothing to do. What evariste_aead_cleanup
/// says of streams goes here too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_free(aead: *mut Aead) {
    // SAFETY: the caller's promise.
    unsafe { free(aead) }
}

/// Replaces a key in place by another one for the same algorithm, tag length and backend: cheaper than a new object. No
/// other thread may use the object meanwhile, and no stream may be in a message under the old key.
///
/// Returns 0, or EVARISTE_ERROR_NULL, _STATE (there is no key to replace), _OVERLAP (the key lies in the object),
/// _KEY; after a failure the old key stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_rekey(aead: *mut Aead, key: *const u8, key_len: usize) -> c_int {
    code(guard(|| {
        // SAFETY: the caller's promise.
        let key = unsafe { Input::new(key, key_len) };
        key.apart(Span::of(aead))?;
        // SAFETY: the caller's promise.
        let aead = unsafe { object_mut(aead) }.ok_or(Error(EVARISTE_ERROR_NULL))?;
        aead.replace(key.bytes(EVARISTE_ERROR_KEY)?)
    }))
}

/// The length of the tags under a key in bytes; 0 for null and without a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn evariste_aead_tag_len(aead: *const Aead) -> usize {
    // SAFETY: the caller's promise.
    unsafe { object(aead) }.map_or(0, Aead::tag_len)
}

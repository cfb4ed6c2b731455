//! XAES-256-GCM (C2SP): AES-256-GCM with nonces long enough to be drawn at random.
//!
//! ```
//! use evariste_rustcrypto::aead::{AeadInOut, KeyInit};
//! use evariste_rustcrypto::xaes::Xaes256Gcm;
//!
//! let cipher = Xaes256Gcm::new(&[7; 32].into());
//! let mut data = *b"text";
//! let tag = cipher.encrypt_inout_detached(&[9; 24].into(), b"header", (&mut data[..]).into())?;
//! cipher.decrypt_inout_detached(&[9; 24].into(), b"header", (&mut data[..]).into(), &tag)?;
//! assert_eq!(&data, b"text");
//! # Ok::<(), evariste_rustcrypto::aead::Error>(())
//! ```

use crate::authenticated::authenticated;
use crate::length::made;
use aead::array::Array;
use aead::consts::{U16, U24, U32};
use aead::{Key, KeyInit, KeySizeUser};
use core::fmt;
use zeroize::ZeroizeOnDrop;

/// A nonce: 24 bytes.
pub type Nonce = Array<u8, U24>;

/// A tag: 16 bytes.
pub type Tag = Array<u8, U16>;

/// XAES-256-GCM: a key of 32 bytes, nonces of 24, tags of 16.
///
/// 2^80 messages may be sealed under one key with random nonces. Text is at most 2^36 − 32 bytes, additional data at most
/// 2^61 − 1; longer ones are `Error` before a byte of output is written. A message that is not authentic is `Error` and
/// leaves zeros. `Debug` shows no key; it is wiped on drop.
#[derive(Clone)]
pub struct Xaes256Gcm {
    pub(crate) mode: evariste::Xaes256Gcm,
}

impl Xaes256Gcm {
    #[inline]
    pub(crate) fn with_key(key: &[u8]) -> Self {
        Self { mode: made(evariste::Xaes256Gcm::new(key)) }
    }
}

impl KeySizeUser for Xaes256Gcm {
    type KeySize = U32;
}

impl KeyInit for Xaes256Gcm {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self::with_key(key)
    }
}

authenticated!([] Xaes256Gcm, U24, U16);

impl fmt::Debug for Xaes256Gcm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Xaes256Gcm").finish_non_exhaustive()
    }
}

impl ZeroizeOnDrop for Xaes256Gcm {}

//! Names of algorithms, and what else is named by a number.

use crate::status::{EVARISTE_ERROR_ARGUMENT, Error, Result};
use std::ffi::{c_int, c_uint};

/// AES-128-GCM (SP 800-38D). Key of 16 bytes; nonce of at least one byte, 12 is the usual and fast one; tags of 12 to 16
/// bytes, with EVARISTE_SHORT_TAG of 4 or 8; text of at most 2^36 - 32 bytes, additional data of at most 2^61 - 1. A
/// nonce must never be used twice under a key: that gives away the texts and the means to forge. At most 2^32 messages
/// may be sealed under one key with random nonces (section 8.3), which the caller counts.
pub const EVARISTE_AES_128_GCM: c_int = 1;
/// The same with a key of 24 bytes.
pub const EVARISTE_AES_192_GCM: c_int = 2;
/// The same with a key of 32 bytes.
pub const EVARISTE_AES_256_GCM: c_int = 3;
/// AES-128-CCM (SP 800-38C, RFC 3610). Key of 16 bytes; nonce of n = 7 to 13 bytes, never twice under a key; tags of 8,
/// 10, 12, 14 or 16 bytes, with EVARISTE_SHORT_TAG of 4 or 6; text shorter than 2^(8(15 - n)) bytes. A key may encrypt at
/// most 2^61 blocks in all (section 5.3), about two for 16 bytes of text, which the caller counts.
pub const EVARISTE_AES_128_CCM: c_int = 4;
/// The same with a key of 24 bytes.
pub const EVARISTE_AES_192_CCM: c_int = 5;
/// The same with a key of 32 bytes.
pub const EVARISTE_AES_256_CCM: c_int = 6;
/// AES-128-GCM-SIV (RFC 8452). Key of 16 bytes, nonce of 12, tag of 16; text and additional data of at most 2^36 bytes
/// each. A nonce used twice tells whether two messages are equal, and no more. Not for messages in pieces.
pub const EVARISTE_AES_128_GCM_SIV: c_int = 7;
/// The same with a key of 32 bytes.
pub const EVARISTE_AES_256_GCM_SIV: c_int = 8;
/// XAES-256-GCM (C2SP). Key of 32 bytes, nonce of 24, which may be drawn at random for 2^80 messages, tag of 16; lengths
/// as AES-256-GCM. Not for messages in pieces.
pub const EVARISTE_XAES_256_GCM: c_int = 9;

/// As a tag length: 16 bytes, which all algorithms have.
pub const EVARISTE_DEFAULT_TAG_LENGTH: usize = 0;

/// As a flag: the tag length is one of the short ones, for protocols that bound the messages and the forgeries tried
/// under a key (SP 800-38D appendix C, SP 800-38C appendix B): each forgery tried helps the next.
pub const EVARISTE_SHORT_TAG: c_uint = 1;

/// What a key and its messages are of.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Gcm,
    Ccm,
    GcmSiv,
    Xaes,
}

/// The mode of an algorithm, and the length of its key.
pub(crate) fn find(algorithm: c_int) -> Result<(Mode, usize)> {
    Ok(match algorithm {
        EVARISTE_AES_128_GCM => (Mode::Gcm, 16),
        EVARISTE_AES_192_GCM => (Mode::Gcm, 24),
        EVARISTE_AES_256_GCM => (Mode::Gcm, 32),
        EVARISTE_AES_128_CCM => (Mode::Ccm, 16),
        EVARISTE_AES_192_CCM => (Mode::Ccm, 24),
        EVARISTE_AES_256_CCM => (Mode::Ccm, 32),
        EVARISTE_AES_128_GCM_SIV => (Mode::GcmSiv, 16),
        EVARISTE_AES_256_GCM_SIV => (Mode::GcmSiv, 32),
        EVARISTE_XAES_256_GCM => (Mode::Xaes, 32),
        _ => return Err(Error(EVARISTE_ERROR_ARGUMENT)),
    })
}

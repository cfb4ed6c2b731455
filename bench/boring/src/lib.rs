//! BoringSSL, for evariste-bench to load: its symbols have the names of OpenSSL's and must stay in here.

use bench_abi::{Message, Messages, Peer, export};
use boring_sys as ffi;
use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ptr::{NonNull, null};

export!(Key);

/// A key, and what is done with it.
pub enum Key {
    /// With text and additional data.
    Aead(Aead, bool),
    /// With additional data only.
    Mac(Aead),
    /// Counter mode.
    Ctr(Box<ffi::AES_KEY>),
}

impl Peer for Key {
    const NAME: &'static CStr = c"boring-5.4";

    fn key(algorithm: &str, decrypt: bool, key: &[u8]) -> Option<Self> {
        // SAFETY: functions without arguments.
        let method = unsafe {
            match algorithm {
                "aes-128-gcm" | "gmac" => ffi::EVP_aead_aes_128_gcm(),
                "aes-192-gcm" => ffi::EVP_aead_aes_192_gcm(),
                "aes-256-gcm" => ffi::EVP_aead_aes_256_gcm(),
                "aes-128-gcm-siv" => ffi::EVP_aead_aes_128_gcm_siv(),
                "aes-256-gcm-siv" => ffi::EVP_aead_aes_256_gcm_siv(),
                "aes-128-ctr" | "aes-256-ctr" => return ctr_key(key).map(|key| Self::Ctr(Box::new(key))),
                _ => return None,
            }
        };
        let aead = Aead::new(method, key)?;
        Some(if algorithm == "gmac" { Self::Mac(aead) } else { Self::Aead(aead, decrypt) })
    }

    fn run(&mut self, messages: Messages<'_>) -> bool {
        match self {
            Self::Aead(aead, false) => messages.each(|m| {
                let (nonce, aad, (text, tag)) = (m.nonce, m.aad, m.parts());
                aead.seal(nonce, aad, text, tag)
            }),
            Self::Aead(aead, true) => messages.each(|m| aead.open(m)),
            Self::Mac(aead) => messages.each(|m| {
                let (nonce, (data, tag)) = (m.nonce, m.parts());
                aead.seal(nonce, data, &mut [], tag)
            }),
            Self::Ctr(key) => messages.each(|m| ctr(key, m)),
        }
    }
}

const NONCE: usize = 12;

/// An `EVP_AEAD_CTX`.
pub struct Aead(NonNull<ffi::EVP_AEAD_CTX>);

impl Aead {
    fn new(method: *const ffi::EVP_AEAD, key: &[u8]) -> Option<Self> {
        // SAFETY: a method; pointer and length of one slice.
        NonNull::new(unsafe { ffi::EVP_AEAD_CTX_new(method, key.as_ptr(), key.len(), 16) }).map(Self)
    }

    #[inline(always)]
    fn seal(&self, nonce: &[u8; 16], aad: &[u8], text: &mut [u8], tag: &mut [u8; 16]) -> bool {
        let (at, mut tag_len) = (text.as_mut_ptr(), 0);
        // SAFETY: a context; pointers and lengths of slices, of which the text may be encrypted in place.
        unsafe {
            ffi::EVP_AEAD_CTX_seal_scatter(
                self.0.as_ptr(),
                at,
                tag.as_mut_ptr(),
                &mut tag_len,
                tag.len(),
                nonce.as_ptr(),
                NONCE,
                at,
                text.len(),
                null(),
                0,
                aad.as_ptr(),
                aad.len(),
            ) == 1
        }
    }

    #[inline(always)]
    fn open(&self, m: Message<'_>) -> bool {
        let (nonce, aad, (text, tag)) = (m.nonce, m.aad, m.parts());
        let at = text.as_mut_ptr();
        // SAFETY: a context; pointers and lengths of slices, of which the text may be decrypted in place.
        unsafe {
            ffi::EVP_AEAD_CTX_open_gather(
                self.0.as_ptr(),
                at,
                nonce.as_ptr(),
                NONCE,
                at,
                text.len(),
                tag.as_ptr(),
                tag.len(),
                aad.as_ptr(),
                aad.len(),
            ) == 1
        }
    }
}

impl Drop for Aead {
    fn drop(&mut self) {
        // SAFETY: a context that nobody uses any more.
        unsafe { ffi::EVP_AEAD_CTX_free(self.0.as_ptr()) }
    }
}

fn ctr_key(key: &[u8]) -> Option<ffi::AES_KEY> {
    let mut expanded = MaybeUninit::zeroed();
    // SAFETY: as many bits as the slice has, and room for an expanded key, which is plain numbers.
    unsafe {
        let failed = ffi::AES_set_encrypt_key(key.as_ptr(), 8 * key.len() as u32, expanded.as_mut_ptr());
        (failed == 0).then(|| expanded.assume_init())
    }
}

#[inline(always)]
fn ctr(key: &ffi::AES_KEY, m: Message<'_>) -> bool {
    let (mut counter, mut keystream, mut used) = (*m.nonce, [0; 16], 0);
    let text = m.parts().0;
    let at = text.as_mut_ptr();
    // SAFETY: an expanded key, buffers of a block, pointer and length of one slice, encrypted in place.
    unsafe {
        ffi::AES_ctr128_encrypt(at, at, text.len(), key, counter.as_mut_ptr(), keystream.as_mut_ptr(), &mut used);
    }
    true
}

//! How evariste-bench hands messages to peers in libraries of their own.
//!
//! A whole pass goes over at once, and the library's own loop makes the calls: as in a program that is linked
//! with the peer, whatever language it is written in. `bench/c/peer.h` says the same in C. A library exports
//!
//! - `peer_name`: its name with its version, a C string;
//! - `peer_key`: makes a key, from the algorithm's name, whether to decrypt, and the key's bytes and length; null
//!   when it has no such algorithm;
//! - `peer_run`: does all messages of a [`Pass`]; whether all were done;
//! - `peer_free`: frees a key.
#![no_std]

/// The messages of a pass. Each has its tag right behind its text.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pass {
    /// The nonce of the first message, 16 bytes; modes with shorter nonces take the first 12.
    pub first: *const u8,
    /// The nonces of the others,
    pub nonces: *const u8,
    /// and how far they are apart.
    pub nonce_step: usize,
    /// Additional data.
    pub aad: *const u8,
    /// Its length.
    pub aad_len: usize,
    /// The text of the first message,
    pub texts: *mut u8,
    /// and how far texts are apart.
    pub step: usize,
    /// The length of a text.
    pub size: usize,
    /// How many messages there are.
    pub count: usize,
}

/// One message.
pub struct Message<'a> {
    /// 16 bytes of nonce.
    pub nonce: &'a [u8; 16],
    /// Additional data.
    pub aad: &'a [u8],
    /// What is encrypted or decrypted in place, or hashed.
    pub text: &'a mut [u8],
    /// The tag.
    pub tag: &'a mut [u8; 16],
}

impl Pass {
    /// Does the same to each message; whether all succeeded.
    ///
    /// # Safety
    /// All pointers are good for what they are described to point to, the texts and tags for writing, and
    /// nothing else uses those meanwhile. A nonce lies in no message but those before its own.
    #[inline(always)]
    pub unsafe fn each(&self, mut run: impl FnMut(Message<'_>) -> bool) -> bool {
        let mut nonce = self.first;
        let mut all = true;
        for n in 0..self.count {
            // SAFETY: the caller's promise.
            let message = unsafe {
                let text = self.texts.add(n * self.step);
                Message {
                    nonce: &*nonce.cast(),
                    aad: core::slice::from_raw_parts(self.aad, self.aad_len),
                    text: core::slice::from_raw_parts_mut(text, self.size),
                    tag: &mut *text.add(self.size).cast(),
                }
            };
            all &= run(message);
            nonce = self.nonces.wrapping_add(n * self.nonce_step);
        }
        all
    }
}

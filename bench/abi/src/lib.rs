//! How evariste-bench hands messages to peers in libraries of their own.
//!
//! A whole pass goes over at once, and the library's own loop makes the calls: as in a program that is linked
//! with the peer, whatever language it is written in. `bench/c/peer.h` says the same in C. A library exports
//!
//! - `peer_name`: its name with its version, a C string;
//! - `peer_key`: makes a key, from the algorithm's name, whether to decrypt, and the key's bytes and length; null
//!   when it has no such algorithm;
//! - `peer_run`: does all messages of a [`Pass`]; whether all were done;
//! - `peer_free`: frees a key;
//! - `peer_longest`: the longest text that it can do with an algorithm; need not be there.
#![no_std]

#[doc(hidden)]
pub extern crate alloc;

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
    /// The nonce: the modes that need fewer bytes take the first ones.
    pub nonce: &'a [u8; 16],
    /// Additional data.
    pub aad: &'a [u8],
    /// What is encrypted or decrypted in place, or hashed, and behind it the tag.
    pub sealed: &'a mut [u8],
}

impl<'a> Message<'a> {
    /// Text and tag.
    #[inline(always)]
    pub fn parts(self) -> (&'a mut [u8], &'a mut [u8; 16]) {
        self.sealed.split_last_chunk_mut().expect("room for the tag")
    }
}

/// A key of a peer in Rust; [`export!`] makes the four functions from it.
pub trait Peer: Sized {
    /// The peer's name with its version.
    const NAME: &'static core::ffi::CStr;

    /// Makes a key; none when there is no such algorithm.
    fn key(algorithm: &str, decrypt: bool, key: &[u8]) -> Option<Self>;

    /// Does all messages with [`Pass::each`]; whether all were done.
    fn run(&mut self, messages: Messages<'_>) -> bool;
}

/// A pass whose pointers are good.
pub struct Messages<'a>(&'a Pass);

impl<'a> Messages<'a> {
    /// # Safety
    /// All pointers are good for what they are described to point to, the texts and tags for writing, and
    /// nothing else uses those meanwhile. A nonce lies in no message but those before its own.
    pub unsafe fn new(pass: &'a Pass) -> Self {
        Self(pass)
    }

    /// Does the same to each message; whether all succeeded.
    #[inline(always)]
    pub fn each(self, mut run: impl FnMut(Message<'a>) -> bool) -> bool {
        let pass = self.0;
        let mut nonce = pass.first;
        let mut all = true;
        for n in 0..pass.count {
            // SAFETY: what `new` was promised. Text and tag of a message are its own.
            let message = unsafe {
                Message {
                    nonce: &*nonce.cast(),
                    aad: core::slice::from_raw_parts(pass.aad, pass.aad_len),
                    sealed: core::slice::from_raw_parts_mut(pass.texts.add(n * pass.step), pass.size + 16),
                }
            };
            all &= run(message);
            nonce = pass.nonces.wrapping_add(n * pass.nonce_step);
        }
        all
    }
}

/// Exports a [`Peer`].
#[macro_export]
macro_rules! export {
    ($peer:ty) => {
        /// The peer's name.
        #[unsafe(no_mangle)]
        pub extern "C" fn peer_name() -> *const ::core::ffi::c_char {
            <$peer as $crate::Peer>::NAME.as_ptr()
        }

        /// Makes a key.
        ///
        /// # Safety
        /// `algorithm` is a C string, and `key` points to `len` bytes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn peer_key(
            algorithm: *const ::core::ffi::c_char,
            decrypt: ::core::ffi::c_int,
            key: *const u8,
            len: usize,
        ) -> Option<$crate::alloc::boxed::Box<$peer>> {
            // SAFETY: the caller's promise.
            let (algorithm, key) =
                unsafe { (::core::ffi::CStr::from_ptr(algorithm), ::core::slice::from_raw_parts(key, len)) };
            <$peer as $crate::Peer>::key(algorithm.to_str().ok()?, decrypt != 0, key)
                .map($crate::alloc::boxed::Box::new)
        }

        /// Does all messages of a pass.
        ///
        /// # Safety
        /// What [`Messages::new`]($crate::Messages::new) asks of the pass.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn peer_run(key: &mut $peer, pass: &$crate::Pass) -> ::core::ffi::c_int {
            // SAFETY: the caller's promise.
            let messages = unsafe { $crate::Messages::new(pass) };
            <$peer as $crate::Peer>::run(key, messages).into()
        }

        /// Frees a key.
        #[unsafe(no_mangle)]
        pub extern "C" fn peer_free(key: $crate::alloc::boxed::Box<$peer>) {
            drop(key);
        }
    };
}

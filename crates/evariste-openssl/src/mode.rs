//! What a mode is to OpenSSL. Everything behind this trait is safe Rust.

use crate::ffi::Param;
use crate::param::Value;
use crate::reason::{Reason, Result};
use crate::text::{Input, Text};

/// What a context is set up for.
pub(crate) use evariste_counters::Direction;

/// How a context begins.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    /// Bytes of the key.
    pub(crate) key_len: usize,
    /// Whether GCM may have tags of 4 and 8 bytes.
    pub(crate) short_tags: bool,
}

/// What is the same for all contexts of a mode, as EVP_CIPHER_get_* tell it.
pub(crate) struct Facts {
    /// EVP_CIPH_*_MODE.
    pub(crate) mode: u32,
    pub(crate) block: usize,
    pub(crate) iv: usize,
    pub(crate) is_aead: bool,
    /// Parameters of contexts that can be asked for, and that can be set.
    pub(crate) gettable: &'static [Param],
    pub(crate) settable: &'static [Param],
}

/// A context: a key, and how far a message is.
pub(crate) trait Mode {
    const FACTS: Facts;

    fn new(setting: Setting) -> Self;

    /// Called on a copy of `original` that was made byte by byte: what the two own together, which is memory on the heap
    /// and nothing else, is replaced by a copy, without being dropped; and what only one of them may go on with, ends.
    fn detach(&mut self, _original: &Self) {}

    /// A new direction, key and IV, as far as they are given.
    fn init(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result;

    /// Gives the value of a parameter; one that is not known is passed over.
    fn get(&mut self, value: &mut Value) -> Result;

    /// Takes the value of a parameter; one that is not known is passed over.
    fn set(&mut self, value: &Value) -> Result;

    /// The next piece; how much was written.
    fn update(&mut self, input: Input<'_>) -> Result<usize>;

    /// The end; how much was written.
    fn finish(&mut self, room: Text<'_>) -> Result<usize>;

    /// EVP_Cipher: of an AEAD the same as the two before.
    fn cipher(&mut self, input: Input<'_>) -> Result<usize> {
        match input {
            Input::Nothing(room) => self.finish(room),
            // Without a place, too; but in CCM that announces a length.
            Input::Length(0) if Self::FACTS.mode != crate::ccm::MODE => self.finish(Text::NOWHERE),
            input => self.update(input),
        }
    }

    /// Ends whatever is on its way: nothing more comes of it without another IV.
    fn end(&mut self);
}

/// What both of a length of keys and what was given are.
pub(crate) fn check_key_len(key_len: usize, given: usize) -> Result {
    if key_len == given { Ok(()) } else { Err(Reason::KeyLength) }
}

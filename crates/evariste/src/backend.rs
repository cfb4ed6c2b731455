//! What the modes ask of a CPU, and which code answers.
//!
//! A backend is a [`Cipher`] and a [`Hash`], and may stitch the two ([`Imp`]). It works on whole
//! blocks; J0, partial blocks, length blocks, tags and limits belong to the modes, written once.
//! The defaults of [`Imp`] make every pair of a cipher and a hash a complete backend, and are the
//! oracle that the stitched kernels are tested against.

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod aarch64;
mod choice;
// Every architecture with vectors that Rust knows wants this one.
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_feature = "neon")))]
mod kernel;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon"),
    all(target_arch = "powerpc64", not(target_os = "aix"))
))]
mod pair;
mod portable;
// AIX keeps v20 to v31 for itself unless the whole system says otherwise.
#[cfg(all(target_arch = "powerpc64", not(target_os = "aix")))]
mod power;
mod sbox;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use choice::{Backend, Candidate, Reason};

use crate::block::Counter;
use crate::field::mulx;
use crate::inout::Feeds;
use crate::key::{AesKey, GcmKey, HashKey, Secret};
use crate::lanes::{self, Lanes};
use crate::{Block, InOut, KeyError, Message, gcm, gcm_siv};

/// AES on whole blocks. An [`AesKey`] is only ever used with the cipher that wrote it.
pub(crate) trait Cipher: Sync {
    /// Expands a 16-, 24- or 32-byte key (FIPS 197 §5.2).
    fn expand(&self, key: &[u8], out: &mut AesKey) -> Result<(), KeyError>;

    /// The round keys of [`decrypt`](Self::decrypt) from those of [`encrypt`](Self::encrypt).
    fn expand_decrypt(&self, key: &AesKey, out: &mut AesKey);

    /// CIPHER on each block (FIPS 197 §5.1).
    fn encrypt(&self, key: &AesKey, blocks: &mut [Block]);

    /// CIPHER of one block that is to be kept secret: keystream, a subkey.
    fn keystream(&self, key: &AesKey, block: &Block) -> Secret<Block> {
        let mut out = Secret(*block);
        self.encrypt(key, core::slice::from_mut(&mut *out));
        out
    }

    /// INVCIPHER on each block (FIPS 197 §5.3), under a key from [`expand_decrypt`](Self::expand_decrypt).
    fn decrypt(&self, key: &AesKey, blocks: &mut [Block]);

    /// XORs CIPH(ctr), CIPH(inc32(ctr)), … and leaves `ctr` one past the last (SP 800-38D §6.5).
    fn ctr32(&self, key: &AesKey, ctr: &mut Counter, data: InOut<'_, Block>);

    /// The same on any number of bytes. Of a last block that is not whole, `rest` becomes the keystream.
    fn ctr(&self, key: &AesKey, ctr: &mut Counter, data: InOut<'_>, rest: &mut Block) {
        let (whole, tail) = data.into_blocks();
        if !whole.is_empty() {
            self.ctr32(key, ctr, whole);
        }
        if !tail.is_empty() {
            *rest = *self.keystream(key, &ctr.block);
            ctr.advance(1);
            tail.xor(rest);
        }
    }

    /// The same with RFC 8452's counter: the first four bytes, little-endian.
    fn ctr32_le(&self, key: &AesKey, ctr: &mut Block, data: InOut<'_, Block>);

    /// CBC-MAC: `mac = CIPH(mac ^ block)` for each (SP 800-38C §6).
    fn cbc_mac(&self, key: &AesKey, mac: &mut Block, blocks: &[Block]) {
        for block in blocks {
            crate::block::xor(mac, block);
            self.encrypt(key, core::slice::from_mut(mac));
        }
    }

    /// CBC-MAC over the input, and CTR from `ctr` on.
    fn ccm_seal(&self, key: &AesKey, mac: &mut Block, ctr: Block, data: InOut<'_, Block>) {
        self.cbc_mac(key, mac, data.input());
        self.ctr32(key, &mut Counter::public(ctr), data);
    }

    /// CTR from `ctr` on, and CBC-MAC over the output.
    fn ccm_open(&self, key: &AesKey, mac: &mut Block, ctr: Block, mut data: InOut<'_, Block>) {
        self.ctr32(key, &mut Counter::public(ctr), data.reborrow());
        self.cbc_mac(key, mac, data.written());
    }

    /// Whether lanes with keys of their own are as fast as lanes that share one.
    fn lanes_have_keys(&self) -> bool {
        false
    }

    /// Both, a block of each in every lane and step. What becomes of the counters is the caller's business.
    fn ccm_lanes(&self, lanes: &mut Lanes<'_>, feeds: &mut Feeds<'_>) {
        lanes::by_blocks(self, lanes, feeds);
    }
}

/// GHASH and POLYVAL on whole blocks.
///
/// `h` and `acc` are elements of POLYVAL's field (RFC 8452 §3), the block's bytes as a little-endian
/// number. GHASH is the same on byte-reversed blocks with the key times x (RFC 8452 appendix A).
pub(crate) trait Hash: Sync {
    /// At least the powers of `h` that hashing `blocks` blocks at once needs.
    fn hash_key(&self, h: u128, blocks: usize, out: &mut HashKey);

    /// Absorbs `blocks` (SP 800-38D §6.4).
    fn ghash(&self, key: &HashKey, acc: &mut u128, blocks: &[Block]);

    /// Absorbs `blocks` (RFC 8452 §3).
    fn polyval(&self, key: &HashKey, acc: &mut u128, blocks: &[Block]);
}

/// A backend: both halves, and what is faster with both at hand.
///
/// Tags and expected tags are blocks as numbers in the byte order of the machine, so that they travel in registers.
pub(crate) trait Imp: Cipher + Hash {
    /// As shown by `evariste cpu`.
    fn name(&self) -> &'static str;

    /// What AES-GCM needs of a key for messages of `blocks` blocks, with a block of additional data and the lengths,
    /// to be as fast as can be.
    fn gcm_key(&self, key: &[u8], blocks: usize, out: &mut GcmKey) -> Result<(), KeyError> {
        let _ = blocks;
        self.expand(key, &mut out.aes)?;
        let h = self.keystream(&out.aes, &[0; 16]);
        self.hash_key(mulx(u128::from_be_bytes(*h)), usize::MAX, &mut out.hash);
        Ok(())
    }

    /// Makes what [`gcm_key`](Self::gcm_key) has left out and so many blocks have use for.
    fn complete(&self, _: &mut HashKey, _: usize) {}

    /// Blocks that [`seal_strides`](Self::seal_strides) takes at a time; 0 where nothing is stitched, or the key is not
    /// complete.
    fn stride(&self, _: &HashKey) -> usize {
        0
    }

    /// [`seal`](Self::seal) on a multiple of [`stride`](Self::stride) blocks.
    fn seal_strides(&self, _: &GcmKey, _: &mut Counter, _: &mut u128, _: InOut<'_, Block>) {}

    /// [`open`](Self::open) on a multiple of [`stride`](Self::stride) blocks.
    fn open_strides(&self, _: &GcmKey, _: &mut Counter, _: &mut u128, _: InOut<'_, Block>) {}

    /// CTR, then GHASH over the output.
    fn seal(&self, key: &GcmKey, ctr: &mut Counter, acc: &mut u128, data: InOut<'_, Block>) {
        let (whole, mut rest) = whole_strides(self.stride(&key.hash), data);
        self.seal_strides(key, ctr, acc, whole);
        self.ctr32(&key.aes, ctr, rest.reborrow());
        self.ghash(&key.hash, acc, rest.written());
    }

    /// GHASH over the input, then CTR.
    fn open(&self, key: &GcmKey, ctr: &mut Counter, acc: &mut u128, data: InOut<'_, Block>) {
        let (whole, rest) = whole_strides(self.stride(&key.hash), data);
        self.open_strides(key, ctr, acc, whole);
        self.ghash(&key.hash, acc, rest.input());
        self.ctr32(&key.aes, ctr, rest);
    }

    /// Up to how many bytes of text `seal_short` and `open_short` take under this key.
    fn short(&self, _: &HashKey) -> usize {
        0
    }

    /// Seals a whole message of at most [`short`](Self::short) bytes with at most 16 bytes of AAD and
    /// returns its tag (SP 800-38D §7.1).
    fn seal_short(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 {
        self.seal_long(key, iv, aad, data.into())
    }

    /// Decrypts such a message and returns the tag it should have (§7.2).
    fn open_short(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: &mut [u8]) -> u128 {
        self.open_long(key, iv, aad, data.into())
    }

    /// [`seal_short`](Self::seal_short) of each message, whose nonces have 12 bytes: one dynamic call for all of them.
    fn seal_shorts(&self, key: &GcmKey, messages: &mut [Message<'_>], tags: &mut [u128]) {
        for (m, tag) in messages.iter_mut().zip(tags) {
            if let Ok(iv) = m.nonce.try_into() {
                *tag = self.seal_short(key, iv, m.aad, m.data);
            }
        }
    }

    /// [`open_short`](Self::open_short) of each message.
    fn open_shorts(&self, key: &GcmKey, messages: &mut [Message<'_>], tags: &mut [u128]) {
        for (m, tag) in messages.iter_mut().zip(tags) {
            if let Ok(iv) = m.nonce.try_into() {
                *tag = self.open_short(key, iv, m.aad, m.data);
            }
        }
    }

    /// Seals any message and returns its tag.
    fn seal_long(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: InOut<'_>) -> u128 {
        gcm::message::<true, _>(self, key, gcm::j0_96(iv), aad, data)
    }

    /// Decrypts any message and returns the tag it should have.
    fn open_long(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8], data: InOut<'_>) -> u128 {
        gcm::message::<false, _>(self, key, gcm::j0_96(iv), aad, data)
    }

    /// The tag of a message without text.
    fn mac(&self, key: &GcmKey, iv: &[u8; 12], aad: &[u8]) -> u128 {
        self.open_long(key, iv, aad, (&mut []).into())
    }

    /// CTR with RFC 8452's counter, then POLYVAL over the output, of as many blocks from the first on as this is made
    /// for; returns their number.
    fn siv_open_strides(&self, _: &AesKey, _: &HashKey, _: &mut Block, _: &mut u128, _: InOut<'_, Block>) -> usize {
        0
    }

    /// Seals a message of AES-GCM-SIV, under a key-generating key of 16 or 32 bytes, and returns its tag; or decrypts one
    /// that came with `tag`, and returns the tag it should have. One method, for half of the code is the same.
    fn siv(&self, key: &AesKey, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: Option<&Block>) -> u128 {
        gcm_siv::message(self, key, nonce, aad, data, tag)
    }
}

/// What stitched kernels take, and what they leave over.
fn whole_strides(stride: usize, data: InOut<'_, Block>) -> (InOut<'_, Block>, InOut<'_, Block>) {
    let whole = data.len().checked_div(stride).unwrap_or(0) * stride;
    data.split_at(whole)
}

//! AES in counter mode (SP 800-38A §6.5), with the names of the crate `ctr` 0.10.
//!
//! ```
//! use evariste_rustcrypto::aes::Aes128;
//! use evariste_rustcrypto::ctr::{Ctr128BE, cipher::{KeyIvInit, StreamCipher, StreamCipherSeek}};
//!
//! let mut data = *b"in pieces of any length";
//! let mut ctr = Ctr128BE::<Aes128>::new(&[7; 16].into(), &[0; 16].into());
//! ctr.apply_keystream(&mut data[..5]);
//! ctr.apply_keystream(&mut data[5..]);
//! ctr.seek(10u32);
//! ctr.apply_keystream(&mut data[10..]);
//! assert_eq!(&data[10..], b"of any length");
//! ```

pub mod flavors;
mod position;

pub use cipher;
pub use flavors::CtrFlavor;

use crate::aes::AesCipher;
use crate::length::made;
use cipher::consts::U16;
use cipher::{
    AlgorithmName, InOutBuf, Iv, IvSizeUser, Key, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipher,
    StreamCipherError, StreamCipherSeek,
};
use core::fmt;
use core::marker::PhantomData;
use position::Keystream;
use zeroize::ZeroizeOnDrop;

/// Counter of 16 bytes, big-endian: that of SP 800-38A.
pub type Ctr128BE<C> = Ctr<C, flavors::Ctr128BE>;
/// Counter of 16 bytes, little-endian.
pub type Ctr128LE<C> = Ctr<C, flavors::Ctr128LE>;
/// Counter of the last 8 bytes, big-endian.
pub type Ctr64BE<C> = Ctr<C, flavors::Ctr64BE>;
/// Counter of the first 8 bytes, little-endian.
pub type Ctr64LE<C> = Ctr<C, flavors::Ctr64LE>;
/// Counter of the last 4 bytes, big-endian: that of GCM.
pub type Ctr32BE<C> = Ctr<C, flavors::Ctr32BE>;
/// Counter of the first 4 bytes, little-endian: that of GCM-SIV.
pub type Ctr32LE<C> = Ctr<C, flavors::Ctr32LE>;

/// AES in counter mode: the cipher `C`, of which the keystream is, and the flavor `F`, which says how its blocks count.
///
/// A keystream starts at a counter block of 16 bytes and has 2^w − 1 blocks for a counter of w bits, which wraps in its
/// bits; to ask for more is [`StreamCipherError`], and nothing is written then. No counter block may ever be used twice
/// under one key, and nothing protects the text from being changed. Big-endian flavors have the core's speed;
/// little-endian ones go 16 blocks at a time. `Debug` shows no key; it is wiped on drop.
pub struct Ctr<C, F> {
    pub(crate) keystream: Keystream<F>,
    cipher: PhantomData<C>,
}

impl<C: AesCipher, F: CtrFlavor> Ctr<C, F> {
    /// The keystream from `iv` on, under a cipher that is there.
    pub fn from_cipher(cipher: &C, iv: &Iv<Self>) -> Self {
        let ctr = evariste::Ctr::from_aes(cipher.as_core(), iv.into());
        Self { keystream: Keystream::new(ctr, iv.into()), cipher: PhantomData }
    }

    #[inline]
    pub(crate) fn with_key(key: &[u8], iv: &[u8; 16]) -> Self {
        Self { keystream: Keystream::new(made(evariste::Ctr::new(key, iv)), iv), cipher: PhantomData }
    }
}

impl<C: KeySizeUser, F> KeySizeUser for Ctr<C, F> {
    type KeySize = C::KeySize;
}

impl<C, F> IvSizeUser for Ctr<C, F> {
    type IvSize = U16;
}

impl<C: AesCipher, F: CtrFlavor> KeyIvInit for Ctr<C, F> {
    #[inline]
    fn new(key: &Key<Self>, iv: &Iv<Self>) -> Self {
        Self::with_key(key, iv.into())
    }
}

impl<C, F: CtrFlavor> StreamCipher for Ctr<C, F> {
    #[inline]
    fn check_remaining(&self, data_len: usize) -> Result<(), StreamCipherError> {
        self.keystream.check(data_len).map_err(|_| StreamCipherError)
    }

    /// # Panics
    /// Where the keystream ends before the data: it does not start anew.
    #[inline]
    fn unchecked_apply_keystream_inout(&mut self, buf: InOutBuf<'_, '_, u8>) {
        self.apply_keystream_inout(buf);
    }

    /// # Panics
    /// Where the keystream ends before the buffer: it does not start anew.
    #[inline]
    fn unchecked_write_keystream(&mut self, buf: &mut [u8]) {
        buf.fill(0);
        self.apply_keystream(buf);
    }

    #[inline]
    fn try_apply_keystream_inout(&mut self, buf: InOutBuf<'_, '_, u8>) -> Result<(), StreamCipherError> {
        self.check_remaining(buf.len())?;
        self.try_apply_keystream(buf.into_out_with_copied_in())
    }

    #[inline]
    fn try_apply_keystream(&mut self, buf: &mut [u8]) -> Result<(), StreamCipherError> {
        self.keystream.apply(buf).map_err(|_| StreamCipherError)
    }
}

impl<C, F: CtrFlavor> StreamCipherSeek for Ctr<C, F> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        let (block, used) = self.keystream.position();
        T::from_block_byte(block, used, 16)
    }

    fn try_seek<T: SeekNum>(&mut self, pos: T) -> Result<(), StreamCipherError> {
        let (block, byte) = pos.into_block_byte::<u128>(16)?;
        self.keystream.seek(block, byte).map_err(|_| StreamCipherError)
    }
}

impl<C: AlgorithmName, F: CtrFlavor> AlgorithmName for Ctr<C, F> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ctr{}<", F::NAME)?;
        C::write_alg_name(f)?;
        f.write_str(">")
    }
}

impl<C, F> Clone for Ctr<C, F> {
    fn clone(&self) -> Self {
        Self { keystream: self.keystream.clone(), cipher: PhantomData }
    }
}

impl<C, F> fmt::Debug for Ctr<C, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctr").finish_non_exhaustive()
    }
}

impl<C, F> ZeroizeOnDrop for Ctr<C, F> {}

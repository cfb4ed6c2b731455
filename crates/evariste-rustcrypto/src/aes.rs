//! The block cipher (FIPS 197), with the names of the crate `aes` 0.9.
//!
//! ```
//! use evariste_rustcrypto::aes::{Aes128, cipher::{BlockCipherEncrypt, KeyInit}};
//!
//! let aes = Aes128::new(&[0; 16].into());
//! let mut block = [0; 16].into();
//! aes.encrypt_block(&mut block);
//! assert_eq!(block[..4], [0x66, 0xe9, 0x4b, 0xd4]);
//! ```

pub use cipher;

use cipher::array::Array;
use cipher::consts::{U16, U24, U32};
use cipher::{
    AlgorithmName, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut, InOutBuf, Key, KeyInit, KeySizeUser, ParBlocks,
    ParBlocksSizeUser,
};
use core::{fmt, slice};
use zeroize::ZeroizeOnDrop;

/// One block: 16 bytes.
pub type Block = Array<u8, U16>;

/// An AES of this crate, which is what its modes are made of. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an AES of evariste",
    note = "the modes of evariste take `Aes128`, `Aes192` and `Aes256` of the package `evariste-aes`, which a project \
            names instead of the crate `aes`: `aes = {{ package = \"evariste-aes\", … }}`"
)]
pub trait AesCipher: KeySizeUser + sealed::Sealed {
    /// The expanded key.
    fn as_core(&self) -> &evariste::Aes;
}

/// An AES that GCM-SIV takes, with a key of 16 or 32 bytes (RFC 8452 §4). Sealed.
#[diagnostic::on_unimplemented(message = "AES-GCM-SIV has `Aes128` and `Aes256` of evariste, not `{Self}`")]
pub trait SivCipher: AesCipher {}

mod sealed {
    pub trait Sealed {}
}

/// Up to so many blocks are encrypted by one call of the core.
pub(crate) type Together = U32;

/// What modes of other crates call.
struct Blocks<'a>(&'a evariste::Aes);

impl BlockSizeUser for Blocks<'_> {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Blocks<'_> {
    type ParBlocksSize = Together;
}

impl BlockCipherEncBackend for Blocks<'_> {
    #[inline]
    fn encrypt_block(&self, block: InOut<'_, '_, Block>) {
        self.0.encrypt(slice::from_mut(block.into_out_with_copied_in().into()));
    }

    #[inline]
    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.encrypt(Array::cast_slice_to_core_mut(blocks.into_out_with_copied_in()));
    }

    #[inline]
    fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block>) {
        self.0.encrypt(Array::cast_slice_to_core_mut(blocks.into_out_with_copied_in()));
    }
}

impl BlockCipherDecBackend for Blocks<'_> {
    #[inline]
    fn decrypt_block(&self, block: InOut<'_, '_, Block>) {
        self.0.decrypt(slice::from_mut(block.into_out_with_copied_in().into()));
    }

    #[inline]
    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.decrypt(Array::cast_slice_to_core_mut(blocks.into_out_with_copied_in()));
    }

    #[inline]
    fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block>) {
        self.0.decrypt(Array::cast_slice_to_core_mut(blocks.into_out_with_copied_in()));
    }
}

macro_rules! encrypts {
    ($name:ident) => {
        impl BlockCipherEncrypt for $name {
            #[inline]
            fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
                f.call(&Blocks(&self.0));
            }

            #[inline]
            fn encrypt_blocks_inout(&self, blocks: InOutBuf<'_, '_, Block>) {
                self.0.encrypt(Array::cast_slice_to_core_mut(blocks.into_out_with_copied_in()));
            }

            #[inline]
            fn encrypt_blocks(&self, blocks: &mut [Block]) {
                self.0.encrypt(Array::cast_slice_to_core_mut(blocks));
            }
        }
    };
}

macro_rules! decrypts {
    ($name:ident) => {
        impl BlockCipherDecrypt for $name {
            #[inline]
            fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
                f.call(&Blocks(&self.0));
            }

            #[inline]
            fn decrypt_blocks_inout(&self, blocks: InOutBuf<'_, '_, Block>) {
                self.0.decrypt(Array::cast_slice_to_core_mut(blocks.into_out_with_copied_in()));
            }

            #[inline]
            fn decrypt_blocks(&self, blocks: &mut [Block]) {
                self.0.decrypt(Array::cast_slice_to_core_mut(blocks));
            }
        }
    };
}

macro_rules! cipher {
    ($name:ident, $bytes:ty, $doc:expr) => {
        #[doc = $doc]
        ///
        /// `Debug` shows no key; it is wiped on drop.
        #[derive(Clone)]
        pub struct $name(pub(crate) evariste::Aes);

        impl KeySizeUser for $name {
            type KeySize = $bytes;
        }

        impl BlockSizeUser for $name {
            type BlockSize = U16;
        }

        impl KeyInit for $name {
            #[inline]
            fn new(key: &Key<Self>) -> Self {
                Self(crate::length::made(evariste::Aes::new(key)))
            }
        }

        impl AlgorithmName for $name {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }

        impl ZeroizeOnDrop for $name {}

        impl sealed::Sealed for $name {}
        impl AesCipher for $name {
            #[inline]
            fn as_core(&self) -> &evariste::Aes {
                &self.0
            }
        }
    };
}

macro_rules! key_size {
    ($bits:literal, $bytes:literal, $size:ty, $both:ident, $enc:ident, $dec:ident) => {
        cipher!($both, $size, concat!("AES-", $bits, ", with a key of ", $bytes, " bytes."));
        encrypts!($both);
        decrypts!($both);
        cipher!($enc, $size, concat!("AES-", $bits, " that only encrypts."));
        encrypts!($enc);
        cipher!($dec, $size, concat!("AES-", $bits, " that only decrypts."));
        decrypts!($dec);

        impl From<$enc> for $both {
            fn from(enc: $enc) -> Self {
                Self(enc.0)
            }
        }

        impl From<&$enc> for $both {
            fn from(enc: &$enc) -> Self {
                Self(enc.0.clone())
            }
        }

        impl From<$enc> for $dec {
            fn from(enc: $enc) -> Self {
                Self(enc.0)
            }
        }

        impl From<&$enc> for $dec {
            fn from(enc: &$enc) -> Self {
                Self(enc.0.clone())
            }
        }
    };
}

key_size!("128", "16", U16, Aes128, Aes128Enc, Aes128Dec);
key_size!("192", "24", U24, Aes192, Aes192Enc, Aes192Dec);
key_size!("256", "32", U32, Aes256, Aes256Enc, Aes256Dec);

impl SivCipher for Aes128 {}
impl SivCipher for Aes128Enc {}
impl SivCipher for Aes256 {}
impl SivCipher for Aes256Enc {}

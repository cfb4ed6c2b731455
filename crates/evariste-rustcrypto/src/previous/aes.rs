//! The block cipher, with the names of the crate `aes` 0.8.

pub use crate::aes::{
    Aes128, Aes128Dec, Aes128Enc, Aes192, Aes192Dec, Aes192Enc, Aes256, Aes256Dec, Aes256Enc, AesCipher, SivCipher,
};
pub use cipher_04 as cipher;

use crate::aes::Together;
use cipher::consts::{U8, U16, U24, U32};
use cipher::generic_array::GenericArray;
use cipher::inout::InOut;
use cipher::{
    AlgorithmName, BlockBackend, BlockCipher, BlockClosure, BlockDecrypt, BlockEncrypt, BlockSizeUser, Key, KeyInit,
    KeySizeUser, ParBlocks, ParBlocksSizeUser, Unsigned,
};
use core::{fmt, slice};

/// One block: 16 bytes.
pub type Block = GenericArray<u8, U16>;

/// Eight blocks.
pub type Block8 = GenericArray<Block, U8>;

/// What modes of other crates call.
struct Blocks<'a, const ENCRYPT: bool>(&'a evariste::Aes);

impl<const ENCRYPT: bool> Blocks<'_, ENCRYPT> {
    #[inline(always)]
    fn run(&self, blocks: &mut [[u8; 16]]) {
        if ENCRYPT { self.0.encrypt(blocks) } else { self.0.decrypt(blocks) }
    }
}

impl<const ENCRYPT: bool> BlockSizeUser for Blocks<'_, ENCRYPT> {
    type BlockSize = U16;
}

impl<const ENCRYPT: bool> ParBlocksSizeUser for Blocks<'_, ENCRYPT> {
    type ParBlocksSize = Together;
}

impl<const ENCRYPT: bool> BlockBackend for Blocks<'_, ENCRYPT> {
    #[inline]
    fn proc_block(&mut self, mut block: InOut<'_, '_, Block>) {
        let mut one = block.clone_in().into();
        self.run(slice::from_mut(&mut one));
        *block.get_out() = one.into();
    }

    #[inline]
    fn proc_par_blocks(&mut self, mut blocks: InOut<'_, '_, ParBlocks<Self>>) {
        let mut all = [[0; 16]; Together::USIZE];
        all.iter_mut().zip(blocks.get_in()).for_each(|(a, b)| *a = (*b).into());
        self.run(&mut all);
        all.iter().zip(blocks.get_out()).for_each(|(a, b)| *b = (*a).into());
    }
}

macro_rules! cipher {
    ($size:ty: $($name:ident)*; $($enc:ident)*; $($dec:ident)*) => {
        $(impl KeySizeUser for $name {
            type KeySize = $size;
        }

        impl BlockSizeUser for $name {
            type BlockSize = U16;
        }

        impl BlockCipher for $name {}

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
        })*

        $(impl BlockEncrypt for $enc {
            #[inline]
            fn encrypt_with_backend(&self, f: impl BlockClosure<BlockSize = U16>) {
                f.call(&mut Blocks::<true>(&self.0));
            }
        })*

        $(impl BlockDecrypt for $dec {
            #[inline]
            fn decrypt_with_backend(&self, f: impl BlockClosure<BlockSize = U16>) {
                f.call(&mut Blocks::<false>(&self.0));
            }
        })*
    };
}

cipher!(U16: Aes128 Aes128Enc Aes128Dec; Aes128 Aes128Enc; Aes128 Aes128Dec);
cipher!(U24: Aes192 Aes192Enc Aes192Dec; Aes192 Aes192Enc; Aes192 Aes192Dec);
cipher!(U32: Aes256 Aes256Enc Aes256Dec; Aes256 Aes256Enc; Aes256 Aes256Dec);

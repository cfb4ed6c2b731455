//! AES in counter mode, with the names of the crate `ctr` 0.9.

pub use crate::ctr::{Ctr, Ctr32BE, Ctr32LE, Ctr64BE, Ctr64LE, Ctr128BE, Ctr128LE, CtrFlavor, flavors};
pub use cipher_04 as cipher;

use crate::aes::AesCipher;
use cipher::consts::U16;
use cipher::inout::InOutBuf;
use cipher::{
    AlgorithmName, Iv, IvSizeUser, Key, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipher,
    StreamCipherError, StreamCipherSeek,
};
use core::fmt;

impl<C: KeySizeUser, F> KeySizeUser for Ctr<C, F> {
    type KeySize = C::KeySize;
}

impl<C, F> IvSizeUser for Ctr<C, F> {
    type IvSize = U16;
}

impl<C: AesCipher + KeySizeUser, F: CtrFlavor> KeyIvInit for Ctr<C, F> {
    #[inline]
    fn new(key: &Key<Self>, iv: &Iv<Self>) -> Self {
        Self::with_key(key, &(*iv).into())
    }
}

impl<C, F: CtrFlavor> StreamCipher for Ctr<C, F> {
    #[inline]
    fn try_apply_keystream_inout(&mut self, mut buf: InOutBuf<'_, '_, u8>) -> Result<(), StreamCipherError> {
        self.keystream.check(buf.len()).map_err(|_| StreamCipherError)?;
        let (from, to) = buf.reborrow().into_raw();
        if !core::ptr::eq(from, to) {
            for i in 0..buf.len() {
                let mut byte = buf.get(i);
                *byte.get_out() = byte.clone_in();
            }
        }
        self.try_apply_keystream(buf.into_out())
    }

    #[inline]
    fn try_apply_keystream(&mut self, buf: &mut [u8]) -> Result<(), StreamCipherError> {
        self.keystream.apply(buf).map_err(|_| StreamCipherError)
    }

    #[inline]
    fn apply_keystream_b2b(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), StreamCipherError> {
        if input.len() != output.len() {
            return Err(StreamCipherError);
        }
        self.keystream.check(input.len()).map_err(|_| StreamCipherError)?;
        output.copy_from_slice(input);
        self.try_apply_keystream(output)
    }
}

impl<C, F: CtrFlavor> StreamCipherSeek for Ctr<C, F> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        let (block, used) = self.keystream.position();
        T::from_block_byte(block, used % 16, 16)
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

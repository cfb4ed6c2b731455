//! RustCrypto's crates, on the backend that they choose themselves.

use super::{Library, Run, run};
use crate::algorithm::{Algorithm, Direction};
use aes::cipher::consts::{U12, U16};
use aes::cipher::{BlockCipherEncrypt, BlockSizeUser, InnerIvInit, KeyInit, StreamCipher};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::AesGcm;
use aes_gcm::aead::AeadInOut;
use aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv};
use ccm::Ccm;
use ctr::CtrCore;
use ctr::flavors::Ctr128BE;
use ghash::{GHash, universal_hash::UniversalHash};

pub(crate) struct RustCrypto;

impl Library for RustCrypto {
    fn name(&self) -> String {
        "rustcrypto".into()
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        let key = algorithm.key();
        match algorithm {
            Algorithm::Aes128Gcm | Algorithm::Gmac => aead::<AesGcm<Aes128, U12>>(key, direction),
            Algorithm::Aes192Gcm => aead::<AesGcm<Aes192, U12>>(key, direction),
            Algorithm::Aes256Gcm => aead::<AesGcm<Aes256, U12>>(key, direction),
            Algorithm::Aes128Ccm | Algorithm::Aes128CcmMany => aead::<Ccm<Aes128, U16, U12>>(key, direction),
            Algorithm::Aes256Ccm | Algorithm::Aes256CcmMany => aead::<Ccm<Aes256, U16, U12>>(key, direction),
            Algorithm::Aes128GcmSiv => aead::<Aes128GcmSiv>(key, direction),
            Algorithm::Aes256GcmSiv => aead::<Aes256GcmSiv>(key, direction),
            Algorithm::Aes128Ctr => ctr::<Aes128>(key),
            Algorithm::Aes256Ctr => ctr::<Aes256>(key),
            Algorithm::Ghash => ghash(key),
        }
    }
}

fn aead<A>(key: &[u8], direction: Direction) -> Option<Run>
where
    A: AeadInOut<NonceSize = U12, TagSize = U16> + KeyInit + 'static,
{
    let key = A::new_from_slice(key).ok()?;
    match direction {
        Direction::Seal => run(move |m| {
            let (iv, aad, (text, out)) = (m.iv(), m.aad, m.parts());
            key.encrypt_inout_detached(iv.into(), aad, text.into()).map(|tag| *out = tag.0).is_ok()
        }),
        Direction::Open => run(move |m| {
            let (iv, aad, (text, tag)) = (m.iv(), m.aad, m.parts());
            key.decrypt_inout_detached(iv.into(), aad, text.into(), (&*tag).into()).is_ok()
        }),
        Direction::Hash => run(move |m| {
            let (iv, (data, out)) = (m.iv(), m.parts());
            key.encrypt_inout_detached(iv.into(), data, (&mut [][..]).into()).map(|tag| *out = tag.0).is_ok()
        }),
        Direction::Encrypt => None,
    }
}

fn ctr<C>(key: &[u8]) -> Option<Run>
where
    C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + KeyInit + 'static,
{
    let key = C::new_from_slice(key).ok()?;
    run(move |m| {
        let core = CtrCore::<_, Ctr128BE>::inner_iv_init(&key, m.nonce.into());
        ctr::Ctr128BE::from_core(core).try_apply_keystream(m.parts().0).is_ok()
    })
}

fn ghash(key: &[u8]) -> Option<Run> {
    let new = GHash::new_from_slice(key).ok()?;
    let mut ghash = new.clone();
    run(move |m| {
        let (finish, (data, out)) = (m.finish, m.parts());
        if finish {
            ghash = new.clone();
        }
        ghash.update_padded(data);
        if finish {
            *out = ghash.clone().finalize().into();
        }
        true
    })
}

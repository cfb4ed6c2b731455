//! evariste itself, on one backend.

use super::{Library, Make, Making, Run, run};
use crate::algorithm::{Algorithm, Direction};
use evariste::{Aead, Backend, Ccm, Ctr, Gcm, GcmSiv};
use std::hint::black_box;

pub(crate) struct Evariste {
    pub(crate) name: String,
    pub(crate) backend: Backend,
}

impl Library for Evariste {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run> {
        use Algorithm::*;
        let (key, backend) = (algorithm.key(), self.backend);
        match algorithm {
            Aes128Gcm | Aes192Gcm | Aes256Gcm => aead(Gcm::with_backend(key, backend).ok()?, direction),
            Aes128Ccm | Aes256Ccm => aead(Ccm::with_backend(key, backend).ok()?, direction),
            Aes128CcmMany | Aes256CcmMany => many(Ccm::with_backend(key, backend).ok()?, direction),
            Aes128GcmSiv | Aes256GcmSiv => aead(GcmSiv::with_backend(key, backend).ok()?, direction),
            Aes128Ctr | Aes256Ctr => {
                let mut ctr = Ctr::with_backend(key, &[0; 16], backend).ok()?;
                run(move |m| {
                    ctr.restart(m.nonce);
                    ctr.apply(m.parts().0.into()).is_ok()
                })
            }
            Gmac => {
                let gcm = Gcm::with_backend(key, backend).ok()?;
                run(move |m| {
                    let (iv, (data, out)) = (m.iv(), m.parts());
                    gcm.mac(iv, data).map(|tag| out.copy_from_slice(&tag)).is_ok()
                })
            }
            Ghash => {
                let h = key.try_into().ok()?;
                let new = move || evariste::Ghash::with_backend(&h, backend);
                let mut ghash = new();
                run(move |m| {
                    let (finish, (data, out)) = (m.finish, m.parts());
                    if finish {
                        ghash = new();
                    }
                    ghash.update(data);
                    ghash.pad();
                    if finish {
                        *out = std::mem::replace(&mut ghash, new()).finish();
                    }
                    true
                })
            }
        }
    }

    fn key(&self, algorithm: Algorithm, making: Making) -> Option<Make<'_>> {
        use Algorithm::*;
        let (key, backend) = (algorithm.key(), self.backend);
        // Where it is made, without the move to the heap that a closure needs.
        match (making, algorithm) {
            (Making::New, Aes128Gcm | Aes192Gcm | Aes256Gcm | Gmac) => {
                make(move || Gcm::with_backend(black_box(key), backend))
            }
            (Making::New, Aes128Ccm | Aes256Ccm | Aes128CcmMany | Aes256CcmMany) => {
                make(move || Ccm::with_backend(black_box(key), backend))
            }
            (Making::New, Aes128GcmSiv | Aes256GcmSiv) => make(move || GcmSiv::with_backend(black_box(key), backend)),
            (Making::New, Aes128Ctr | Aes256Ctr) => make(move || Ctr::with_backend(black_box(key), &[0; 16], backend)),
            (Making::New, Ghash) => {
                let key = key.try_into().ok()?;
                make(move || Ok::<_, ()>(evariste::Ghash::with_backend(black_box(&key), backend)))
            }
            (Making::InPlace, Aes128Gcm | Aes192Gcm | Aes256Gcm | Gmac) => {
                let mut gcm = Gcm::with_backend(key, backend).ok()?;
                Some(Box::new(move || black_box(&mut gcm).rekey(black_box(key)).is_ok()))
            }
            (Making::InPlace, _) => None,
        }
    }
}

fn make<K, E>(key: impl Fn() -> Result<K, E> + 'static) -> Option<Make<'static>> {
    Some(Box::new(move || black_box(&key()).is_ok()))
}

fn aead(key: impl Aead + 'static, direction: Direction) -> Option<Run> {
    if direction == Direction::Seal {
        run(move |m| {
            let (iv, aad, (text, out)) = (m.iv(), m.aad, m.parts());
            key.seal(iv, aad, text).map(|tag| out.copy_from_slice(&tag)).is_ok()
        })
    } else {
        run(move |m| {
            let (iv, aad, (text, tag)) = (m.iv(), m.aad, m.parts());
            key.open(iv, aad, text, tag).is_ok()
        })
    }
}

fn many(key: impl Aead + 'static, direction: Direction) -> Option<Run> {
    Some(Box::new(move |case| {
        case.batches(|batch| match direction {
            Direction::Seal => key.seal_many(batch).is_ok(),
            _ => key.open_many(batch).is_ok(),
        });
    }))
}

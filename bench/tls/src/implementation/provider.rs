//! A provider of rustls, by the traits that rustls calls.

use super::{Kept, Pass, Runner, keep};
use crate::case::{Buffers, Case, HEADER, Operation, TAG};
use crate::keys;
use anyhow::{Context, Result, ensure};
use rustls::crypto::CryptoProvider;
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, MessageDecrypter, MessageEncrypter, OutboundPlainMessage, Tls12AeadAlgorithm,
    Tls13AeadAlgorithm,
};
use rustls::quic::{self, HeaderProtectionKey, PacketKey};
use rustls::{CipherSuite, ContentType, ProtocolVersion};
use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

/// Salt and first explicit nonce of TLS 1.2.
pub(super) const SALT: [u8; 4] = [1, 2, 3, 4];
pub(super) const EXPLICIT: [u8; 8] = [5, 6, 7, 8, 9, 10, 11, 12];

/// What the provider has to offer.
struct Ciphers {
    tls13: &'static dyn Tls13AeadAlgorithm,
    tls12: &'static dyn Tls12AeadAlgorithm,
    quic: &'static dyn quic::Algorithm,
    key_len: usize,
}

impl Ciphers {
    fn of(provider: &CryptoProvider, key_len: usize) -> Result<Self> {
        use CipherSuite as C;
        let (tls13, tls12) = match key_len {
            16 => (C::TLS13_AES_128_GCM_SHA256, C::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256),
            _ => (C::TLS13_AES_256_GCM_SHA384, C::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384),
        };
        let find = |suite| provider.cipher_suites.iter().find(|has| has.suite() == suite).context("no such suite");
        let tls13 = find(tls13)?.tls13().context("not of TLS 1.3")?;
        let rustls::SupportedCipherSuite::Tls12(tls12) = find(tls12)? else { anyhow::bail!("not of TLS 1.2") };
        let quic = tls13.quic.context("no QUIC")?;
        Ok(Self { tls13: tls13.aead_alg, tls12: tls12.aead_alg, quic, key_len })
    }

    fn key(&self) -> Result<AeadKey> {
        Ok(keys::key(self.key_len)?.0)
    }

    fn encrypter(&self, version: ProtocolVersion) -> Result<Box<dyn MessageEncrypter>> {
        let (key, iv) = keys::key(self.key_len)?;
        Ok(match version {
            ProtocolVersion::TLSv1_3 => self.tls13.encrypter(key, iv),
            _ => self.tls12.encrypter(key, &SALT, &EXPLICIT),
        })
    }

    fn decrypter(&self, version: ProtocolVersion) -> Result<Box<dyn MessageDecrypter>> {
        let (key, iv) = keys::key(self.key_len)?;
        Ok(match version {
            ProtocolVersion::TLSv1_3 => self.tls13.decrypter(key, iv),
            _ => self.tls12.decrypter(key, &SALT),
        })
    }

    fn packets(&self) -> Result<Box<dyn PacketKey>> {
        let (key, iv) = keys::key(self.key_len)?;
        Ok(self.quic.packet_key(key, iv))
    }
}

/// The provider, as it does this.
pub(super) fn runner(name: &'static str, provider: &CryptoProvider, case: &Case) -> Result<Runner> {
    let ciphers = Ciphers::of(provider, case.key_len)?;
    if case.operation == Operation::Key {
        return Ok(key(name, ciphers, case.messages()));
    }
    let run = match case.operation {
        Operation::Encrypt13 => encrypt(ciphers.encrypter(ProtocolVersion::TLSv1_3)?, ProtocolVersion::TLSv1_3),
        Operation::Encrypt12 => encrypt(ciphers.encrypter(ProtocolVersion::TLSv1_2)?, ProtocolVersion::TLSv1_2),
        Operation::Decrypt13 => decrypt(ciphers.decrypter(ProtocolVersion::TLSv1_3)?),
        Operation::Decrypt12 => decrypt(ciphers.decrypter(ProtocolVersion::TLSv1_2)?),
        Operation::Seal => seal(ciphers.packets()?),
        Operation::Open => open(ciphers.packets()?),
        Operation::Protect => mask(ciphers.quic.header_protection_key(ciphers.key()?), protect),
        Operation::Unprotect | Operation::Key => mask(ciphers.quic.header_protection_key(ciphers.key()?), unprotect),
    };
    Ok(Runner::new(name, run))
}

fn encrypt(mut encrypter: Box<dyn MessageEncrypter>, version: ProtocolVersion) -> Pass {
    // It goes on from pass to pass: AWS-LC refuses a number that is not higher than the one before.
    let mut seq = 0;
    Box::new(move |buffers: &mut Buffers, mut kept: Kept<'_>| {
        for text in &buffers.texts {
            let payload = text[..].into();
            let msg = OutboundPlainMessage { typ: ContentType::ApplicationData, version, payload };
            match encrypter.encrypt(msg, seq) {
                Ok(sealed) => keep(&mut kept, sealed.payload.as_ref()),
                Err(_) => buffers.failed = true,
            }
            seq += 1;
        }
    })
}

fn decrypt(mut decrypter: Box<dyn MessageDecrypter>) -> Pass {
    Box::new(move |buffers: &mut Buffers, mut kept: Kept<'_>| {
        for (sealed, seq) in buffers.work.iter_mut().zip(0..) {
            let msg = InboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, sealed);
            match decrypter.decrypt(msg, seq) {
                Ok(opened) => keep(&mut kept, opened.payload),
                Err(_) => buffers.failed = true,
            }
        }
    })
}

fn seal(packets: Box<dyn PacketKey>) -> Pass {
    Box::new(move |buffers: &mut Buffers, mut kept: Kept<'_>| {
        for (packet, number) in buffers.work.iter_mut().zip(0..) {
            let at = packet.len() - TAG;
            let (text, room) = packet.split_at_mut(at);
            match packets.encrypt_in_place(number, &HEADER, text) {
                Ok(tag) => room.copy_from_slice(tag.as_ref()),
                Err(_) => buffers.failed = true,
            }
            keep(&mut kept, packet);
        }
    })
}

fn open(packets: Box<dyn PacketKey>) -> Pass {
    Box::new(move |buffers: &mut Buffers, mut kept: Kept<'_>| {
        for (packet, number) in buffers.work.iter_mut().zip(0..) {
            match packets.decrypt_in_place(number, &HEADER, packet) {
                Ok(text) => keep(&mut kept, text),
                Err(_) => buffers.failed = true,
            }
        }
    })
}

type Mask = fn(&dyn HeaderProtectionKey, &[u8], &mut u8, &mut [u8]) -> Result<(), rustls::Error>;

fn protect(
    keys: &dyn HeaderProtectionKey,
    sample: &[u8],
    first: &mut u8,
    number: &mut [u8],
) -> Result<(), rustls::Error> {
    keys.encrypt_in_place(sample, first, number)
}

fn unprotect(
    keys: &dyn HeaderProtectionKey,
    sample: &[u8],
    first: &mut u8,
    number: &mut [u8],
) -> Result<(), rustls::Error> {
    keys.decrypt_in_place(sample, first, number)
}

/// The texts are the samples.
fn mask(keys: Box<dyn HeaderProtectionKey>, mask: Mask) -> Pass {
    Box::new(move |buffers: &mut Buffers, mut kept: Kept<'_>| {
        for (header, sample) in buffers.work.iter_mut().zip(&buffers.texts) {
            let (head, number) = header.split_at_mut(HEADER.len() - 4);
            if mask(&*keys, sample, &mut head[0], number).is_err() {
                buffers.failed = true;
            }
            keep(&mut kept, header);
        }
    })
}

/// Keys for records, made and dropped.
fn key(name: &'static str, ciphers: Ciphers, times: usize) -> Runner {
    let ready = Rc::new(RefCell::new(Vec::with_capacity(times)));
    let (from, key_len) = (ready.clone(), ciphers.key_len);
    let prepare = move || -> Result<()> {
        let mut ready = ready.borrow_mut();
        for _ in 0..times {
            ready.push(keys::key(key_len)?);
        }
        Ok(())
    };
    let run = move |_: &mut Buffers, mut kept: Kept<'_>| {
        for (key, iv) in from.borrow_mut().drain(..) {
            let encrypter = black_box(ciphers.tls13.encrypter(key, iv));
            // There is no other outcome to compare.
            keep(&mut kept, &encrypter.encrypted_payload_len(0).to_ne_bytes());
        }
    };
    Runner { name, prepare: Box::new(prepare), run: Box::new(run) }
}

/// What a pass in place starts from: sealed by this provider, and checked by all the others.
pub(super) fn sealed(provider: &CryptoProvider, case: &Case) -> Result<Vec<Vec<u8>>> {
    let ciphers = Ciphers::of(provider, case.key_len)?;
    let room = || case.texts().into_iter().map(|text| [text, vec![0; TAG]].concat()).collect();
    let (pass, work) = match case.operation {
        Operation::Encrypt13 | Operation::Encrypt12 | Operation::Key => return Ok(Vec::new()),
        Operation::Seal => return Ok(room()),
        Operation::Protect | Operation::Unprotect => return Ok(vec![HEADER.to_vec(); case.messages()]),
        Operation::Decrypt13 => {
            (encrypt(ciphers.encrypter(ProtocolVersion::TLSv1_3)?, ProtocolVersion::TLSv1_3), vec![])
        }
        Operation::Decrypt12 => {
            (encrypt(ciphers.encrypter(ProtocolVersion::TLSv1_2)?, ProtocolVersion::TLSv1_2), vec![])
        }
        Operation::Open => (seal(ciphers.packets()?), room()),
    };
    let (mut pass, mut buffers, mut sealed) = (pass, Buffers::new(case, work), Vec::new());
    pass(&mut buffers, Some(&mut sealed));
    ensure!(!buffers.failed, "sealing failed");
    Ok(sealed)
}

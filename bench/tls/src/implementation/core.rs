//! evariste by itself: functions of rustls's signatures, with rustls's types for records, but called as they are, and with
//! no more checks than the text needs.
//!
//! A call with such a signature, whose result goes through memory, takes 6 ns of a packet of 1350 bytes (Zen 4,
//! 2026-12-01): the same inlined into the loop overlaps more of the next packet. That is rustls's part, not ours.

use super::provider::{EXPLICIT, SALT};
use super::{CORE, Kept, Pass, Runner, keep};
use crate::case::{Buffers, Case, HEADER, Operation, TAG};
use crate::keys;
use anyhow::{Context, Result};
use evariste::{Aead, Aes, Gcm};
use rustls::crypto::cipher::{
    InboundOpaqueMessage, InboundPlainMessage, OutboundChunks, OutboundOpaqueMessage, PrefixedPayload, make_tls12_aad,
    make_tls13_aad,
};
use rustls::quic::Tag;
use rustls::{ContentType, Error, ProtocolVersion};

const DATA: ContentType = ContentType::ApplicationData;
const TLS12: ProtocolVersion = ProtocolVersion::TLSv1_2;

/// As the core does it, if it can be compared.
pub(super) fn runner(case: &Case) -> Result<Option<Runner>> {
    let (key, iv) = keys::key(case.key_len)?;
    let gcm = Gcm::new(key.as_ref())?;
    let iv13 = Nonces::new(iv.as_ref())?;
    let iv12 = Nonces::new(&[&SALT[..], &EXPLICIT].concat())?;
    let run = match case.operation {
        Operation::Encrypt13 => encrypt(move |text, seq| seal13(&gcm, &iv13, text, seq)),
        Operation::Encrypt12 => encrypt(move |text, seq| seal12(&gcm, &iv12, text, seq)),
        Operation::Decrypt13 => decrypt(move |msg, seq| open13(&gcm, &iv13, msg, seq)),
        Operation::Decrypt12 => decrypt(move |msg, seq| open12(&gcm, &iv12, msg, seq)),
        Operation::Seal => packets(move |packet, number, kept| {
            let at = packet.len() - TAG;
            let (text, room) = packet.split_at_mut(at);
            room.copy_from_slice(seal(&gcm, &iv13, text, number)?.as_ref());
            keep(kept, packet);
            Ok(())
        }),
        Operation::Open => packets(move |packet, number, kept| {
            keep(kept, open(&gcm, &iv13, packet, number)?);
            Ok(())
        }),
        Operation::Protect => mask(Aes::new(key.as_ref())?, true),
        Operation::Unprotect => mask(Aes::new(key.as_ref())?, false),
        Operation::Key => return Ok(None),
    };
    Ok(Some(Runner::new(CORE, run)))
}

/// An IV, and a counter.
struct Nonces {
    start: u32,
    end: u64,
}

impl Nonces {
    fn new(iv: &[u8]) -> Result<Self> {
        let (start, end) = iv.split_first_chunk().context("no IV")?;
        Ok(Self { start: u32::from_ne_bytes(*start), end: u64::from_be_bytes(end.try_into()?) })
    }

    #[inline(always)]
    fn of(&self, seq: u64) -> [u8; 12] {
        let mut nonce = [0; 12];
        nonce[..4].copy_from_slice(&self.start.to_ne_bytes());
        nonce[4..].copy_from_slice(&(self.end ^ seq).to_be_bytes());
        nonce
    }
}

/// A pass that seals records.
fn encrypt(seal: impl Fn(&[u8], u64) -> Result<OutboundOpaqueMessage, Error> + 'static) -> Pass {
    Box::new(move |buffers: &mut Buffers, mut kept: Kept<'_>| {
        for (text, seq) in buffers.texts.iter().zip(0..) {
            match seal(text, seq) {
                Ok(sealed) => keep(&mut kept, sealed.payload.as_ref()),
                Err(_) => buffers.failed = true,
            }
        }
    })
}

#[inline(never)]
fn seal13(gcm: &Gcm, nonces: &Nonces, text: &[u8], seq: u64) -> Result<OutboundOpaqueMessage, Error> {
    let len = text.len() + 1 + TAG;
    let mut payload = PrefixedPayload::with_capacity(len);
    payload.extend_from_chunks(&OutboundChunks::Single(text));
    payload.extend_from_slice(&DATA.to_array());
    let sealed = gcm.seal(&nonces.of(seq), &make_tls13_aad(len), payload.as_mut());
    payload.extend_from_slice(&sealed.map_err(|_| Error::EncryptError)?);
    Ok(OutboundOpaqueMessage::new(DATA, TLS12, payload))
}

#[inline(never)]
fn seal12(gcm: &Gcm, nonces: &Nonces, text: &[u8], seq: u64) -> Result<OutboundOpaqueMessage, Error> {
    let nonce = nonces.of(seq);
    let mut payload = PrefixedPayload::with_capacity(EXPLICIT.len() + text.len() + TAG);
    payload.extend_from_slice(&nonce[SALT.len()..]);
    payload.extend_from_chunks(&OutboundChunks::Single(text));
    let aad = make_tls12_aad(seq, DATA, TLS12, text.len());
    let sealed = gcm.seal(&nonce, &aad, &mut payload.as_mut()[EXPLICIT.len()..]);
    payload.extend_from_slice(&sealed.map_err(|_| Error::EncryptError)?);
    Ok(OutboundOpaqueMessage::new(DATA, TLS12, payload))
}

/// A pass that opens records.
fn decrypt(open: impl for<'a> Fn(InboundOpaqueMessage<'a>, u64) -> Opened<'a> + 'static) -> Pass {
    Box::new(move |buffers: &mut Buffers, mut kept: Kept<'_>| {
        for (sealed, seq) in buffers.work.iter_mut().zip(0..) {
            match open(InboundOpaqueMessage::new(DATA, TLS12, sealed), seq) {
                Ok(opened) => keep(&mut kept, opened.payload),
                Err(_) => buffers.failed = true,
            }
        }
    })
}

type Opened<'a> = Result<InboundPlainMessage<'a>, Error>;

#[inline(never)]
fn open13<'a>(gcm: &Gcm, nonces: &Nonces, mut msg: InboundOpaqueMessage<'a>, seq: u64) -> Opened<'a> {
    let at = msg.payload.len() - TAG;
    let aad = make_tls13_aad(msg.payload.len());
    let (text, tag) = msg.payload.split_at_mut(at);
    gcm.open(&nonces.of(seq), &aad, text, tag).map_err(|_| Error::DecryptError)?;
    msg.payload.truncate(at);
    msg.into_tls13_unpadded_message()
}

#[inline(never)]
fn open12<'a>(gcm: &Gcm, nonces: &Nonces, mut msg: InboundOpaqueMessage<'a>, seq: u64) -> Opened<'a> {
    let at = msg.payload.len() - TAG;
    let aad = make_tls12_aad(seq, msg.typ, msg.version, at - EXPLICIT.len());
    let (text, tag) = msg.payload.split_at_mut(at);
    gcm.open(&nonces.of(seq), &aad, &mut text[EXPLICIT.len()..], tag).map_err(|_| Error::DecryptError)?;
    Ok(msg.into_plain_message_range(EXPLICIT.len()..at))
}

/// A pass over packets.
fn packets(mut each: impl FnMut(&mut [u8], u64, &mut Kept<'_>) -> Result<(), Error> + 'static) -> Pass {
    Box::new(move |buffers: &mut Buffers, mut kept: Kept<'_>| {
        for (packet, number) in buffers.work.iter_mut().zip(0..) {
            if each(packet, number, &mut kept).is_err() {
                buffers.failed = true;
            }
        }
    })
}

#[inline(never)]
fn seal(gcm: &Gcm, nonces: &Nonces, text: &mut [u8], number: u64) -> Result<Tag, Error> {
    match gcm.seal(&nonces.of(number), &HEADER, text) {
        Ok(tag) => Ok(Tag::from(&tag[..])),
        Err(_) => Err(Error::EncryptError),
    }
}

#[inline(never)]
fn open<'a>(gcm: &Gcm, nonces: &Nonces, packet: &'a mut [u8], number: u64) -> Result<&'a [u8], Error> {
    let at = packet.len() - TAG;
    let (text, tag) = packet.split_at_mut(at);
    gcm.open(&nonces.of(number), &HEADER, text, tag).map_err(|_| Error::DecryptError)?;
    Ok(text)
}

/// One block of AES, and as little as possible about it.
fn mask(aes: Aes, plain: bool) -> Pass {
    Box::new(move |buffers: &mut Buffers, mut kept: Kept<'_>| {
        for (header, sample) in buffers.work.iter_mut().zip(&buffers.texts) {
            let mut mask = [<[u8; 16]>::try_from(&sample[..]).unwrap_or_default()];
            aes.encrypt(&mut mask);
            let before = header[0];
            header[0] ^= mask[0][0] & 0x1f;
            let len = (if plain { before } else { header[0] } & 3) as usize + 1;
            for (byte, mask) in header[HEADER.len() - 4..].iter_mut().zip(&mask[0][1..]).take(len) {
                *byte ^= mask;
            }
            keep(&mut kept, header);
        }
    })
}

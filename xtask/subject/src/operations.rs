//! Every operation of evariste, from the bytes of its key to its result, key set-up and wiping included.

use crate::memcheck::declassify;
use crate::message::{Message, Mode, Operation};
use evariste::hazmat::{CcmOpener, GcmOpener};
use evariste::{Aead, Aes, Backend, Ccm, Ctr, Gcm, GcmSiv, Ghash, InOut, Polyval, Xaes256Gcm};

const ALL_KEYS: &[usize] = &[16, 24, 32];
/// Unoptimized code takes too long with more under valgrind, which has only vectors of one block.
const DEBUG: bool = cfg!(debug_assertions);
/// Part of a block, a block, part of a stride, strides with a rest, a packet, many strides.
const SOME: &[usize] = if DEBUG { &[1, 16, 100, 400] } else { &[1, 16, 100, 400, 1350, 4096] };
const ANY: &[usize] = if DEBUG { &[0, 1, 16, 100, 400] } else { &[0, 1, 16, 100, 400, 1350, 4096] };
const WHOLE_BLOCKS: &[usize] = if DEBUG { &[16, 112, 400] } else { &[16, 112, 400, 4096] };
/// Enough to be cut in pieces.
const PIECES: &[usize] = if DEBUG { &[100, 400] } else { &[100, 400, 1350] };

pub(crate) const MODES: &[Mode] = &[
    cipher("aes-{}-ecb", WHOLE_BLOCKS, ecb_encrypt, Some(ecb_decrypt)),
    cipher("aes-{}-ctr", SOME, ctr, None),
    cipher("aes-{}-ctr from many counters", SOME, ctr_many, None),
    hash("gmac", ANY, gmac),
    hash("ghash", SOME, ghash),
    hash("polyval", SOME, polyval),
    aead("aes-{}-gcm", ALL_KEYS, ANY, 13, gcm_seal, gcm_open),
    aead("aes-{}-gcm to another buffer", &[16], PIECES, 40, gcm_seal_to, gcm_open_to),
    aead("aes-{}-gcm with a nonce of 24 bytes", &[16], SOME, 13, gcm_long_nonce_seal, gcm_long_nonce_open),
    aead("aes-{}-gcm in a batch", &[16], ANY, 13, gcm_many_seal, gcm_many_open),
    aead("aes-{}-gcm in pieces", ALL_KEYS, PIECES, 40, gcm_pieces_seal, gcm_pieces_open),
    aead("aes-{}-ccm", ALL_KEYS, ANY, 13, ccm_seal, ccm_open),
    aead("aes-{}-ccm side by side", ALL_KEYS, ANY, 40, ccm_many_seal, ccm_many_open),
    aead("aes-{}-ccm in pieces", ALL_KEYS, PIECES, 40, ccm_pieces_seal, ccm_pieces_open),
    aead("aes-{}-gcm-siv", &[16, 32], ANY, 13, siv_seal, siv_open),
    aead("xaes-{}-gcm", &[32], ANY, 13, xaes_seal, xaes_open),
];

const fn cipher(name: &'static str, lens: &'static [usize], seal: Operation, open: Option<Operation>) -> Mode {
    Mode { name, keys: ALL_KEYS, lens, aad: 0, tag: false, seal, open }
}

const fn hash(name: &'static str, lens: &'static [usize], seal: Operation) -> Mode {
    Mode { name, keys: &[16], lens, aad: 0, tag: true, seal, open: None }
}

const fn aead(
    name: &'static str,
    keys: &'static [usize],
    lens: &'static [usize],
    aad: usize,
    seal: Operation,
    open: Operation,
) -> Mode {
    Mode { name, keys, lens, aad, tag: true, seal, open: Some(open) }
}

fn ecb_encrypt(b: Backend, m: &mut Message) -> Option<()> {
    Aes::with_backend(&m.key, b).ok()?.encrypt(m.data.as_chunks_mut().0);
    Some(())
}

fn ecb_decrypt(b: Backend, m: &mut Message) -> Option<()> {
    Aes::with_backend(&m.key, b).ok()?.decrypt(m.data.as_chunks_mut().0);
    Some(())
}

fn ctr(b: Backend, m: &mut Message) -> Option<()> {
    // The low byte of the counter wraps on the way.
    let mut ctr = Ctr::with_backend(&m.key, &[0xf0; 16], b).ok()?;
    pieces(&mut m.data).try_for_each(|piece| ctr.apply(piece)).ok()
}

/// Buffers of 1 to 40 bytes.
fn ctr_many(b: Backend, m: &mut Message) -> Option<()> {
    let ctr = Ctr::with_backend(&m.key, &[0; 16], b).ok()?;
    let (mut rest, mut buffers) = (&mut m.data[..], Vec::new());
    while !rest.is_empty() {
        let (now, later) = rest.split_at_mut((buffers.len() % 40 + 1).min(rest.len()));
        buffers.push(([buffers.len() as u8; 16], now));
        rest = later;
    }
    ctr.apply_many(&mut buffers).ok()
}

fn gmac(b: Backend, m: &mut Message) -> Option<()> {
    m.tag = Gcm::with_backend(&m.key, b).ok()?.mac(&m.nonce[..12], &m.data).ok()?[..].try_into().ok()?;
    Some(())
}

fn ghash(b: Backend, m: &mut Message) -> Option<()> {
    let mut ghash = Ghash::with_backend(m.key.first_chunk()?, b);
    ghash.update(&m.data);
    m.tag = ghash.finish();
    Some(())
}

fn polyval(b: Backend, m: &mut Message) -> Option<()> {
    let mut polyval = Polyval::with_backend(m.key.first_chunk()?, b);
    polyval.update(&m.data);
    m.tag = polyval.finish();
    Some(())
}

fn gcm_seal(b: Backend, m: &mut Message) -> Option<()> {
    seal(&Gcm::with_backend(&m.key, b).ok()?, 12, m)
}

fn gcm_open(b: Backend, m: &mut Message) -> Option<()> {
    open(&Gcm::with_backend(&m.key, b).ok()?, 12, m)
}

fn gcm_seal_to(b: Backend, m: &mut Message) -> Option<()> {
    let gcm = Gcm::with_backend(&m.key, b).ok()?;
    let text = m.data.clone();
    m.tag = gcm.seal_to(&m.nonce[..12], &m.aad, &text, &mut m.data).ok()?[..].try_into().ok()?;
    Some(())
}

fn gcm_open_to(b: Backend, m: &mut Message) -> Option<()> {
    let gcm = Gcm::with_backend(&m.key, b).ok()?;
    let text = m.data.clone();
    authentic(gcm.open_to(&m.nonce[..12], &m.aad, &text, &mut m.data, &m.tag))
}

fn gcm_long_nonce_seal(b: Backend, m: &mut Message) -> Option<()> {
    seal(&Gcm::with_backend(&m.key, b).ok()?, 24, m)
}

fn gcm_long_nonce_open(b: Backend, m: &mut Message) -> Option<()> {
    open(&Gcm::with_backend(&m.key, b).ok()?, 24, m)
}

fn gcm_pieces_seal(b: Backend, m: &mut Message) -> Option<()> {
    let gcm = Gcm::with_backend(&m.key, b).ok()?;
    let mut stream = gcm.stream(&m.nonce[..12]).ok()?;
    m.aad.chunks(9).try_for_each(|piece| stream.aad(piece)).ok()?;
    let mut sealer = stream.seal();
    pieces(&mut m.data).try_for_each(|piece| sealer.update(piece)).ok()?;
    m.tag = sealer.finish()[..].try_into().ok()?;
    Some(())
}

fn gcm_pieces_open(b: Backend, m: &mut Message) -> Option<()> {
    let gcm = Gcm::with_backend(&m.key, b).ok()?;
    let mut stream = gcm.stream(&m.nonce[..12]).ok()?;
    m.aad.chunks(9).try_for_each(|piece| stream.aad(piece)).ok()?;
    let mut opener = GcmOpener::from(stream);
    pieces(&mut m.data).try_for_each(|piece| opener.update(piece)).ok()?;
    discard_forgery(authentic(opener.finish(&m.tag)), m)
}

fn ccm_seal(b: Backend, m: &mut Message) -> Option<()> {
    seal(&Ccm::with_backend(&m.key, b).ok()?, 12, m)
}

fn ccm_open(b: Backend, m: &mut Message) -> Option<()> {
    open(&Ccm::with_backend(&m.key, b).ok()?, 12, m)
}

fn ccm_many_seal(b: Backend, m: &mut Message) -> Option<()> {
    many_seal(&Ccm::with_backend(&m.key, b).ok()?, m)
}

/// Under a key of its own: that of the others is another one, as secret.
fn ccm_many_open(b: Backend, m: &mut Message) -> Option<()> {
    let ccm = Ccm::with_backend(&m.key, b).ok()?;
    let other = Ccm::with_backend(&m.key.iter().rev().copied().collect::<Vec<_>>(), b).ok()?;
    let (mut others, mut tags) = (starts(&m.data), [[0; 16]; OTHERS]);
    let all = with_others(m, &mut others, &mut tags).into_iter().enumerate();
    let mut all: Vec<_> = all.map(|(n, m)| (if n < OTHERS { &other } else { &ccm }, m)).collect();
    // All but the last are forged.
    let _ = Ccm::open_each(&mut all);
    is_authentic(all.pop()?.1)
}

fn gcm_many_seal(b: Backend, m: &mut Message) -> Option<()> {
    many_seal(&Gcm::with_backend(&m.key, b).ok()?, m)
}

fn gcm_many_open(b: Backend, m: &mut Message) -> Option<()> {
    let gcm = Gcm::with_backend(&m.key, b).ok()?;
    let (mut others, mut tags) = (starts(&m.data), [[0; 16]; OTHERS]);
    let mut all = with_others(m, &mut others, &mut tags);
    // All but the last are forged.
    let _ = gcm.open_many(&mut all);
    is_authentic(all.pop()?)
}

fn many_seal<A: Aead>(aead: &A, m: &mut Message) -> Option<()> {
    let (mut others, mut tags) = (starts(&m.data), [[0; 16]; OTHERS]);
    aead.seal_many(&mut with_others(m, &mut others, &mut tags)).ok()
}

/// Messages that go before another.
const OTHERS: usize = 9;

/// Texts that are as long as `text` and shorter.
fn starts(text: &[u8]) -> [Vec<u8>; OTHERS] {
    std::array::from_fn(|n| text[..text.len() * n / (OTHERS - 1)].to_vec())
}

/// Messages of these texts, and the message.
fn with_others<'a>(
    m: &'a mut Message,
    texts: &'a mut [Vec<u8>; OTHERS],
    tags: &'a mut [[u8; 16]; OTHERS],
) -> Vec<evariste::Message<'a>> {
    let (nonce, aad) = (&m.nonce[..12], &m.aad[..]);
    let others = texts.iter_mut().map(|text| &mut text[..]).zip(tags).enumerate();
    let all = others.map(|(n, (data, tag))| (&aad[n..], data, tag)).chain([(aad, &mut m.data[..], &mut m.tag)]);
    all.map(|(aad, data, tag)| evariste::Message { nonce, aad, data, tag, authentic: false }).collect()
}

/// Whether a message is authentic is public from here on.
fn is_authentic(mut m: evariste::Message<'_>) -> Option<()> {
    declassify(&mut m.authentic);
    m.authentic.then_some(())
}

fn ccm_pieces_seal(b: Backend, m: &mut Message) -> Option<()> {
    let ccm = Ccm::with_backend(&m.key, b).ok()?;
    let mut stream = ccm.stream(&m.nonce[..12], m.aad.len() as u64, m.data.len() as u64).ok()?;
    m.aad.chunks(9).try_for_each(|piece| stream.aad(piece)).ok()?;
    let mut sealer = stream.seal().ok()?;
    pieces(&mut m.data).try_for_each(|piece| sealer.update(piece)).ok()?;
    m.tag = sealer.finish().ok()?[..].try_into().ok()?;
    Some(())
}

fn ccm_pieces_open(b: Backend, m: &mut Message) -> Option<()> {
    let ccm = Ccm::with_backend(&m.key, b).ok()?;
    let mut stream = ccm.stream(&m.nonce[..12], m.aad.len() as u64, m.data.len() as u64).ok()?;
    m.aad.chunks(9).try_for_each(|piece| stream.aad(piece)).ok()?;
    let mut opener = CcmOpener::try_from(stream).ok()?;
    pieces(&mut m.data).try_for_each(|piece| opener.update(piece)).ok()?;
    discard_forgery(authentic(opener.finish(&m.tag)), m)
}

fn siv_seal(b: Backend, m: &mut Message) -> Option<()> {
    seal(&GcmSiv::with_backend(&m.key, b).ok()?, 12, m)
}

fn siv_open(b: Backend, m: &mut Message) -> Option<()> {
    open(&GcmSiv::with_backend(&m.key, b).ok()?, 12, m)
}

fn xaes_seal(b: Backend, m: &mut Message) -> Option<()> {
    seal(&Xaes256Gcm::with_backend(&m.key, b).ok()?, 24, m)
}

fn xaes_open(b: Backend, m: &mut Message) -> Option<()> {
    open(&Xaes256Gcm::with_backend(&m.key, b).ok()?, 24, m)
}

fn seal<A: Aead>(aead: &A, nonce: usize, m: &mut Message) -> Option<()> {
    m.tag = aead.seal(&m.nonce[..nonce], &m.aad, &mut m.data).ok()?[..].try_into().ok()?;
    Some(())
}

fn open<A: Aead>(aead: &A, nonce: usize, m: &mut Message) -> Option<()> {
    authentic(aead.open(&m.nonce[..nonce], &m.aad, &mut m.data, &m.tag))
}

/// Whether a tag matched is public from here on.
fn authentic<E>(mut result: Result<(), E>) -> Option<()> {
    declassify(&mut result);
    result.ok()
}

/// What the caller of an opener has to do.
fn discard_forgery(result: Option<()>, m: &mut Message) -> Option<()> {
    if result.is_none() {
        m.data.fill(0);
    }
    result
}

/// Pieces that start and end anywhere in a block, the last ones with whole blocks in them.
fn pieces(data: &mut [u8]) -> impl Iterator<Item = InOut<'_>> {
    let at = [5, 40, 300].map(|n| n.min(data.len()));
    let (first, rest) = data.split_at_mut(at[0]);
    let (second, rest) = rest.split_at_mut(at[1] - at[0]);
    let (third, rest) = rest.split_at_mut(at[2] - at[1]);
    [first, second, third, rest].into_iter().map(InOut::from)
}

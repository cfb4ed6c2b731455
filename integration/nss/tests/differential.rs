//! Our entries beside NSS's own, called directly: the same outputs, IVs and errors in random cases.

use anyhow::{Result, ensure};
use evariste_nss_tests::{Cx, Freebl, Nss, Outcome, Random};
use std::ffi::{c_int, c_ulong};
use std::process::Command;

const ECB: c_int = 0;
const CBC: c_int = 1;
const CTS: c_int = 2;
const CTR: c_int = 3;
const GCM: c_int = 4;

const SEC_ERROR: c_int = -0x2000;
const LIBRARY_FAILURE: c_int = SEC_ERROR + 1;
const BAD_DATA: c_int = SEC_ERROR + 2;
const OUTPUT_LEN: c_int = SEC_ERROR + 3;
const NOT_INITIALIZED: c_int = SEC_ERROR + 154;

#[repr(C)]
struct GcmParams {
    iv: *const u8,
    iv_len: c_ulong,
    aad: *const u8,
    aad_len: c_ulong,
    tag_bits: c_ulong,
}

#[repr(C)]
struct MessageParams {
    iv: *mut u8,
    iv_len: c_ulong,
    fixed_bits: c_ulong,
    generator: c_ulong,
    tag: *mut u8,
    tag_bits: c_ulong,
}

#[repr(C)]
struct CtrParams {
    counter_bits: c_ulong,
    block: [u8; 16],
}

/// Both tables.
struct Both {
    ours: Freebl,
    theirs: Freebl,
}

/// Two contexts, made alike.
type Pair<'f> = (Cx<'f>, Cx<'f>);

impl Both {
    /// None if neither could be made, which must be for the same reason.
    fn create<T>(&self, key: &[u8], params: Option<&T>, mode: c_int, encrypt: bool) -> Option<Pair<'_>> {
        match [&self.ours, &self.theirs].map(|freebl| freebl.create(key, params, mode, encrypt)) {
            [Ok(ours), Ok(theirs)] => Some((ours, theirs)),
            [ours, theirs] => {
                assert_eq!(ours.err(), theirs.err());
                None
            }
        }
    }
}

/// The same length, or the same error; lengths of outputs that do not fit are told alike, too.
fn same(ours: Outcome, theirs: Outcome) {
    match (ours, theirs) {
        (Err((ours, len)), Err((theirs, their_len))) => {
            // A context for many messages, called for one: NSS's paths differ among themselves.
            let either = [LIBRARY_FAILURE, NOT_INITIALIZED];
            let differs = (either.contains(&ours) && either.contains(&theirs))
                // A forged message without room: the code for any CPU looks at the tag first.
                || (is_without_instructions() && (ours, theirs) == (OUTPUT_LEN, BAD_DATA));
            assert!(ours == theirs || differs, "{ours} {theirs}");
            assert!(ours != OUTPUT_LEN || differs || len == their_len, "{len} {their_len}");
        }
        _ => assert_eq!(ours, theirs),
    }
}

fn key(random: &mut Random) -> Vec<u8> {
    let len = random.choose(&[16, 24, 32]);
    random.bytes(len)
}

fn text_len(random: &mut Random) -> usize {
    match random.below(10) {
        0 => 0,
        1 => 16 * random.below(40),
        2 => random.below(9000),
        _ => random.below(300),
    }
}

fn tag_bits(random: &mut Random) -> c_ulong {
    match random.below(8) {
        0 => random.below(200) as c_ulong,
        1..4 => random.choose(&[120, 112, 104, 96, 64, 32]),
        _ => 128,
    }
}

fn iv_len(random: &mut Random) -> usize {
    match random.below(8) {
        0 => random.below(4),
        1..4 => random.below(129),
        _ => 12,
    }
}

/// A context for one message, both directions, with pieces that are whole blocks going on.
fn one_message(both: &Both, random: &mut Random) {
    let (key, iv_len, aad_len) = (key(random), iv_len(random), random.below(100));
    let (iv, aad, tag_bits) = (random.bytes(iv_len), random.bytes(aad_len), tag_bits(random));
    let (iv_ptr, aad_ptr) = (iv.as_ptr(), aad.as_ptr());
    let params = GcmParams { iv: iv_ptr, iv_len: iv_len as _, aad: aad_ptr, aad_len: aad_len as _, tag_bits };
    let Some(seal) = both.create(&key, Some(&params), GCM, true) else { return };
    let Some(open) = both.create(&key, Some(&params), GCM, false) else { panic!("one direction only") };
    let tag_len = tag_bits as usize / 8;
    // NSS's code for any CPU has another tag then, of no message.
    let goes_on = random.one_in(4) && cfg!(target_arch = "x86_64") && !is_without_instructions();
    for piece in 0..if goes_on { 3 } else { 1 } {
        let len = if piece < 2 && random.one_in(2) { 16 * random.below(20) } else { text_len(random) };
        let is_last = !len.is_multiple_of(16);
        let text = random.bytes(len);
        let mut sealed = [0, 1].map(|_| [&text[..], &[0; 32]].concat());
        let max = if random.one_in(6) { random.below(len + 33) } else { len + tag_len };
        let in_place = random.one_in(2);
        let encrypt = !random.one_in(8);
        let outcomes = [&seal.0, &seal.1].map(|cx| {
            let sealed = &mut sealed[std::ptr::eq(cx, &seal.1) as usize];
            if in_place {
                cx.crypt(encrypt, sealed, len, None, max)
            } else {
                let mut out = vec![0; len + 32];
                let outcome = cx.crypt(encrypt, &mut sealed.clone(), len, Some(&mut out), max);
                *sealed = out;
                outcome
            }
        });
        same(outcomes[0], outcomes[1]);
        let Ok(sealed_len) = outcomes[0] else { return };
        assert!(sealed[0][..sealed_len] == sealed[1][..sealed_len], "other ciphertext");
        let forged = random.one_in(4);
        if forged {
            sealed.iter_mut().for_each(|sealed| sealed[sealed_len / 3] ^= 4);
        }
        let (len, max) = if random.one_in(8) {
            (random.below(sealed_len + 1), random.below(sealed_len + 1))
        } else {
            (sealed_len, if random.one_in(2) { sealed_len } else { sealed_len - tag_len })
        };
        let [ours, theirs] = &mut sealed;
        let opened = [open.0.crypt(false, ours, len, None, max), open.1.crypt(false, theirs, len, None, max)];
        same(opened[0], opened[1]);
        match opened[0] {
            Ok(opened) => assert!(ours[..opened] == text[..opened] && theirs[..opened] == text[..opened], "other text"),
            Err((error, _)) => {
                let written = len.saturating_sub(tag_len);
                assert!(error != BAD_DATA || ours[..written].iter().all(|b| *b == 0), "text of a forged message");
            }
        }
        if opened[0].is_err() || is_last {
            return;
        }
    }
}

/// A context for many messages, with every generator.
fn many_messages(both: &Both, random: &mut Random) {
    let key = key(random);
    let seal = both.create(&key, None::<&()>, GCM, true).expect("a key");
    let open = both.create(&key, None::<&()>, GCM, false).expect("a key");
    let mut rule = || {
        let iv_len = random.choose(&[1, 2, 4, 8, 12, 12, 12, 12, 16, 33, 0]);
        let whole = if random.one_in(2) { random.below(iv_len + 1) } else { 0 };
        // Of fixed bits that end in the first half of a byte NSS has fewer IVs than it counts (iv.rs).
        let odd = random.choose(if iv_len < whole + 3 { &[0, 0, 4, 6] } else { &[0, 1, 3, 7] });
        let generator = random.choose(&[0, 0, 1, 2, 2, 4, 4]);
        (iv_len, (8 * whole + odd) as c_ulong, generator as c_ulong)
    };
    let (first, other) = (rule(), rule());
    let seed = random.bytes(64);
    for _ in 0..if first.0 < 3 && random.one_in(4) { 300 } else { 1 + random.below(8) } {
        let (iv_len, fixed_bits, generator) = if random.one_in(8) { other } else { first };
        let mut iv = [seed[..iv_len].to_vec(), seed[..iv_len].to_vec()];
        let (len, tag_bits, aad_len) = (text_len(random) % 1000, tag_bits(random), random.below(50));
        let (text, aad) = (random.bytes(len), random.bytes(aad_len));
        let max = if random.one_in(10) { random.below(len + 1) } else { len };
        let size = if random.one_in(10) { random.below(60) } else { size_of::<MessageParams>() };
        let (mut data, mut tag) = ([text.clone(), text.clone()], [[0u8; 16]; 2]);
        let outcomes = [&seal.0, &seal.1].map(|cx| {
            let n = std::ptr::eq(cx, &seal.1) as usize;
            let (iv, tag) = (iv[n].as_mut_ptr(), tag[n].as_mut_ptr());
            let mut params = MessageParams { iv, iv_len: iv_len as _, fixed_bits, generator, tag, tag_bits };
            cx.aead(&mut data[n], len, max, &mut params, size, &aad)
        });
        same(outcomes[0], outcomes[1]);
        assert_eq!(iv[0], iv[1], "{generator} {fixed_bits}");
        if outcomes[0].is_err() {
            continue;
        }
        assert!(data[0] == data[1] && tag[0] == tag[1], "other ciphertext");
        let forged = random.one_in(4);
        if forged {
            tag.iter_mut().for_each(|tag| tag[0] ^= 0x80);
        }
        let opened = [&open.0, &open.1].map(|cx| {
            let n = std::ptr::eq(cx, &open.1) as usize;
            let (iv, tag) = (iv[n].as_mut_ptr(), tag[n].as_mut_ptr());
            let mut params = MessageParams { iv, iv_len: iv_len as _, fixed_bits: 3, generator: 2, tag, tag_bits };
            cx.aead(&mut data[n], len, len, &mut params, size_of::<MessageParams>(), &aad)
        });
        same(opened[0], opened[1]);
        assert_eq!(opened[0].is_ok(), !forged);
        assert!(if forged { data[0].iter().all(|b| *b == 0) } else { data[0] == text });
    }
}

/// Random IVs: fixed bits stay, ours are opened by theirs and theirs by ours.
fn random_ivs(both: &Both, random: &mut Random) {
    let key = key(random);
    let seal = both.create(&key, None::<&()>, GCM, true).expect("a key");
    let open = both.create(&key, None::<&()>, GCM, false).expect("a key");
    let (iv_len, fixed_bits) = random.choose(&[(12, 0), (12, 16), (16, 32), (12, 31), (12, 32), (12, 28), (9, 0)]);
    for (from, to) in [(&seal.0, &open.1), (&seal.1, &open.0)] {
        let mut made = Vec::new();
        for n in 0..6 {
            let (mut iv, mut tag, text) = (vec![0x5a; iv_len], [0; 16], random.bytes(33));
            let mut data = text.clone();
            let (iv_at, tag_at) = (iv.as_mut_ptr(), tag.as_mut_ptr());
            let params = |generator| MessageParams {
                iv: iv_at,
                iv_len: iv_len as _,
                fixed_bits,
                generator,
                tag: tag_at,
                tag_bits: 128,
            };
            let outcome = from.aead(&mut data, 33, 33, &mut params(3), size_of::<MessageParams>(), b"");
            // Of n bits beyond 64 there are 2^(n/2) messages.
            let most = match (8 * iv_len as u64 - fixed_bits).saturating_sub(64) / 2 {
                0 => 0,
                n => 1 << n,
            };
            assert_eq!(outcome.is_ok(), n < most, "{iv_len} {fixed_bits} {n} {outcome:?}");
            if outcome.is_err() {
                continue;
            }
            assert_eq!(to.aead(&mut data, 33, 33, &mut params(0), size_of::<MessageParams>(), b""), Ok(33));
            assert!(data == text && iv[..fixed_bits as usize / 8].iter().all(|b| *b == 0x5a));
            assert!(!made.contains(&iv));
            made.push(iv);
        }
    }
}

/// One call in place. None after an error, which must be the same.
fn in_place(cx: &Pair<'_>, encrypt: bool, text: Vec<u8>, max: usize) -> Option<[Vec<u8>; 2]> {
    let len = text.len();
    let mut data = [text.clone(), text];
    let [ours, theirs] = &mut data;
    let outcomes = [cx.0.crypt(encrypt, ours, len, None, max), cx.1.crypt(encrypt, theirs, len, None, max)];
    same(outcomes[0], outcomes[1]);
    outcomes[0].is_ok().then_some(data)
}

/// Pieces, around the counter's wrap, until the first error: after it NSS would go on with the keystream's beginning.
fn ctr(both: &Both, random: &mut Random) {
    let (key, bits) = (key(random), random.below(132) as c_ulong);
    let mut block: [u8; 16] = random.bytes(16).try_into().expect("16 bytes");
    if random.one_in(2) {
        block[1 + random.below(15)..].fill(0xff);
    }
    let params = CtrParams { counter_bits: bits, block };
    let encrypt = random.one_in(2);
    let Some(cx) = both.create(&key, Some(&params), CTR, encrypt) else { return };
    for _ in 0..random.below(9) {
        let len = if random.one_in(4) { text_len(random) } else { random.below(50) };
        let max = if random.one_in(12) { random.below(len + 1) } else { len };
        let text = random.bytes(len);
        let Some([ours, theirs]) = in_place(&cx, random.one_in(2), text, max) else { return };
        assert!(ours == theirs, "{bits} bits from {block:x?}");
    }
}

/// ECB, and what is not ours: CBC, CTS, other lengths of keys, modes that do not exist.
fn blocks(both: &Both, random: &mut Random) {
    let mode = random.choose(&[ECB, ECB, ECB, CBC, CTS, 7]);
    let key_len = if random.one_in(3) { random.below(40) } else { random.choose(&[16, 24, 32]) };
    let (key, iv, encrypt) = (random.bytes(key_len), random.bytes(16), random.one_in(2));
    let iv: Option<&[u8; 16]> = if mode == ECB { None } else { iv.first_chunk() };
    let Some(cx) = both.create(&key, iv, mode, encrypt) else { return };
    for _ in 0..3 {
        let len = if random.one_in(4) { random.below(99) } else { 16 * random.below(40) };
        let max = if random.one_in(8) { random.below(len + 1) } else { len };
        let text = random.bytes(len);
        let Some([ours, theirs]) = in_place(&cx, random.one_in(2), text, max) else { return };
        assert!(ours == theirs, "mode {mode}");
    }
}

fn is_without_instructions() -> bool {
    std::env::var_os("NSS_DISABLE_HW_AES").is_some()
}

fn compare() -> Result<()> {
    let nss = Nss::ours()?;
    let both =
        Both { theirs: Freebl::load(&nss, "libfreeblpriv3-orig.so")?, ours: Freebl::load(&nss, "libfreeblpriv3.so")? };
    ensure!(both.ours.head() == both.theirs.head(), "another head");
    for slot in 0..(both.ours.head()[0] as usize - 8) / 8 {
        let is_ours = [29, 30, 31, 32, 111, 120, 125, 236].contains(&slot);
        ensure!((both.ours.slot(slot) != both.theirs.slot(slot)) == is_ours, "slot {slot}");
    }
    let mut random = Random::new(20150714);
    for _ in 0..2000 {
        one_message(&both, &mut random);
        many_messages(&both, &mut random);
        ctr(&both, &mut random);
        ctr(&both, &mut random);
        blocks(&both, &mut random);
        if random.one_in(10) {
            random_ivs(&both, &mut random);
        }
    }
    Ok(())
}

/// 10,000 cases beside NSS's code for this CPU.
#[test]
fn beside_nss() -> Result<()> {
    compare()
}

/// The same beside NSS's code for any CPU; our switches follow NSS's.
#[test]
fn beside_nss_without_instructions() -> Result<()> {
    let mut again = Command::new(std::env::current_exe()?);
    again.args(["beside_nss", "--exact"]);
    for switch in ["HW_CRYPTO", "HW_AES", "PCLMUL", "PMULL", "PPC_GHASH", "AVX"] {
        again.env(format!("NSS_DISABLE_{switch}"), "1");
    }
    let output = again.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

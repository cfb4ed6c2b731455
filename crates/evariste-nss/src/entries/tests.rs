//! The entries, called as softoken calls them, in a copy of a mock table.

use crate::context::Context;
use crate::error::Error;
use crate::freebl::{
    self, CtrParams, FAILURE, GENERATE_COUNTER, GENERATE_COUNTER_XOR, GENERATE_RANDOM, GcmParams, HEAD, MODE_CTR,
    MODE_ECB, MODE_GCM, MessageParams, NO_GENERATE, SUCCESS, slot,
};
use crate::system::LAST_ERROR;
use crate::vector::with_our_entries;
use evariste::{Aead, Gcm};
use std::ffi::{c_int, c_uint, c_ulong, c_void};
use std::mem::transmute;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

const CBC: c_int = 1;

/// NSS's own functions, as far as they are called: contexts are bytes that say how they were made.
mod mock {
    use super::*;

    pub(super) static ALIVE: AtomicUsize = AtomicUsize::new(0);

    pub(super) unsafe extern "C" fn allocate() -> *mut c_void {
        ALIVE.fetch_add(1, SeqCst);
        Box::into_raw(Box::new(0u8)).cast()
    }

    pub(super) unsafe extern "C" fn destroy(cx: *mut c_void, free: c_int) {
        assert_eq!(free, 1);
        ALIVE.fetch_sub(1, SeqCst);
        // SAFETY: from `allocate`.
        drop(unsafe { Box::from_raw(cx.cast::<u8>()) });
    }

    pub(super) unsafe extern "C" fn init(
        cx: *mut c_void,
        key: *const u8,
        _: c_uint,
        _: *const u8,
        mode: c_int,
        _: c_uint,
        _: c_uint,
    ) -> c_int {
        if key.is_null() {
            LAST_ERROR.set(-77);
            return FAILURE;
        }
        // SAFETY: from `allocate`.
        unsafe { cx.cast::<u8>().write(mode as u8) };
        SUCCESS
    }

    pub(super) unsafe extern "C" fn crypt(
        cx: *mut c_void,
        out: *mut u8,
        out_len: *mut c_uint,
        _: c_uint,
        _: *const u8,
        _: c_uint,
    ) -> c_int {
        // SAFETY: from `allocate`; the tests have room.
        unsafe {
            out.write(100 + cx.cast::<u8>().read());
            out_len.write(1);
        }
        SUCCESS
    }

    pub(super) unsafe extern "C" fn aead(
        _: *mut c_void,
        _: *mut u8,
        _: *mut c_uint,
        _: c_uint,
        _: *const u8,
        _: c_uint,
        _: *mut c_void,
        _: c_uint,
        _: *const u8,
        _: c_uint,
    ) -> c_int {
        LAST_ERROR.set(-78);
        FAILURE
    }

    pub(super) unsafe extern "C" fn random(out: *mut c_void, len: usize) -> c_int {
        // SAFETY: so many bytes to fill.
        unsafe { out.write_bytes(0xd1, len) };
        SUCCESS
    }
}

fn mock_table(version: u16, slots: usize) -> Vec<usize> {
    let mut table = vec![1; 1 + slots];
    let head = [(HEAD + 8 * slots) as u16, version];
    // SAFETY: numbers of the same size.
    table[0] = unsafe { transmute::<[u16; 4], usize>([head[0], head[1], 0, 0]) };
    for (slot, function) in [
        (slot::ALLOCATE, mock::allocate as *const c_void),
        (slot::DESTROY, mock::destroy as *const c_void),
        (slot::INIT, mock::init as *const c_void),
        (slot::ENCRYPT, mock::crypt as *const c_void),
        (slot::DECRYPT, mock::crypt as *const c_void),
        (slot::AEAD, mock::aead as *const c_void),
        (slot::RANDOM, mock::random as *const c_void),
    ] {
        if slot < slots {
            table[1 + slot] = function.addr();
        }
    }
    table
}

/// The table with our entries.
fn table() -> &'static [usize] {
    static TABLE: OnceLock<&[usize]> = OnceLock::new();
    TABLE.get_or_init(|| {
        let theirs: &[usize] = mock_table(0x0325, 243).leak();
        // SAFETY: a table of the length that it says.
        let ours = unsafe { with_our_entries(theirs.as_ptr().cast()) }.expect("a version that is known");
        // SAFETY: a copy of it.
        let ours = unsafe { std::slice::from_raw_parts(ours.cast::<usize>(), theirs.len()) };
        let changed: Vec<usize> = (1..ours.len()).filter(|n| ours[*n] != theirs[*n]).map(|n| n - 1).collect();
        assert_eq!(changed, [29, 30, 31, 32, 111, 120, 125, 236]);
        assert_eq!(ours[0], theirs[0]);
        ours
    })
}

/// A context, and what is done with it by the table.
struct Cx(*mut c_void);

impl Cx {
    fn new<T>(key: &[u8], params: Option<&T>, mode: c_int, encrypt: bool) -> Result<Self, Error> {
        let params = params.map_or(std::ptr::null(), |params| (params as *const T).cast());
        // SAFETY: the entry that stands there; all pointers are good.
        let cx = unsafe {
            let create = transmute::<usize, freebl::Create>(table()[1 + slot::CREATE]);
            create(key.as_ptr(), params, mode, encrypt as c_int, key.len() as c_uint, 16)
        };
        if cx.is_null() { Err(Error(LAST_ERROR.get())) } else { Ok(Self(cx)) }
    }

    fn crypt(&self, slot: usize, input: &[u8], out: &mut [u8], max: usize) -> Result<usize, Error> {
        let mut len = 0;
        // SAFETY: as above.
        let status = unsafe {
            let crypt = transmute::<usize, freebl::Crypt>(table()[1 + slot]);
            crypt(self.0, out.as_mut_ptr(), &mut len, max as c_uint, input.as_ptr(), input.len() as c_uint)
        };
        if status == SUCCESS { Ok(len as usize) } else { Err(Error(LAST_ERROR.get())) }
    }

    fn aead(&self, input: &[u8], out: &mut [u8], params: &mut MessageParams, aad: &[u8]) -> Result<usize, Error> {
        self.aead_sized(input, out, params, size_of::<MessageParams>(), aad)
    }

    fn aead_sized(
        &self,
        input: &[u8],
        out: &mut [u8],
        params: &mut MessageParams,
        params_len: usize,
        aad: &[u8],
    ) -> Result<usize, Error> {
        let mut len = 0;
        let (out, max, aad_len) = (out.as_mut_ptr(), out.len() as c_uint, aad.len() as c_uint);
        // SAFETY: as above.
        let status = unsafe {
            let aead = transmute::<usize, freebl::Aead>(table()[1 + slot::AEAD]);
            let params: *mut MessageParams = params;
            let (input, in_len) = (input.as_ptr(), input.len() as c_uint);
            aead(self.0, out, &mut len, max, input, in_len, params.cast(), params_len as c_uint, aad.as_ptr(), aad_len)
        };
        if status == SUCCESS { Ok(len as usize) } else { Err(Error(LAST_ERROR.get())) }
    }

    fn init(&self, key: &[u8], mode: c_int) -> c_int {
        // SAFETY: as above; none of the modes here has parameters.
        unsafe {
            let init = transmute::<usize, freebl::Init>(table()[1 + slot::INIT]);
            init(self.0, key.as_ptr(), key.len() as c_uint, std::ptr::null(), mode, 1, 16)
        }
    }

    fn destroy(&self, free: c_int) {
        // SAFETY: as above; freed by `drop` alone.
        unsafe { transmute::<usize, freebl::Destroy>(table()[1 + slot::DESTROY])(self.0, free) }
    }
}

impl Drop for Cx {
    fn drop(&mut self) {
        self.destroy(1);
    }
}

fn gcm_params(iv: &[u8], aad: &[u8], tag_bits: c_ulong) -> GcmParams {
    let (iv_len, aad_len) = (iv.len() as c_ulong, aad.len() as c_ulong);
    GcmParams { iv: iv.as_ptr(), iv_len, aad: aad.as_ptr(), aad_len, tag_bits }
}

fn message_params(iv: &mut [u8], fixed_bits: c_ulong, generator: c_ulong, tag: &mut [u8; 16]) -> MessageParams {
    let (iv_len, tag) = (iv.len() as c_ulong, tag.as_mut_ptr());
    MessageParams { iv: iv.as_mut_ptr(), iv_len, fixed_bits, generator, tag, tag_bits: 128 }
}

fn hex<const N: usize>(text: &str) -> [u8; N] {
    std::array::from_fn(|n| u8::from_str_radix(&text[2 * n..2 * n + 2], 16).expect("hex"))
}

/// SP 800-38D's test cases 15 to 18 are those of its submission: number 16, AES-256, with additional data.
#[test]
fn known_answer_of_gcm() {
    let key: [u8; 32] = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
    let mut iv: [u8; 12] = hex("cafebabefacedbaddecaf888");
    let aad: [u8; 20] = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let text: [u8; 60] = hex(concat!(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aed",
        "f5aa0de657ba637b39"
    ));
    let sealed: [u8; 76] = hex(concat!(
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e",
        "6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
    ));
    let params = gcm_params(&iv, &aad, 128);
    let (seal, open) = [true, false].map(|e| Cx::new(&key, Some(&params), MODE_GCM, e).expect("a context")).into();
    let mut out = [0; 76];
    assert_eq!(seal.crypt(slot::ENCRYPT, &text, &mut out, 76), Ok(76));
    assert_eq!(out, sealed);
    let mut out = [0; 60];
    assert_eq!(open.crypt(slot::DECRYPT, &sealed, &mut out, 60), Ok(60));
    assert_eq!(out, text);
    let (seal, open) = [true, false].map(|e| Cx::new(&key, None::<&()>, MODE_GCM, e).expect("a context")).into();
    let (mut out, mut tag) = ([0; 60], [0; 16]);
    let mut params = message_params(&mut iv, 0, NO_GENERATE, &mut tag);
    assert_eq!(seal.aead(&text, &mut out, &mut params, &aad), Ok(60));
    assert_eq!((&out[..], tag), (&sealed[..60], sealed[60..].try_into().expect("16 bytes")));
    let mut params = message_params(&mut iv, 0, NO_GENERATE, &mut tag);
    let copy = out;
    assert_eq!(open.aead(&copy, &mut out, &mut params, &aad), Ok(60));
    assert_eq!(out, text);
    let mut forged = tag;
    forged[15] ^= 1;
    let mut params = message_params(&mut iv, 0, NO_GENERATE, &mut forged);
    assert_eq!(open.aead(&copy, &mut out, &mut params, &aad), Err(Error::BAD_DATA));
    assert_eq!(out, [0; 60]);
}

/// SP 800-38A F.5.1 and F.1.1.
#[test]
fn known_answers_of_ctr_and_ecb() {
    let key: [u8; 16] = hex("2b7e151628aed2a6abf7158809cf4f3c");
    let text: [u8; 32] = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
    let params = CtrParams { counter_bits: 128, block: hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff") };
    let ctr = Cx::new(&key, Some(&params), MODE_CTR, true).expect("a context");
    let mut out = [0; 32];
    assert_eq!(ctr.crypt(slot::ENCRYPT, &text[..5], &mut out[..5], 5), Ok(5));
    assert_eq!(ctr.crypt(slot::ENCRYPT, &text[5..], &mut out[5..], 27), Ok(27));
    assert_eq!(out, hex("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"));
    let ecb = Cx::new(&key, None::<&()>, MODE_ECB, true).expect("a context");
    assert_eq!(ecb.crypt(slot::ENCRYPT, &text, &mut out, 32), Ok(32));
    assert_eq!(out, hex("3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"));
    // The direction is that of the context, whichever function is called.
    let back = Cx::new(&key, None::<&()>, MODE_ECB, false).expect("a context");
    let copy = out;
    assert_eq!(back.crypt(slot::ENCRYPT, &copy, &mut out, 32), Ok(32));
    assert_eq!(out, text);
    assert_eq!(ecb.crypt(slot::ENCRYPT, &text[..17], &mut out, 32), Err(Error::INPUT_LEN));
    assert_eq!(ecb.crypt(slot::DECRYPT, &text, &mut out, 31), Err(Error::OUTPUT_LEN));
    let mut none: Option<CtrParams> = None;
    assert_eq!(Cx::new(&key, none.take().as_ref(), MODE_CTR, true).err(), Some(Error::INVALID_ARGS));
}

/// What is wrong is said in NSS's order, and what was refused beforehand leaves the output alone.
#[test]
fn faults_of_one_message() {
    let key = [3; 16];
    for bits in [0, 8, 127, 88, 136, 1 << 40] {
        let params = gcm_params(&[1; 12], b"", bits);
        assert_eq!(Cx::new(&key, Some(&params), MODE_GCM, true).err(), Some(Error::INVALID_ARGS), "{bits}");
    }
    let params = gcm_params(&[], b"", 128);
    assert_eq!(Cx::new(&key, Some(&params), MODE_GCM, true).err(), Some(Error::INVALID_ARGS));
    let params = GcmParams { iv: std::ptr::null(), ..gcm_params(&[1; 12], b"", 128) };
    assert_eq!(Cx::new(&key, Some(&params), MODE_GCM, true).err(), Some(Error::INVALID_ARGS));
    let params = gcm_params(&[1; 12], b"", 96);
    let seal = Cx::new(&key, Some(&params), MODE_GCM, true).expect("a context");
    let mut out = [9; 64];
    for max in [0, 19, 20, 31] {
        assert_eq!(seal.crypt(slot::ENCRYPT, &[7; 20], &mut out, max), Err(Error::OUTPUT_LEN));
        assert_eq!(out, [9; 64]);
    }
    assert_eq!(seal.aead(&[7; 20], &mut out, &mut message_params(&mut [1; 12], 0, 0, &mut [0; 16]), b""), {
        Err(Error::LIBRARY_FAILURE)
    });
    assert_eq!(seal.crypt(slot::ENCRYPT, &[7; 20], &mut out, 32), Ok(32));
    assert_eq!(out[32..], [9; 32]);
    let open = Cx::new(&key, Some(&params), MODE_GCM, false).expect("a context");
    let mut back = [5; 64];
    assert_eq!(open.crypt(slot::DECRYPT, &out[..11], &mut back, 64), Err(Error::INPUT_LEN));
    assert_eq!(open.crypt(slot::DECRYPT, &out[..32], &mut back, 19), Err(Error::OUTPUT_LEN));
    assert_eq!(back, [5; 64]);
    assert_eq!(open.crypt(slot::DECRYPT, &out[..32], &mut back, 20), Ok(20));
    assert_eq!((&back[..20], &back[20..]), (&[7; 20][..], &[5; 44][..]));
    let open = Cx::new(&key, Some(&params), MODE_GCM, false).expect("a context");
    out[3] ^= 1;
    assert_eq!(open.crypt(slot::DECRYPT, &out[..32], &mut back, 20), Err(Error::BAD_DATA));
    assert_eq!(back[..20], [0; 20]);
    out[3] ^= 1;
    assert_eq!(open.crypt(slot::DECRYPT, &out[..32], &mut back, 20), Err(Error::NOT_INITIALIZED));
}

/// A context for one message goes on with it: the text of both calls is one message.
#[test]
fn one_message_goes_on() {
    let (key, iv, gcm) = ([3; 24], [1; 9], Gcm::new(&[3; 24]).expect("24 bytes"));
    let params = gcm_params(&iv, b"aad", 128);
    let seal = Cx::new(&key, Some(&params), MODE_GCM, true).expect("a context");
    let open = Cx::new(&key, Some(&params), MODE_GCM, false).expect("a context");
    let mut all = [0; 100];
    let mut at = 0;
    for len in [16, 60, 0, 24] {
        let (mut sealed, mut opened) = ([0; 80], [1; 80]);
        assert_eq!(seal.crypt(slot::ENCRYPT, &[0; 60][..len], &mut sealed, 80), Ok(len + 16));
        let mut expected = [0; 100];
        let tag = gcm.seal(&iv, b"aad", &mut expected[..at + len]).expect("within limits");
        all[at..at + len].copy_from_slice(&sealed[..len]);
        at += len;
        assert_eq!((&all[..at], &sealed[len..len + 16]), (&expected[..at], &tag[..]));
        assert_eq!(open.crypt(slot::DECRYPT, &sealed[..len + 16], &mut opened, 80), Ok(len));
        assert_eq!(opened[..len], [0; 60][..len]);
    }
}

#[test]
fn faults_of_many_messages() {
    let (key, mut iv, mut tag, mut out) = ([3; 16], [1; 12], [0; 16], [9; 40]);
    let seal = Cx::new(&key, None::<&()>, MODE_GCM, true).expect("a context");
    assert_eq!(seal.crypt(slot::ENCRYPT, &[7; 8], &mut out, 40), Err(Error::NOT_INITIALIZED));
    let good = message_params(&mut iv, 0, NO_GENERATE, &mut tag);
    assert_eq!(seal.aead(&[7; 41], &mut out, &mut good.clone(), b""), Err(Error::OUTPUT_LEN));
    for size in [0, 40, 47, 49] {
        assert_eq!(seal.aead_sized(&[7; 8], &mut out, &mut good.clone(), size, b""), Err(Error::INVALID_ARGS));
    }
    let null = std::ptr::null_mut();
    for mut bad in [
        MessageParams { tag_bits: 72, ..good },
        MessageParams { iv: null, ..good },
        MessageParams { iv_len: 0, ..good },
        MessageParams { tag: null, ..good },
        MessageParams { fixed_bits: 97, ..good },
        MessageParams { generator: 5, ..good },
        MessageParams { iv: out.as_mut_ptr(), ..good },
    ] {
        // Each in a context of its own, for the first message decides on the rule.
        let seal = Cx::new(&key, None::<&()>, MODE_GCM, true).expect("a context");
        assert_eq!(seal.aead(&[7; 40], &mut out, &mut bad, b""), Err(Error::INVALID_ARGS));
        assert_eq!(out, [9; 40]);
    }
    let ecb = Cx::new(&key, None::<&()>, MODE_ECB, true).expect("a context");
    assert_eq!(ecb.aead(&[7; 16], &mut out, &mut good.clone(), b""), Err(Error::NOT_INITIALIZED));
}

/// Every generator's messages are those that the caller's own IVs would have made.
#[test]
fn generators_seal() {
    let gcm = Gcm::new(&[3; 32]).expect("32 bytes");
    for generator in [1, GENERATE_COUNTER, GENERATE_RANDOM, GENERATE_COUNTER_XOR] {
        let seal = Cx::new(&[3; 32], None::<&()>, MODE_GCM, true).expect("a context");
        for n in 0..3 {
            let (mut iv, mut tag, mut data) = ([0x55; 12], [0; 16], [n; 33]);
            let copy = data;
            let mut params = message_params(&mut iv, 16, generator, &mut tag);
            assert_eq!(seal.aead(&copy, &mut data, &mut params, b"head"), Ok(33));
            let expected = match generator {
                GENERATE_RANDOM => [[0x55; 2].as_slice(), &[0xd1; 10]].concat(),
                GENERATE_COUNTER_XOR => [[0x55; 11].as_slice(), &[0x55 ^ n]].concat(),
                _ => [[0x55; 2].as_slice(), &[0; 9], &[n]].concat(),
            };
            assert_eq!(iv[..], expected, "{generator}");
            let mut again = [n; 33];
            assert_eq!(*gcm.seal(&iv, b"head", &mut again).expect("within limits"), tag);
            assert_eq!(data, again);
        }
    }
}

/// Input and output may be the same, or overlap in any way.
#[test]
fn overlaps() {
    let (key, gcm) = ([3; 16], Gcm::new(&[3; 16]).expect("16 bytes"));
    let text: [u8; 100] = std::array::from_fn(|n| n as u8);
    let mut sealed = text;
    let tag = gcm.seal(&[1; 12], b"", &mut sealed).expect("within limits");
    let many = [true, false].map(|encrypt| Cx::new(&key, None::<&()>, MODE_GCM, encrypt).expect("a context"));
    for shift in 0..200 {
        for (cx, from, to) in [(&many[0], &text, &sealed), (&many[1], &sealed, &text)] {
            let (mut buffer, mut iv, mut made, mut len) = ([0u8; 400], [1; 12], [0; 16], 0);
            made.copy_from_slice(&tag);
            buffer[100..200].copy_from_slice(from);
            let mut params = message_params(&mut iv, 0, NO_GENERATE, &mut made);
            // SAFETY: both within the buffer, which nobody refers to meanwhile.
            let status = unsafe {
                let at = buffer.as_mut_ptr();
                let params: *mut MessageParams = &mut params;
                let none = std::ptr::null();
                super::aead(cx.0, at.add(shift), &mut len, 100, at.add(100), 100, params.cast(), 48, none, 0)
            };
            assert_eq!((status, len), (SUCCESS, 100));
            assert_eq!((&buffer[shift..shift + 100], &made[..]), (&to[..], &tag[..]), "{shift}");
        }
    }
}

/// CBC, odd keys and what does not exist go to NSS's own code; contexts of both kinds come and go.
#[test]
fn theirs() {
    let before = mock::ALIVE.load(SeqCst);
    for (key_len, mode) in [(16, CBC), (32, 2), (20, MODE_GCM), (28, MODE_CTR), (16, 9)] {
        let cx = Cx::new(&[1; 32][..key_len], None::<&()>, mode, true).expect("theirs");
        let mut out = [0; 16];
        assert_eq!(cx.crypt(slot::ENCRYPT, &[0; 16], &mut out, 16), Ok(1));
        assert_eq!(cx.crypt(slot::DECRYPT, &[0; 16], &mut out, 16), Ok(1));
        assert_eq!(out[0], 100 + mode as u8);
        let mut params = message_params(&mut [1; 12], 0, 0, &mut [0; 16]);
        assert_eq!(cx.aead(&[0; 16], &mut out, &mut params, b""), Err(Error(-78)));
        // The same context, for ours, and back.
        assert_eq!(cx.init(&[1; 16], MODE_ECB), SUCCESS);
        assert_eq!(cx.crypt(slot::ENCRYPT, &[0; 16], &mut out, 16), Ok(16));
        assert_eq!(cx.init(&[1; 16], CBC), SUCCESS);
        assert_eq!(cx.crypt(slot::ENCRYPT, &[0; 16], &mut out, 16), Ok(1));
        cx.destroy(0);
        assert_eq!(cx.crypt(slot::ENCRYPT, &[0; 16], &mut out, 16), Err(Error::NOT_INITIALIZED));
        assert_eq!(cx.init(&[1; 16], MODE_GCM), SUCCESS);
    }
    assert_eq!(mock::ALIVE.load(SeqCst), before);
    // SAFETY: null is what is tested.
    unsafe {
        assert!(super::create(std::ptr::null(), std::ptr::null(), MODE_ECB, 1, 16, 16).is_null());
        assert_eq!(LAST_ERROR.get(), -77);
        super::destroy(std::ptr::null_mut(), 1);
        let null = std::ptr::null_mut();
        assert_eq!(super::encrypt(null, null.cast(), null.cast(), 0, null.cast(), 0), FAILURE);
        assert_eq!(LAST_ERROR.get(), Error::INVALID_ARGS.0);
    }
    assert_eq!(mock::ALIVE.load(SeqCst), before);
    assert_eq!(super::OURS.len(), 8);
}

/// Tables of other versions, and short ones, are not touched.
#[test]
fn unknown_tables() {
    for (version, slots) in [(0x0425, 300), (0x0225, 300), (0x0320, 236), (0x0325, 0)] {
        let theirs = mock_table(version, slots);
        // SAFETY: a table of the length that it says.
        assert!(unsafe { with_our_entries(theirs.as_ptr().cast()) }.is_none(), "{version:x} {slots}");
    }
    let mut holes = mock_table(0x0325, 243);
    holes[1 + slot::RANDOM] = 0;
    // SAFETY: as above.
    assert!(unsafe { with_our_entries(holes.as_ptr().cast()) }.is_none());
    for version in [0x0323, 0x0325, 0x0327, 0x0333, 0x0399] {
        let theirs: &[usize] = mock_table(version, 237 + version as usize % 64).leak();
        // SAFETY: as above.
        assert!(unsafe { with_our_entries(theirs.as_ptr().cast()) }.is_some());
    }
}

/// After `AES_DestroyContext` nothing of a key is left in the context, whose memory a caller may keep.
#[test]
fn keys_are_wiped() {
    let key: [u8; 16] = std::array::from_fn(|n| 0xa0 + n as u8);
    for mode in [MODE_ECB, MODE_GCM] {
        let cx = Cx::new(&key, None::<&()>, mode, true).expect("a context");
        // SAFETY: the context's own memory, as bytes.
        let bytes = || unsafe { std::slice::from_raw_parts(cx.0.cast::<u8>(), size_of::<Context>()).to_vec() };
        let round_keys = |bytes: &[u8]| bytes.windows(16).any(|window| window == key);
        let nonzero = |bytes: &[u8]| bytes.iter().filter(|b| **b != 0).count();
        // Whichever form the backend keeps them in, they are most of the object.
        let full = bytes();
        assert!(round_keys(&full) || nonzero(&full) > 200);
        cx.destroy(0);
        let empty = bytes();
        assert!(!round_keys(&empty) && nonzero(&empty) == 0, "{mode}: {} bytes", nonzero(&empty));
    }
}

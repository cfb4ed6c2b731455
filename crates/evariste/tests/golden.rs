//! Digests over many messages, on which independent implementations agree.

#[path = "shared/usable.rs"]
mod usable;

use evariste::{Aead, Gcm, Xaes256Gcm};
use sha2::{Digest, Sha256};
use shake::Shake128;
use shake::digest::{ExtendableOutput, Update, XofReader};
use usable::usable;

/// `len` bytes: `f` of their index, modulo 256.
fn bytes(len: usize, f: impl Fn(usize) -> usize) -> Vec<u8> {
    (0..len).map(|i| f(i) as u8).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// All lengths 0 to 1100, each with 0 to 66 bytes of additional data.
#[test]
fn gcm_at_all_lengths() {
    let nonce = bytes(12, |i| 0xa0 + i);
    for backend in usable() {
        for (key, golden) in [
            (16, "c1792b06f48f6f22259e4ed62eef651306b5c23d437523e44fda9b8bdf47275b"),
            (24, "553122bb2d1c20a64ea79280e98677379a9b172f52c5c4e14419681ad7161701"),
            (32, "9756ce6e5575f41bb34f96a4e9b230143150b0c1f7156143bfb6e6ae02a06885"),
        ] {
            let gcm = Gcm::with_backend(&bytes(key, |i| i), backend).expect("a key length");
            let mut digest = Sha256::new();
            for len in 0..=1100 {
                let mut data = bytes(len, |i| i * 7 + len);
                let tag = gcm.seal(&nonce, &bytes(len % 67, |i| i * 13 + 3 * len), &mut data).expect("within limits");
                Digest::update(&mut digest, &data);
                Digest::update(&mut digest, &*tag);
            }
            assert_eq!(hex(&digest.finalize()), golden, "{backend}, a key of {key} bytes");
        }
    }
}

/// Nonces of 8 to 128 bytes.
#[test]
fn gcm_with_all_nonce_lengths() {
    for backend in usable() {
        let gcm = Gcm::with_backend(&bytes(16, |i| i), backend).expect("16 bytes");
        let mut digest = Sha256::new();
        for len in 8..=128 {
            let mut data = bytes(100, |i| i * 7 + 100);
            let tag = gcm.seal(&bytes(len, |i| i * 29 + len), &[], &mut data).expect("within limits");
            Digest::update(&mut digest, &data);
            Digest::update(&mut digest, &*tag);
        }
        let golden = "ebb84b63ff980a01536b295e04d187549ee00f571d9a9c2c1631147434ec23a3";
        assert_eq!(hex(&digest.finalize()), golden, "{backend}");
    }
}

/// A mebibyte and 13 bytes.
#[test]
fn gcm_of_a_long_message() {
    for backend in usable() {
        let gcm = Gcm::with_backend(&bytes(16, |i| i), backend).expect("16 bytes");
        let mut data = bytes((1 << 20) + 13, |i| i * 7 + (i >> 8));
        let tag = gcm.seal(&bytes(12, |i| 0xa0 + i), &[], &mut data).expect("within limits");
        assert_eq!(hex(&tag), "be3f7d24699158a6992302d5357cafff", "{backend}");
    }
}

/// The accumulated test of C2SP XAES-256-GCM: keys, nonces, texts and additional data from SHAKE128.
#[test]
fn xaes_accumulated() {
    for backend in usable() {
        let mut random = Shake128::default().finalize_xof();
        let mut draw = |len| {
            let mut bytes = vec![0; len];
            random.read(&mut bytes);
            bytes
        };
        let mut digest = Shake128::default();
        for _ in 0..10_000 {
            let (key, nonce) = (draw(32), draw(24));
            let len = draw(1)[0] as usize;
            let text = draw(len);
            let aad_len = draw(1)[0] as usize;
            let aad = draw(aad_len);
            let xaes = Xaes256Gcm::with_backend(&key, backend).expect("32 bytes");
            let mut sealed = vec![0; len + 16];
            xaes.seal_appended(&nonce, &aad, &text, &mut sealed).expect("within limits");
            digest.update(&sealed);
            assert_eq!(xaes.open_in_place(&nonce, &aad, &mut sealed).expect("authentic"), text);
        }
        let mut digest_bytes = [0; 32];
        digest.finalize_xof().read(&mut digest_bytes);
        let golden = "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939";
        assert_eq!(hex(&digest_bytes), golden, "{backend}");
    }
}

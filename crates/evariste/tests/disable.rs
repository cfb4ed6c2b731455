//! Switches of the program's own, before the first key and after it: a process of their own.

use evariste::cpu::{self, Features};
use evariste::{Aead, Gcm};

#[test]
fn before_the_first_key_only() {
    assert_eq!(cpu::disable(Features::AES), Ok(()));
    assert!(cpu::disabled().contains(Features::AES) && !cpu::usable().contains(Features::AES));
    let gcm = Gcm::new(&[7; 16]).expect("16 bytes");
    assert!(!["vaes512", "vaes256", "aesni-avx", "aesni", "armv8", "power8"].contains(&gcm.backend().name()));
    // Again is no other wish; what is there stays there, and what is not there stays away.
    assert_eq!(cpu::disable(Features::AES), Ok(()));
    assert_eq!(cpu::disable(Features::NONE), Ok(()));
    let clmul = cpu::usable().contains(Features::CLMUL);
    assert_eq!(cpu::disable(Features::CLMUL.and(Features::AES)).err(), clmul.then_some(Features::CLMUL));
    assert_eq!(cpu::usable().contains(Features::CLMUL), clmul);
}

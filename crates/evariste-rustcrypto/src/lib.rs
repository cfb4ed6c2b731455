//! evariste behind the traits of RustCrypto: code written for the crates `aes-gcm`, `ccm`, `ctr`, `ghash` and
//! `aes-gcm-siv` runs on it by a change of one line in its manifest.
//!
//! Each module has the names of the crate that it is called after. Packages of one line each (`evariste-aes-gcm`,
//! `evariste-ccm`, …) offer them one by one, which is what a project swaps by:
//!
//! ```toml
//! [dependencies]
//! aes-gcm = { version = "0.11", package = "evariste-aes-gcm" }
//! ```
//!
//! | module | types | traits |
//! |---|---|---|
//! | [`aes`] | [`Aes128`](aes::Aes128), `Aes192`, `Aes256` | `BlockCipherEncrypt`, `BlockCipherDecrypt` |
//! | [`aes_gcm`] | [`AesGcm`](aes_gcm::AesGcm) | `AeadInOut` |
//! | [`aes_gcm_siv`] | [`AesGcmSiv`](aes_gcm_siv::AesGcmSiv) | `AeadInOut` |
//! | [`ccm`] | [`Ccm`](ccm::Ccm) | `AeadInOut` |
//! | [`ctr`] | [`Ctr128BE`](ctr::Ctr128BE) and five more | `StreamCipher`, `StreamCipherSeek` |
//! | [`ghash`], [`polyval`] | [`GHash`](ghash::GHash), [`Polyval`](polyval::Polyval) | `UniversalHash` |
//! | [`xaes`] | [`Xaes256Gcm`](xaes::Xaes256Gcm) | `AeadInOut` |
//!
//! Modes take the ciphers of [`aes`] only, since they are made for AES: a project that names the crate `aes` beside
//! `ctr` or `ccm` swaps that too, by `evariste-aes`. The block ciphers work in every other mode of the field, for
//! example `cbc`, `cmac` or `xts-mode`.
//!
//! ```
//! use evariste_rustcrypto::aes_gcm::{Aes256Gcm, KeyInit, aead::AeadInOut};
//!
//! let cipher = Aes256Gcm::new(&[7; 32].into());
//! let mut data = *b"attack at dawn";
//! let tag = cipher.encrypt_inout_detached(&[0; 12].into(), b"header", (&mut data[..]).into())?;
//! cipher.decrypt_inout_detached(&[0; 12].into(), b"header", (&mut data[..]).into(), &tag)?;
//! assert_eq!(&data, b"attack at dawn");
//! # Ok::<(), evariste_rustcrypto::aes_gcm::Error>(())
//! ```
//!
//! # What is different
//! - A message that is not authentic leaves zeros in the buffer, in every mode. Some of the models leave it as it was.
//! - Keys are always wiped when dropped, whatever features are on.
//! - Buffers that are not in place are copied first, then worked on in place: the traits' buffers show both sides at
//!   once by raw pointers only, and there is no `unsafe` here. Whoever has two buffers and counts nanoseconds calls
//!   [`evariste::Aead::seal_to`].
//!
//! - Modes take this crate's AES only, and a counter mode is made of a cipher by `Ctr::from_cipher`: there is no `CtrCore`,
//!   no `StreamCipherCoreWrapper`.
//! - In ctr 0.9 one may go into the last block of a counter of 32 or 64 bits, here, as in ctr 0.10, the keystream ends
//!   before it; and a negative position is an error.
//! - A key of GCM takes 3 KB: powers of the hash key, which is where the speed of short messages comes from.
//! - Where nothing is optimized (`opt-level = 0`), a GCM message takes up to 1 MiB of stack, the models' 64 KiB. Threads
//!   with less want `[profile.dev.package.evariste] opt-level = 1`.
//!
//! # Features
//! - `alloc`, `getrandom` (default), `rand_core`: those of the crate `aead`.
//! - `std` (default): that of [`evariste`]. Without it, CPUs of Arm and POWER cannot be asked what they have.
//! - `hazmat`: tags of 4 and 8 bytes for GCM.
//! - `previous`: the generation before, `previous`. The types are the same and have the traits of both.
#![no_std]
#![forbid(unsafe_code)]

mod authenticated;
mod length;

pub mod aes;
pub mod aes_gcm;
pub mod aes_gcm_siv;
pub mod ccm;
pub mod ctr;
pub mod ghash;
pub mod polyval;
#[cfg(feature = "previous")]
pub mod previous;
pub mod xaes;

pub use aead;
pub use cipher;
pub use evariste;
pub use universal_hash;

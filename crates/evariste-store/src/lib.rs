//! Chunked files and objects: [`Writer`] seals a stream of any length, [`Reader`] opens it, both with
//! one chunk in memory, or on as many threads as wanted ([`Writer::threads`], [`Reader::threads`]) with 2 MiB for each.
//!
//! | for | |
//! |---|---|
//! | streams | [`Writer`], [`Reader`]; [`tokio`](#features) |
//! | reading from anywhere | [`SeekReader`]; [`RangeReader`] from many threads |
//! | whole files, as fast as the disk | [`parallel`] |
//! | chunks without I/O, for object stores and the like | [`Message`], [`Span`] |
//!
//! The format is C2SP's [chunked encryption](https://c2sp.org/chunked-encryption), version 1, with
//! SHA-512 and AES-GCM. The length of the input key, 16 or 32 bytes, selects the [`Suite`].
//!
//! ```
//! use evariste_store::{Reader, Writer};
//! use std::io::{Read, Write};
//!
//! let key = [7; 32];
//! let mut writer = Writer::new(Vec::new(), &key, b"context")?;
//! writer.write_all(b"attack at dawn")?;
//! let sealed = writer.finish()?;
//!
//! let mut text = String::new();
//! Reader::new(&sealed[..], &key, b"context")?.read_to_string(&mut text)?;
//! assert_eq!(text, "attack at dawn");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Whoever wants passphrases, or keys that can change, puts a [`header`] in front of the message.
//!
//! # The format, byte by byte
//! A header of 56 bytes and n + 1 chunks, for a text of L bytes and n = ⌊L / 16384⌋:
//!
//! | bytes | what |
//! |---|---|
//! | 0..24 | salt: random, never the same twice under one input key |
//! | 24..56 | commitment: which key and context this is for |
//! | 56 + 16400·k .. 56 + 16400·(k + 1), for k < n | chunk k: 16384 bytes of ciphertext, and their tag of 16 bytes |
//! | 56 + 16400·n .. the end | the last chunk: L mod 16384 bytes of ciphertext, perhaps none, and their tag of 16 bytes |
//!
//! The last chunk is always shorter than the others: a message that ends with a full chunk was cut off.
//! Each length of text has one length of sealed message ([`sealed_len`]), and many lengths belong to no
//! message ([`text_len`]).
//!
//! The secrets come from the input key by HKDF-Expand (RFC 5869 §2.3) with HMAC-SHA-512:
//!
//! ```text
//! key ‖ base nonce (12) ‖ commitment (32) = HKDF-Expand(PRK = input key, info, 16 or 32 + 12 + 32)
//! info = "c2sp.org/chunked-encryption@v1+" ‖ AEAD name ‖ 00 ‖ salt (24) ‖ context
//! ```
//!
//! The AEAD name is `AEAD_AES_128_GCM` or `AEAD_AES_256_GCM`, and `key` is as long as the input key.
//! Chunk k is sealed by AES-GCM under `key` with the nonce `base nonce XOR k`, k as a big-endian number
//! of 12 bytes, and without additional data. k stays below 2^38, so that a text has less than 4 PiB.
//!
//! # What is promised
//! The context, any bytes that both sides know, is bound to the message but not part of it. A reader
//! hands out no byte of a chunk that did not verify; what it handed out before it found an error is
//! the true beginning of the text, but only the beginning. Chunks that were changed, moved, left out or
//! added are found, and so is another key or context, before any chunk is opened. Two whole messages
//! under the same key and context can be exchanged for each other: only the context tells them apart.
//! The length of the text is not hidden.
//!
//! Derived keys and buffers that held text are wiped when dropped; the input key is its owner's to wipe.
//!
//! # Features
//! - `tokio`, off by default: `tokio::Reader`, `tokio::SeekReader` and `tokio::Writer`.
#![forbid(unsafe_code)]

mod chunked;
mod error;
mod message;
mod opener;
pub mod parallel;
mod range;
mod reader;
mod runs;
mod sealer;
mod seek;
#[cfg(feature = "tokio")]
pub mod tokio;
mod writer;

pub mod header;

pub use chunked::{Suite, sealed_len, text_len};
pub use error::{CopyError, Error};
pub use message::{Message, Span};
pub use range::{RangeReader, ReadAt};
pub use reader::Reader;
pub use seek::SeekReader;
pub use writer::Writer;

//! What is measured: algorithms and directions, under the names of `openssl speed`.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::fmt;

/// Messages that are done side by side.
pub(crate) const BATCH: usize = 8;

/// An algorithm with its key length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Aes128Gcm,
    Aes192Gcm,
    Aes256Gcm,
    Aes128Ctr,
    Aes256Ctr,
    Aes128Ccm,
    Aes256Ccm,
    /// [`BATCH`] messages at a time, for those that do them side by side.
    Aes128CcmMany,
    Aes256CcmMany,
    Aes128GcmSiv,
    Aes256GcmSiv,
    /// AES-128-GCM over additional data alone.
    Gmac,
    /// A running hash: messages are padded and absorbed one after the other.
    Ghash,
}

use Algorithm::*;

impl Algorithm {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Aes128Gcm => "aes-128-gcm",
            Aes192Gcm => "aes-192-gcm",
            Aes256Gcm => "aes-256-gcm",
            Aes128Ctr => "aes-128-ctr",
            Aes256Ctr => "aes-256-ctr",
            Aes128Ccm => "aes-128-ccm",
            Aes256Ccm => "aes-256-ccm",
            Aes128CcmMany => "aes-128-ccm-many",
            Aes256CcmMany => "aes-256-ccm-many",
            Aes128GcmSiv => "aes-128-gcm-siv",
            Aes256GcmSiv => "aes-256-gcm-siv",
            Gmac => "gmac",
            Ghash => "ghash",
        }
    }

    pub(crate) fn directions(self) -> &'static [Direction] {
        match self {
            Aes128Ctr | Aes256Ctr => &[Direction::Encrypt],
            Gmac | Ghash => &[Direction::Hash],
            _ => &[Direction::Seal, Direction::Open],
        }
    }

    /// The same key for every implementation.
    pub(crate) fn key(self) -> &'static [u8] {
        const BYTES: [u8; 32] = {
            let mut bytes = [0; 32];
            let mut n = 0;
            while n < 32 {
                bytes[n] = n as u8 + 1;
                n += 1;
            }
            bytes
        };
        let len = match self {
            Aes128Gcm | Aes128Ctr | Aes128Ccm | Aes128CcmMany | Aes128GcmSiv | Gmac | Ghash => 16,
            Aes192Gcm => 24,
            Aes256Gcm | Aes256Ctr | Aes256Ccm | Aes256CcmMany | Aes256GcmSiv => 32,
        };
        &BYTES[..len]
    }

    /// Messages that go together.
    pub(crate) fn batch(self) -> usize {
        if matches!(self, Aes128CcmMany | Aes256CcmMany) { BATCH } else { 1 }
    }

    /// Whether additional data goes in beside the text.
    pub(crate) fn has_aad(self) -> bool {
        self.directions().contains(&Direction::Seal)
    }
}

impl ValueEnum for Algorithm {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Aes128Gcm,
            Aes192Gcm,
            Aes256Gcm,
            Aes128Ctr,
            Aes256Ctr,
            Aes128Ccm,
            Aes256Ccm,
            Aes128CcmMany,
            Aes256CcmMany,
            Aes128GcmSiv,
            Aes256GcmSiv,
            Gmac,
            Ghash,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What is done to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Direction {
    Seal,
    Open,
    Encrypt,
    Hash,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Seal => "seal",
            Self::Open => "open",
            Self::Encrypt => "encrypt",
            Self::Hash => "hash",
        })
    }
}

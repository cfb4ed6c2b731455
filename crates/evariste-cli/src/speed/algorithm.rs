//! What can be measured, under the names of `openssl speed`.

use super::job::{self, Job, Shape};
use crate::pick::UsageError;
use anyhow::Result;
use evariste::{Backend, Ccm, Gcm, GcmSiv};

/// An algorithm with its key length.
#[derive(PartialEq)]
pub(crate) struct Algorithm {
    pub(crate) name: &'static str,
    mode: Mode,
    key_len: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Ecb,
    Ctr,
    Gcm,
    Ccm,
    GcmSiv,
    Ghash,
    Gmac,
}

static ALL: [Algorithm; 16] = [
    Algorithm { name: "aes-128-ecb", mode: Mode::Ecb, key_len: 16 },
    Algorithm { name: "aes-192-ecb", mode: Mode::Ecb, key_len: 24 },
    Algorithm { name: "aes-256-ecb", mode: Mode::Ecb, key_len: 32 },
    Algorithm { name: "aes-128-ctr", mode: Mode::Ctr, key_len: 16 },
    Algorithm { name: "aes-192-ctr", mode: Mode::Ctr, key_len: 24 },
    Algorithm { name: "aes-256-ctr", mode: Mode::Ctr, key_len: 32 },
    Algorithm { name: "aes-128-gcm", mode: Mode::Gcm, key_len: 16 },
    Algorithm { name: "aes-192-gcm", mode: Mode::Gcm, key_len: 24 },
    Algorithm { name: "aes-256-gcm", mode: Mode::Gcm, key_len: 32 },
    Algorithm { name: "aes-128-ccm", mode: Mode::Ccm, key_len: 16 },
    Algorithm { name: "aes-192-ccm", mode: Mode::Ccm, key_len: 24 },
    Algorithm { name: "aes-256-ccm", mode: Mode::Ccm, key_len: 32 },
    Algorithm { name: "aes-128-gcm-siv", mode: Mode::GcmSiv, key_len: 16 },
    Algorithm { name: "aes-256-gcm-siv", mode: Mode::GcmSiv, key_len: 32 },
    Algorithm { name: "ghash", mode: Mode::Ghash, key_len: 16 },
    Algorithm { name: "gmac", mode: Mode::Gmac, key_len: 16 },
];

/// What is measured when nothing is named.
const USUAL: [&str; 7] =
    ["aes-128-gcm", "aes-256-gcm", "aes-128-ctr", "aes-256-ctr", "aes-256-ccm", "aes-256-gcm-siv", "ghash"];

/// The algorithms of these names, each once and in this order; the usual ones for no names.
pub(crate) fn named(names: &[String]) -> Result<Vec<&'static Algorithm>> {
    if names.is_empty() {
        return USUAL.into_iter().map(by_name).collect();
    }
    let mut algorithms = Vec::new();
    for name in names {
        let algorithm = by_name(name)?;
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    Ok(algorithms)
}

fn by_name(name: &str) -> Result<&'static Algorithm> {
    ALL.iter().find(|a| a.name == name).ok_or_else(|| {
        let names: Vec<_> = ALL.iter().map(|a| a.name).collect();
        UsageError(format!("no algorithm {name}; there are: {}", names.join(" "))).into()
    })
}

impl Algorithm {
    /// What is done to a message, as the JSON form names it.
    pub(crate) fn direction(&self, decrypt: bool) -> &'static str {
        match (self.mode, decrypt) {
            (Mode::Ecb | Mode::Ctr, false) => "encrypt",
            (Mode::Ecb | Mode::Ctr, true) => "decrypt",
            (Mode::Gcm | Mode::Ccm | Mode::GcmSiv, false) => "seal",
            (Mode::Gcm | Mode::Ccm | Mode::GcmSiv | Mode::Gmac, true) => "open",
            (Mode::Ghash, _) | (Mode::Gmac, false) => "hash",
        }
    }

    /// Whether messages have additional data besides the text.
    pub(crate) fn takes_aad(&self) -> bool {
        matches!(self.mode, Mode::Gcm | Mode::Ccm | Mode::GcmSiv)
    }

    /// The largest text in bytes: CCM has less room for it, the longer its nonce is (SP 800-38C §A.1).
    pub(crate) fn max_size(&self) -> usize {
        if self.mode == Mode::Ccm { (1 << (8 * (15 - job::NONCE))) - 1 } else { usize::MAX }
    }

    /// A key and a message on `backend`, ready to be measured.
    pub(crate) fn prepare(&self, backend: Backend, shape: &Shape) -> Result<Box<dyn Job>> {
        let key = &job::painted(self.key_len)[..];
        match self.mode {
            Mode::Ecb => job::ecb(key, backend, shape),
            Mode::Ctr => job::ctr(key, backend, shape),
            Mode::Gcm => job::aead(|b| Gcm::with_backend(key, b), backend, shape),
            Mode::Ccm => job::aead(|b| Ccm::with_backend(key, b), backend, shape),
            Mode::GcmSiv => job::aead(|b| GcmSiv::with_backend(key, b), backend, shape),
            Mode::Ghash => job::ghash(key, backend, shape),
            Mode::Gmac => job::gmac(key, backend, shape),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(named(&[]).map(|a| a.len()).ok(), Some(USUAL.len()));
        for a in &ALL {
            assert_eq!(ALL.iter().filter(|b| b.name == a.name).count(), 1, "{}", a.name);
        }
        let error = named(&["des".into()]).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.starts_with("no algorithm des; there are: aes-128-ecb ") && error.ends_with(" ghash gmac"));
    }
}

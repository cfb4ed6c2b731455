//! The modes that share the trait [`Aead`].

use evariste::{Aead, Backend, Ccm, Gcm, GcmSiv, Xaes256Gcm};

/// What a test must know of a mode.
pub(crate) struct Mode {
    pub(crate) name: &'static str,
    /// Key lengths.
    pub(crate) keys: &'static [usize],
    /// Nonce lengths that are good for long texts.
    pub(crate) nonces: &'static [usize],
    pub(crate) make: fn(&[u8], Backend) -> Box<dyn Aead>,
}

pub(crate) const GCM: Mode = Mode {
    name: "GCM",
    keys: &[16, 24, 32],
    nonces: &[12],
    make: |key, backend| Box::new(Gcm::with_backend(key, backend).expect("a key length")),
};

pub(crate) const CCM: Mode = Mode {
    name: "CCM",
    keys: &[16, 24, 32],
    nonces: &[7, 8, 9, 10, 11, 12],
    make: |key, backend| Box::new(Ccm::with_backend(key, backend).expect("a key length")),
};

pub(crate) const GCM_SIV: Mode = Mode {
    name: "GCM-SIV",
    keys: &[16, 32],
    nonces: &[12],
    make: |key, backend| Box::new(GcmSiv::with_backend(key, backend).expect("a key length")),
};

pub(crate) const XAES: Mode = Mode {
    name: "XAES-256-GCM",
    keys: &[32],
    nonces: &[24],
    make: |key, backend| Box::new(Xaes256Gcm::with_backend(key, backend).expect("32 bytes")),
};

pub(crate) const MODES: [Mode; 4] = [GCM, CCM, GCM_SIV, XAES];

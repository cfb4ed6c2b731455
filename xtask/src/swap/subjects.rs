//! The crates whose tests are run.

/// A crate of the registry.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// As arguments of cargo.
    pub(crate) features: &'static [&'static str],
    /// How many tests pass with RustCrypto's packages: `cargo xtask swap --model`.
    pub(crate) passed: usize,
    /// How many of them fail where every call of an AEAD, a cipher or a keystream does, which was tried by hand.
    pub(crate) touching: usize,
}

pub(crate) const SUBJECTS: &[Subject] = &[
    // aes-gcm 0.11, ctr 0.10, aes 0.9.
    Subject {
        name: "picky",
        version: "7.0.0-rc.29",
        features: &["--no-default-features", "--features", "jose,ssh,pkcs12"],
        passed: 224,
        touching: 33,
    },
    // aes-gcm 0.10, ctr 0.9.
    Subject {
        name: "sframe",
        version: "0.9.0",
        features: &["--no-default-features", "--features", "rust-crypto"],
        passed: 79,
        touching: 17,
    },
    // aes-gcm 0.10.
    Subject {
        name: "cookie",
        version: "0.18.2",
        features: &["--features", "percent-encode,secure"],
        passed: 151,
        touching: 11,
    },
    // aes-gcm 0.10; most of its tests encrypt by ChaCha20.
    Subject { name: "cocoon", version: "0.4.3", features: &[], passed: 84, touching: 5 },
];

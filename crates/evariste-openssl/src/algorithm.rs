//! The algorithms: names, lengths of keys, modes. Names are those of OpenSSL's own provider, so that whoever asks for
//! one of them finds ours.

use crate::block::{Cbc, Ecb};
use crate::border::functions;
use crate::ccm::Ccm;
use crate::ctr::Ctr;
use crate::ffi::{Algorithm, Dispatch};
use crate::gcm::Gcm;
use crate::gcm_siv::GcmSiv;
use crate::mode::Mode;

/// An algorithm.
pub(crate) trait Cipher {
    type Mode: Mode;
    /// Bytes of the key.
    const KEY_LEN: usize;
    /// Where it is in [`NAMES`].
    const INDEX: usize;
}

macro_rules! algorithms {
    ($( $name:ident = $index:literal, $mode:ty, $key_len:literal, $first:literal, $names:literal; )*) => {
        $(
            enum $name {}

            impl Cipher for $name {
                type Mode = $mode;
                const KEY_LEN: usize = $key_len;
                const INDEX: usize = $index;
            }
        )*

        /// What each is called first; in this order they are counted.
        pub(crate) const NAMES: &[&str] = &[$( $first ),*];

        static FUNCTIONS: [[Dispatch; 15]; NAMES.len()] = [$( functions::<$name>() ),*];

        const ALL: [Algorithm; NAMES.len() + 1] = [
            $( Algorithm::new($names, &FUNCTIONS[$index]), )*
            Algorithm::END,
        ];
    };
}

algorithms! {
    Gcm128 = 0, Gcm, 16, "AES-128-GCM", c"AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6";
    Gcm192 = 1, Gcm, 24, "AES-192-GCM", c"AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26";
    Gcm256 = 2, Gcm, 32, "AES-256-GCM", c"AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46";
    Ccm128 = 3, Ccm, 16, "AES-128-CCM", c"AES-128-CCM:id-aes128-CCM:2.16.840.1.101.3.4.1.7";
    Ccm192 = 4, Ccm, 24, "AES-192-CCM", c"AES-192-CCM:id-aes192-CCM:2.16.840.1.101.3.4.1.27";
    Ccm256 = 5, Ccm, 32, "AES-256-CCM", c"AES-256-CCM:id-aes256-CCM:2.16.840.1.101.3.4.1.47";
    Ctr128 = 6, Ctr, 16, "AES-128-CTR", c"AES-128-CTR";
    Ctr192 = 7, Ctr, 24, "AES-192-CTR", c"AES-192-CTR";
    Ctr256 = 8, Ctr, 32, "AES-256-CTR", c"AES-256-CTR";
    Ecb128 = 9, Ecb, 16, "AES-128-ECB", c"AES-128-ECB:2.16.840.1.101.3.4.1.1";
    Ecb192 = 10, Ecb, 24, "AES-192-ECB", c"AES-192-ECB:2.16.840.1.101.3.4.1.21";
    Ecb256 = 11, Ecb, 32, "AES-256-ECB", c"AES-256-ECB:2.16.840.1.101.3.4.1.41";
    GcmSiv128 = 12, GcmSiv, 16, "AES-128-GCM-SIV", c"AES-128-GCM-SIV";
    GcmSiv256 = 13, GcmSiv, 32, "AES-256-GCM-SIV", c"AES-256-GCM-SIV";
    Cbc128 = 14, Cbc, 16, "AES-128-CBC", c"AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2";
    Cbc192 = 15, Cbc, 24, "AES-192-CBC", c"AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22";
    Cbc256 = 16, Cbc, 32, "AES-256-CBC", c"AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42";
}

/// With CBC or without it, which has to be asked for: the last three.
pub(crate) fn table(with_cbc: bool) -> &'static [Algorithm] {
    static WITH: [Algorithm; NAMES.len() + 1] = ALL;
    static WITHOUT: [Algorithm; NAMES.len() - 2] = {
        let mut table = [Algorithm::END; NAMES.len() - 2];
        let mut n = 0;
        while n < table.len() - 1 {
            table[n] = ALL[n];
            n += 1;
        }
        table
    };
    if with_cbc { &WITH } else { &WITHOUT }
}

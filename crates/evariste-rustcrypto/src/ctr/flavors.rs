//! How counter blocks count: in how many bits, and from which end.

/// A flavor of the counter mode. Sealed.
pub trait CtrFlavor: sealed::Flavor {
    /// As in the names of the types.
    const NAME: &'static str;
}

mod sealed {
    pub trait Flavor {
        /// Whether the counter has the first bytes, little-endian, instead of the last ones, big-endian.
        const LITTLE: bool;

        /// The largest counter.
        const MAX: u128;
    }
}

/// Block `index` of the keystream that starts at `iv`, before encryption.
#[inline(always)]
pub(crate) fn block<F: CtrFlavor>(iv: &[u8; 16], index: u128) -> [u8; 16] {
    let start = if F::LITTLE { u128::from_le_bytes(*iv) } else { u128::from_be_bytes(*iv) };
    let block = (start & !F::MAX) | (start.wrapping_add(index) & F::MAX);
    if F::LITTLE { block.to_le_bytes() } else { block.to_be_bytes() }
}

macro_rules! flavor {
    ($name:ident, $number:ty, $little:literal, $short:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl CtrFlavor for $name {
            const NAME: &'static str = $short;
        }

        impl sealed::Flavor for $name {
            const LITTLE: bool = $little;
            const MAX: u128 = <$number>::MAX as u128;
        }
    };
}

flavor!(Ctr128BE, u128, false, "128BE", "All 16 bytes, big-endian.");
flavor!(Ctr128LE, u128, true, "128LE", "All 16 bytes, little-endian.");
flavor!(Ctr64BE, u64, false, "64BE", "The last 8 bytes, big-endian.");
flavor!(Ctr64LE, u64, true, "64LE", "The first 8 bytes, little-endian.");
flavor!(Ctr32BE, u32, false, "32BE", "The last 4 bytes, big-endian.");
flavor!(Ctr32LE, u32, true, "32LE", "The first 4 bytes, little-endian.");

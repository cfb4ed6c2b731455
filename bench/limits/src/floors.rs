//! What follows from the units: no code can be faster.

use crate::architecture::{PRODUCT, ROUND, WIDTHS};
use crate::probe::How;
use crate::units::Units;

/// The least time for a block of an algorithm.
#[derive(Clone, Debug)]
pub(crate) struct Floor {
    pub(crate) name: String,
    /// The width of the vectors.
    pub(crate) bits: u32,
    /// For a block of 16 bytes.
    pub(crate) cycles: f64,
}

/// Bits of a key, and its rounds.
const KEYS: [(u32, u32); 2] = [(128, 10), (256, 14)];

/// All floors that the figures suffice for.
pub(crate) fn floors(units: &Units) -> Vec<Floor> {
    let mut all = Vec::new();
    for &bits in WIDTHS {
        let blocks = f64::from(bits / 128);
        let mut add = |name: String, cycles: Option<f64>| {
            all.extend(cycles.map(|cycles| Floor { name, bits, cycles: cycles / blocks }));
        };
        let many = |name: &str| units.cycles(name, bits, How::Many);
        for (key, rounds) in KEYS {
            add(format!("AES-{key}-CTR"), many(ROUND).map(|round| f64::from(rounds) * round));
        }
        for products in [4, 3] {
            add(format!("GHASH, {products} products"), many(PRODUCT).map(|product| f64::from(products) * product));
        }
        add(all_instructions("GHASH"), many(&all_instructions("GHASH")));
        for (key, rounds) in KEYS {
            for products in [4, 3] {
                let together = many(&format!("{rounds} {ROUND} + {products} {PRODUCT}"));
                add(format!("AES-{key}-GCM, {products} products"), together);
            }
            let gcm = all_instructions(&format!("AES-{key}-GCM"));
            add(gcm.clone(), many(&gcm));
        }
        for (key, rounds) in KEYS {
            // Blocks wait for each other, so the width does not matter.
            let chain = units.cycles(ROUND, 128, How::Chain).filter(|_| bits == 128);
            add(format!("AES-{key}-CCM, one message"), chain.map(|round| f64::from(rounds) * round));
            add(format!("AES-{key}-CCM, many messages"), many(ROUND).map(|round| f64::from(2 * rounds) * round));
        }
    }
    all
}

/// The loop of AES-GCM or GHASH with all that it takes, where there is one.
pub(crate) fn all_instructions(algorithm: &str) -> String {
    format!("{algorithm}, all instructions")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Unit;

    #[test]
    fn floors_follow_from_units() {
        let unit = |name, bits, how, cycles| Unit { name, bits, how, cycles };
        let (Some(&narrow), Some(&wide)) = (WIDTHS.first(), WIDTHS.last()) else { return };
        let units = Units(vec![
            unit(ROUND, narrow, How::Many, Ok(0.5)),
            unit(ROUND, narrow, How::Chain, Ok(4.0)),
            unit(PRODUCT, wide, How::Many, Ok(2.0)),
        ]);
        let floors = floors(&units);
        let find = |name, bits| Some(floors.iter().find(|f| (&*f.name, f.bits) == (name, bits))?.cycles);
        assert_eq!(find("AES-256-CTR", narrow), Some(7.0));
        assert_eq!(find("AES-128-CCM, one message", narrow), Some(40.0));
        assert_eq!(find("AES-128-CCM, many messages", narrow), Some(10.0));
        assert_eq!(find("GHASH, 3 products", wide), Some(6.0 / f64::from(wide / 128)));
        assert_eq!(find("AES-128-GCM, 3 products", narrow), None);
        assert_eq!(floors.len(), 8);
    }
}

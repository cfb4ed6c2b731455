//! Headers that were changed by accident, and on purpose.

use super::*;

/// What a flipped byte may do: nothing is opened wrongly, and each fault has its error.
#[test]
fn every_byte_is_checked_or_free() {
    let (mut good, key) = both();
    good.remove(0).unwrap();
    good.add(&key, PASSPHRASE, cheap()).unwrap();
    // An empty place, with what may be left of a slot.
    let mut left = *good.slot(0);
    left[0] = 0;
    good.put(2, &left);
    let secrets = [(PASSPHRASE, 0), (KEY_FILE, 1)];
    let mut free = 0;
    for at in 0..HEADER_LEN {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = *good.as_bytes();
            bytes[at] ^= flip;
            let found = Header::parse(&bytes);
            if at < SECTOR {
                let error = found.unwrap_err();
                match at {
                    0..8 => assert_eq!(error, HeaderError::Magic, "{at}"),
                    8..10 => assert!(matches!(error, HeaderError::Version(_)), "{at}"),
                    _ => assert_eq!(error, HeaderError::Damaged, "{at}"),
                }
                continue;
            }
            let header = found.unwrap();
            let place = at / SECTOR - 1;
            for (secret, own) in secrets {
                let opened = header.unlock(secret);
                if place != own {
                    let (found, slot) = opened.unwrap();
                    assert_eq!((found.as_bytes(), slot), (key.as_bytes(), own), "{at}");
                    continue;
                }
                let error = opened.unwrap_err();
                let kind = header.slots()[place];
                match kind {
                    Slot::Damaged => assert_eq!(error, HeaderError::DamagedSlots(1), "{at}"),
                    Slot::Empty | Slot::Unknown(_) => {
                        assert_eq!(at % SECTOR, 0);
                        let missing = [HeaderError::NoPassphrase, HeaderError::WrongKeyFile][own];
                        assert_eq!(error, missing, "{at}");
                    }
                    _ => panic!("{at}: {kind:?}"),
                }
            }
            if place > 1 {
                assert!(at % SECTOR == 0 || header.slots()[place] == Slot::Empty, "{at}");
                free += 1;
            }
        }
    }
    assert_eq!(free, 3 * 5 * SECTOR);
}

/// An attacker writes checksums, too.
#[test]
fn every_byte_of_a_slot_is_authentic_or_zero() {
    let (good, _) = both();
    for (place, secret) in [(0, PASSPHRASE), (1, KEY_FILE)] {
        for at in 0..CHECKSUM {
            for flip in [1, 0x80] {
                let (mut header, mut slot) = (good.clone(), *good.slot(place));
                slot[at] ^= flip;
                close(&mut slot);
                header.put(place, &slot);
                // A flip of the cost may ask for as much as is allowed.
                if work(&header.slots()) > 1 << 12 && work(&header.slots()) <= MAX_WORK {
                    continue;
                }
                assert!(header.unlock(secret).is_err(), "slot {place}, byte {at}");
            }
        }
    }
    let (mut immutables, mut header) = (0, *good.as_bytes());
    for at in 0..CHECKSUM {
        header[at] ^= 1;
        let mut first = *sector(&header, 0);
        close(&mut first);
        header[..SECTOR].copy_from_slice(&first);
        // Another file id, suite or content is another file, whose slots these are not.
        if let Ok(header) = Header::parse(&header) {
            immutables += 1;
            assert_eq!(opens(&header, PASSPHRASE), Err(HeaderError::WrongPassphrase), "{at}");
            assert_eq!(opens(&header, KEY_FILE), Err(HeaderError::DamagedSlots(1)), "{at}");
        }
        header[at] ^= 1;
    }
    // The file id, and content 0 and 1; suite 3 is not known.
    assert_eq!(immutables, 17);
}

#[test]
fn the_sum_of_all_work_is_limited() {
    let (mut header, key) = Header::create(Suite::Cobblestone256, Content::Bytes).unwrap();
    header.add(&key, KEY_FILE, cheap()).unwrap();
    header.add(&key, PASSPHRASE, cheap()).unwrap();
    for (passes, fits) in [(15, true), (16, false)] {
        let mut slot = *header.slot(1);
        slot[4..8].copy_from_slice(&(1u32 << 20).to_be_bytes());
        slot[8..12].copy_from_slice(&(passes as u32).to_be_bytes());
        close(&mut slot);
        let mut hostile = header.clone();
        hostile.put(2, &slot);
        assert_eq!(work(&hostile.slots()) <= MAX_WORK, fits);
        if !fits {
            assert_eq!(opens(&hostile, PASSPHRASE), Err(HeaderError::TooMuch));
            assert_eq!(hostile.add(&key, PASSPHRASE, cheap()), Err(HeaderError::TooMuch));
            // No work, no limit.
            assert_eq!(opens(&hostile, KEY_FILE), Ok(0));
            assert_eq!(hostile.add(&key, KEY_FILE, cheap()), Ok(3));
        }
    }
}

/// xorshift64*: the same headers every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 32) % n
    }

    /// Cheap ones, some around the limits, and any numbers at all.
    fn cost(&mut self, heavy: bool) -> [u32; 3] {
        match if heavy { 1 } else { self.below(4) } {
            0 => [8 + self.below(9) as u32, 1 + self.below(2) as u32, 1 + self.below(2) as u32],
            1 => [(1 << 20) + self.below(3) as u32 - 1, 1 + self.below(16) as u32, 1 + self.below(17) as u32],
            2 => [self.below(1 << 21) as u32, self.below(66) as u32, 1],
            _ => [self.next() as u32, self.next() as u32, self.next() as u32],
        }
    }

    /// One that asks for a lot is for a passphrase.
    fn slot(&mut self, heavy: bool) -> Sector {
        let mut slot = [0; SECTOR];
        slot[0] = if heavy { 1 } else { self.below(4) as u8 };
        if slot[0] == 1 {
            for (at, n) in [4, 8, 12].into_iter().zip(self.cost(heavy)) {
                slot[at..at + 4].copy_from_slice(&n.to_be_bytes());
            }
        } else {
            slot[48..64].fill_with(|| self.next() as u8);
        }
        slot[16..48].fill_with(|| self.next() as u8);
        slot[64..144].fill_with(|| self.next() as u8);
        if self.below(4) == 0 {
            slot[self.below(CHECKSUM as u64) as usize] = self.next() as u8;
        }
        if self.below(8) > 0 {
            close(&mut slot);
        }
        slot
    }
}

/// Whatever the header, it opens nothing, asks for no more than the limits, and does not panic.
#[test]
fn made_up_headers_open_nothing() {
    let mut random = Random(0x6576_6172_6973_7465);
    let (mut worked, mut refused, mut parsed) = (0, 0, 0);
    for round in 0..4000 {
        let (mut header, key) = Header::create(Suite::Cobblestone128, Content::Bytes).unwrap();
        let heavy = random.below(4) == 0;
        for place in 0..PLACES {
            let slot = random.slot(heavy);
            if heavy || random.below(3) == 0 {
                header.put(place, &slot);
            }
        }
        if random.below(8) == 0 {
            for _ in 0..random.below(4) {
                header.bytes[random.below(SECTOR as u64) as usize] = random.next() as u8;
            }
        }
        let Ok(mut header) = Header::parse(&header.bytes) else { continue };
        parsed += 1;
        for slot in header.slots() {
            if let Slot::Passphrase(cost) = slot {
                assert!(cost.memory() <= 1 << 20 && cost.passes() <= 64 && cost.lanes() <= 16, "{round}");
                assert!(cost.memory() >= 8 * cost.lanes(), "{round}");
            }
        }
        assert!(opens(&header, KEY_FILE).is_err(), "{round}");
        let total = work(&header.slots());
        if total > MAX_WORK {
            // At once: the work itself would take hours.
            assert_eq!(opens(&header, PASSPHRASE), Err(HeaderError::TooMuch), "{round}");
            refused += 1;
        } else if total < 1 << 7 {
            assert!(opens(&header, PASSPHRASE).is_err(), "{round}");
            worked += 1;
        }
        // A slot that opens stands among them.
        if let Ok(place) = header.add(&key, KEY_FILE, cheap()) {
            assert_eq!(opens(&header, KEY_FILE), Ok(place), "{round}");
        }
    }
    assert!(worked > 1000 && refused > 500 && parsed > 3000, "{worked} {refused} {parsed}");
}

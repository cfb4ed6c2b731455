//! Headers that are made, changed on disks that crash, damaged, and made up.

mod crash;
mod damage;
mod known;

use super::*;

/// The least that Argon2id can do.
fn cheap() -> Cost {
    Cost::new(8, 1, 1).unwrap()
}

const PASSPHRASE: Secret<'_> = Secret::Passphrase(b"correct horse");
const KEY_FILE: Secret<'_> = Secret::KeyFile(&[7; 32]);

/// A header with a passphrase in slot 0 and a key file in slot 1.
fn both() -> (Header, DataKey) {
    let (mut header, key) = Header::create(Suite::Cobblestone256, Content::Bytes).unwrap();
    assert_eq!(header.add(&key, PASSPHRASE, cheap()), Ok(0));
    assert_eq!(header.add(&key, KEY_FILE, cheap()), Ok(1));
    (header, key)
}

fn opens(header: &Header, secret: Secret<'_>) -> Result<usize, HeaderError> {
    header.unlock(secret).map(|(_, place)| place)
}

#[test]
fn slots_open_with_what_they_were_made_for() {
    for (suite, len) in [(Suite::Cobblestone128, 16), (Suite::Cobblestone256, 32)] {
        let (mut header, key) = Header::create(suite, Content::Tar).unwrap();
        assert_eq!(key.as_bytes().len(), len);
        for secret in [PASSPHRASE, KEY_FILE, Secret::KeyFile(&[7; 16]), Secret::Passphrase(b"")] {
            header.add(&key, secret, cheap()).unwrap();
        }
        let header = Header::parse(header.as_bytes()).unwrap();
        assert_eq!((header.suite(), header.content()), (suite, Content::Tar));
        for (n, secret) in [PASSPHRASE, KEY_FILE, Secret::KeyFile(&[7; 16]), Secret::Passphrase(b"")].iter().enumerate()
        {
            let (found, place) = header.unlock(*secret).unwrap();
            assert_eq!((found.as_bytes(), place), (key.as_bytes(), n));
        }
    }
}

#[test]
fn no_two_headers_and_no_two_slots_are_alike() {
    let ((one, key), (other, _)) = (both(), both());
    assert_ne!(one.file_id(), other.file_id());
    let mut twice = one.clone();
    twice.add(&key, PASSPHRASE, cheap()).unwrap();
    assert_ne!(one.slot(0)[16..48], twice.slot(2)[16..48]);
    assert_ne!(one.slot(0)[64..144], twice.slot(2)[64..144]);
}

#[test]
fn what_does_not_open_says_why() {
    let (both, key) = both();
    assert_eq!(opens(&both, Secret::Passphrase(b"Correct horse")), Err(HeaderError::WrongPassphrase));
    assert_eq!(opens(&both, Secret::KeyFile(&[8; 32])), Err(HeaderError::WrongKeyFile));
    assert_eq!(opens(&both, Secret::KeyFile(&[7; 24])), Err(HeaderError::KeyFileLength));
    let mut one = both.clone();
    one.remove(0).unwrap();
    assert_eq!(opens(&one, PASSPHRASE), Err(HeaderError::NoPassphrase));
    assert_eq!(one.remove(0), Err(HeaderError::NoSlot));
    assert_eq!(one.remove(7), Err(HeaderError::NoSlot));
    assert_eq!(one.remove(1), Err(HeaderError::LastSlot));
    let (mut other, _) = Header::create(Suite::Cobblestone256, Content::Bytes).unwrap();
    assert_eq!(other.add(&key, PASSPHRASE, cheap()), Err(HeaderError::OtherFile));
    assert_eq!(one.add(&key, Secret::KeyFile(&[0; 31]), cheap()), Err(HeaderError::KeyFileLength));
}

#[test]
fn six_slots_and_no_more() {
    let (mut header, key) = both();
    for place in 2..MAX_SLOTS {
        assert_eq!(header.add(&key, KEY_FILE, cheap()), Ok(place));
    }
    assert_eq!(header.add(&key, KEY_FILE, cheap()), Err(HeaderError::Full));
    header.remove(3).unwrap();
    assert_eq!(header.add(&key, KEY_FILE, cheap()), Ok(3));
    // What a later version may have left there is in use.
    let (mut header, key) = both();
    (2..MAX_SLOTS).for_each(|place| header.put(place, &[9; SECTOR]));
    assert_eq!(header.slots()[2], Slot::Unknown(9));
    assert_eq!(header.add(&key, KEY_FILE, cheap()), Err(HeaderError::Full));
}

#[test]
fn a_slot_of_another_file_does_not_open() {
    let (one, _) = both();
    let (mut other, _) = Header::create(Suite::Cobblestone256, Content::Bytes).unwrap();
    other.bytes[SECTOR..].copy_from_slice(&one.bytes[SECTOR..]);
    assert_eq!(opens(&other, PASSPHRASE), Err(HeaderError::WrongPassphrase));
    assert_eq!(opens(&other, KEY_FILE), Err(HeaderError::DamagedSlots(1)));
    let mut moved = one.clone();
    moved.put(6, one.slot(1));
    moved.put(1, one.slot(0));
    moved.put(0, &[0; SECTOR]);
    assert_eq!((opens(&moved, PASSPHRASE), opens(&moved, KEY_FILE)), (Ok(1), Ok(6)));
}

/// With this key schedule only a slot that someone built from its wrapping key has such a key in it.
#[test]
fn a_short_key_has_nothing_behind_it() {
    let immutable = Immutable::new(Suite::Cobblestone128, Content::Bytes, [1; 16]);
    let mut bytes = zeroize::Zeroizing::new([0; 32]);
    assert!(DataKey::unwrapped(bytes.clone(), &immutable).is_some());
    bytes[31] = 1;
    assert!(DataKey::unwrapped(bytes, &immutable).is_none());
}

#[test]
fn the_data_key_stays_out_of_debug() {
    let (header, key) = both();
    assert_eq!(format!("{key:?}"), "DataKey { suite: Cobblestone256, .. }");
    assert!(format!("{header:?}").contains("Passphrase(Cost { memory: 8, passes: 1, lanes: 1 })"));
}

#[test]
fn reading_tells_other_files_from_cut_ones() {
    let (header, _) = both();
    let error = |mut bytes: &[u8]| Header::read(&mut bytes).unwrap_err().downcast::<HeaderError>().unwrap();
    assert_eq!(error(b""), HeaderError::Magic);
    assert_eq!(error(&header.as_bytes()[..7]), HeaderError::Magic);
    assert_eq!(error(&header.as_bytes()[..8]), HeaderError::Truncated);
    assert_eq!(error(&header.as_bytes()[..4095]), HeaderError::Truncated);
    assert_eq!(error(&[0; 5000]), HeaderError::Magic);
    let file = [&header.as_bytes()[..], b"rest"].concat();
    let mut source = &file[..];
    assert_eq!(Header::read(&mut source).unwrap().as_bytes(), header.as_bytes());
    assert_eq!(source, b"rest");
}

//! The data key, wrapped for one passphrase or key file, in 512 bytes.

use super::immutable::Immutable;
use super::kdf::key_file_id;
use super::{CHECKSUM, Cost, DataKey, HeaderError, SECTOR, Secret, Sector, close, is_whole, is_zero};
use ctutils::CtEq;
use evariste::{Aead, Gcm};
use std::ops::Range;
use zeroize::Zeroizing;

const PASSPHRASE: u8 = 1;
const KEY_FILE: u8 = 2;

const SALT: Range<usize> = 16..48;
const ID: Range<usize> = 48..64;
/// What the keys depend on: everything up to here.
const PARAMETERS: Range<usize> = 0..64;
const COMMITMENT: Range<usize> = 64..96;
/// What the tag covers beside the key.
const ASSOCIATED: Range<usize> = 0..96;
const WRAPPED: Range<usize> = 96..128;
const TAG: Range<usize> = 128..144;
/// Each wrapping key seals once.
const NONCE: [u8; 12] = [0; 12];

/// What stands in a place of the header, as far as it shows without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// Nothing.
    Empty,
    /// The data key for a passphrase, which this much work has to go into.
    Passphrase(Cost),
    /// The data key for the key file with this id.
    KeyFile([u8; 16]),
    /// A kind that this code does not know: that of a later version, perhaps.
    Unknown(u8),
    /// A known kind that was changed: its checksum does not fit, or its parameters are out of their limits.
    Damaged,
}

impl Slot {
    pub(super) fn parse(slot: &Sector) -> Self {
        let [memory, passes, lanes] = [4, 8, 12].map(|at| number(slot, at));
        let parsed = match slot[0] {
            0 => return Self::Empty,
            PASSPHRASE if is_zero(&slot[ID]) => Cost::new(memory, passes, lanes).ok().map(Self::Passphrase),
            KEY_FILE if is_zero(&slot[4..16]) => Some(Self::KeyFile(std::array::from_fn(|i| slot[ID.start + i]))),
            PASSPHRASE | KEY_FILE => None,
            kind => return Self::Unknown(kind),
        };
        let whole = is_whole(slot) && is_zero(&slot[1..4]) && is_zero(&slot[TAG.end..CHECKSUM]);
        parsed.filter(|_| whole).unwrap_or(Self::Damaged)
    }
}

/// A slot with `key` for `secret`. The salt must be new: a wrapping key is to seal once.
pub(super) fn seal(
    immutable: &Immutable,
    key: &DataKey,
    secret: Secret<'_>,
    cost: Cost,
    salt: &[u8; 32],
) -> Result<Sector, HeaderError> {
    let mut slot = [0; SECTOR];
    match secret {
        Secret::Passphrase(_) => {
            slot[0] = PASSPHRASE;
            for (at, n) in [(4, cost.memory()), (8, cost.passes()), (12, cost.lanes())] {
                slot[at..at + 4].copy_from_slice(&n.to_be_bytes());
            }
        }
        Secret::KeyFile(bytes) => {
            slot[0] = KEY_FILE;
            slot[ID].copy_from_slice(&key_file_id(bytes)?);
        }
    }
    slot[SALT].copy_from_slice(salt);
    let keys = secret.prk(cost, salt)?.expand(immutable.bytes(), &slot[PARAMETERS])?;
    let (wrapping, commitment) = keys.split_at(32);
    slot[COMMITMENT].copy_from_slice(commitment);
    let mut wrapped = Zeroizing::new(*key.padded());
    let tag = gcm(wrapping)?.seal(&NONCE, &slot[ASSOCIATED], &mut wrapped[..]).map_err(|_| HeaderError::Damaged)?;
    slot[WRAPPED].copy_from_slice(&wrapped[..]);
    slot[TAG].copy_from_slice(&tag[..]);
    close(&mut slot);
    Ok(slot)
}

/// The data key in `slot`, which parsed as one for such a secret; `None` if it is not for this one.
pub(super) fn open(immutable: &Immutable, slot: &Sector, secret: Secret<'_>) -> Result<Option<DataKey>, HeaderError> {
    let cost = match Slot::parse(slot) {
        Slot::Passphrase(cost) => cost,
        _ => Cost::default(),
    };
    let salt = std::array::from_fn(|i| slot[SALT.start + i]);
    let keys = secret.prk(cost, &salt)?.expand(immutable.bytes(), &slot[PARAMETERS])?;
    let (wrapping, commitment) = keys.split_at(32);
    // AES-GCM alone lets one slot open under two keys.
    if !commitment.ct_eq(&slot[COMMITMENT]).to_bool() {
        return Ok(None);
    }
    let mut key = Zeroizing::new(std::array::from_fn(|i| slot[WRAPPED.start + i]));
    let opened = gcm(wrapping)?.open(&NONCE, &slot[ASSOCIATED], &mut key[..], &slot[TAG]);
    Ok(opened.ok().and_then(|()| DataKey::unwrapped(key, immutable)))
}

fn gcm(wrapping: &[u8]) -> Result<Gcm, HeaderError> {
    Gcm::new(wrapping).map_err(|_| HeaderError::KeyFileLength)
}

fn number(slot: &Sector, at: usize) -> u32 {
    u32::from_be_bytes(std::array::from_fn(|i| slot[at + i]))
}

//! From a passphrase or a key file to the keys of a slot.

use super::{HeaderError, Slot};
use crate::Suite;
use crate::chunked::hkdf_expand;
use argon2::{Algorithm, Argon2, Block, Params, Version};
use std::fmt;
use zeroize::{Zeroize, Zeroizing};

/// What opens a slot.
#[derive(Clone, Copy)]
pub enum Secret<'a> {
    /// A passphrase: its bytes as they are.
    Passphrase(&'a [u8]),
    /// The 16 or 32 random bytes of a key file, whatever the suite.
    KeyFile(&'a [u8]),
}

/// What it takes to try one passphrase: the parameters of Argon2id (RFC 9106).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cost {
    memory: u32,
    passes: u32,
    lanes: u32,
}

impl Cost {
    /// `memory` in KiB, from 8 for each lane to 2^20, which is 1 GiB; 1 to 64 passes over it; 1 to 16 lanes.
    ///
    /// # Errors
    /// [`HeaderError::Cost`] outside of these limits, [`HeaderError::TooMuch`] if memory times passes is above 16 GiB.
    pub fn new(memory: u32, passes: u32, lanes: u32) -> Result<Self, HeaderError> {
        let lanes_fit = (1..=16).contains(&lanes) && (8 * lanes..=1 << 20).contains(&memory);
        if !lanes_fit || !(1..=64).contains(&passes) {
            return Err(HeaderError::Cost);
        }
        let cost = Self { memory, passes, lanes };
        if cost.work() > super::MAX_WORK { Err(HeaderError::TooMuch) } else { Ok(cost) }
    }

    /// Memory in KiB.
    pub fn memory(self) -> u32 {
        self.memory
    }

    /// Passes over the memory.
    pub fn passes(self) -> u32 {
        self.passes
    }

    /// Lanes, which could be filled side by side.
    pub fn lanes(self) -> u32 {
        self.lanes
    }

    /// Memory in KiB times passes.
    pub(super) fn work(self) -> u64 {
        u64::from(self.memory) * u64::from(self.passes)
    }
}

/// 256 MiB, 3 passes, 4 lanes: the second choice of RFC 9106 §4 with four times its memory.
///
/// The first choice, 2 GiB, is more than small machines have, and a file should open on those, too. The second's
/// 64 MiB are meant for servers that check many at a time; who opens a file waits for one, about a second.
impl Default for Cost {
    fn default() -> Self {
        Self { memory: 1 << 18, passes: 3, lanes: 4 }
    }
}

/// Which slots a secret is tried on.
pub(super) enum Wanted {
    Passphrase,
    KeyFile([u8; 16]),
}

impl Wanted {
    pub(super) fn fits(&self, slot: &Slot) -> bool {
        match (self, slot) {
            (Self::Passphrase, Slot::Passphrase(_)) => true,
            (Self::KeyFile(id), Slot::KeyFile(of)) => id == of,
            _ => false,
        }
    }
}

impl Secret<'_> {
    pub(super) fn wants(&self) -> Result<Wanted, HeaderError> {
        match self {
            Self::Passphrase(_) => Ok(Wanted::Passphrase),
            Self::KeyFile(bytes) => key_file_id(bytes).map(Wanted::KeyFile),
        }
    }

    /// PRK of the slot's keys; `cost` and `salt` are a passphrase's.
    pub(super) fn prk(&self, cost: Cost, salt: &[u8; 32]) -> Result<Prk, HeaderError> {
        match self {
            Self::Passphrase(bytes) => argon2id(bytes, salt, cost),
            Self::KeyFile(bytes) => {
                Suite::of(bytes).map_err(|_| HeaderError::KeyFileLength)?;
                let mut prk = Prk { bytes: Zeroizing::new([0; 32]), len: bytes.len() };
                prk.bytes[..bytes.len()].copy_from_slice(bytes);
                Ok(prk)
            }
        }
    }
}

impl fmt::Debug for Secret<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passphrase(_) => "Passphrase(..)",
            Self::KeyFile(_) => "KeyFile(..)",
        })
    }
}

/// A key to expand, of 16 or 32 bytes.
pub(super) struct Prk {
    bytes: Zeroizing<[u8; 32]>,
    len: usize,
}

impl Prk {
    /// Wrapping key ‖ commitment of the slot that begins with `parameters`.
    pub(super) fn expand(&self, immutable: &[u8; 512], parameters: &[u8]) -> Result<Zeroizing<[u8; 64]>, HeaderError> {
        let mut keys = Zeroizing::new([0; 64]);
        let info: [&[u8]; 4] = [b"evariste file slot v1", &[0], immutable, parameters];
        expand(&self.bytes[..self.len], &info, &mut keys[..])?;
        Ok(keys)
    }
}

/// By which a key file's slots are found.
pub(super) fn key_file_id(bytes: &[u8]) -> Result<[u8; 16], HeaderError> {
    Suite::of(bytes).map_err(|_| HeaderError::KeyFileLength)?;
    let mut id = [0; 16];
    expand(bytes, &[b"evariste key file id v1"], &mut id)?;
    Ok(id)
}

fn expand(prk: &[u8], info: &[&[u8]], out: &mut [u8]) -> Result<(), HeaderError> {
    hkdf_expand(prk, info, out).map_err(|_| HeaderError::KeyFileLength)
}

fn argon2id(passphrase: &[u8], salt: &[u8; 32], cost: Cost) -> Result<Prk, HeaderError> {
    let params = Params::new(cost.memory, cost.passes, cost.lanes, Some(32)).map_err(|_| HeaderError::Cost)?;
    // Argon2's own vector is not wiped, and one that cannot be had would abort.
    let mut blocks = Vec::new();
    blocks.try_reserve_exact(params.block_count()).map_err(|_| HeaderError::Memory)?;
    blocks.resize(params.block_count(), Block::default());
    let mut prk = Prk { bytes: Zeroizing::new([0; 32]), len: 32 };
    let done = Argon2::new(Algorithm::Argon2id, Version::V0x13, params).hash_password_into_with_memory(
        passphrase,
        salt,
        &mut prk.bytes[..],
        &mut blocks,
    );
    blocks.iter_mut().for_each(Zeroize::zeroize);
    done.map(|()| prk).map_err(|_| HeaderError::Cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_have_limits() {
        for (memory, passes, lanes) in [(8, 1, 1), (128, 64, 16), (1 << 20, 16, 16), (1 << 18, 64, 1)] {
            let cost = Cost::new(memory, passes, lanes).unwrap();
            assert_eq!((cost.memory(), cost.passes(), cost.lanes()), (memory, passes, lanes));
        }
        for (memory, passes, lanes) in [
            (7, 1, 1),
            (127, 1, 16),
            ((1 << 20) + 1, 1, 1),
            (8, 0, 1),
            (8, 65, 1),
            (8, 1, 0),
            (136, 1, 17),
            (u32::MAX, u32::MAX, u32::MAX),
        ] {
            assert_eq!(Cost::new(memory, passes, lanes), Err(HeaderError::Cost), "{memory} {passes} {lanes}");
        }
        assert_eq!(Cost::new(1 << 20, 17, 1), Err(HeaderError::TooMuch));
        let Cost { memory, passes, lanes } = Cost::default();
        assert_eq!(Cost::new(memory, passes, lanes), Ok(Cost::default()));
    }

    #[test]
    fn key_files_have_two_lengths() {
        for len in 0..70 {
            let bytes = vec![1; len];
            assert_eq!(key_file_id(&bytes).is_ok(), len == 16 || len == 32);
            assert_eq!(Secret::KeyFile(&bytes).prk(Cost::default(), &[0; 32]).is_ok(), len == 16 || len == 32);
        }
    }

    #[test]
    fn secrets_stay_out_of_debug() {
        assert_eq!(format!("{:?}", Secret::Passphrase(b"geheim")), "Passphrase(..)");
        assert_eq!(format!("{:?}", Secret::KeyFile(b"geheim")), "KeyFile(..)");
    }
}

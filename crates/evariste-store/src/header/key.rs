//! The key of the chunks.

use super::HeaderError;
use super::immutable::Immutable;
use crate::Suite;
use std::fmt;
use zeroize::Zeroizing;

/// The random key of one file's chunks, of 16 or 32 bytes by suite; wiped when dropped.
#[derive(Clone)]
pub struct DataKey {
    /// A key of 16 bytes is followed by zeros.
    bytes: Zeroizing<[u8; 32]>,
    suite: Suite,
    file_id: [u8; 16],
}

impl DataKey {
    /// The key, for [`Writer`](crate::Writer), [`Reader`](crate::Reader), [`Message`](crate::Message) and
    /// [`SeekReader`](crate::SeekReader), with [`Header::context`](super::Header::context).
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..len(self.suite)]
    }

    pub(super) fn random(suite: Suite, file_id: [u8; 16]) -> Result<Self, HeaderError> {
        let mut bytes = Zeroizing::new([0; 32]);
        getrandom::fill(&mut bytes[..len(suite)]).map_err(|_| HeaderError::Random)?;
        Ok(Self { bytes, suite, file_id })
    }

    /// The key that was wrapped in these bytes, if they can be one of this suite.
    pub(super) fn unwrapped(bytes: Zeroizing<[u8; 32]>, of: &Immutable) -> Option<Self> {
        let padding = bytes[len(of.suite())..].iter().fold(0, |all, b| all | b);
        (padding == 0).then_some(Self { bytes, suite: of.suite(), file_id: of.file_id() })
    }

    /// What a slot wraps.
    pub(super) fn padded(&self) -> &[u8; 32] {
        &self.bytes
    }

    pub(super) fn belongs_to(&self, immutable: &Immutable) -> bool {
        self.suite == immutable.suite() && self.file_id == immutable.file_id()
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataKey").field("suite", &self.suite).finish_non_exhaustive()
    }
}

fn len(suite: Suite) -> usize {
    match suite {
        Suite::Cobblestone128 => 16,
        Suite::Cobblestone256 => 32,
    }
}

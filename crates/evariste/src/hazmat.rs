//! What can hurt: text handed out before it is known to be authentic.
//!
//! A program that acts on such text, or only shows it, lets an attacker learn from how it reacts. Use
//! the openers only where the output is held back until [`GcmOpener::finish`] has succeeded, and
//! discarded where it has not.
//!
//! ```
//! use evariste::{Aead, Gcm, hazmat::GcmOpener};
//!
//! let gcm = Gcm::new(&[7; 16])?;
//! let mut data = *b"held back";
//! let tag = gcm.seal(&[0; 12], b"", &mut data)?;
//! let mut opener = GcmOpener::from(gcm.stream(&[0; 12])?);
//! opener.update((&mut data[..4]).into())?;
//! opener.update((&mut data[4..]).into())?;
//! opener.finish(&tag)?;
//! assert_eq!(&data, b"held back");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::ccm::CcmOpener;
pub use crate::gcm::{GcmOpener, GcmPieces};

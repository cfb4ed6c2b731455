//! XAES-256-GCM, whose type is the same.

use super::authenticated::{authenticated, key_init};
use crate::xaes::Xaes256Gcm;
use aead_05::consts::{U16, U24, U32};

key_init!([] Xaes256Gcm, U32);
authenticated!([] Xaes256Gcm, U24, U16);

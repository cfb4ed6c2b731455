//! Implementations, each behind the same call.

mod botan;
mod built;
mod evariste;
mod foreign;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod graviola;
mod in_c;
mod later;
mod libgcrypt;
mod libraries;
mod mbedtls;
mod nettle;
mod openssl;
#[cfg(not(all(target_arch = "powerpc64", target_endian = "big")))]
mod ring_api;
mod rustcrypto;
mod sodium;

use crate::algorithm::{Algorithm, Direction};
use crate::case::{Case, Message};
use ::evariste::Backend;
use clap::ValueEnum;
pub(crate) use libraries::Libraries;

/// Does all messages of a case.
pub(crate) type Run = Box<dyn FnMut(&mut Case)>;

/// Makes a key; false when that failed.
pub(crate) type Make<'a> = Box<dyn FnMut() -> bool + 'a>;

/// How a key comes to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Making {
    /// A new one, which is dropped again.
    New,
    /// In the place of another.
    InPlace,
}

/// An implementation with its key made, ready to be timed.
pub(crate) struct Peer {
    pub(crate) name: String,
    /// The longest text it can do.
    pub(crate) longest: usize,
    pub(crate) run: Run,
}

/// An implementation of some of the algorithms.
pub(crate) trait Library {
    /// As in the tables.
    fn name(&self) -> String;

    /// With the algorithm's key made; none when it does not have the algorithm.
    fn run(&self, algorithm: Algorithm, direction: Direction) -> Option<Run>;

    /// The longest text it can do with the algorithm.
    fn longest(&self, _: Algorithm) -> usize {
        usize::MAX
    }

    /// Makes the algorithm's key once, each time it is called; none when it cannot be made so.
    fn key(&self, algorithm: Algorithm, making: Making) -> Option<Make<'_>> {
        let direction = algorithm.directions()[0];
        let can = making == Making::New && self.run(algorithm, direction).is_some();
        can.then(|| Box::new(move || self.run(algorithm, direction).is_some()) as Make<'_>)
    }
}

/// What every output is compared with.
pub(crate) fn reference(algorithm: Algorithm, direction: Direction) -> Option<Run> {
    let backend = Backend::by_name("portable")?;
    evariste::Evariste { name: String::new(), backend }.run(algorithm, direction)
}

/// Whether the second is the first, with or without a version, or the rest of one, behind it.
fn names(name: &str, library: &str) -> bool {
    library.strip_prefix(name).is_some_and(|rest| {
        let version = rest.strip_prefix('-').unwrap_or_default();
        rest.is_empty() || rest.starts_with('.') || version.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// The loop over the messages, compiled for each implementation: the call that is measured may be
/// inlined, as in a caller's program.
fn run(mut message: impl FnMut(Message<'_>) -> bool + 'static) -> Option<Run> {
    Some(Box::new(move |case| case.each(&mut message)))
}

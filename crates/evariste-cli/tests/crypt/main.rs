//! `evariste keygen`, `encrypt`, `decrypt`, `cat`, `verify`, `passwd` and `inspect`, run as a user runs them.

mod arguments;
mod damage;
mod inspect;
mod passphrase;
mod passwd;
mod program;
mod range;
mod readme;
mod round_trip;
#[cfg(unix)]
mod tree;
#[cfg(unix)]
mod unix;
mod verify;

//! `evariste keygen`, `encrypt`, `decrypt` and `inspect`, run as a user runs them.

mod arguments;
mod damage;
mod inspect;
mod program;
mod round_trip;
#[cfg(unix)]
mod unix;

//! `evariste keygen`, `encrypt`, `decrypt`, `passwd` and `inspect`, run as a user runs them.

mod arguments;
mod damage;
mod inspect;
mod passwd;
mod program;
mod round_trip;
#[cfg(unix)]
mod unix;

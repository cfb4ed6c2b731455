//! `evariste keygen`, `encrypt` and `decrypt`, run as a user runs them.

mod arguments;
mod damage;
mod program;
mod round_trip;
#[cfg(unix)]
mod unix;

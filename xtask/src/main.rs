//! The checks that cargo does not do.
fn main() {}

//! `cargo xtask asm`: what the compiler made of the kernels.

mod machine;

use anyhow::Result;

pub(crate) fn run() -> Result<()> {
    machine::run()
}

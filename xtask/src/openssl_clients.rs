//! `cargo xtask openssl-clients`: programs of other OpenSSLs than the one that CI tries, on our provider.

use crate::subject::{cargo, workspace};
use anyhow::{Context, Result, ensure};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Releases of Debian
    #[arg(value_name = "SUITE", default_values = ["sid", "experimental"])]
    suites: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    for suite in &args.suites {
        println!("OpenSSL of {suite}");
        let mut cargo = cargo();
        cargo.current_dir(workspace()).args(["test", "--quiet", "--manifest-path", "integration/Cargo.toml"]);
        cargo.args(["--package", "evariste-openssl-tests", "later"]).env("EVARISTE_TEST_OPENSSL", suite);
        ensure!(cargo.status().context("cargo")?.success(), "tests with the OpenSSL of {suite} failed");
    }
    Ok(())
}

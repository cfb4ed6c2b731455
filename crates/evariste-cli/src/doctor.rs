//! `evariste doctor`: whether programs of this machine use evariste.

mod nss;
mod openssl;

use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;

/// Say whether programs here use evariste, why not, and how to change that
///
/// The exit code is 0 if they do, 1 if not.
#[derive(clap::Args)]
#[command(after_help = "Example: evariste doctor openssl")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Openssl(openssl::Args),
    Nss(nss::Args),
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    match args.what {
        What::Openssl(args) => openssl::run(args),
        What::Nss(args) => nss::run(args),
    }
}

/// For a shell.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._+-@%:,".contains(c);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted() {
        assert_eq!(quoted(Path::new("/usr/lib/x86_64-linux-gnu/evariste.so")), "/usr/lib/x86_64-linux-gnu/evariste.so");
        assert_eq!(quoted(Path::new("/a b/it's")), "'/a b/it'\\''s'");
    }
}

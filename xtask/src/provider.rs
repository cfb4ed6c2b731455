//! `cargo xtask install-provider`: evariste in OpenSSL.

use crate::capi::install::copy;
use crate::subject::{cargo, target_dir, workspace};
use crate::targets::output;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Put the module to PREFIX/lib/ossl-modules instead of where the system's OpenSSL looks for modules
    #[arg(long)]
    prefix: Option<PathBuf>,

    /// The program whose OpenSSL is asked where it looks
    #[arg(long, default_value = "openssl")]
    openssl: PathBuf,

    /// Another system or CPU, in Rust's name for it
    #[arg(long, requires = "prefix")]
    target: Option<String>,

    /// Remove what an installation with the same arguments has put there
    #[arg(long)]
    uninstall: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let (dir, is_default) = match &args.prefix {
        Some(prefix) => (std::path::absolute(prefix)?.join("lib/ossl-modules"), false),
        None => (modules(&output(Command::new(&args.openssl).args(["version", "-m"]))?)?, true),
    };
    let module = dir.join(format!("evariste{}", std::env::consts::DLL_SUFFIX));
    if args.uninstall {
        match std::fs::remove_file(&module) {
            Ok(()) => println!("removed {}", module.display()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => println!("{} is not there", module.display()),
            Err(error) => return Err(error).with_context(|| module.display().to_string()),
        }
        println!("Take its lines out of openssl.cnf, too, or programs that read it fail.");
        return Ok(());
    }
    copy(&build(args.target.as_deref())?, &module)?;
    print!("{}", instructions(&module, is_default));
    Ok(())
}

/// Where OpenSSL looks for modules, of what `openssl version -m` prints.
fn modules(printed: &str) -> Result<PathBuf> {
    let dir = printed.lines().find_map(|line| line.strip_prefix("MODULESDIR: "));
    let dir = dir.and_then(|dir| dir.trim().strip_prefix('"')?.strip_suffix('"'));
    Ok(dir.with_context(|| format!("not where modules are, as OpenSSL from 3.0 on says it: {printed}"))?.into())
}

fn build(target: Option<&str>) -> Result<PathBuf> {
    let mut cargo = cargo();
    cargo.current_dir(workspace()).args(["rustc", "--release", "-p", "evariste-openssl", "--lib"]);
    cargo.args(["--crate-type", "cdylib"]);
    let mut dir = target_dir()?;
    if let Some(target) = target {
        cargo.args(["--target", target]);
        dir.push(target);
    }
    cargo.arg("--target-dir").arg(target_dir()?).args(["--", "-C", "strip=symbols"]);
    output(&mut cargo)?;
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    Ok(dir.join("release").join(format!("{prefix}evariste_openssl{suffix}")))
}

/// What is left to do by hand.
fn instructions(module: &Path, is_default: bool) -> String {
    let (module, dir) = (module.display(), module.parent().unwrap_or(module).display().to_string());
    let path = if is_default { String::new() } else { format!("module = {module}\n") };
    let place = if is_default { String::new() } else { format!("-provider-path {dir} ") };
    format!(
        "{module}

To try it, with and without:
    openssl speed {place}-provider evariste -provider default -propquery provider=evariste -evp aes-128-gcm
    openssl speed -evp aes-128-gcm

To switch it on, these lines belong into openssl.cnf (`openssl version -d` says where that is), or into a file of their
own that OPENSSL_CONF names; sections that are there already get the lines that they lack:

openssl_conf = openssl_init

[openssl_init]
providers = provider_sect
alg_section = algorithm_sect

[provider_sect]
default = default_sect
evariste = evariste_sect

[default_sect]
activate = 1

[evariste_sect]
{path}activate = 1

[algorithm_sect]
default_properties = ?provider=evariste

To switch it off: take the lines of evariste_sect and algorithm_sect out again; then, to remove the file, the same
command with --uninstall.
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directory_of_modules() {
        let dir = modules("MODULESDIR: \"/usr/lib/x86_64-linux-gnu/ossl-modules\"\n").expect("is there");
        assert_eq!(dir, Path::new("/usr/lib/x86_64-linux-gnu/ossl-modules"));
        assert!(modules("").is_err() && modules("OpenSSL 1.1.1").is_err());
    }

    /// The example in the crate has the same lines.
    #[test]
    fn example() {
        let path = workspace().join("crates/evariste-openssl/examples/openssl.cnf");
        let example = std::fs::read_to_string(path).expect("openssl.cnf");
        let printed = instructions(Path::new("/x/evariste.so"), true);
        let lines = printed.lines().skip_while(|line| *line != "openssl_conf = openssl_init");
        let expected: Vec<_> =
            lines.take_while(|line| !line.starts_with("To ")).filter(|line| !line.is_empty()).collect();
        let given: Vec<_> = example.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        assert_eq!(given, expected);
        assert!(instructions(Path::new("/x/evariste.so"), false).contains("\nmodule = /x/evariste.so\nactivate = 1\n"));
    }
}

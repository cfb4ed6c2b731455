//! `cargo xtask install-nss`: a private directory of NSS's libraries with evariste-nss among them.

use crate::capi::install::copy;
use crate::subject::{cargo, target_dir, workspace};
use crate::targets::output;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory, which is made; programs that are to use it get it as LD_LIBRARY_PATH
    #[arg(long, value_name = "DIR")]
    into: PathBuf,

    /// Where NSS's libraries are, if not in a directory of the system
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Remove what an installation has put there, and the directory if nothing else is in it
    #[arg(long)]
    uninstall: bool,
}

/// NSS's own, as it is called behind ours; and ours.
const ORIGINAL: &str = "libfreeblpriv3-orig";
const OURS: &str = "libfreeblpriv3";
/// What goes along: libraries that find each other in one directory, with the signatures for FIPS beside them.
const LIBRARIES: [&str; 8] =
    ["libnss3", "libnssutil3", "libsmime3", "libssl3", "libsoftokn3", "libnssdbm3", "libfreebl3", "libnssckbi"];

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.uninstall {
        return uninstall(&args.into);
    }
    let from = args.from.clone().map_or_else(system, Ok)?;
    let into = std::path::absolute(&args.into)?;
    output(cargo().current_dir(workspace()).args(["build", "--release", "-p", "evariste-nss"]))?;
    fs::create_dir_all(&into).with_context(|| into.display().to_string())?;
    for (name, file) in files() {
        let source = match name {
            OURS => target_dir()?.join("release/libevariste_nss.so"),
            ORIGINAL => from.join(file.replace(ORIGINAL, OURS)),
            _ => from.join(&file),
        };
        if source.exists() {
            copy(&source, &into.join(&file))?;
        }
    }
    println!("{}: {} of {}", into.display(), version(&into)?, from.display());
    println!("our entries: {}", check(&into)?);
    println!(
        "\nTo use it:    LD_LIBRARY_PATH={0} PROGRAM\nTo remove it: cargo xtask install-nss --into {0} --uninstall",
        into.display()
    );
    Ok(())
}

/// Names, and the files that belong to them. Ours has no signature: it was not validated.
fn files() -> impl Iterator<Item = (&'static str, String)> {
    let theirs = LIBRARIES.into_iter().chain([ORIGINAL]);
    theirs
        .flat_map(|name| ["so", "chk"].map(|end| (name, format!("{name}.{end}"))))
        .chain([(OURS, format!("{OURS}.so"))])
}

fn uninstall(into: &Path) -> Result<()> {
    ensure!(into.join(ORIGINAL).with_extension("so").exists(), "{}: nothing was installed there", into.display());
    for (_, file) in files() {
        match fs::remove_file(into.join(&file)) {
            Ok(()) => println!("removed {file}"),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| file),
        }
    }
    if fs::read_dir(into)?.next().is_none() {
        fs::remove_dir(into)?;
    }
    Ok(())
}

/// Where the system has NSS's libraries.
fn system() -> Result<PathBuf> {
    let arch = match std::env::consts::ARCH {
        "powerpc64" if cfg!(target_endian = "little") => "powerpc64le",
        arch => arch,
    };
    let places = [format!("/usr/lib/{arch}-linux-gnu"), "/usr/lib64".into(), "/usr/lib".into()];
    let found = places.iter().map(Path::new).find(|place| place.join(OURS).with_extension("so").exists());
    found.map(Path::to_owned).context("no libfreeblpriv3.so; --from DIR says where NSS is")
}

/// What NSS says of itself.
fn version(into: &Path) -> Result<String> {
    let library = fs::read(into.join("libnss3.so")).context("libnss3.so")?;
    let at = library.windows(6).position(|bytes| bytes == b"NSS 3.").context("no version in libnss3.so")?;
    let text = library[at..].iter().take(20).take_while(|b| b.is_ascii_graphic() || **b == b' ').copied().collect();
    Ok(String::from_utf8(text)?.trim_end_matches([' ', '$']).to_owned())
}

/// Whether NSS takes ours, tried with a new database: the library makes its file of counters when it is loaded.
fn check(into: &Path) -> Result<&'static str> {
    let trial = trial_directory()?;
    let counters = trial.join("counters");
    let database = format!("sql:{}", trial.display());
    let mut certutil = Command::new("certutil");
    certutil.args(["-N", "--empty-password", "-d", &database]).env("LD_LIBRARY_PATH", into);
    let run = certutil.env("EVARISTE_NSS_COUNTERS", &counters).output();
    let is_active = counters.exists();
    fs::remove_dir_all(&trial)?;
    let Ok(run) = run else { return Ok("not tried, since there is no certutil (libnss3-tools)") };
    let said = String::from_utf8_lossy(&run.stderr);
    ensure!(run.status.success(), "certutil does not run on it: {said}");
    eprint!("{said}");
    Ok(if is_active { "active" } else { "NOT active" })
}

/// A new directory below target.
fn trial_directory() -> Result<PathBuf> {
    let path = target_dir()?.join(format!("nss-trial-{}", std::process::id()));
    fs::create_dir_all(&path)?;
    Ok(path)
}

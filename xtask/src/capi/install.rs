//! `cargo xtask install-capi`.
//!
//! Cargo makes shared libraries of its own, but not with versioned symbols: rustc has a version script already, and
//! linkers merge the two or refuse them. So the static library is linked here, first into one object of which only the
//! functions of the header can be seen, and that into the shared library.

use super::{exported, header, sources};
use crate::subject::{cargo, target_dir, workspace};
use crate::targets::output;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where the library is to be used: files go to PREFIX/lib and PREFIX/include
    #[arg(long, default_value = "/usr/local")]
    prefix: PathBuf,

    /// Where files go instead of /, for packages
    #[arg(long, value_name = "DIR")]
    destdir: Option<PathBuf>,

    /// Directory of libraries, as lib/x86_64-linux-gnu; relative to PREFIX
    #[arg(long, value_name = "DIR", default_value = "lib")]
    libdir: PathBuf,

    /// Another system or CPU of Linux, in Rust's name for it. The compiler is then what $CC names, or Debian's cross
    /// compiler, and binutils are that compiler's
    #[arg(long)]
    target: Option<String>,

    /// Remove what an installation with the same arguments has put there
    #[arg(long)]
    uninstall: bool,
}

/// The version: of the library, of the interface as in its soname, and of its symbols.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const DESCRIPTION: &str = "AES-GCM, CCM, GCM-SIV, XAES-256-GCM and CTR, fast and in constant time";
const SONAME: &str = concat!("libevariste.so.", env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"),);

pub(crate) fn run(args: &Args) -> Result<()> {
    let dirs = Directories::new(args)?;
    if args.uninstall {
        return dirs.uninstall();
    }
    let built = Built::new(args.target.as_deref())?;
    let files = dirs.install(&built)?;
    for file in &files {
        println!("{}", file.display());
    }
    let libdir = dirs.prefix.join(&dirs.libdir);
    if args.destdir.is_none() && args.target.is_none() {
        // Only the system's own directories are looked up so, and only root may say what is new in them.
        let known = Command::new("ldconfig").status().is_ok_and(|status| status.success());
        println!("\nldconfig: {}", if known { "done" } else { "NOT DONE, which a directory of the system needs" });
    }
    println!(
        "\nTo use it:   cc program.c $(pkg-config --cflags --libs evariste)\n\
         where pkg-config and the loader do not look into {0} by themselves:\n\
         \x20            export PKG_CONFIG_PATH={0}/pkgconfig LD_LIBRARY_PATH={0}\n\
         To remove it: the same command with --uninstall",
        libdir.display()
    );
    Ok(())
}

/// Installs to a folder, for a trial.
pub(super) fn install(prefix: &Path, target: Option<&str>) -> Result<()> {
    trial(prefix).install(&Built::new(target)?).map(drop)
}

/// Removes that.
pub(super) fn uninstall(prefix: &Path) -> Result<()> {
    trial(prefix).uninstall()
}

fn trial(prefix: &Path) -> Directories {
    Directories { destdir: PathBuf::new(), prefix: prefix.to_owned(), libdir: "lib".into() }
}

/// What stands in front of the names of compilers and binutils for a target, as Debian names them: without a vendor.
pub(super) fn tools(target: &str) -> String {
    target.replace("-unknown-", "-") + "-"
}

/// Where things go.
struct Directories {
    /// In front of all.
    destdir: PathBuf,
    prefix: PathBuf,
    libdir: PathBuf,
}

impl Directories {
    fn new(args: &Args) -> Result<Self> {
        let prefix = std::path::absolute(&args.prefix)?;
        ensure!(args.libdir.is_relative(), "--libdir is relative to the prefix");
        let destdir = args.destdir.as_deref().map(std::path::absolute).transpose()?.unwrap_or_default();
        Ok(Self { destdir, prefix, libdir: args.libdir.clone() })
    }

    /// A path below the prefix as it is on this machine now.
    fn below(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = self.prefix.join(path);
        match self.destdir.as_os_str().is_empty() {
            true => path,
            false => self.destdir.join(path.strip_prefix("/").unwrap_or(&path)),
        }
    }

    /// The header, the libraries, the links to the shared one, and what pkg-config reads.
    fn files(&self) -> [PathBuf; 6] {
        let library = |name: &str| self.below(self.libdir.join(name));
        [
            self.below("include/evariste.h"),
            library("libevariste.a"),
            library(&format!("libevariste.so.{VERSION}")),
            library(SONAME),
            library("libevariste.so"),
            library("pkgconfig/evariste.pc"),
        ]
    }

    fn install(&self, built: &Built) -> Result<[PathBuf; 6]> {
        let files = self.files();
        let [header, archive, shared, soname, link, pc] = &files;
        copy(&header::path(), header)?;
        copy(&built.archive, archive)?;
        copy(&built.shared, shared)?;
        symlink(&format!("libevariste.so.{VERSION}"), soname)?;
        symlink(SONAME, link)?;
        let text = built.dir.join("evariste.pc");
        std::fs::write(&text, self.pkg_config(&built.native))?;
        copy(&text, pc)?;
        Ok(files)
    }

    fn pkg_config(&self, native: &str) -> String {
        format!(
            "prefix={}\nlibdir=${{prefix}}/{}\nincludedir=${{prefix}}/include\n\n\
             Name: evariste\nDescription: {}\nVersion: {VERSION}\n\
             Cflags: -I${{includedir}}\nLibs: -L${{libdir}} -levariste\nLibs.private: {native}\n",
            self.prefix.display(),
            self.libdir.display(),
            DESCRIPTION,
        )
    }

    fn uninstall(&self) -> Result<()> {
        for file in self.files() {
            match std::fs::remove_file(&file) {
                Ok(()) => println!("removed {}", file.display()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error).with_context(|| file.display().to_string()),
            }
        }
        Ok(())
    }
}

/// What is installed, before it is.
struct Built {
    dir: PathBuf,
    archive: PathBuf,
    shared: PathBuf,
    /// What a program needs besides if it is linked with the static library.
    native: String,
}

impl Built {
    fn new(target: Option<&str>) -> Result<Self> {
        let (all, native) = compile(target)?;
        let dir = all.with_file_name("evariste-capi");
        std::fs::create_dir_all(&dir)?;
        let tools = Tools::new(target);
        let (object, archive, shared) = (dir.join("evariste.o"), dir.join("libevariste.a"), dir.join("libevariste.so"));
        let (list, map) = (dir.join("symbols"), sources().join("evariste.map"));
        std::fs::write(&list, symbols()?.join("\n"))?;

        let mut one = tools.compiler();
        one.args(["-r", "-nostdlib", "-Wl,--strip-debug,--gc-sections", "-o"]).arg(&object);
        one.args(symbols()?.iter().map(|symbol| format!("-Wl,-u,{symbol}"))).arg(&all);
        output(&mut one)?;
        let mut hide = tools.command("objcopy");
        // Rust's std brings LLVM's code along, seven megabytes, which LLVM's plugin for binutils then fails to read.
        hide.args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
        output(hide.arg(format!("--keep-global-symbols={}", list.display())).arg(&object))?;

        let _ = std::fs::remove_file(&archive);
        output(tools.command("ar").arg("rcs").arg(&archive).arg(&object))?;

        let mut link = tools.compiler();
        link.args(["-shared", "-Wl,--gc-sections,--strip-all,--as-needed,-z,relro,-z,now,-z,defs"]);
        link.arg(format!("-Wl,-soname,{SONAME}")).arg(format!("-Wl,--version-script,{}", map.display()));
        link.arg("-o").arg(&shared).arg(&object).args(native.split_whitespace());
        output(&mut link)?;
        Ok(Self { dir, archive, shared, native })
    }
}

/// What the header declares, after what the shared library exports: the same, as a test says.
fn symbols() -> Result<Vec<String>> {
    let map = std::fs::read_to_string(sources().join("evariste.map")).context("evariste.map")?;
    Ok(exported(&map))
}

/// Compiles the static library, and says where it is and what it needs.
fn compile(target: Option<&str>) -> Result<(PathBuf, String)> {
    let mut cargo = cargo();
    cargo.current_dir(workspace()).args(["rustc", "--release", "-p", "evariste-capi", "--lib"]);
    cargo.args(["--crate-type", "staticlib"]);
    let mut dir = target_dir()?;
    if let Some(target) = target {
        ensure!(
            target.contains("-linux-"),
            "the libraries are linked for Linux only: on other systems, link what\n{cargo:?}\nmakes"
        );
        cargo.args(["--target", target]);
        dir.push(target);
    }
    cargo.arg("--target-dir").arg(target_dir()?).args(["--", "--print", "native-static-libs"]);
    let done = cargo.output().context("cargo")?;
    let text = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "{cargo:?}\n{text}");
    let native = text.lines().find_map(|line| line.strip_prefix("note: native-static-libs: "));
    let native = native.with_context(|| format!("rustc does not say what the static library needs:\n{text}"))?;
    Ok((dir.join("release/libevariste_capi.a"), native.trim().to_owned()))
}

/// Compiler and binutils for a target.
struct Tools {
    compiler: String,
    /// In front of the names of binutils.
    prefix: String,
}

impl Tools {
    fn new(target: Option<&str>) -> Self {
        let prefix = target.map_or_else(String::new, tools);
        let compiler = std::env::var("CC").unwrap_or_else(|_| match target {
            Some(_) => format!("{prefix}gcc"),
            None => "cc".into(),
        });
        Self { compiler, prefix }
    }

    fn compiler(&self) -> Command {
        let mut words = self.compiler.split_whitespace();
        let mut compiler = Command::new(words.next().unwrap_or("cc"));
        compiler.args(words);
        compiler
    }

    fn command(&self, name: &str) -> Command {
        Command::new(format!("{}{name}", self.prefix))
    }
}

/// Whole or not at all: somebody may be running the file that is there.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let dir = to.parent().context("a file in a directory")?;
    std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    let new = to.with_extension("new");
    std::fs::copy(from, &new).with_context(|| new.display().to_string())?;
    std::fs::rename(&new, to).with_context(|| to.display().to_string())
}

fn symlink(to: &str, at: &Path) -> Result<()> {
    let _ = std::fs::remove_file(at);
    #[cfg(unix)]
    std::os::unix::fs::symlink(to, at).with_context(|| at.display().to_string())?;
    #[cfg(not(unix))]
    anyhow::bail!("{}: the libraries are linked on Linux only, {to}", at.display());
    #[cfg(unix)]
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn directories(line: &str) -> Directories {
        Directories::new(&Line::parse_from(["x"].into_iter().chain(line.split_whitespace())).args).expect("absolute")
    }

    #[test]
    fn destdir_is_in_front_and_in_no_file() {
        let dirs = directories("--prefix /usr --destdir /tmp/package --libdir lib/x86_64-linux-gnu");
        let [header, .., pc] = dirs.files();
        assert_eq!(header, Path::new("/tmp/package/usr/include/evariste.h"));
        assert_eq!(pc, Path::new("/tmp/package/usr/lib/x86_64-linux-gnu/pkgconfig/evariste.pc"));
        assert!(dirs.pkg_config("-lc").starts_with("prefix=/usr\nlibdir=${prefix}/lib/x86_64-linux-gnu\n"));
        assert_eq!(directories("").files()[1], Path::new("/usr/local/lib/libevariste.a"));
    }

    #[test]
    fn the_soname_has_what_a_break_changes() {
        assert!(VERSION.starts_with(SONAME.trim_start_matches("libevariste.so.")));
    }
}

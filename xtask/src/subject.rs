//! The program that the checks look at.

use anyhow::{Context, Result, bail, ensure};
use iced_x86::Instruction;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SymbolKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Unoptimized.
    Debug,
    /// As the product is.
    Release,
}

/// Builds it, with line numbers, and says where it is.
pub(crate) fn build(profile: Profile) -> Result<PathBuf> {
    let mut cargo = cargo();
    cargo.current_dir(workspace()).args(["build", "--quiet", "--package", "subject"]);
    match profile {
        Profile::Debug => cargo.args(["--config", "profile.dev.package.evariste.opt-level=0"]),
        Profile::Release => cargo.args(["--release", "--config", "profile.release.debug=\"line-tables-only\""]),
    };
    ensure!(cargo.status().context("cargo")?.success(), "cannot build xtask/subject");
    Ok(target_dir()?.join(if profile == Profile::Release { "release" } else { "debug" }).join("subject"))
}

/// The cargo that this was started by.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Where cargo puts what it builds.
pub(crate) fn target_dir() -> Result<PathBuf> {
    // This program is target/PROFILE/xtask.
    let this = std::env::current_exe()?;
    Ok(this.ancestors().nth(2).context("where is the target directory?")?.to_owned())
}

/// The root of the workspace.
pub(crate) fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Machine code with its names.
pub(crate) struct Program {
    /// Functions by address.
    functions: BTreeMap<u64, Function>,
    /// Sections of constants: where, and what.
    constants: Vec<(u64, Vec<u8>)>,
    /// Addresses that the loader writes: where, and which, of those within the program.
    pointers: BTreeMap<u64, u64>,
}

/// One function.
pub(crate) struct Function {
    /// Its path, without the compiler's hash.
    pub(crate) name: String,
    /// Where its code is loaded, relative to the start of the program.
    pub(crate) address: u64,
    /// Its code.
    pub(crate) code: Vec<u8>,
}

impl Program {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        let file = object::File::parse(&*bytes)?;
        if file.architecture() != object::Architecture::X86_64 {
            bail!("{} is not for x86-64", path.display());
        }
        let mut functions = BTreeMap::new();
        for symbol in file.symbols().filter(|s| s.kind() == SymbolKind::Text && s.size() > 0) {
            let Some(section) = symbol.section_index() else { continue };
            let section = file.section_by_index(section)?;
            let Some(code) = section.data_range(symbol.address(), symbol.size())? else { continue };
            let name = format!("{:#}", rustc_demangle::demangle(symbol.name()?));
            functions.insert(symbol.address(), Function { name, address: symbol.address(), code: code.to_vec() });
        }
        let mut constants = Vec::new();
        for section in file.sections().filter(|s| s.kind() == object::SectionKind::ReadOnlyData) {
            constants.push((section.address(), section.data()?.to_vec()));
        }
        let relocations = file.dynamic_relocations().into_iter().flatten();
        let own = relocations.filter(|(_, r)| r.target() == RelocationTarget::Absolute);
        let pointers = own.map(|(at, r)| (at, r.addend() as u64)).collect();
        Ok(Self { functions, constants, pointers })
    }

    /// All functions, in the order of their addresses.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.values()
    }

    /// The function that `address` is in.
    pub(crate) fn function_at(&self, address: u64) -> Option<&Function> {
        let (_, f) = self.functions.range(..=address).next_back()?;
        (address - f.address < f.code.len() as u64).then_some(f)
    }

    /// The function that an instruction calls or jumps to, if that is within the program.
    pub(crate) fn callee(&self, i: &Instruction) -> Option<&Function> {
        let pointer = || self.pointers.get(&i.ip_rel_memory_address()).copied();
        self.function_at(if i.is_ip_rel_memory_operand() { pointer()? } else { i.near_branch_target() })
    }

    /// The 32-bit constant at `address`.
    pub(crate) fn constant(&self, address: u64) -> Option<i32> {
        self.constants.iter().find_map(|(start, bytes)| {
            let at = address.checked_sub(*start)?.try_into().ok()?;
            Some(i32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
        })
    }
}

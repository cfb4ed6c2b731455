//! LLVM's text for the core, before LLVM has done anything to it.
//!
//! At that point each function of the source is a function, calls are calls, whatever will be inlined, and each
//! `asm!` stands there once, with the values of `const` operands in its text and a list of all that it takes and
//! changes. Neither changes on the way to machine code. So this tells for any architecture, with nothing but
//! rustc, what can be reached from where and what each `asm!` declares.

use crate::cross::setup::{self, Std};
use crate::subject;
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The functions and constants of a crate.
#[derive(Debug, Default)]
pub(crate) struct Module {
    symbols: BTreeMap<String, Symbol>,
}

/// A function or a constant.
#[derive(Debug, Default)]
pub(crate) struct Symbol {
    /// Its path; as it is in the text, if that is no name of Rust's.
    pub(crate) name: String,
    /// Of what it calls or has the address of: names as they are in the text.
    mentions: BTreeSet<String>,
    /// The `asm!` in it, in order, but for those without text.
    pub(crate) blocks: Vec<Block>,
}

/// One `asm!`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    /// Its lines, with `$0` or `${0}` for operands.
    pub(crate) template: String,
    /// Its operands and what it changes, separated by commas.
    pub(crate) constraints: String,
}

impl Module {
    /// Of the core, for a target.
    pub(crate) fn of_core(triple: &str, std: &Std) -> Result<Self> {
        let dir = subject::target_dir()?.join("asm");
        let file = dir.join(triple).with_extension("ll");
        if !file.exists() {
            // Otherwise cargo might think that all is there.
            let _ = std::fs::remove_dir_all(dir.join(triple));
        }
        let mut cargo = subject::cargo();
        cargo.current_dir(subject::workspace()).args([
            "rustc",
            "--quiet",
            "--release",
            "--package",
            "evariste",
            "--lib",
        ]);
        cargo.args(["--target", triple, "--target-dir"]).arg(&dir);
        std.configure(&mut cargo, triple);
        cargo.arg("--").args(flags(&file));
        ensure!(cargo.status().context("cargo")?.success(), "cannot compile the core for {triple}");
        Self::read(&file)
    }

    /// Of a file of tests that needs nothing but std.
    pub(crate) fn of_tests(source: &Path, triple: &str, std: &Std) -> Result<Self> {
        let dir = subject::target_dir()?.join("asm");
        let (wrapper, file) = (dir.join("tests.rs"), dir.join(format!("tests-{triple}.ll")));
        std::fs::create_dir_all(&dir)?;
        // It is a module, not a crate.
        std::fs::write(&wrapper, format!("#[path = {source:?}]\nmod tests;\n"))?;
        let mut rustc = setup::rustc();
        rustc.args(["--edition", "2024", "--test", "--cap-lints", "allow", "--target", triple]);
        rustc.args(std.sysroot(triple).map(|sysroot| format!("--sysroot={}", sysroot.display())));
        setup::output(rustc.args(flags(&file)).arg(&wrapper))?;
        Self::read(&file)
    }

    fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        Self::parse(&text).with_context(|| file.display().to_string())
    }

    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut symbols = BTreeMap::<String, Symbol>::new();
        let mut function = None;
        for line in text.lines().filter(|line| !line.trim_start().starts_with(';')) {
            ensure!(!line.starts_with("module asm"), "assembly outside of functions: {line}");
            let mut mentions = mentions(line).map(str::to_owned);
            if line == "}" {
                function = None;
            } else if line.starts_with("define ") || line.starts_with('@') {
                let key = mentions.next().with_context(|| format!("no name in {line}"))?;
                let name = format!("{:#}", rustc_demangle::demangle(&key));
                let symbol = Symbol { name, mentions: mentions.collect(), blocks: Vec::new() };
                function = line.starts_with("define ").then(|| key.clone());
                symbols.insert(key, symbol);
            } else if let Some(symbol) = function.as_ref().and_then(|key| symbols.get_mut(key)) {
                symbol.mentions.extend(mentions);
                symbol.blocks.extend(block(line)?.filter(|block| !block.template.is_empty()));
            }
        }
        ensure!(!symbols.is_empty(), "nothing is in it");
        Ok(Self { symbols })
    }

    /// All functions and constants.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        self.symbols.values()
    }

    /// All that can be reached from these, themselves included, each with the one that it was reached from.
    pub(crate) fn reachable(&self, from: impl Fn(&Symbol) -> bool) -> Vec<(&Symbol, Option<&Symbol>)> {
        let roots = self.symbols.iter().filter(|(_, symbol)| from(symbol));
        let mut reached: Vec<_> = roots.clone().map(|(_, symbol)| (symbol, None)).collect();
        let mut seen: BTreeSet<_> = roots.map(|(key, _)| &**key).collect();
        let mut next = 0;
        while let Some((symbol, _)) = reached.get(next).copied() {
            next += 1;
            for key in &symbol.mentions {
                // What is not here is of another crate, which knows nothing of this one.
                if let Some(mentioned) = self.symbols.get(key).filter(|_| seen.insert(key)) {
                    reached.push((mentioned, Some(symbol)));
                }
            }
        }
        reached
    }
}

/// What rustc is told: names with all types in them, and no pass of LLVM.
fn flags(file: &Path) -> [String; 5] {
    let emit = format!("--emit=llvm-ir={}", file.display());
    let codegen = ["symbol-mangling-version=v0", "no-prepopulate-passes", "codegen-units=1", "opt-level=0"];
    let [a, b, c, d] = codegen.map(|flag| format!("-C{flag}"));
    [a, b, c, d, emit]
}

/// The names after `@`, but not in strings.
fn mentions(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find(['@', '"'])?;
            let (found, after) = (rest.as_bytes()[at], &rest[at + 1..]);
            if found == b'"' {
                rest = after.split_once('"')?.1;
                continue;
            }
            let quoted = after.strip_prefix('"').and_then(|quoted| quoted.split_once('"'));
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && !"_.$-".contains(c)).unwrap_or(after.len());
            let (name, later) = quoted.unwrap_or(after.split_at(end));
            rest = later;
            return Some(name);
        }
    })
}

/// The `asm!` that a line calls.
fn block(line: &str) -> Result<Option<Block>> {
    let Some((_, call)) = line.split_once(" asm ") else { return Ok(None) };
    let [flags, template, ", ", constraints, _] = call.splitn(5, '"').collect::<Vec<_>>()[..] else {
        bail!("not understood: {line}")
    };
    let known = ["sideeffect", "alignstack", "inteldialect", "unwind"];
    ensure!(flags.split_whitespace().all(|flag| known.contains(&flag)), "not understood: {line}");
    Ok(Some(Block { template: unescape(template)?, constraints: constraints.to_owned() }))
}

/// `\0A` is a character by its number.
fn unescape(text: &str) -> Result<String> {
    let mut parts = text.split('\\');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        plain.push(number.with_context(|| format!("not understood: \\{part}"))?.into());
        plain += &part[2..];
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
; ModuleID = '@not this'
source_filename = "@nor this"
@table = constant <{ ptr, [5 x i8] }> <{ ptr @"odd name", [5 x i8] c"@none" }>, align 8
define void @top(ptr %p) unnamed_addr #2 personality ptr @rust_eh_personality {
start:
  call void @middle(ptr @table), !dbg !5
  ret void
}
define internal void @middle(ptr %p) {
; call @bottom
  %1 = call { i64 } asm sideeffect "addi ${0},${0},16\0A", "=&b,0,~{memory}"(i64 %x) #9, !srcloc !1
  call void asm sideeffect "", "r,~{memory}"(ptr %p)
  ret void
}
define void @"odd name"() {
  ret void
}
define void @bottom() {
  ret void
}
"#;

    #[test]
    fn what_is_mentioned_is_reached() {
        let module = Module::parse(TEXT).unwrap();
        let reached = module.reachable(|symbol| symbol.name == "top");
        let names = reached.iter().map(|(symbol, from)| (&*symbol.name, from.map_or("", |from| &from.name)));
        let expected = [("top", ""), ("middle", "top"), ("table", "top"), ("odd name", "table")];
        assert_eq!(names.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn blocks_are_read() {
        let module = Module::parse(TEXT).unwrap();
        let blocks: Vec<_> = module.symbols().flat_map(|symbol| &symbol.blocks).collect();
        let block = Block { template: "addi ${0},${0},16\n".into(), constraints: "=&b,0,~{memory}".into() };
        assert_eq!(blocks, [&block]);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(Module::parse("module asm \"nop\"\n").is_err());
        assert!(Module::parse("").is_err());
        assert!(block(r#"  call void asm faster "nop", ""()"#).is_err());
        assert!(block(r#"  call void asm "a\zz", ""()"#).is_err());
    }
}

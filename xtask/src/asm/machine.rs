//! The machine code of the kernels for x86-64.

mod code;
mod rules;

use crate::subject::{self, Function, Profile, Program};
use anyhow::{Result, ensure};
use code::{Code, Surroundings};
use iced_x86::{Formatter, Instruction, IntelFormatter};
use rules::{Findings, Half, TIERS, Tier};
use std::collections::BTreeMap;

/// Where the kernels' entry points are.
const KERNELS: &str = "evariste::backend::x86_64::";

/// Prints a line for each kernel, and returns what is wrong with them.
pub(super) fn violations() -> Result<Vec<String>> {
    let program = Program::read(&subject::build(Profile::Release)?)?;
    let mut rows = BTreeMap::<(&str, &str), Row>::new();
    let mut violations = Vec::new();
    for function in program.functions().filter(|f| f.name.contains("evariste::")) {
        let tier = tier_of(&function.name);
        let code = Code::new(function, &program);
        let found = rules::check(&function.name, &code, tier);
        if let Some((tier, _)) = tier {
            rows.entry((tier.path, operation_of(&function.name))).or_default().add(function, &found);
        }
        judge(&program, function, &code, &found, &mut violations);
    }
    for ((path, operation), row) in &rows {
        let most = rules::permitted_spills(path, operation);
        if row.spills > most {
            violations.push(format!("{path} {operation}: {} spills in a loop, {most} permitted", row.spills));
        }
    }
    print(&rows);
    ensure!(TIERS.iter().all(|t| rows.keys().any(|(path, _)| *path == t.path)), "a backend is not there at all");
    Ok(violations)
}

/// A line of the table: all instances of an entry point, and the function that chooses among them. What
/// two backends have in common to the last byte, the compiler may leave to one of them.
#[derive(Default)]
struct Row {
    entries: usize,
    bytes: usize,
    loops: usize,
    calls: usize,
    spills: usize,
}

impl Row {
    fn add(&mut self, function: &Function, found: &Findings) {
        self.entries += function.name.ends_with("::entry") as usize;
        self.bytes += function.code.len();
        self.loops += found.loops;
        self.calls += found.calls.len();
        self.spills = self.spills.max(found.spills.len());
    }
}

/// The tier that a function belongs to by its name, and the half.
fn tier_of(name: &str) -> Option<(&'static Tier, Half)> {
    let (_, path) = name.split_once(KERNELS)?;
    let (module, after) = path.split_once("::")?;
    let ty: String = after.chars().take_while(|c| c.is_alphanumeric()).collect();
    // Its functions for single instructions and blocks are in files of their own.
    let ty = if module == "ssse3" { "Ssse3".to_owned() } else { ty };
    let half = match after {
        _ if after.contains(" as evariste::backend::Cipher>") => Half::Cipher,
        _ if after.contains(" as evariste::backend::Hash>") => Half::Hash,
        _ => Half::Both,
    };
    Some((TIERS.iter().find(|t| t.path == ty)?, half))
}

/// `seal` of `<… as evariste::backend::Imp>::seal::entry`.
fn operation_of(name: &str) -> &str {
    name.split_once(">::").map_or(name, |(_, after)| after).trim_end_matches("::entry")
}

/// All violations but spills, which are counted by operation.
fn judge(program: &Program, function: &Function, code: &Code, found: &Findings, violations: &mut Vec<String>) {
    let mut add = |addresses: &[u64], what: &str| {
        if let [first, others @ ..] = addresses {
            let text = code.instructions.iter().find(|i| i.ip() == *first).map(|i| text(program, i));
            let (text, at) = (text.unwrap_or_default(), first - function.address);
            let others = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
            violations.push(format!("{}+{at:#x}: {what}: {text}{others}", function.name));
        }
    };
    add(&found.calls, "call in a loop");
    add(&found.undeclared, "not declared");
    add(&found.variable_time, "time depends on the operands");
}

fn text(program: &Program, i: &Instruction) -> String {
    let mut text = String::new();
    IntelFormatter::new().format(i, &mut text);
    if let Some(f) = program.callee(i) {
        text += &format!(" ({})", f.name);
    }
    text
}

fn print(rows: &BTreeMap<(&str, &str), Row>) {
    println!("backend    operation       entries   bytes  loops  calls  spills in a loop");
    for tier in TIERS {
        for ((path, operation), r) in rows.iter().filter(|((path, _), r)| *path == tier.path && r.entries > 0) {
            let Row { entries, bytes, loops, calls, spills } = r;
            println!("{path:10} {operation:15} {entries:7} {bytes:7} {loops:6} {calls:6} {spills:7}");
        }
        let bytes: usize = rows.iter().filter(|((path, _), _)| *path == tier.path).map(|(_, r)| r.bytes).sum();
        println!("{:10} all {bytes:27}", tier.path);
    }
    println!("all backends {:29}", rows.values().map(|r| r.bytes).sum::<usize>());
}

impl Surroundings for Program {
    /// Panics do not.
    fn returns(&self, call: &Instruction) -> bool {
        const NEVER: &[&str] = &["core::panicking::", "core::slice::index::", "core::option::", "core::result::"];
        let name = self.callee(call).map_or("", |f| &f.name);
        !NEVER.iter().any(|never| name.starts_with(never))
    }

    fn constant(&self, address: u64) -> Option<i32> {
        Program::constant(self, address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_tier_and_operation() {
        let name = "<evariste::backend::x86_64::v512::Vaes512 as evariste::backend::Imp>::seal_long::entry";
        assert_eq!(tier_of(name).map(|(t, half)| (t.path, half)), Some(("Vaes512", Half::Both)));
        assert_eq!(operation_of(name), "seal_long");
        let half = |name| tier_of(name).map(|(_, half)| half);
        let name = |of| format!("<evariste::backend::x86_64::v128::AesNi as evariste::backend::{of}>::expand");
        assert_eq!((half(&name("Cipher")), half(&name("Hash"))), (Some(Half::Cipher), Some(Half::Hash)));
        assert!(tier_of("evariste::backend::x86_64::v512::window").is_none());
        let name = "evariste::backend::x86_64::ssse3::field::dot";
        assert_eq!(tier_of(name).map(|(t, half)| (t.path, half)), Some(("Ssse3", Half::Both)));
        assert!(tier_of("<evariste::backend::portable::Portable as evariste::backend::Imp>::seal").is_none());
    }
}

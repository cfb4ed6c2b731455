//! The assembly of the kernels for POWER: what it changes is declared, and it has only what its backend needs.

mod declared;
mod expression;
mod instructions;
mod registers;

use super::ir::{Module, Symbol};
use super::reach::implementation;
use crate::cross::setup::Std;
use crate::subject;
use crate::table::table;
use anyhow::{Result, ensure};
use declared::{Findings, check};
use instructions::{Isa, Unit};
use registers::ranges;
use std::collections::BTreeSet;

/// The backends, by what stands in their type's name.
const BACKENDS: [(&str, Isa); 3] = [("Power8>", Isa::V207), ("Power9>", Isa::V300), ("Power10>", Isa::V310)];

/// A leak planted in a test, which must be found here too: where, and what it changes.
const PLANTED: (&str, &str, &str) =
    ("crates/evariste/tests/canaries/powerpc64.rs", "a_planted_clobber_is_found", "r17 v23 vs19");

/// Prints a line for each kernel, and returns what is wrong with them.
pub(super) fn violations(module: &Module) -> Vec<String> {
    let (mut rows, mut violations) = (Vec::new(), Vec::new());
    for symbol in module.symbols() {
        for block in &symbol.blocks {
            let found = check(block);
            rows.push(row(symbol, &found));
            violations.extend(found.violations.iter().map(|what| format!("{}: {what}", symbol.name)));
        }
    }
    let head = ["kernel", "instructions", "changes", "declares besides"];
    println!("{}", table(&head, &rows));
    violations.extend(beyond_the_backend(module));
    violations
}

fn row(symbol: &Symbol, found: &Findings) -> [String; 4] {
    let name = symbol.name.trim_start_matches("evariste::backend::power::").to_owned();
    [name, found.instructions.to_string(), ranges(&found.written), ranges(&found.spare())]
}

/// Instructions that a backend reaches and does not declare in its line of the table of backends.
fn beyond_the_backend(module: &Module) -> Vec<String> {
    let mut violations = Vec::new();
    let mut look = |what: &str, is_root: &dyn Fn(&Symbol) -> bool, may: &dyn Fn(&Findings) -> bool| {
        let reached = module.reachable(is_root);
        if !reached.iter().any(|(symbol, _)| !symbol.blocks.is_empty()) {
            violations.push(format!("{what} has no assembly at all"));
        }
        for (symbol, _) in reached {
            if symbol.blocks.iter().any(|block| !may(&check(block))) {
                violations.push(format!("{what} reaches instructions that it does not declare, in {}", symbol.name));
            }
        }
    };
    for (backend, isa) in BACKENDS {
        let is_root = |symbol: &Symbol| implementation(&symbol.name).is_some_and(|i| i.backend.ends_with(backend));
        look(backend.trim_end_matches('>'), &is_root, &|found| found.isas.iter().all(|i| *i <= isa));
    }
    for (of, unit) in [("Cipher", Unit::Clmul), ("Hash", Unit::Aes)] {
        let is_root = |symbol: &Symbol| {
            implementation(&symbol.name)
                .is_some_and(|i| i.of == of && i.backend.starts_with("evariste::backend::power::"))
        };
        look(of, &is_root, &|found| !found.units.contains(&unit));
    }
    violations
}

/// The check can fail: what the test of canaries finds when it runs is found here without running it.
pub(super) fn planted_clobber_is_found(triple: &str, std: &Std) -> Result<()> {
    let (file, function, changed) = PLANTED;
    let module = Module::of_tests(&subject::workspace().join(file).canonicalize()?, triple, std)?;
    let planted = module.symbols().filter(|symbol| symbol.name.contains(function)).flat_map(|symbol| &symbol.blocks);
    let undeclared: BTreeSet<_> = planted.flat_map(|block| check(block).undeclared()).collect();
    let found = ranges(&undeclared);
    ensure!(found == changed, "of the planted clobber {changed}, \"{found}\" is found");
    Ok(())
}

//! What an `asm!` declares, beside what its instructions do.

use super::instructions::{Instruction, Isa, Place, Unit};
use super::registers::{Register, ranges};
use crate::asm::ir::Block;
use anyhow::{Result, ensure};
use std::collections::BTreeSet;

/// What was found in an `asm!`.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) instructions: usize,
    /// Registers that it names itself and changes.
    pub(crate) written: BTreeSet<Register>,
    /// Those that it says it changes.
    pub(crate) declared: BTreeSet<Register>,
    /// What it needs.
    pub(crate) isas: BTreeSet<Isa>,
    pub(crate) units: BTreeSet<Unit>,
    pub(crate) violations: Vec<String>,
}

/// An operand, as LLVM wants it.
#[derive(Debug)]
struct Operand {
    is_output: bool,
    /// It shares its register with no input.
    early: bool,
    /// Its register may be r0.
    may_be_r0: bool,
}

impl Findings {
    /// Registers changed and not declared.
    pub(crate) fn undeclared(&self) -> BTreeSet<Register> {
        self.written.difference(&self.declared).copied().collect()
    }

    /// Registers declared and not changed.
    pub(crate) fn spare(&self) -> BTreeSet<Register> {
        self.declared.difference(&self.written).copied().collect()
    }
}

/// Looks at all of a block.
pub(crate) fn check(block: &Block) -> Findings {
    let mut found = Findings::default();
    let operands = match operands(&block.constraints, &mut found.declared) {
        Ok(operands) => operands,
        Err(error) => {
            found.violations.push(format!("{error:#}"));
            return found;
        }
    };
    let mut instructions = Vec::new();
    for line in block.template.split(['\n', ';']) {
        match Instruction::parse(line) {
            Ok(instruction) => instructions.extend(instruction.map(|i| (line.trim(), i))),
            Err(error) => found.violations.push(format!("{error:#}")),
        }
    }
    found.instructions = instructions.len();
    let mut read = BTreeSet::new();
    for (line, instruction) in &instructions {
        let mut wrong = |what: &str| found.violations.push(format!("{line}: {what}"));
        for place in &instruction.writes {
            match place {
                Place::Register(register) => drop(found.written.insert(*register)),
                Place::Operand(n) => match operands.get(*n) {
                    Some(operand) if !operand.is_output => wrong("writes an input"),
                    Some(operand) if !operand.early && instructions.len() > 1 => {
                        wrong("writes an output that may share the register of an input");
                    }
                    Some(_) => {}
                    None => wrong("no such operand"),
                },
            }
        }
        for place in &instruction.reads {
            match place {
                Place::Register(register) => drop(read.insert(*register)),
                Place::Operand(n) if operands.get(*n).is_none() => wrong("no such operand"),
                Place::Operand(_) => {}
            }
        }
        let may_be_r0 = |place: &Place| match place {
            Place::Register(register) => *register == Register::General(0),
            Place::Operand(n) => operands.get(*n).is_some_and(|operand| operand.may_be_r0),
        };
        if instruction.addresses.iter().any(may_be_r0) {
            wrong("the address may be in r0, which stands for none");
        }
        found.isas.insert(instruction.isa);
        found.units.insert(instruction.unit);
    }
    let mut registers = |what: &str, registers: BTreeSet<Register>| {
        if !registers.is_empty() {
            found.violations.push(format!("{what}: {}", ranges(&registers)));
        }
    };
    registers("changed, not declared", found.written.difference(&found.declared).copied().collect());
    registers("read, never written", read.difference(&found.written).copied().collect());
    let spare = found.declared.difference(&found.written).copied();
    registers("saved for the caller, never written", spare.filter(|r| r.belongs_to_caller()).collect());
    found
}

/// The operands in LLVM's order, and the registers named among them.
fn operands(constraints: &str, declared: &mut BTreeSet<Register>) -> Result<Vec<Operand>> {
    let mut operands = Vec::new();
    for constraint in constraints.split(',').filter(|c| !c.is_empty()) {
        if let Some(clobber) = constraint.strip_prefix("~{").and_then(|c| c.strip_suffix('}')) {
            if clobber != "memory" {
                declared.insert(Register::named(clobber)?);
            }
            continue;
        }
        let output = constraint.strip_prefix('=');
        let early = output.and_then(|c| c.strip_prefix('&'));
        let class = early.or(output).unwrap_or(constraint);
        let name = class.strip_prefix('{').and_then(|c| c.strip_suffix('}'));
        if let Some(name) = name {
            let register = Register::named(name)?;
            ensure!(output.is_some(), "{name} as an input: this check does not know what becomes of it");
            declared.insert(register);
        }
        let tied = output.is_none() && class.parse::<usize>().is_ok();
        ensure!(name.is_some() || tied || ["r", "b"].contains(&class), "the constraint {constraint} is not known");
        operands.push(Operand { is_output: output.is_some(), early: early.is_some(), may_be_r0: class != "b" });
    }
    Ok(operands)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(template: &str, constraints: &str) -> Findings {
        check(&Block { template: template.into(), constraints: constraints.into() })
    }

    fn violations(template: &str, constraints: &str) -> Vec<String> {
        found(template, constraints).violations
    }

    /// A loop over blocks.
    const KERNEL: &str = "mtctr ${6}\nvxor 0+1,0+1,0+1 /* ${5} */\n2:\nlxvd2x 32+2,0,${0}\nvcipher 0,2,1\n\
                          xxlor 3,32+0,32+0\nstxvd2x 3,${0},${5}\naddi ${0},${0},16\nbdnz 2b\n.p2align 4";
    const DECLARED: &str = "=&b,=&{v0},=&{v1},={v2},={vs3},r,r,0,~{ctr},~{memory}";

    #[test]
    fn what_is_declared_is_not_found() {
        let found = found(KERNEL, DECLARED);
        assert_eq!(found.violations, Vec::<String>::new());
        assert_eq!((found.instructions, ranges(&found.written)), (8, "v0-2 vs3 ctr".into()));
        assert_eq!((found.isas, found.units), ([Isa::V207].into(), [Unit::Any, Unit::Aes].into()));
    }

    #[test]
    fn every_missing_clobber_is_found() {
        for (name, declaration) in
            [("v0", "=&{v0}"), ("v1", "=&{v1}"), ("v2", "={v2}"), ("vs3", "={vs3}"), ("ctr", "~{ctr}")]
        {
            // In the place of an output, or the numbers of the others would be wrong.
            let constraints = DECLARED.replace(declaration, if name == "ctr" { "~{cr0}" } else { "=&{v19}" });
            assert_eq!(violations(KERNEL, &constraints), [format!("changed, not declared: {name}")]);
            assert_eq!(ranges(&found(KERNEL, &constraints).undeclared()), name);
        }
        assert_eq!(violations("cmpwi $0,1", "r,~{ctr}"), ["changed, not declared: cr0"]);
        // The block that is planted in the test of canaries.
        let planted = found("li 17,0\nfmr 19,0\nvspltisb 23,0", "~{memory}");
        assert_eq!(ranges(&planted.undeclared()), "r17 v23 vs19");
    }

    #[test]
    fn inputs_may_not_be_written() {
        assert_eq!(violations("addi $0,$0,16", "b"), ["addi $0,$0,16: writes an input"]);
        assert_eq!(violations("addi $1,$0,16\naddi $1,$0,8", "b,=r").len(), 2);
        assert!(violations("addi $1,$0,16", "b,=r").is_empty(), "nothing is read after it");
        assert!(violations("addi $1,$0,16\naddi $1,$0,8", "b,=&r").is_empty());
        assert_eq!(violations("addi $2,$0,16", "b,=r"), ["addi $2,$0,16: no such operand"]);
    }

    #[test]
    fn addresses_may_not_be_in_r0() {
        let wrong = "the address may be in r0, which stands for none";
        assert_eq!(violations("lvx 1,$0,$1", "r,r,~{v1}"), [format!("lvx 1,$0,$1: {wrong}")]);
        assert_eq!(violations("lxvp 34,32($0)", "r,~{v2},~{v3}"), [format!("lxvp 34,32($0): {wrong}")]);
        assert!(violations("lvx 1,$0,$1\nlvx 1,0,$1", "b,r,~{v1}").is_empty());
    }

    #[test]
    fn other_mistakes_are_found() {
        assert_eq!(violations("vxor 1,2,2", "~{v1}"), ["read, never written: v2"]);
        assert_eq!(
            violations("vxor 1,1,1", "~{v1},~{v20},~{f14},~{v19}"),
            ["saved for the caller, never written: v20 vs14"]
        );
        for template in ["vfrob 1,1,1", "vxor 1,1", "vxor 32,1,1", "vxor x,1,1", ".byte 1", "b out", "lxvp 33,0($0)"] {
            assert!(!violations(template, "b,~{v1},~{v2},~{v3}").is_empty(), "{template}");
        }
        for constraints in ["{r3}", "i", "~{v32}", "=*m"] {
            assert!(!violations("", constraints).is_empty(), "{constraints}");
        }
    }
}

//! The `asm!` of the backends for aarch64: of one instruction each, on operands. No register is named, so none has
//! to be declared; what is written must be an output.

use super::ir::{Block, Module};
use anyhow::{Context, Result, bail, ensure};

/// Instructions that write their first operand and read the others.
const WRITE_FIRST: &[&str] = &["mov", "mrs", "pmull", "pmull2", "trn1", "trn2"];

/// Instructions that read all, or that write a system register.
const WRITE_NONE: &[&str] = &["msr"];

/// Prints how many there are, and returns what is wrong with them.
pub(super) fn violations(module: &Module) -> Vec<String> {
    let blocks = || module.symbols().flat_map(|symbol| symbol.blocks.iter().map(|block| (&symbol.name, block)));
    println!("asm! with text: {}", blocks().count());
    let wrong = blocks().filter_map(|(name, block)| Some(format!("{name}: {:#}", check(block).err()?)));
    wrong.collect()
}

fn check(block: &Block) -> Result<()> {
    let text = block.template.trim();
    check_instruction(text, &block.constraints).with_context(|| text.to_owned())
}

fn check_instruction(text: &str, constraints: &str) -> Result<()> {
    if text.starts_with("# ") && !text.contains('\n')
        || text.starts_with("/* ") && text.find("*/") == Some(text.len() - 2)
    {
        return Ok(());
    }
    ensure!(!text.contains(['\n', ';']), "more than one instruction: which output may share a register with an input?");
    let (mnemonic, operands) = text.split_once(' ').context("no operands")?;
    let writes_first = WRITE_FIRST.contains(&mnemonic);
    ensure!(writes_first || WRITE_NONE.contains(&mnemonic), "no such instruction in xtask/src/asm/aarch64.rs");
    let constraints: Vec<_> = constraints.split(',').collect();
    for (n, text) in operands.split(',').map(str::trim).enumerate() {
        let Some(operand) = text.strip_prefix("${") else {
            let system = ["mrs", "msr"].contains(&mnemonic) && text.contains('_');
            ensure!(system, "{text} is not an operand");
            continue;
        };
        let number = operand.split(['}', ':']).next().and_then(|number| number.parse::<usize>().ok());
        let constraint = number.and_then(|number| constraints.get(number)).context("no such operand")?;
        if n == 0 && writes_first && !constraint.starts_with('=') {
            bail!("writes an input");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_good(template: &str, constraints: &str) -> bool {
        check(&Block { template: template.into(), constraints: constraints.into() }).is_ok()
    }

    #[test]
    fn operands_are_fine() {
        assert!(is_good("pmull2 ${0}.1q, ${1}.2d, ${2}.2d", "=&w,w,w"));
        assert!(is_good("mov ${0:s}, ${1}.s[3]", "=&w,w"));
        assert!(is_good("msr s3_3_c4_c2_5, ${0}", "r,~{memory}"));
        assert!(is_good("/* ${0} */", "=&w,0") && is_good("# ${0}", "r,~{memory}"));
    }

    #[test]
    fn mistakes_are_found() {
        for (template, constraints) in [
            ("pmull2 ${1}.1q, ${0}.2d, ${2}.2d", "=&w,w,w"),
            ("pmull2 v3.1q, ${0}.2d, ${1}.2d", "w,w"),
            ("pmull2 ${0}.1q, v3.2d, ${1}.2d", "=w,w"),
            ("pmull2 ${0}.1q, ${1}.2d, ${2}.2d", "=&w,w"),
            ("mov ${0:s}, w1", "=&w"),
            ("mov ${0:s}, ${1}.s[3]\nmov ${1:s}, ${0}.s[3]", "=&w,w"),
            ("aese ${0}.16b, ${1}.16b", "=&w,w"),
            ("/* */ mov x1, ${0}", "r"),
            ("/* */ mov x1, ${0} */", "r"),
            ("# ${0}\nmov x1, ${0}", "r"),
        ] {
            assert!(!is_good(template, constraints), "{template}");
        }
    }
}

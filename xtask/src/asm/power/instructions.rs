//! What the instructions of the kernels for POWER read and write.

use super::expression::value;
use super::registers::Register;
use anyhow::{Context, Result, bail, ensure};

/// What a CPU must have for an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Isa {
    /// POWER8.
    V207,
    /// POWER9.
    V300,
    /// POWER10.
    V310,
}

/// Which half of a backend may have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    Any,
    Aes,
    Clmul,
}

/// Instructions that treat the same kinds of operands the same way, a letter each:
///
/// | | |
/// |---|---|
/// | `V` `v` | a vector register of 32, written, read |
/// | `X` `x` | one of all 64 |
/// | `P` | two of these, the first of even number, written |
/// | `F` `f` | a floating-point register: one of the lower 32 of these |
/// | `G` `g` | a general register |
/// | `a` | one that is an address, where the number 0 stands for none |
/// | `m` | an offset, and such a one in brackets |
/// | `i` `l` `c` | a number, a label, a bit of cr0 |
///
/// What else is written stands in the last place.
type Row = (Isa, Unit, &'static str, &'static str, &'static [Register]);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    (Isa::V207, Unit::Aes, "vcipher vcipherlast vncipher vncipherlast", "Vvv", &[]),
    (Isa::V207, Unit::Aes, "vsbox", "Vv", &[]),
    (Isa::V207, Unit::Clmul, "vpmsumd", "Vvv", &[]),
    (Isa::V207, Unit::Any, "vand vandc vor vorc vnor vxor veqv vaddubm vadduhm vadduwm vaddudm vadduqm", "Vvv", &[]),
    (Isa::V207, Unit::Any, "vperm vpermxor vsel", "Vvvv", &[]),
    (Isa::V207, Unit::Any, "vsldoi", "Vvvi", &[]),
    (Isa::V207, Unit::Any, "vspltb vsplth vspltw", "Vvi", &[]),
    (Isa::V207, Unit::Any, "vspltisb vspltish vspltisw", "Vi", &[]),
    (Isa::V207, Unit::Any, "xxland xxlandc xxlor xxlorc xxlnor xxlxor xxleqv", "Xxx", &[]),
    (Isa::V207, Unit::Any, "xxsel", "Xxxx", &[]),
    (Isa::V207, Unit::Any, "xxpermdi", "Xxxi", &[]),
    (Isa::V207, Unit::Any, "mtvsrd", "Xg", &[]),
    (Isa::V207, Unit::Any, "mfvsrd", "Gx", &[]),
    (Isa::V207, Unit::Any, "fmr", "Ff", &[]),
    (Isa::V207, Unit::Any, "lvx", "Vag", &[]),
    (Isa::V207, Unit::Any, "stvx", "vag", &[]),
    (Isa::V207, Unit::Any, "lxvd2x", "Xag", &[]),
    (Isa::V207, Unit::Any, "stxvd2x", "xag", &[]),
    (Isa::V300, Unit::Any, "lxvb16x", "Xag", &[]),
    (Isa::V300, Unit::Any, "stxvb16x", "xag", &[]),
    (Isa::V310, Unit::Any, "lxvp", "Pm", &[]),
    (Isa::V207, Unit::Any, "li", "Gi", &[]),
    (Isa::V207, Unit::Any, "addi", "Gai", &[]),
    (Isa::V207, Unit::Any, "add", "Ggg", &[]),
    (Isa::V207, Unit::Any, "ldbrx", "Gag", &[]),
    (Isa::V207, Unit::Any, "cmpwi cmplwi cmpdi cmpldi", "gi", &[Register::Cr(0)]),
    (Isa::V207, Unit::Any, "b blt ble beq bne bge bgt", "l", &[]),
    (Isa::V207, Unit::Any, "mtctr", "g", &[Register::Ctr]),
    (Isa::V207, Unit::Any, "bdnz bdz", "l", &[Register::Ctr]),
    (Isa::V207, Unit::Any, "bdnzt bdnzf bdzt bdzf", "cl", &[Register::Ctr]),
];

/// `xxeval`, as two words: the first, with the function of three bits, and the second but for its registers.
const XXEVAL: [i64; 2] = [0x05000000, 0x88000010];

/// A place where a register is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Register(Register),
    /// An operand of the `asm!`, by number.
    Operand(usize),
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) isa: Isa,
    pub(super) unit: Unit,
    pub(super) writes: Vec<Place>,
    pub(super) reads: Vec<Place>,
    /// Of those that are read: what is no register if it has the number 0.
    pub(super) addresses: Vec<Place>,
}

impl Instruction {
    /// From a line; none if there is nothing in it but a label, a comment or an alignment.
    pub(super) fn parse(line: &str) -> Result<Option<Self>> {
        let line = without_comments(line)?;
        let is_label = |(label, _): &(&str, &str)| !label.is_empty() && label.bytes().all(|b| b.is_ascii_digit());
        let text = line.trim();
        let text = text.split_once(':').filter(is_label).map_or(text, |(_, after)| after).trim();
        let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let operands: Vec<_> = operands.split(',').map(str::trim).collect();
        let instruction = match mnemonic {
            "" | ".p2align" => return Ok(None),
            ".long" => xxeval(&operands),
            _ => plain(mnemonic, &operands),
        };
        instruction.map(Some).with_context(|| text.to_owned())
    }
}

fn without_comments(line: &str) -> Result<String> {
    let mut parts = line.split("/*");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += part.split_once("*/").context("a comment without end")?.1;
    }
    Ok(text)
}

fn plain(mnemonic: &str, operands: &[&str]) -> Result<Instruction> {
    let row = TABLE.iter().find(|row| row.2.split(' ').any(|name| name == mnemonic));
    let (isa, unit, _, kinds, others) = row.context("no such instruction in the table of xtask/src/asm/power/")?;
    ensure!(kinds.len() == operands.len(), "{} operands, not {}", operands.len(), kinds.len());
    let writes = others.iter().map(|r| Place::Register(*r)).collect();
    let mut all = Instruction { isa: *isa, unit: *unit, writes, reads: Vec::new(), addresses: Vec::new() };
    for (kind, text) in kinds.chars().zip(operands) {
        match kind {
            'V' => all.writes.push(Place::Register(Register::vector(value(text)?)?)),
            'v' => all.reads.push(Place::Register(Register::vector(value(text)?)?)),
            'X' => all.writes.push(Place::Register(Register::vsx(value(text)?)?)),
            'x' => all.reads.push(Place::Register(Register::vsx(value(text)?)?)),
            'P' => {
                let first = value(text)?;
                ensure!(first % 2 == 0, "{first} is not even");
                for n in [first, first + 1] {
                    all.writes.push(Place::Register(Register::vsx(n)?));
                }
            }
            'F' => all.writes.push(Place::Register(Register::float(value(text)?)?)),
            'f' => all.reads.push(Place::Register(Register::float(value(text)?)?)),
            'G' => all.writes.push(general(text)?),
            'g' => all.reads.push(general(text)?),
            'a' => all.address(text)?,
            'm' => {
                let (offset, base) = text.strip_suffix(')').and_then(|t| t.rsplit_once('(')).context("no address")?;
                value(offset)?;
                all.address(base)?;
            }
            'i' => drop(value(text)?),
            'l' => {
                let number = text.strip_suffix(['b', 'f']).filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
                ensure!(number.is_some_and(|n| !n.is_empty()), "{text} is no local label");
            }
            'c' => ensure!(["lt", "gt", "eq", "so"].contains(text), "{text} is no bit of cr0"),
            _ => bail!("no kind {kind}"),
        }
    }
    Ok(all)
}

impl Instruction {
    fn address(&mut self, text: &str) -> Result<()> {
        if text != "0" {
            self.reads.push(general(text)?);
            self.addresses.push(general(text)?);
        }
        Ok(())
    }
}

/// `$3`, `${3}`, or the number of a register.
fn general(text: &str) -> Result<Place> {
    let Some(operand) = text.strip_prefix('$') else { return Ok(Place::Register(Register::general(value(text)?)?)) };
    let number = operand.strip_prefix('{').map_or(Some(operand), |operand| operand.strip_suffix('}'));
    let number = number.and_then(|n| n.parse().ok()).with_context(|| format!("{text} is no operand"))?;
    Ok(Place::Operand(number))
}

fn xxeval(words: &[&str]) -> Result<Instruction> {
    let [prefix, suffix] = words else { bail!("two words make xxeval, nothing else is known") };
    let (prefix, suffix) = (value(prefix)?, value(suffix)?);
    let register = |low: u32, high: u32| Register::vsx(suffix >> low & 31 | (suffix >> high & 1) << 5);
    let registers = 31 << 21 | 31 << 16 | 31 << 11 | 31 << 6 | 15;
    ensure!([prefix & !0xff, suffix & !registers] == XXEVAL, "not xxeval: {prefix:#x} {suffix:#x}");
    let reads = [register(16, 2)?, register(11, 1)?, register(6, 3)?].map(Place::Register).to_vec();
    let writes = vec![Place::Register(register(21, 0)?)];
    Ok(Instruction { isa: Isa::V310, unit: Unit::Any, writes, reads, addresses: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Option<Instruction> {
        Instruction::parse(line).unwrap()
    }

    fn registers(names: &[&str]) -> Vec<Place> {
        names.iter().map(|name| Place::Register(Register::named(name).unwrap())).collect()
    }

    #[test]
    fn lines_without_instructions_are_passed_over() {
        for line in ["", "  ", "3:", "/* $61 */", ".p2align 5", " 12: /* a */ /* b */ "] {
            assert_eq!(parse(line), None, "{line}");
        }
    }

    #[test]
    fn operands_are_read() {
        let i = parse("2: xxsel 32+0+3,10,11,3 /* count */").unwrap();
        assert_eq!((i.writes, i.reads), (registers(&["v3"]), registers(&["vs10", "vs11", "vs3"])));
        let i = parse("lxvp 32+20,32*7(${69})").unwrap();
        assert_eq!((i.isa, i.writes, i.addresses), (Isa::V310, registers(&["v20", "v21"]), vec![Place::Operand(69)]));
        let i = parse("stxvd2x 32+2,0,$3").unwrap();
        assert_eq!((i.writes, i.reads), (vec![], [registers(&["v2"]), vec![Place::Operand(3)]].concat()));
        assert_eq!(parse("bdnzt lt,3b").unwrap().writes, registers(&["ctr"]));
        assert_eq!(parse("cmpldi $1,4").unwrap().writes, registers(&["cr0"]));
    }

    #[test]
    fn xxeval_is_read_from_its_words() {
        let t = |[t, a, b, c]: [&str; 4]| {
            let low = |register: &str, by: u32| format!("+((({register})&31)<<{by})");
            let high = |register: &str, by: u32| format!("+((({register})>>5)<<{by})");
            let fields =
                [low(t, 21), high(t, 0), low(a, 16), high(a, 2), low(b, 11), high(b, 1), low(c, 6), high(c, 3)];
            parse(&format!(".long 0x05000069,0x88000010{}", fields.concat())).unwrap()
        };
        let i = t(["32+18", "14", "33+18", "5"]);
        assert_eq!((i.isa, i.writes, i.reads), (Isa::V310, registers(&["v18"]), registers(&["vs14", "v19", "vs5"])));
        assert_eq!(t(["13", "63", "0", "33"]).reads, registers(&["v31", "vs0", "v1"]));
        for words in ["0x05000069", "0x04000069,0x88000010", "0x05000069,0x88000000", "0x05000069,0x8c000010", "1,2,3"]
        {
            assert!(Instruction::parse(&format!(".long {words}")).is_err(), "{words}");
        }
    }

    #[test]
    fn no_instruction_stands_twice() {
        let mut names: Vec<_> = TABLE.iter().flat_map(|row| row.2.split(' ')).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

//! A function's instructions and the loops among them.

use crate::subject::Function;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, Register};
use std::collections::{BTreeMap, BTreeSet};

/// What surrounds a function.
pub(crate) trait Surroundings {
    /// Whether what this instruction calls comes back.
    fn returns(&self, call: &Instruction) -> bool;
    /// The 32-bit constant at this address.
    fn constant(&self, address: u64) -> Option<i32>;
}

/// A function, decoded.
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instruction>,
    /// Each loop with all that it encloses, as indices into `instructions`.
    pub(crate) loops: Vec<Vec<usize>>,
}

impl Code {
    pub(crate) fn new(function: &Function, around: &dyn Surroundings) -> Self {
        let instructions = decode(function);
        let blocks = Blocks::new(&instructions, around);
        let loops = blocks
            .cycles()
            .into_iter()
            .map(|blocks_in| blocks_in.into_iter().flat_map(|b| blocks.start[b]..blocks.start[b + 1]).collect());
        Self { loops: loops.collect(), instructions }
    }

    /// Whether rbp holds a stack address throughout.
    pub(crate) fn has_frame_pointer(&self) -> bool {
        self.instructions.iter().any(|i| {
            i.op0_register() == Register::RBP
                && (i.mnemonic() == Mnemonic::Mov && i.op1_register() == Register::RSP
                    || i.mnemonic() == Mnemonic::Lea && i.memory_base() == Register::RSP)
        })
    }
}

fn decode(function: &Function) -> Vec<Instruction> {
    Decoder::with_ip(64, &function.code, function.address, DecoderOptions::NONE).into_iter().collect()
}

/// Instructions that run one after the other, and which run after which.
struct Blocks {
    /// The first instruction of each, and the end of the last.
    start: Vec<usize>,
    next: Vec<Vec<usize>>,
}

impl Blocks {
    fn new(instructions: &[Instruction], around: &dyn Surroundings) -> Self {
        let index: BTreeMap<u64, usize> = instructions.iter().enumerate().map(|(n, i)| (i.ip(), n)).collect();
        let tables = tables(instructions, &index, around);
        // After the last instruction of a block: where it goes.
        let mut exits = BTreeMap::new();
        for (n, i) in instructions.iter().enumerate() {
            let target = index.get(&i.near_branch_target()).copied();
            let to = match i.flow_control() {
                FlowControl::ConditionalBranch => target.into_iter().chain([n + 1]).collect(),
                FlowControl::UnconditionalBranch => target.into_iter().collect(),
                FlowControl::IndirectBranch => tables.clone(),
                FlowControl::Return | FlowControl::Exception | FlowControl::Interrupt => Vec::new(),
                FlowControl::Call | FlowControl::IndirectCall if !around.returns(i) => Vec::new(),
                _ => continue,
            };
            exits.insert(n, to);
        }
        let targets = exits.values().flatten().copied().chain([0, instructions.len()]);
        let start: BTreeSet<usize> = targets.chain(exits.keys().map(|n| n + 1)).collect();
        let start: Vec<usize> = start.into_iter().filter(|n| *n <= instructions.len()).collect();
        let block = |n: usize| start.binary_search(&n).ok().filter(|b| b + 1 < start.len());
        let next = start.windows(2).map(|w| match exits.get(&(w[1] - 1)) {
            Some(to) => to.iter().filter_map(|n| block(*n)).collect(),
            None => block(w[1]).into_iter().collect(),
        });
        Self { next: next.collect(), start }
    }

    /// The sets of blocks that can all be reached from one another.
    fn cycles(&self) -> Vec<Vec<usize>> {
        let reach: Vec<Vec<bool>> = (0..self.next.len()).map(|b| self.reachable(b)).collect();
        let mut cycles = Vec::new();
        let mut seen = vec![false; reach.len()];
        for b in 0..reach.len() {
            if !seen[b] && reach[b][b] {
                let cycle: Vec<usize> = (b..reach.len()).filter(|c| reach[b][*c] && reach[*c][b]).collect();
                cycle.iter().for_each(|c| seen[*c] = true);
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// Which blocks can run after this one; itself only if it is in a loop.
    fn reachable(&self, from: usize) -> Vec<bool> {
        let mut reached = vec![false; self.next.len()];
        let mut todo = self.next[from].clone();
        while let Some(b) = todo.pop() {
            if !std::mem::replace(&mut reached[b], true) {
                todo.extend(&self.next[b]);
            }
        }
        reached
    }
}

/// Where indirect jumps may go: every entry of every jump table that the function has the address of. An
/// entry is the distance from the table's start; the first that leads nowhere ends a table.
fn tables(instructions: &[Instruction], index: &BTreeMap<u64, usize>, around: &dyn Surroundings) -> Vec<usize> {
    let starts = instructions.iter().filter(|i| i.mnemonic() == Mnemonic::Lea && i.is_ip_rel_memory_operand());
    starts
        .map(|i| i.ip_rel_memory_address())
        .flat_map(|table| {
            let entry = move |n| Some(table.wrapping_add_signed(around.constant(table + 4 * n)? as i64));
            (0u64..).map_while(entry).map_while(|address| index.get(&address).copied())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;
    impl Surroundings for Nothing {
        fn returns(&self, call: &Instruction) -> bool {
            call.near_branch_target() != 0x666
        }
        fn constant(&self, address: u64) -> Option<i32> {
            // A table of two at 0x1000: to 0x107 and to 0x100.
            [0x107 - 0x1000, 0x100 - 0x1000].get(usize::try_from(address.checked_sub(0x1000)? / 4).ok()?).copied()
        }
    }

    fn loops(code: &[u8]) -> Vec<Vec<usize>> {
        let f = Function { name: "f".into(), address: 0x100, code: code.to_vec() };
        Code::new(&f, &Nothing).loops
    }

    #[test]
    fn straight_code_has_no_loops() {
        // jne over a nop; ret
        assert!(loops(&[0x75, 0x01, 0x90, 0xc3]).is_empty());
    }

    #[test]
    fn backward_branches_make_loops() {
        // nop; nop; dec ecx; jne to the second nop; ret
        assert_eq!(loops(&[0x90, 0x90, 0xff, 0xc9, 0x75, 0xfb, 0xc3]), [[1, 2, 3]]);
        // Of two, one in the other, the whole: nop; dec; jne 1; dec; jne 0; ret
        assert_eq!(loops(&[0x90, 0xff, 0xc9, 0x75, 0xfc, 0xff, 0xc9, 0x75, 0xf7, 0xc3]), [[0, 1, 2, 3, 4]]);
    }

    #[test]
    fn what_does_not_come_back_is_in_no_loop() {
        // dec ecx; jne 0; call 0x666 or 0x667; jmp 0
        let code = |low| [0xff, 0xc9, 0x75, 0xfc, 0xe8, low, 0x05, 0, 0, 0xeb, 0xf5];
        assert_eq!(loops(&code(0x5d)), [[0, 1]]);
        assert_eq!(loops(&code(0x5e)), [[0, 1, 2, 3]]);
    }

    #[test]
    fn jump_tables_are_followed() {
        // lea rax, [rip + 0xef9] = 0x1000; jmp rcx; (no entry leads here) ret
        assert_eq!(loops(&[0x48, 0x8d, 0x05, 0xf9, 0x0e, 0, 0, 0xff, 0xe1, 0xc3]), [[0, 1]]);
    }
}

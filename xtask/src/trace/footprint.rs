//! Which memory an instruction touches.

use anyhow::{Context, Result, ensure};
use iced_x86::{Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Register, UsedMemory};
use nix::libc::user_regs_struct;

/// An instruction, with what it reads and writes.
pub(crate) struct Footprint {
    pub(crate) instruction: Instruction,
    memory: Vec<UsedMemory>,
}

impl Footprint {
    pub(crate) fn decode(code: &[u8], address: u64) -> Result<Self> {
        let instruction = Decoder::with_ip(64, code, address, DecoderOptions::NONE).decode();
        ensure!(!instruction.is_invalid(), "no instruction at {address:#x}");
        let memory = InstructionInfoFactory::new().info(&instruction).used_memory().to_vec();
        Ok(Self { instruction, memory })
    }

    /// The addresses, given the registers before the instruction.
    pub(crate) fn addresses(&self, registers: &user_regs_struct, into: &mut Vec<u64>) -> Result<()> {
        into.clear();
        for m in &self.memory {
            let address = m.virtual_address(0, |register, _, _| value(register, registers));
            into.push(address.with_context(|| format!("cannot tell the address of {m:?}"))?);
        }
        Ok(())
    }
}

/// What a register holds: those that addresses are made of, but not the vectors of a gather, which no
/// kernel should have.
fn value(register: Register, r: &user_regs_struct) -> Option<u64> {
    let full = match register.full_register() {
        Register::RAX => r.rax,
        Register::RBX => r.rbx,
        Register::RCX => r.rcx,
        Register::RDX => r.rdx,
        Register::RSI => r.rsi,
        Register::RDI => r.rdi,
        Register::RBP => r.rbp,
        Register::RSP => r.rsp,
        Register::R8 => r.r8,
        Register::R9 => r.r9,
        Register::R10 => r.r10,
        Register::R11 => r.r11,
        Register::R12 => r.r12,
        Register::R13 => r.r13,
        Register::R14 => r.r14,
        Register::R15 => r.r15,
        Register::FS => r.fs_base,
        Register::GS => r.gs_base,
        Register::CS | Register::DS | Register::ES | Register::SS => 0,
        _ => return None,
    };
    Some(if register.is_gpr32() { full & 0xffff_ffff } else { full })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(code: &[u8]) -> Result<Vec<u64>> {
        // SAFETY: plain numbers, for which zero is a value.
        let mut registers: user_regs_struct = unsafe { std::mem::zeroed() };
        (registers.rax, registers.rcx, registers.rsp, registers.rdi) = (0x10_0000_1000, 3, 0x8000, 0x2000);
        let mut addresses = Vec::new();
        Footprint::decode(code, 0x400)?.addresses(&registers, &mut addresses)?;
        Ok(addresses)
    }

    #[test]
    fn operands_have_addresses() {
        let of = |code: &[u8]| addresses(code).expect("an address");
        assert_eq!(of(&[0x0f, 0xb6, 0x44, 0x88, 0x07]), [0x10_0000_1013], "movzx eax, byte [rax + 4*rcx + 7]");
        assert_eq!(of(&[0x67, 0x8b, 0x00]), [0x1000], "mov eax, [eax]");
        assert_eq!(of(&[0x48, 0x8b, 0x05, 0x09, 0, 0, 0]), [0x410], "mov rax, [rip + 9]");
        assert_eq!(of(&[0x50]), [0x7ff8], "push rax");
        assert_eq!(of(&[0x62, 0xf1, 0x7c, 0x48, 0x10, 0x47, 0x01]), [0x2040], "vmovups zmm0, [rdi + 64]");
        assert_eq!(of(&[0x48, 0x31, 0xc0]), [0; 0], "xor rax, rax");
        assert!(of(&[0xf3, 0x48, 0xab]).contains(&0x2000), "rep stosq");
    }

    #[test]
    fn gathers_are_refused() {
        assert!(addresses(&[0xc4, 0xe2, 0x69, 0x90, 0x04, 0x08]).is_err(), "vpgatherdd xmm0, [rax + xmm1], xmm2");
        assert!(addresses(&[0x06]).is_err(), "not an instruction");
    }
}

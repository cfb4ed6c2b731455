//! A process under ptrace.

use anyhow::{Context, Result, bail, ensure};
use nix::libc::user_regs_struct;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::personality::{self, Persona};
use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// The CPUs that this process may use.
pub(crate) fn cpus() -> Result<Vec<usize>> {
    let set = sched_getaffinity(Pid::from_raw(0))?;
    Ok((0..CpuSet::count()).filter(|&cpu| set.is_set(cpu).unwrap_or(false)).collect())
}

/// Keeps this thread and the processes that it starts on a CPU: to hand over to another one takes twice as long.
pub(crate) fn stay_on(cpu: usize) -> Result<()> {
    let mut set = CpuSet::new();
    set.set(cpu)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// A stopped process.
pub(crate) struct Process {
    child: Child,
    pid: Pid,
    memory: File,
}

impl Process {
    /// Starts `command` with an empty environment and without randomized addresses, and stops before its
    /// first instruction.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let stop = || {
            let persona = personality::get()? | Persona::ADDR_NO_RANDOMIZE;
            personality::set(persona)?;
            ptrace::traceme()?;
            Ok(())
        };
        // SAFETY: between fork and exec it makes three system calls and nothing else.
        unsafe { command.env_clear().pre_exec(stop) };
        let child = command.spawn().context("ptrace, which containers may forbid")?;
        let pid = Pid::from_raw(child.id() as i32);
        ensure!(matches!(waitpid(pid, None)?, WaitStatus::Stopped(_, Signal::SIGTRAP)), "not stopped at its start");
        ptrace::setoptions(pid, ptrace::Options::PTRACE_O_EXITKILL)?;
        let memory = File::open(format!("/proc/{pid}/mem"))?;
        Ok(Self { child, pid, memory })
    }

    /// Runs to the next breakpoint; `None` at the end of a process that succeeds. The string that the
    /// breakpoint hands over is in rdi and rsi.
    pub(crate) fn run_to_breakpoint(&self) -> Result<Option<String>> {
        ptrace::cont(self.pid, None)?;
        match waitpid(self.pid, None)? {
            WaitStatus::Stopped(_, Signal::SIGTRAP) => {
                let registers = self.registers()?;
                let mut text = vec![0; registers.rsi as usize];
                self.memory.read_exact_at(&mut text, registers.rdi)?;
                Ok(Some(String::from_utf8(text)?))
            }
            WaitStatus::Exited(_, 0) => Ok(None),
            status => bail!("the subject: {status:?}"),
        }
    }

    /// Both run one instruction, or one round of a repeated one.
    pub(crate) fn step(both: &[Self; 2]) -> Result<()> {
        both.iter().try_for_each(|p| ptrace::step(p.pid, None))?;
        for p in both {
            let status = waitpid(p.pid, None)?;
            ensure!(matches!(status, WaitStatus::Stopped(_, Signal::SIGTRAP)), "the subject: {status:?}");
        }
        Ok(())
    }

    pub(crate) fn registers(&self) -> Result<user_regs_struct> {
        Ok(ptrace::getregs(self.pid)?)
    }

    /// The bytes of the instruction at `address`, and some more.
    pub(crate) fn code(&self, address: u64) -> Result<[u8; 15]> {
        let mut bytes = [0; 15];
        // The next page may not be there.
        let n = self.memory.read_at(&mut bytes, address)?;
        ensure!(n > 0, "no code at {address:#x}");
        Ok(bytes)
    }

    /// Where the program is loaded.
    pub(crate) fn base(&self) -> Result<u64> {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.pid))?;
        let (start, _) = maps.split_once('-').context("no memory")?;
        Ok(u64::from_str_radix(start, 16)?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! Runs every operation of evariste with secrets marked as such, for `cargo xtask taint`, `trace` and
//! `trace-guest` to look on, and has every backend linked in, for `cargo xtask asm` to read.
//!
//! `subject taint operations` runs under valgrind's memcheck on every backend that memcheck can run.
//! `subject trace operations BACKEND SECRET` runs under a debugger or an emulator that stops at the marks
//! around each operation; SECRET is 0 or 1. With `planted` in place of `operations` it leaks on purpose.
//! `subject backends` names the backends of this CPU.

mod memcheck;
mod message;
mod operations;
mod planted;
mod watch;

use evariste::Backend;
use watch::Watch;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let modes = if args.get(1) == Some(&"planted") { planted::MODES } else { operations::MODES };
    match args[..] {
        ["backends"] => Backend::available().for_each(|backend| println!("{backend}")),
        ["taint", what @ ("operations" | "planted")] => {
            assert!(memcheck::is_running(), "not under valgrind");
            // What is planted does not depend on the backend.
            let backends = Backend::available().take(if what == "planted" { 1 } else { usize::MAX });
            backends.for_each(|backend| message::run_all(modes, backend, 1, Watch::Taint));
        }
        ["trace", "operations" | "planted", backend, secret @ ("0" | "1")] => {
            let backend = Backend::by_name(backend).expect("a backend that this CPU can run");
            message::run_all(modes, backend, (secret == "1") as u8, Watch::Trace);
        }
        _ => panic!("see the head of xtask/subject/src/main.rs"),
    }
}

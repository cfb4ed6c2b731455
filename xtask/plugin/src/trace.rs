//! `job=trace`: `INSTRUCTIONS ACCESSES HASH` for each operation; of one that is recorded, a line
//! `ADDRESS [FUNCTION]` for each instruction, and below it `r SIZE ADDRESS` or `w SIZE ADDRESS` for what it
//! reads and writes.

use crate::options::{Job, Marks, Options};
use crate::qemu::{Access, Block};
use std::collections::HashMap;
use std::ffi::{c_uint, c_void};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Mutex;

#[derive(Default)]
struct Trace {
    current: Option<Operation>,
    done: Vec<Operation>,
    symbols: HashMap<u64, String>,
    recorded: String,
}

#[derive(Default)]
struct Operation {
    instructions: u64,
    accesses: u64,
    hash: DefaultHasher,
    /// Whether it is the one to write down.
    recorded: bool,
}

static TRACE: Mutex<Option<Trace>> = Mutex::new(None);

pub(crate) fn translate(block: &Block, marks: &Marks) {
    for instruction in block.instructions() {
        match instruction.bytes() {
            bytes if *bytes == marks.begin => instruction.at_each_run(begin, 0),
            bytes if *bytes == marks.end => instruction.at_each_run(end, 0),
            _ => {
                let address = instruction.address();
                if record().is_some()
                    && let Some(symbol) = instruction.symbol()
                {
                    with(|trace| trace.symbols.insert(address, symbol));
                }
                instruction.at_each_run(run, address);
                instruction.at_each_access(access);
            }
        }
    }
}

/// The operation to write down.
fn record() -> Option<usize> {
    match crate::OPTIONS.get() {
        Some(Options { job: Job::Trace { record, .. }, .. }) => *record,
        _ => None,
    }
}

extern "C" fn begin(_cpu: c_uint, _: *mut c_void) {
    with(|trace| {
        let recorded = record() == Some(trace.done.len());
        trace.current = Some(Operation { recorded, ..Operation::default() });
    });
}

extern "C" fn end(_cpu: c_uint, _: *mut c_void) {
    with(|trace| trace.done.extend(trace.current.take()));
}

extern "C" fn run(_cpu: c_uint, address: *mut c_void) {
    let address = address.addr() as u64;
    with(|Trace { current, symbols, recorded, .. }| {
        let Some(operation) = current else { return };
        operation.instructions += 1;
        operation.hash.write_u64(address);
        if operation.recorded {
            let symbol = symbols.get(&address).map_or("", |s| s);
            let _ = writeln!(recorded, "{address:x} {symbol}");
        }
    });
}

extern "C" fn access(_cpu: c_uint, access: Access, address: u64, _: *mut c_void) {
    with(|Trace { current, recorded, .. }| {
        let Some(operation) = current else { return };
        operation.accesses += 1;
        operation.hash.write_u64(address);
        operation.hash.write_u64(access.size() << 1 | u64::from(access.writes()));
        if operation.recorded {
            let _ = writeln!(recorded, "{} {} {address:x}", if access.writes() { 'w' } else { 'r' }, access.size());
        }
    });
}

pub(crate) fn report() -> String {
    with(|trace| {
        if record().is_some() {
            return std::mem::take(&mut trace.recorded);
        }
        let line = |o: &Operation| format!("{} {} {:016x}\n", o.instructions, o.accesses, o.hash.finish());
        trace.done.iter().map(line).collect()
    })
}

fn with<T>(f: impl FnOnce(&mut Trace) -> T) -> T {
    // A panic in another callback would have ended qemu.
    f(TRACE.lock().expect("no panic before").get_or_insert_default())
}

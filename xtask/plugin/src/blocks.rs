//! `job=blocks`: `block ID ADDRESS RUNS INSTRUCTION…` for each piece of code, in hexadecimal, then `last ID…`.

use crate::qemu::Block;
use std::collections::{HashMap, VecDeque};
use std::ffi::{c_uint, c_void};
use std::fmt::Write;
use std::sync::Mutex;

/// How many of the last pieces are remembered.
const LAST: usize = 1 << 19;

#[derive(Default)]
struct Pieces {
    /// Code that qemu translates again is the same piece.
    known: HashMap<(u64, Vec<u8>), usize>,
    all: Vec<Piece>,
    last: VecDeque<usize>,
}

struct Piece {
    address: u64,
    code: String,
    runs: u64,
}

static PIECES: Mutex<Option<Pieces>> = Mutex::new(None);

pub(crate) fn translate(block: &Block) {
    let instructions = block.instructions();
    let address = instructions.first().map_or(0, |i| i.address());
    let bytes: Vec<u8> = instructions.iter().flat_map(|i| i.bytes()).copied().collect();
    let code = || {
        let hex = |bytes: &[u8]| bytes.iter().fold(String::from(" "), |text, b| text + &format!("{b:02x}"));
        instructions.iter().map(|i| hex(i.bytes())).collect()
    };
    let id = with(|pieces| {
        let Pieces { known, all, .. } = pieces;
        *known.entry((address, bytes)).or_insert_with(|| {
            all.push(Piece { address, code: code(), runs: 0 });
            all.len() - 1
        })
    });
    block.at_each_run(run, id);
}

extern "C" fn run(_cpu: c_uint, id: *mut c_void) {
    with(|pieces| {
        pieces.all[id.addr()].runs += 1;
        if pieces.last.len() == LAST {
            pieces.last.pop_front();
        }
        pieces.last.push_back(id.addr());
    });
}

pub(crate) fn report() -> String {
    with(|pieces| {
        let mut text = String::new();
        for (id, Piece { address, code, runs }) in pieces.all.iter().enumerate().filter(|(_, p)| p.runs > 0) {
            let _ = writeln!(text, "block {id} {address:x} {runs}{code}");
        }
        text += "last";
        pieces.last.iter().for_each(|id| text += &format!(" {id}"));
        text + "\n"
    })
}

fn with<T>(f: impl FnOnce(&mut Pieces) -> T) -> T {
    // A panic in another callback would have ended qemu.
    f(PIECES.lock().expect("no panic before").get_or_insert_default())
}

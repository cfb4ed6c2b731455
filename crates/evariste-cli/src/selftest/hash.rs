//! GHASH and POLYVAL.

use super::cross::{lengths, painted, portable};
use evariste::{Backend, Block, Ghash, Polyval};

/// RFC 8452 appendix A: one key and text under both.
pub(super) fn known_answers(backend: Backend) -> Result<(), String> {
    let block = |number: u128| number.to_be_bytes();
    let h = block(0x25629347589242761d31f826ba4b757b);
    let x = [block(0x4f4f95668c83dfb6401762bb2d01a262), block(0xd1a24ddd2721d006bbe45f20d3c9f362)];
    let [ghash, polyval] = both(backend, &h, [x.as_flattened()]);
    match (ghash == block(0xbd9b3997046731fb96251b91f9c99d7a), polyval == block(0xf7a3b47b846119fae5b7866cf5e5b77e)) {
        (true, true) => Ok(()),
        (false, _) => Err("GHASH".into()),
        (true, false) => Err("POLYVAL".into()),
    }
}

/// Texts of all kinds of lengths, whole here and in pieces there.
pub(super) fn cross(backend: Backend) -> Result<(), String> {
    let h = std::array::from_fn(|i| i as u8 + 1);
    for len in lengths() {
        let text = painted(len);
        if both(backend, &h, [&text[..]]) != both(portable()?, &h, text.chunks(37)) {
            return Err(format!("{len} bytes"));
        }
    }
    Ok(())
}

fn both<'a>(backend: Backend, h: &Block, pieces: impl IntoIterator<Item = &'a [u8]>) -> [Block; 2] {
    let (mut ghash, mut polyval) = (Ghash::with_backend(h, backend), Polyval::with_backend(h, backend));
    for piece in pieces {
        ghash.update(piece);
        polyval.update(piece);
    }
    [ghash.finish(), polyval.finish()]
}

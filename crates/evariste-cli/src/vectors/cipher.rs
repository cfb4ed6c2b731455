//! Vectors of the bare cipher: CTR and ECB.

use super::buffer::{Pieces, Turn};
use super::{Fault, Outcome, judge};
use evariste::{Aes, Backend, Block};

/// What is wrong with a key.
fn bad_key(key: &[u8]) -> Option<String> {
    (![16, 24, 32].contains(&key.len())).then(|| format!("AES has no keys of {} bytes", key.len()))
}

/// A text and what CTR makes of it.
pub(crate) struct Ctr {
    pub(crate) key: Vec<u8>,
    pub(crate) iv: Block,
    pub(crate) text: Vec<u8>,
    pub(crate) sealed: Vec<u8>,
}

impl Ctr {
    /// Why this cannot be run.
    pub(crate) fn skip(&self) -> Option<String> {
        bad_key(&self.key)
    }

    /// Encrypts and decrypts it in every way.
    pub(crate) fn run(&self, backend: Backend, turn: &mut Turn) -> Result<(), String> {
        for (done, from, to) in [("encrypted", &self.text, &self.sealed), ("decrypted", &self.sealed, &self.text)] {
            judge(done, "in place", self.in_place(from, backend, turn), Some(to))?;
            judge(done, "to another buffer", self.to(from, backend, turn), Some(to))?;
            judge(done, "in pieces", self.in_pieces(from, backend, turn), Some(to))?;
            judge(done, "in pieces to another buffer", self.in_pieces_to(from, backend, turn), Some(to))?;
        }
        Ok(())
    }

    fn start(&self, backend: Backend) -> Result<evariste::Ctr, Fault> {
        evariste::Ctr::with_backend(&self.key, &self.iv, backend).map_err(|_| Fault::Refused)
    }

    fn in_place(&self, from: &[u8], backend: Backend, turn: &mut Turn) -> Outcome {
        let mut data = turn.copy(from);
        self.start(backend)?.apply((&mut data[..]).into()).map_err(|_| Fault::Refused)?;
        data.into_vec()
    }

    fn to(&self, from: &[u8], backend: Backend, turn: &mut Turn) -> Outcome {
        let (from, mut to) = (turn.copy(from), turn.filled(from.len()));
        let data = evariste::InOut::new(&from, &mut to).map_err(|_| Fault::Refused)?;
        self.start(backend)?.apply(data).map_err(|_| Fault::Refused)?;
        to.into_vec()
    }

    fn in_pieces(&self, from: &[u8], backend: Backend, turn: &mut Turn) -> Outcome {
        let (mut ctr, mut data) = (self.start(backend)?, turn.copy(from));
        let pieces = Pieces { turn, src: None, dst: &mut data };
        pieces.each(|piece| ctr.apply(piece)).map_err(|_| Fault::Refused)?;
        data.into_vec()
    }

    fn in_pieces_to(&self, from: &[u8], backend: Backend, turn: &mut Turn) -> Outcome {
        let (mut ctr, from, mut to) = (self.start(backend)?, turn.copy(from), turn.filled(from.len()));
        let pieces = Pieces { turn, src: Some(&from), dst: &mut to };
        pieces.each(|piece| ctr.apply(piece)).map_err(|_| Fault::Refused)?;
        to.into_vec()
    }
}

/// Whole blocks and what the block cipher makes of them.
pub(crate) struct Ecb {
    pub(crate) key: Vec<u8>,
    pub(crate) text: Vec<Block>,
    pub(crate) sealed: Vec<Block>,
    /// How often the cipher is applied: 1, or 1000 in a Monte Carlo test.
    pub(crate) times: usize,
}

impl Ecb {
    /// Why this cannot be run.
    pub(crate) fn skip(&self) -> Option<String> {
        bad_key(&self.key)
    }

    /// Encrypts and decrypts it, all blocks at once and one by one.
    pub(crate) fn run(&self, backend: Backend, turn: &mut Turn) -> Result<(), String> {
        let aes = Aes::with_backend(&self.key, backend).map_err(|error| error.to_string())?;
        let (text, sealed) = (&self.text, &self.sealed);
        for (way, at_once) in [("at once", text.len().max(1)), ("block by block", 1)] {
            let encrypted = self.apply(text, at_once, |blocks| aes.encrypt(blocks), turn);
            judge("encrypted", way, encrypted, Some(sealed.as_flattened()))?;
            let decrypted = self.apply(sealed, at_once, |blocks| aes.decrypt(blocks), turn);
            judge("decrypted", way, decrypted, Some(text.as_flattened()))?;
        }
        Ok(())
    }

    fn apply(&self, from: &[Block], at_once: usize, cipher: impl Fn(&mut [Block]), turn: &mut Turn) -> Outcome {
        let mut data = turn.copy(from.as_flattened());
        let (blocks, _) = data.as_chunks_mut();
        for _ in 0..self.times {
            blocks.chunks_mut(at_once).for_each(&cipher);
        }
        data.into_vec()
    }
}

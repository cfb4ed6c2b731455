//! AES-ECB and AES-CBC (SP 800-38A §6.1, §6.2), with PKCS #7's padding unless that is switched off.
//!
//! CBC in TLS, where the MAC has to be removed without a trace of how long the padding was, is refused.

use crate::ffi::{OCTET_STRING, Param, UNSIGNED};
use crate::mode::{Direction, Facts, Mode, Setting, check_key_len};
use crate::param::Value;
use crate::reason::{Reason, Result};
use crate::text::{Held, Input, Text};
use evariste::{Aes, Block};
use zeroize::Zeroize;

/// The electronic codebook.
pub(crate) type Ecb = Blocks<false>;
/// Cipher block chaining.
pub(crate) type Cbc = Blocks<true>;

/// Blocks that CBC decrypts at a time.
const TOGETHER: usize = 32;

pub(crate) struct Blocks<const CHAINED: bool> {
    setting: Setting,
    direction: Direction,
    key: Option<Aes>,
    /// What was set, and the last block of ciphertext.
    iv: Option<Block>,
    last: Block,
    held: Held,
    is_padded: bool,
    /// Whether a call has failed.
    is_spent: bool,
}

impl<const CHAINED: bool> Mode for Blocks<CHAINED> {
    const FACTS: Facts = Facts {
        mode: if CHAINED { 2 } else { 1 },
        block: 16,
        iv: if CHAINED { 16 } else { 0 },
        is_aead: false,
        gettable: &[
            Param::named(c"keylen", UNSIGNED),
            Param::named(c"ivlen", UNSIGNED),
            Param::named(c"padding", UNSIGNED),
            Param::named(c"num", UNSIGNED),
            Param::named(c"iv", OCTET_STRING),
            Param::named(c"updated-iv", OCTET_STRING),
            Param::END,
        ],
        settable: &[
            Param::named(c"padding", UNSIGNED),
            Param::named(c"num", UNSIGNED),
            Param::named(c"tls-version", UNSIGNED),
            Param::named(c"tls-mac-size", UNSIGNED),
            Param::END,
        ],
    };

    fn new(setting: Setting) -> Self {
        Self {
            setting,
            direction: Direction::Encrypt,
            key: None,
            iv: None,
            last: [0; 16],
            held: Held::NOTHING,
            is_padded: true,
            is_spent: false,
        }
    }

    fn init(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result {
        self.direction = direction;
        self.held = Held::NOTHING;
        if CHAINED && let Some(iv) = iv {
            self.iv = Some(iv.try_into().map_err(|_| Reason::IvLength)?);
        }
        // Without another IV the one before is taken again, as OpenSSL does.
        self.last = self.iv.unwrap_or_default();
        if let Some(key) = key {
            check_key_len(self.setting.key_len, key.len())?;
            match &mut self.key {
                Some(old) => old.rekey(key)?,
                // First another one, so that no byte of the real one is left where it was made.
                none => none.insert(Aes::new(&[0; 16])?).rekey(key)?,
            }
        }
        self.is_spent = false;
        Ok(())
    }

    fn get(&mut self, value: &mut Value) -> Result {
        let iv_len = Self::FACTS.iv;
        match value.name() {
            b"ivlen" => value.put_number(iv_len as u64),
            b"keylen" => value.put_number(self.setting.key_len as u64),
            b"padding" => value.put_number(self.is_padded as u64),
            b"num" => value.put_number(0),
            b"iv" => match &self.iv {
                None if CHAINED => Err(Reason::NoIv),
                iv => value.put_octets(&iv.as_ref().unwrap_or(&[0; 16])[..iv_len], Reason::IvLength),
            },
            b"updated-iv" => value.put_octets(&self.last[..iv_len], Reason::IvLength),
            _ => Ok(()),
        }
    }

    fn set(&mut self, value: &Value) -> Result {
        match value.name() {
            b"ivlen" if value.length()? != Self::FACTS.iv => Err(Reason::IvLength),
            b"keylen" => check_key_len(self.setting.key_len, value.length()?),
            b"padding" => {
                self.is_padded = value.number()? != 0;
                Ok(())
            }
            b"num" if value.number()? != 0 => Err(Reason::NumberNotSettable),
            b"tls-version" | b"tls-mac-size" if value.number()? != 0 => Err(Reason::TlsMac),
            _ => Ok(()),
        }
    }

    fn update(&mut self, input: Input<'_>) -> Result<usize> {
        self.check()?;
        match input {
            Input::Text(text) => self.text(text, self.is_padded && self.direction == Direction::Decrypt),
            input if input.is_empty() => Ok(0),
            _ => Err(Reason::NullPointer),
        }
    }

    fn finish(&mut self, room: Text<'_>) -> Result<usize> {
        self.check()?;
        let held = std::mem::replace(&mut self.held, Held::NOTHING);
        match (self.direction, self.is_padded, held.len) {
            (_, false, 0) => Ok(0),
            (Direction::Encrypt, true, 0..16) => {
                let mut last = held.clone();
                last.block[held.len..].fill(16 - held.len as u8);
                self.crypt(std::slice::from_mut(&mut last.block))?;
                room.write(&last.block)
            }
            (Direction::Decrypt, true, 16) => {
                let mut last = held.clone();
                self.crypt(std::slice::from_mut(&mut last.block))?;
                room.write(&last.block[..unpadded(&last.block)?])
            }
            _ => Err(Reason::NotWholeBlocks),
        }
    }

    /// Whole blocks, without padding.
    fn cipher(&mut self, input: Input<'_>) -> Result<usize> {
        self.check()?;
        match input {
            Input::Text(text) if !text.len().is_multiple_of(16) || self.held.len > 0 => Err(Reason::NotWholeBlocks),
            Input::Text(text) => self.text(text, false),
            input if input.is_empty() => Ok(0),
            _ => Err(Reason::NullPointer),
        }
    }

    fn end(&mut self) {
        self.held = Held::NOTHING;
        self.is_spent = true;
    }
}

impl<const CHAINED: bool> Blocks<CHAINED> {
    fn check(&self) -> Result {
        match self {
            _ if self.key.is_none() => Err(Reason::NoKey),
            _ if self.is_spent => Err(Reason::IvSpent),
            _ if CHAINED && self.iv.is_none() => Err(Reason::NoIv),
            _ => Ok(()),
        }
    }

    fn text(&mut self, text: Text<'_>, keep_last: bool) -> Result<usize> {
        let mut held = std::mem::replace(&mut self.held, Held::NOTHING);
        let mut done = Ok(());
        let written = text.in_blocks(&mut held, keep_last, |blocks| done = self.crypt(blocks))?;
        self.held = held;
        done.map(|()| written)
    }

    fn crypt(&mut self, blocks: &mut [Block]) -> Result {
        let key = self.key.as_ref().ok_or(Reason::NoKey)?;
        match self.direction {
            Direction::Encrypt if CHAINED => {
                for block in blocks {
                    xor(block, &self.last);
                    key.encrypt(std::slice::from_mut(block));
                    self.last = *block;
                }
            }
            Direction::Encrypt => key.encrypt(blocks),
            Direction::Decrypt if CHAINED => {
                let mut before = [[0; 16]; TOGETHER];
                for blocks in blocks.chunks_mut(TOGETHER) {
                    before[..blocks.len()].copy_from_slice(blocks);
                    key.decrypt(blocks);
                    let chain = std::iter::once(&self.last).chain(&before);
                    blocks.iter_mut().zip(chain).for_each(|(block, before)| xor(block, before));
                    self.last = before[blocks.len() - 1];
                }
            }
            Direction::Decrypt => key.decrypt(blocks),
        }
        Ok(())
    }
}

impl<const CHAINED: bool> Drop for Blocks<CHAINED> {
    fn drop(&mut self) {
        self.last.zeroize();
    }
}

fn xor(block: &mut Block, by: &Block) {
    *block = (u128::from_ne_bytes(*block) ^ u128::from_ne_bytes(*by)).to_ne_bytes();
}

/// The length without padding (RFC 5652 §6.3). All bytes are looked at, whatever they are; that the padding was wrong, the
/// caller is told.
fn unpadded(block: &Block) -> Result<usize> {
    let pad = block[15] as usize;
    let wrong = block.iter().enumerate().fold(0, |wrong, (at, &byte)| {
        let is_pad = (at + pad >= 16) as u8;
        wrong | (is_pad * (byte ^ pad as u8))
    });
    if wrong == 0 && (1..=16).contains(&pad) { Ok(16 - pad) } else { Err(Reason::BadPadding) }
}

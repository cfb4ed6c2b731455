//! AES-GCM (SP 800-38D), as OpenSSL has it: key, IV, additional data and text in pieces, tag.
//!
//! What differs from OpenSSL's own: after a failure nothing comes of a message any more; the tag to be compared is used
//! once; tags have 12 to 16 bytes, and 4 or 8 only where the configuration says `short-tags = yes`.

mod tls;

pub(crate) use tls::{AAD as RECORD_AAD, shorten};

use crate::ffi::{OCTET_STRING, Param, UNSIGNED};
use crate::mode::{Direction, Facts, Mode, Setting, check_key_len};
use crate::param::Value;
use crate::reason::{Reason, Result};
use crate::text::{Input, Text};
use evariste::Backend;
use evariste::hazmat::GcmPieces;
use tls::Generator;

/// The longest IV, as in OpenSSL's own provider.
const MAX_IV: usize = 128;

/// Text for which a new key is made: its first message makes what it lacks once its length is known, the second what
/// is left. A program that keeps its key pays that once, one with a key for each message pays for what it uses.
const SHORT: usize = 0;

pub(crate) struct Gcm {
    setting: Setting,
    direction: Direction,
    key: Option<evariste::Gcm>,
    /// Whether it had text.
    is_used: bool,
    iv: [u8; MAX_IV],
    iv_len: usize,
    state: State,
    /// The message that is on its way, or was.
    pieces: Option<GcmPieces>,
    /// What was made, or is to be compared.
    tag: [u8; 16],
    /// How many bytes of it there are.
    tag_len: Option<usize>,
    generator: Generator,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// There is no IV.
    None,
    /// There is one, for the next message.
    Ready,
    /// A message is on its way.
    Running,
    /// The IV is used up.
    Spent,
}

impl Mode for Gcm {
    const FACTS: Facts = Facts {
        mode: 6,
        block: 1,
        iv: 12,
        is_aead: true,
        gettable: &[
            Param::named(c"keylen", UNSIGNED),
            Param::named(c"ivlen", UNSIGNED),
            Param::named(c"taglen", UNSIGNED),
            Param::named(c"iv", OCTET_STRING),
            Param::named(c"updated-iv", OCTET_STRING),
            Param::named(c"tag", OCTET_STRING),
            Param::named(c"tlsaadpad", UNSIGNED),
            Param::named(c"tlsivgen", OCTET_STRING),
            Param::END,
        ],
        settable: &[
            Param::named(c"ivlen", UNSIGNED),
            Param::named(c"tag", OCTET_STRING),
            Param::named(c"tlsaad", OCTET_STRING),
            Param::named(c"tlsivfixed", OCTET_STRING),
            Param::named(c"tlsivinv", OCTET_STRING),
            Param::END,
        ],
    };

    fn new(setting: Setting) -> Self {
        Self {
            setting,
            direction: Direction::Encrypt,
            key: None,
            is_used: false,
            iv: [0; MAX_IV],
            iv_len: 12,
            state: State::None,
            pieces: None,
            tag: [0; 16],
            tag_len: None,
            generator: Generator::NONE,
        }
    }

    /// Nothing is owned together, but a counter that both went on with would give out its IVs twice.
    fn detach(&mut self, original: &Self) {
        self.generator.stop_encrypting(original.direction);
    }

    fn init(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result {
        // A message that another key or direction interrupts has no end.
        if (direction != self.direction || key.is_some()) && self.state == State::Running {
            self.state = State::Spent;
        }
        if direction != self.direction {
            (self.direction, self.tag_len) = (direction, None);
            // The IV may be that of a record from the other side.
            self.generator.stop_encrypting(direction);
        }
        if let Some(iv) = iv {
            if iv.is_empty() || iv.len() > MAX_IV {
                return Err(Reason::IvLength);
            }
            // The usual length without a call.
            match iv.first_chunk::<12>() {
                Some(usual) if iv.len() == 12 => self.iv[..12].copy_from_slice(usual),
                _ => self.iv[..iv.len()].copy_from_slice(iv),
            }
            self.iv_len = iv.len();
            self.state = State::Ready;
            if direction == Direction::Encrypt {
                self.tag_len = None;
            }
        }
        if let Some(key) = key {
            check_key_len(self.setting.key_len, key.len())?;
            match &mut self.key {
                Some(old) => old.rekey_for(key, SHORT)?,
                // First another one, so that no byte of the real one is left where it was made.
                none => {
                    let made = evariste::Gcm::with_backend_for(&[0; 16], Backend::active(), 0)?;
                    none.insert(made).rekey_for(key, SHORT)?;
                }
            }
            self.is_used = false;
            self.generator.restart();
        }
        Ok(())
    }

    fn get(&mut self, value: &mut Value) -> Result {
        match value.name() {
            b"ivlen" => value.put_number(self.iv_len as u64),
            b"keylen" => value.put_number(self.setting.key_len as u64),
            b"taglen" => value.put_number(self.tag_len.unwrap_or(16) as u64),
            b"iv" | b"updated-iv" if self.state == State::None => Err(Reason::NoIv),
            b"iv" | b"updated-iv" => value.put_octets(&self.iv[..self.iv_len], Reason::IvLength),
            b"tag" => {
                let len = value.size();
                self.check_tag_len(len)?;
                if self.direction != Direction::Encrypt || self.tag_len.is_none() {
                    return Err(Reason::TagMissing);
                }
                value.put_octets(&self.tag[..len], Reason::TagLength)
            }
            b"tlsaadpad" => value.put_number(self.generator.pad()),
            b"tlsivgen" => self.generate(value),
            _ => Ok(()),
        }
    }

    fn set(&mut self, value: &Value) -> Result {
        match value.name() {
            b"ivlen" => self.set_iv_len(value.length()?),
            b"keylen" => check_key_len(self.setting.key_len, value.length()?),
            b"tag" => {
                let tag = value.octets()?;
                if self.direction == Direction::Encrypt {
                    return Err(Reason::TagNotNeeded);
                }
                self.tag_len = None;
                self.check_tag_len(tag.len())?;
                self.tag[..tag.len()].copy_from_slice(tag);
                self.tag_len = Some(tag.len());
                Ok(())
            }
            b"tlsaad" => self.generator.announce(self.direction, value.octets()?),
            b"tlsivfixed" => self.set_fixed(value),
            b"tlsivinv" => self.set_invocation(value.octets()?),
            _ => Ok(()),
        }
    }

    #[inline]
    fn update(&mut self, input: Input<'_>) -> Result<usize> {
        if let Some(aad) = self.generator.announced() {
            return self.record(aad, input);
        }
        match input {
            Input::Text(text) if text.len() == 0 => Ok(0),
            Input::Text(text) => {
                let (len, io) = (text.len(), text.inout()?);
                let (direction, key, pieces) = self.running(len)?;
                match direction {
                    Direction::Encrypt => pieces.seal(key, io)?,
                    Direction::Decrypt => pieces.open(key, io)?,
                }
                Ok(len)
            }
            Input::Aad(aad) => {
                if !aad.is_empty() {
                    let (_, key, pieces) = self.running(0)?;
                    pieces.aad(key, aad)?;
                }
                Ok(aad.len())
            }
            Input::Length(0) | Input::Nothing(_) => Ok(0),
            Input::Length(_) => Err(Reason::NullPointer),
        }
    }

    fn finish(&mut self, _: Text<'_>) -> Result<usize> {
        if self.generator.announced().is_some() {
            return Err(Reason::TlsRecord);
        }
        let encrypting = self.direction == Direction::Encrypt;
        let tag_len = self.tag_len.filter(|_| !encrypting);
        if !encrypting && tag_len.is_none() {
            return Err(Reason::TagMissing);
        }
        self.running(0)?;
        self.state = State::Spent;
        let (Some(pieces), Some(key)) = (&mut self.pieces, &mut self.key) else { return Err(Reason::Internal) };
        match tag_len {
            None => {
                key.set_tag_len(16)?;
                self.tag.copy_from_slice(&pieces.finish(key));
                self.tag_len = Some(16);
            }
            Some(len) => {
                self.tag_len = None;
                key.set_tag_len(len).or_else(|_| key.set_short_tag_len(len))?;
                pieces.verify(key, &self.tag[..len])?;
            }
        }
        Ok(0)
    }

    fn end(&mut self) {
        if self.state != State::None {
            self.state = State::Spent;
        }
        self.tag_len = None;
        self.generator.end();
    }
}

/// A key for so many bytes of text, and for any number if it has had text before.
#[inline]
fn grow(key: &mut evariste::Gcm, is_used: &mut bool, text: usize) {
    if text > 0 {
        key.prepare(if *is_used { usize::MAX } else { text });
        *is_used = true;
    }
}

impl Gcm {
    /// The message on its way, or the next one, and a key for so many bytes more of it.
    #[inline]
    fn running(&mut self, more: usize) -> Result<(Direction, &evariste::Gcm, &mut GcmPieces)> {
        let Some(key) = &mut self.key else { return Err(Reason::NoKey) };
        grow(key, &mut self.is_used, more);
        if self.state != State::Running {
            match self.state {
                State::None if self.direction == Direction::Encrypt => random(&mut self.iv, self.iv_len, 0)?,
                State::None => return Err(Reason::NoIv),
                State::Spent => return Err(Reason::IvSpent),
                State::Ready | State::Running => {}
            }
            let iv = &self.iv[..self.iv_len];
            match &mut self.pieces {
                Some(pieces) => pieces.begin(key, iv)?,
                none => *none = Some(GcmPieces::new(key, iv)?),
            }
            self.state = State::Running;
            // The counter would give out this IV again.
            self.generator.stop_encrypting(self.direction);
        }
        let Some(pieces) = &mut self.pieces else { return Err(Reason::Internal) };
        Ok((self.direction, key, pieces))
    }

    fn set_iv_len(&mut self, len: usize) -> Result {
        if len == 0 || len > MAX_IV {
            return Err(Reason::IvLength);
        }
        if len != self.iv_len {
            self.iv_len = len;
            // An IV that is there has another length.
            if self.state != State::None {
                self.state = State::Spent;
            }
        }
        Ok(())
    }

    fn check_tag_len(&self, len: usize) -> Result {
        match len {
            12..=16 => Ok(()),
            4 | 8 if self.setting.short_tags => Ok(()),
            _ => Err(Reason::TagLength),
        }
    }
}

/// Fills an IV of at least 96 bits from byte `from` on (SP 800-38D §8.2).
fn random(iv: &mut [u8; MAX_IV], len: usize, from: usize) -> Result {
    match iv.get_mut(from..len) {
        Some(room) if len >= 12 && !room.is_empty() => getrandom::fill(room).map_err(|_| Reason::Random),
        _ => Err(Reason::NoIv),
    }
}

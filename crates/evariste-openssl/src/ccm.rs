//! AES-CCM (SP 800-38C), as OpenSSL has it: the length of the text, additional data, all of the text in one call, tag.
//!
//! What differs from OpenSSL's own: additional data may come in pieces; the end of a decryption fails if nothing was
//! verified; a tag is compared once.

use crate::ffi::{OCTET_STRING, Param, UNSIGNED};
use crate::gcm::{RECORD_AAD, shorten};
use crate::mode::{Direction, Facts, Mode, Setting, check_key_len};
use crate::param::Value;
use crate::reason::{Reason, Result};
use crate::text::{Input, Text};
use evariste::{Aead, Backend, InOut};

pub(crate) const MODE: u32 = 7;

/// Bytes of a record's IV that come with the key, and that stand in front of it (RFC 6655).
const FIXED: usize = 4;
const EXPLICIT: usize = 8;

pub(crate) struct Ccm {
    setting: Setting,
    direction: Direction,
    key: Option<evariste::Ccm>,
    iv: [u8; 13],
    iv_len: usize,
    state: State,
    /// What was made, or is to be compared.
    tag: [u8; 16],
    tag_len: usize,
    /// Whether there is one to be compared.
    has_tag: bool,
    /// The length of the text.
    announced: Option<usize>,
    aad: Vec<u8>,
    record: Option<[u8; RECORD_AAD]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// There is no IV.
    None,
    /// There is one, for the next message.
    Ready,
    /// A message was encrypted, and its tag has not been read: it may still be encrypted anew, for nobody can have
    /// accepted it without a tag. (`openssl speed` does so.)
    Sealed,
    /// A message was decrypted, and is authentic.
    Opened,
    /// The IV is used up.
    Spent,
}

impl Mode for Ccm {
    const FACTS: Facts = Facts {
        mode: MODE,
        block: 1,
        iv: 7,
        is_aead: true,
        gettable: &[
            Param::named(c"keylen", UNSIGNED),
            Param::named(c"ivlen", UNSIGNED),
            Param::named(c"taglen", UNSIGNED),
            Param::named(c"iv", OCTET_STRING),
            Param::named(c"updated-iv", OCTET_STRING),
            Param::named(c"tag", OCTET_STRING),
            Param::named(c"tlsaadpad", UNSIGNED),
            Param::END,
        ],
        settable: &[
            Param::named(c"ivlen", UNSIGNED),
            Param::named(c"tag", OCTET_STRING),
            Param::named(c"tlsaad", OCTET_STRING),
            Param::named(c"tlsivfixed", OCTET_STRING),
            Param::END,
        ],
    };

    fn new(setting: Setting) -> Self {
        Self {
            setting,
            direction: Direction::Encrypt,
            key: None,
            iv: [0; 13],
            iv_len: Self::FACTS.iv,
            state: State::None,
            tag: [0; 16],
            tag_len: 12,
            has_tag: false,
            announced: None,
            aad: Vec::new(),
            record: None,
        }
    }

    fn detach(&mut self, original: &Self) {
        std::mem::forget(std::mem::replace(&mut self.aad, original.aad.clone()));
    }

    fn init(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result {
        if direction != self.direction {
            // What was encrypted under the IV stays so.
            if matches!(self.state, State::Sealed | State::Opened) {
                self.state = State::Spent;
            }
            (self.direction, self.has_tag) = (direction, false);
        }
        if let Some(iv) = iv {
            self.check_iv_len(iv.len())?;
            self.iv[..iv.len()].copy_from_slice(iv);
            (self.iv_len, self.state) = (iv.len(), State::Ready);
            self.restart(None);
        }
        if let Some(key) = key {
            check_key_len(self.setting.key_len, key.len())?;
            match &mut self.key {
                Some(old) => old.rekey(key)?,
                // First another one, so that no byte of the real one is left where it was made.
                none => none.insert(evariste::Ccm::with_backend(&[0; 16], Backend::active())?).rekey(key)?,
            }
        }
        Ok(())
    }

    fn get(&mut self, value: &mut Value) -> Result {
        match value.name() {
            b"ivlen" => value.put_number(self.iv_len as u64),
            b"keylen" => value.put_number(self.setting.key_len as u64),
            b"taglen" => value.put_number(self.tag_len as u64),
            b"iv" | b"updated-iv" => value.put_octets(&self.iv[..self.iv_len], Reason::IvLength),
            b"tag" => {
                if self.direction != Direction::Encrypt || self.state != State::Sealed {
                    return Err(Reason::TagMissing);
                }
                if value.size() != self.tag_len {
                    return Err(Reason::TagLength);
                }
                value.put_octets(&self.tag[..self.tag_len], Reason::TagLength)?;
                self.state = State::Spent;
                Ok(())
            }
            b"tlsaadpad" => value.put_number(if self.record.is_some() { self.tag_len as u64 } else { 0 }),
            _ => Ok(()),
        }
    }

    fn set(&mut self, value: &Value) -> Result {
        match value.name() {
            b"ivlen" => {
                let len = value.length()?;
                self.check_iv_len(len)?;
                if len != self.iv_len {
                    self.iv_len = len;
                    // An IV that is there has another length.
                    if self.state != State::None {
                        self.state = State::Spent;
                    }
                }
                Ok(())
            }
            b"keylen" => check_key_len(self.setting.key_len, value.length()?),
            b"tag" => self.set_tag(value),
            b"tlsaad" => {
                self.record = None;
                let mut aad = value.octets()?.try_into().map_err(|_| Reason::TlsAad)?;
                shorten(&mut aad, EXPLICIT + if self.direction == Direction::Encrypt { 0 } else { self.tag_len })?;
                self.record = Some(aad);
                Ok(())
            }
            b"tlsivfixed" => {
                let fixed: [u8; FIXED] = value.octets()?.try_into().map_err(|_| Reason::IvLength)?;
                self.iv[..FIXED].copy_from_slice(&fixed);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn update(&mut self, input: Input<'_>) -> Result<usize> {
        if self.key.is_none() {
            return Err(Reason::NoKey);
        }
        if let Some(aad) = self.record.take() {
            return self.record(aad, input);
        }
        match input {
            Input::Text(text) => self.text(text),
            Input::Aad(aad) => {
                self.check_ready()?;
                if self.announced.is_none() && !aad.is_empty() {
                    return Err(Reason::LengthNotAnnounced);
                }
                self.aad.try_reserve(aad.len()).map_err(|_| Reason::Memory)?;
                self.aad.extend_from_slice(aad);
                Ok(aad.len())
            }
            Input::Length(len) => {
                if self.state == State::Sealed {
                    self.state = State::Ready;
                }
                self.check_ready()?;
                self.restart(Some(len));
                Ok(len)
            }
            Input::Nothing(_) => Ok(0),
        }
    }

    fn finish(&mut self, room: Text<'_>) -> Result<usize> {
        match self.state {
            State::Sealed | State::Opened => Ok(0),
            // There was no text, which is a text of length 0.
            State::Ready if self.record.is_none() => self.text(room),
            State::Ready | State::Spent => Err(Reason::IvSpent),
            State::None => Err(Reason::NoIv),
        }
    }

    fn end(&mut self) {
        if self.state != State::None {
            self.state = State::Spent;
        }
        self.has_tag = false;
        self.record = None;
        self.restart(None);
    }
}

impl Ccm {
    fn restart(&mut self, announced: Option<usize>) {
        self.announced = announced;
        self.aad.clear();
    }

    fn check_ready(&self) -> Result {
        match self.state {
            State::Ready => Ok(()),
            State::None => Err(Reason::NoIv),
            _ => Err(Reason::IvSpent),
        }
    }

    fn check_iv_len(&self, len: usize) -> Result {
        if (7..=13).contains(&len) { Ok(()) } else { Err(Reason::IvLength) }
    }

    /// The tag to compare, or without bytes its length: that of tags that are made, too.
    fn set_tag(&mut self, value: &Value) -> Result {
        let len = value.size();
        if !len.is_multiple_of(2) || !(4..=16).contains(&len) {
            return Err(Reason::TagLength);
        }
        if value.is_null() {
            // Text that is there has a tag of the length before.
            if self.state == State::Sealed && len != self.tag_len {
                self.state = State::Spent;
            }
        } else if self.direction == Direction::Encrypt {
            return Err(Reason::TagNotNeeded);
        } else {
            self.tag[..len].copy_from_slice(value.octets()?);
            self.has_tag = true;
        }
        self.tag_len = len;
        Ok(())
    }

    /// The key, for tags as they are now.
    fn key(&mut self) -> Result<&evariste::Ccm> {
        let key = self.key.as_mut().ok_or(Reason::NoKey)?;
        key.set_tag_len(self.tag_len).or_else(|_| key.set_short_tag_len(self.tag_len))?;
        Ok(key)
    }

    /// All of the text.
    fn text(&mut self, text: Text<'_>) -> Result<usize> {
        self.check_ready()?;
        let len = text.len();
        if self.announced.is_some_and(|announced| announced != len) {
            return Err(Reason::LengthNotKept);
        }
        if self.direction == Direction::Decrypt && !self.has_tag {
            return Err(Reason::TagMissing);
        }
        self.key()?;
        let (Some(key), nonce, aad) = (&self.key, &self.iv[..self.iv_len], &self.aad[..]) else {
            return Err(Reason::NoKey);
        };
        // Whatever comes of it, that was the message.
        self.state = State::Spent;
        let data = if len == 0 { InOut::from(&mut []) } else { text.inout()? };
        if self.direction == Direction::Encrypt {
            self.tag[..self.tag_len].copy_from_slice(&key.seal_inout(nonce, aad, data)?);
            self.state = State::Sealed;
        } else {
            self.has_tag = false;
            // What is not authentic becomes zeros in the core.
            key.open_inout(nonce, aad, data, &self.tag[..self.tag_len])?;
            self.state = State::Opened;
        }
        self.restart(None);
        Ok(len)
    }

    /// A record: explicit IV, text, tag, in place. Returns the length of all when it was sealed, of the text when it was
    /// opened.
    fn record(&mut self, aad: [u8; RECORD_AAD], input: Input<'_>) -> Result<usize> {
        let Input::Text(text) = input else { return Err(Reason::TlsRecord) };
        let record = text.in_place().ok_or(Reason::TlsRecord)?;
        let (len, tag_len, direction) = (record.len(), self.tag_len, self.direction);
        if self.iv_len != FIXED + EXPLICIT {
            return Err(Reason::IvLength);
        }
        let (explicit, rest) = record.split_at_mut_checked(EXPLICIT).ok_or(Reason::TlsRecord)?;
        let text_len = rest.len().checked_sub(tag_len).ok_or(Reason::TlsRecord)?;
        let (text, tag) = rest.split_at_mut(text_len);
        if direction == Direction::Encrypt {
            // The sequence number, which never repeats under a key.
            explicit.copy_from_slice(&aad[..EXPLICIT]);
        }
        self.iv[FIXED..][..EXPLICIT].copy_from_slice(explicit);
        let nonce: [u8; FIXED + EXPLICIT] = *self.iv.first_chunk().ok_or(Reason::Internal)?;
        self.state = State::Spent;
        let key = self.key()?;
        if direction == Direction::Encrypt {
            tag.copy_from_slice(&key.seal(&nonce, &aad, text)?);
            return Ok(len);
        }
        // What is not authentic becomes zeros in the core.
        key.open(&nonce, &aad, text, tag)?;
        Ok(text_len)
    }
}

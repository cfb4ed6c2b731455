//! AES-GCM-SIV (RFC 8452), as OpenSSL has it from 3.2 on: all of the text in one call, and when it is decrypted the tag
//! before it.

use crate::ffi::{OCTET_STRING, Param, UNSIGNED};
use crate::mode::{Direction, Facts, Mode, Setting, check_key_len};
use crate::param::Value;
use crate::reason::{Reason, Result};
use crate::text::{Input, Text};
use evariste::{Aead, Backend, InOut};

const TAG: usize = 16;
const NONCE: usize = 12;

pub(crate) struct GcmSiv {
    setting: Setting,
    direction: Direction,
    key: Option<evariste::GcmSiv>,
    nonce: [u8; NONCE],
    state: State,
    /// What was made, or is to be compared.
    tag: [u8; TAG],
    /// Whether there is one to be compared.
    has_tag: bool,
    aad: Vec<u8>,
    /// Whether a message may be followed by another one under its nonce, which measuring wants.
    is_measured: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// There is no nonce.
    None,
    /// There is one, for the next message.
    Ready,
    /// A message was encrypted, or decrypted and is authentic.
    Done,
    /// The message has failed.
    Spent,
}

impl Mode for GcmSiv {
    const FACTS: Facts = Facts {
        mode: 0x10005,
        block: 1,
        iv: NONCE,
        is_aead: true,
        gettable: &[
            Param::named(c"keylen", UNSIGNED),
            Param::named(c"ivlen", UNSIGNED),
            Param::named(c"taglen", UNSIGNED),
            Param::named(c"tag", OCTET_STRING),
            Param::named(c"iv", OCTET_STRING),
            Param::named(c"updated-iv", OCTET_STRING),
            Param::END,
        ],
        settable: &[Param::named(c"tag", OCTET_STRING), Param::named(c"speed", UNSIGNED), Param::END],
    };

    fn new(setting: Setting) -> Self {
        Self {
            setting,
            direction: Direction::Encrypt,
            key: None,
            nonce: [0; NONCE],
            state: State::None,
            tag: [0; TAG],
            has_tag: false,
            aad: Vec::new(),
            is_measured: false,
        }
    }

    fn detach(&mut self, original: &Self) {
        std::mem::forget(std::mem::replace(&mut self.aad, original.aad.clone()));
    }

    fn init(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result {
        if direction != self.direction {
            if self.state == State::Done {
                self.state = State::Spent;
            }
            (self.direction, self.has_tag) = (direction, false);
        }
        if let Some(iv) = iv {
            self.nonce = iv.try_into().map_err(|_| Reason::IvLength)?;
            self.state = State::Ready;
            self.aad.clear();
        }
        if let Some(key) = key {
            check_key_len(self.setting.key_len, key.len())?;
            match &mut self.key {
                Some(old) => old.rekey(key)?,
                // First another one, so that no byte of the real one is left where it was made.
                none => none.insert(evariste::GcmSiv::with_backend(&[0; 16], Backend::active())?).rekey(key)?,
            }
        }
        Ok(())
    }

    fn get(&mut self, value: &mut Value) -> Result {
        match value.name() {
            b"ivlen" => value.put_number(NONCE as u64),
            b"keylen" => value.put_number(self.setting.key_len as u64),
            b"taglen" => value.put_number(TAG as u64),
            b"iv" | b"updated-iv" if self.state == State::None => Err(Reason::NoIv),
            b"iv" | b"updated-iv" => value.put_octets(&self.nonce, Reason::IvLength),
            b"tag" if self.direction != Direction::Encrypt || self.state != State::Done => Err(Reason::TagMissing),
            b"tag" if value.size() != TAG => Err(Reason::TagLength),
            b"tag" => value.put_octets(&self.tag, Reason::TagLength),
            _ => Ok(()),
        }
    }

    fn set(&mut self, value: &Value) -> Result {
        match value.name() {
            b"ivlen" if value.length()? != NONCE => Err(Reason::IvLength),
            b"keylen" => check_key_len(self.setting.key_len, value.length()?),
            b"tag" if self.direction == Direction::Encrypt => Err(Reason::TagNotNeeded),
            b"tag" => {
                self.tag = value.octets()?.try_into().map_err(|_| Reason::TagLength)?;
                self.has_tag = true;
                Ok(())
            }
            b"speed" => {
                self.is_measured = value.number()? != 0;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn update(&mut self, input: Input<'_>) -> Result<usize> {
        match input {
            Input::Text(text) => self.text(text),
            Input::Aad(aad) => {
                self.check_ready()?;
                self.aad.try_reserve(aad.len()).map_err(|_| Reason::Memory)?;
                self.aad.extend_from_slice(aad);
                Ok(aad.len())
            }
            Input::Length(0) | Input::Nothing(_) => Ok(0),
            Input::Length(_) => Err(Reason::NullPointer),
        }
    }

    fn finish(&mut self, room: Text<'_>) -> Result<usize> {
        match self.state {
            State::Done => Ok(0),
            // There was no text, which is a text of length 0.
            State::Ready => self.text(room),
            State::None => Err(Reason::NoIv),
            State::Spent => Err(Reason::IvSpent),
        }
    }

    fn end(&mut self) {
        if self.state != State::None {
            self.state = State::Spent;
        }
        self.has_tag = false;
        self.aad.clear();
    }
}

impl GcmSiv {
    fn check_ready(&mut self) -> Result {
        match self.state {
            State::Done if self.is_measured => self.state = State::Ready,
            State::Ready => {}
            State::None => return Err(Reason::NoIv),
            _ => return Err(Reason::IvSpent),
        }
        Ok(())
    }

    /// All of the text.
    fn text(&mut self, text: Text<'_>) -> Result<usize> {
        self.check_ready()?;
        if self.direction == Direction::Decrypt && !self.has_tag {
            return Err(Reason::TagMissing);
        }
        let key = self.key.as_ref().ok_or(Reason::NoKey)?;
        let len = text.len();
        // Whatever comes of it, that was the message.
        self.state = State::Spent;
        let data = if len == 0 { InOut::from(&mut []) } else { text.inout()? };
        if self.direction == Direction::Encrypt {
            self.tag.copy_from_slice(&key.seal_inout(&self.nonce, &self.aad, data)?);
        } else {
            self.has_tag = self.is_measured;
            // What is not authentic becomes zeros in the core.
            key.open_inout(&self.nonce, &self.aad, data, &self.tag)?;
        }
        self.state = State::Done;
        self.aad.clear();
        Ok(len)
    }
}

//! AES-CTR (SP 800-38A §6.5).
//!
//! What differs from OpenSSL's own: there is no keystream without an IV, nor behind the end of the counter.

use crate::ffi::{OCTET_STRING, Param, UNSIGNED};
use crate::mode::{Direction, Facts, Mode, Setting, check_key_len};
use crate::param::Value;
use crate::reason::{Reason, Result};
use crate::text::{Input, Text};
use evariste::{Backend, Block};

pub(crate) struct Ctr {
    setting: Setting,
    key: Option<evariste::Ctr>,
    /// Where the keystream began.
    iv: Block,
    state: State,
    /// Bytes of keystream since `from`.
    used: u64,
    /// The counter block from which on bytes are counted: the IV, or where an init without one went on.
    from: Block,
    /// The next counter block, for whoever takes its address.
    next: Block,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    NoIv,
    Ready,
    /// The keystream has ended, or a call has failed.
    Spent,
}

impl Mode for Ctr {
    const FACTS: Facts = Facts {
        mode: 5,
        block: 1,
        iv: 16,
        is_aead: false,
        gettable: &[
            Param::named(c"keylen", UNSIGNED),
            Param::named(c"ivlen", UNSIGNED),
            Param::named(c"num", UNSIGNED),
            Param::named(c"iv", OCTET_STRING),
            Param::named(c"updated-iv", OCTET_STRING),
            Param::END,
        ],
        settable: &[Param::named(c"num", UNSIGNED), Param::END],
    };

    fn new(setting: Setting) -> Self {
        Self { setting, key: None, iv: [0; 16], state: State::NoIv, used: 0, from: [0; 16], next: [0; 16] }
    }

    fn init(&mut self, _: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result {
        if let Some(iv) = iv {
            self.iv = iv.try_into().map_err(|_| Reason::IvLength)?;
            self.from = self.iv;
            self.state = State::Ready;
        } else if self.used > 0 {
            // Without an IV it goes on with the next block.
            let (next, is_end) = self.next();
            self.from = next;
            if is_end {
                self.state = State::Spent;
            }
        }
        self.used = 0;
        match (&mut self.key, key) {
            (Some(ctr), None) => ctr.restart(&self.from),
            (None, None) => {}
            (ctr, Some(key)) => {
                check_key_len(self.setting.key_len, key.len())?;
                match ctr {
                    Some(old) => old.rekey(key, &self.from)?,
                    // First another one, so that no byte of the real one is left where it was made.
                    none => {
                        let made = evariste::Ctr::with_backend(&[0; 16], &[0; 16], Backend::active())?;
                        none.insert(made).rekey(key, &self.from)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn get(&mut self, value: &mut Value) -> Result {
        match value.name() {
            b"ivlen" => value.put_number(16),
            b"keylen" => value.put_number(self.setting.key_len as u64),
            b"num" => value.put_number(self.used % 16),
            b"iv" => value.put_octets(&self.iv, Reason::IvLength),
            b"updated-iv" => {
                self.next = self.next().0;
                value.put_octets(&self.next, Reason::IvLength)
            }
            _ => Ok(()),
        }
    }

    fn set(&mut self, value: &Value) -> Result {
        match value.name() {
            b"ivlen" if value.length()? != 16 => Err(Reason::IvLength),
            b"keylen" => check_key_len(self.setting.key_len, value.length()?),
            // What would be in the rest of a block that was never encrypted, nobody knows.
            b"num" if value.number()? == self.used % 16 => Ok(()),
            b"num" if value.number()? == 0 => self.init(Direction::Encrypt, None, None),
            b"num" => Err(Reason::NumberNotSettable),
            b"tls-mac-size" if value.number()? != 0 => Err(Reason::TlsMac),
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn update(&mut self, input: Input<'_>) -> Result<usize> {
        match input {
            Input::Text(text) => {
                let (Some(key), State::Ready) = (&mut self.key, self.state) else { return self.nothing(false) };
                let len = text.len();
                key.apply(text.inout()?)?;
                self.used += len as u64;
                Ok(len)
            }
            input => self.nothing(input.is_empty()),
        }
    }

    fn finish(&mut self, _: Text<'_>) -> Result<usize> {
        if self.key.is_none() {
            return Err(Reason::NoKey);
        }
        Ok(0)
    }

    fn end(&mut self) {
        if self.state != State::NoIv {
            self.state = State::Spent;
        }
    }
}

impl Ctr {
    /// The next counter block, and whether there is none.
    fn next(&self) -> (Block, bool) {
        let (next, is_end) = u128::from_be_bytes(self.from).overflowing_add(self.used.div_ceil(16) as u128);
        (next.to_be_bytes(), is_end)
    }

    /// What becomes of a call without text, or before its time.
    #[cold]
    fn nothing(&self, is_wanted: bool) -> Result<usize> {
        match self.state {
            _ if self.key.is_none() => Err(Reason::NoKey),
            State::NoIv => Err(Reason::NoIv),
            State::Spent => Err(Reason::IvSpent),
            State::Ready if is_wanted => Ok(0),
            State::Ready => Err(Reason::NullPointer),
        }
    }
}

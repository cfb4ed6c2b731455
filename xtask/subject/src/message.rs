//! One message for each operation: which of it is secret, what must come of it.

use crate::memcheck;
use crate::watch::Watch;
use evariste::Backend;

/// Seals or opens a message; `None` when evariste refuses.
pub(crate) type Operation = fn(Backend, &mut Message) -> Option<()>;

/// What there is to run of a mode.
pub(crate) struct Mode {
    /// Its name, with `{}` for the key's length in bits.
    pub(crate) name: &'static str,
    /// Lengths of keys in bytes.
    pub(crate) keys: &'static [usize],
    /// Lengths of the text in bytes.
    pub(crate) lens: &'static [usize],
    /// Length of the additional data.
    pub(crate) aad: usize,
    /// Whether the result is in the tag, too.
    pub(crate) tag: bool,
    /// Key and text are secret.
    pub(crate) seal: Operation,
    /// The reverse, if it is not the same: only the key is secret. With a tag, whether it matches is public.
    pub(crate) open: Option<Operation>,
}

/// What an operation works on. Lengths, nonces and additional data are public.
pub(crate) struct Message {
    pub(crate) key: Vec<u8>,
    pub(crate) nonce: [u8; 24],
    pub(crate) aad: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) tag: [u8; 16],
}

/// Runs all there is to run of `modes`.
pub(crate) fn run_all(modes: &[Mode], backend: Backend, secret: u8, watch: Watch) {
    for mode in modes {
        for &key in mode.keys {
            let name = format!("{backend}: {}", mode.name.replace("{}", &(8 * key).to_string()));
            for &len in mode.lens {
                let new = || Message::new(key, mode.aad, len, secret);
                seal(mode, backend, &format!("{name} seal {len}"), new(), watch);
                if let Some(open) = mode.open {
                    let mut sealed = new();
                    (mode.seal)(backend, &mut sealed).expect("within limits");
                    self::open(open, backend, &format!("{name} open {len}"), sealed, &new().data, watch);
                }
                if let (Some(open), true) = (mode.open, mode.tag) {
                    let mut forged = new();
                    (mode.seal)(backend, &mut forged).expect("within limits");
                    // Where a tag is wrong is not to be seen either.
                    forged.tag[15 * secret as usize] ^= 0x80;
                    self::forged(open, backend, &format!("{name} forged {len}"), forged, watch);
                }
            }
        }
    }
}

fn seal(mode: &Mode, backend: Backend, name: &str, mut m: Message, watch: Watch) {
    watch.begin(name, &mut [&mut m.key, &mut m.data]);
    let result = (mode.seal)(backend, &mut m);
    watch.end();
    result.expect("within limits");
    let output = if mode.tag { &m.tag[..] } else { &m.data };
    expect_secret(output, name, watch);
}

fn open(open: Operation, backend: Backend, name: &str, mut m: Message, text: &[u8], watch: Watch) {
    watch.begin(name, &mut [&mut m.key]);
    let result = open(backend, &mut m);
    watch.end();
    result.expect("authentic");
    expect_secret(&m.data, name, watch);
    memcheck::declassify(&mut m.data[..]);
    assert!(m.data == text, "{name}: another text");
}

fn forged(open: Operation, backend: Backend, name: &str, mut m: Message, watch: Watch) {
    watch.begin(name, &mut [&mut m.key]);
    let result = open(backend, &mut m);
    watch.end();
    assert!(result.is_none() && m.data.iter().all(|b| *b == 0), "{name}: accepted");
}

/// A result that is not made of the secret would make a check that sees nothing.
fn expect_secret(output: &[u8], name: &str, watch: Watch) {
    if watch == Watch::Taint && !output.is_empty() {
        assert!(memcheck::is_secret(output), "{name}: where did the secret go?");
    }
}

impl Message {
    /// Secret 0 is all zeros, secret 1 is not.
    fn new(key: usize, aad: usize, len: usize, secret: u8) -> Self {
        let paint = |step: u8, len: usize| (1..=len).map(|i| ((i % 251) as u8).wrapping_mul(step)).collect::<Vec<u8>>();
        Self {
            key: paint(151 * secret, key),
            nonce: paint(1, 24).try_into().expect("24 bytes"),
            aad: paint(3, aad),
            data: paint(199 * secret, len),
            tag: [0; 16],
        }
    }
}

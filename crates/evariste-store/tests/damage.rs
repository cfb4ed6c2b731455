//! Every kind of damage, by every reader: which error, and how much text before it.

use evariste_store::parallel::{self, WriteAt};
use evariste_store::{CopyError, Error, RangeReader, Reader, SeekReader, Writer};
use std::io::{self, Cursor, Read, Write};
use std::sync::{LazyLock, Mutex};

const KEY: [u8; 16] = [1; 16];
const CONTEXT: &[u8] = b"c";
const CHUNK: usize = 16384;
const SEALED_CHUNK: usize = CHUNK + 16;
const HEADER: usize = 56;
/// Full chunks, and the number of the last one: 1 MiB without threads, and two runs with them.
const FULL: usize = 64 + 64 + 2;
const LAST: usize = 777;

static TEXT: LazyLock<Vec<u8>> =
    LazyLock::new(|| (0..FULL * CHUNK + LAST).map(|i| (i % 251 + i / 65_521) as u8).collect());
static SEALED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut writer = Writer::new(Vec::new(), &KEY, CONTEXT).expect("key");
    writer.write_all(&TEXT).expect("memory takes everything");
    writer.finish().expect("memory takes everything")
});

/// Reads a message to its end or its first error.
type Way = fn(&[u8], &mut Vec<u8>) -> io::Result<()>;

/// Those that come to the end last.
const SEQUENTIAL: &[(&str, Way)] = &[
    ("sequential", |sealed, text| Reader::new(sealed, &KEY, CONTEXT)?.read_to_end(text).map(drop)),
    ("threaded", |sealed, text| Reader::new(sealed, &KEY, CONTEXT)?.threads(3).read_to_end(text).map(drop)),
    #[cfg(feature = "tokio")]
    ("tokio", |sealed, text| {
        run(async {
            let mut reader = evariste_store::tokio::Reader::new(sealed, &KEY, CONTEXT).await?;
            tokio::io::AsyncReadExt::read_to_end(&mut reader, text).await.map(drop)
        })
    }),
];

/// Those that look at it first.
const SEEKABLE: &[(&str, Way)] = &[
    ("seek", |sealed, text| SeekReader::new(Cursor::new(sealed), &KEY, CONTEXT)?.read_to_end(text).map(drop)),
    ("seek, threaded", |sealed, text| {
        SeekReader::new(Cursor::new(sealed), &KEY, CONTEXT)?.threads(3).read_to_end(text).map(drop)
    }),
    ("range", |sealed, text| {
        let reader = RangeReader::new(sealed, &KEY, CONTEXT)?;
        let mut chunk = vec![0xff; CHUNK];
        loop {
            let n = reader.read_at(&mut chunk, text.len() as u64).inspect_err(|_| assert!(chunk == [0; CHUNK]))?;
            text.extend_from_slice(&chunk[..n]);
            if n < CHUNK {
                return Ok(());
            }
        }
    }),
    #[cfg(feature = "tokio")]
    ("tokio seek", |sealed, text| {
        run(async {
            let mut reader = evariste_store::tokio::SeekReader::new(Cursor::new(sealed), &KEY, CONTEXT).await?;
            tokio::io::AsyncReadExt::read_to_end(&mut reader, text).await.map(drop)
        })
    }),
];

#[cfg(feature = "tokio")]
fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(work)
}

/// What stands in front of the error, in chunks, and the error.
type Expected = (usize, Error);

/// A sink for threads.
struct Sink(Mutex<Vec<u8>>);

impl WriteAt for Sink {
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.0.lock().expect("no panic")[offset as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }
}

/// By all readers, which find the same, or by those that look at the end first another thing.
fn check(what: &str, sealed: &[u8], sequential: Expected, seekable: Expected) {
    for threads in [1, 3] {
        let sink = Sink(Mutex::new(vec![0; sealed.len()]));
        let found = parallel::open(sealed, &sink, &KEY, CONTEXT, threads).expect_err(what);
        let CopyError::Source(found) = found else { panic!("{what}: {found}") };
        assert_eq!(found.downcast::<Error>().expect("nothing else is wrong"), seekable.1, "{what}, {threads} threads");
        let written = sink.0.into_inner().expect("no panic");
        let true_or_nothing = |(got, text): (&[u8], &[u8])| {
            let n = got.len().min(text.len());
            got[..n] == text[..n] || got == &[0; CHUNK][..got.len()]
        };
        assert!(written.chunks(CHUNK).zip(TEXT.chunks(CHUNK)).all(true_or_nothing), "{what}");
    }
    for (ways, (chunks, error)) in [(SEQUENTIAL, sequential), (SEEKABLE, seekable)] {
        for (name, way) in ways {
            let mut text = Vec::new();
            let found = way(sealed, &mut text).expect_err(what).downcast::<Error>().expect("nothing else is wrong");
            assert_eq!((found, text.len()), (error, chunks * CHUNK), "{what}, {name}");
            assert!(text == TEXT[..text.len()], "{what}, {name}");
        }
    }
}

/// Where chunk `n` begins.
fn start(n: usize) -> usize {
    HEADER + n * SEALED_CHUNK
}

fn damaged(n: usize) -> Error {
    if n == FULL { Error::LastChunk(n as u64) } else { Error::Chunk(n as u64) }
}

fn last(n: usize) -> Error {
    Error::LastChunk(n as u64)
}

#[test]
fn nothing_is_wrong_with_the_message_itself() {
    for (name, way) in SEQUENTIAL.iter().chain(SEEKABLE) {
        let mut text = Vec::new();
        way(&SEALED, &mut text).expect(name);
        assert!(text == *TEXT, "{name}");
    }
}

#[test]
fn flipped_bits() {
    let mut sealed = SEALED.clone();
    for (what, at) in [("salt", 0), ("salt", 23), ("commitment", 24), ("commitment", 55)] {
        sealed[at] ^= 0x80;
        check(what, &sealed, (0, Error::Commitment), (0, Error::Commitment));
        sealed[at] ^= 0x80;
    }
    for n in [0, 1, 63, 64, 100, 127, 128, FULL - 1, FULL] {
        let text = if n == FULL { LAST } else { CHUNK };
        for (what, at) in [("text", 0), ("text", text - 1), ("tag", text), ("tag", text + 15)] {
            let at = start(n) + at;
            sealed[at] ^= 1;
            let seekable = if n == FULL { 0 } else { n };
            check(what, &sealed, (n, damaged(n)), (seekable, damaged(n)));
            sealed[at] ^= 1;
        }
    }
}

#[test]
fn cuts_at_every_border() {
    for len in [0, 1, 23, 24, HEADER - 1] {
        check("header cut", &SEALED[..len], (0, Error::Truncated), (0, Error::Truncated));
    }
    for n in 0..=FULL {
        if n > 0 {
            check("before a border", &SEALED[..start(n) - 1], (n - 1, last(n - 1)), (0, last(n - 1)));
        }
        check("at a border", &SEALED[..start(n)], (n, Error::Truncated), (0, Error::Truncated));
        check("behind a border", &SEALED[..start(n) + 1], (n, Error::Truncated), (0, Error::Truncated));
    }
    let end = SEALED.len();
    check("a byte less", &SEALED[..end - 1], (FULL, last(FULL)), (0, last(FULL)));
    check("only a tag's length", &SEALED[..start(FULL) + 16], (FULL, last(FULL)), (0, last(FULL)));
}

#[test]
fn chunks_in_another_place() {
    let chunk = |n: usize| &SEALED[start(n)..start(n + 1).min(SEALED.len())];
    for (a, b) in [(0, 1), (0, FULL - 1), (63, 64), (100, 120), (FULL - 2, FULL - 1)] {
        let mut sealed = SEALED.clone();
        sealed[start(a)..start(a + 1)].copy_from_slice(chunk(b));
        sealed[start(b)..start(b + 1)].copy_from_slice(chunk(a));
        check("exchanged", &sealed, (a, damaged(a)), (a, damaged(a)));
    }
    for n in [0, 63, 64, 100, FULL - 1] {
        let twice = [&SEALED[..start(n + 1)], &SEALED[start(n)..]].concat();
        // The copy stands where the next one belongs, and the last chunk behind its place.
        let next = Error::Chunk(n as u64 + 1);
        check("duplicated", &twice, (n + 1, next), (0, last(FULL + 1)));

        let without = [&SEALED[..start(n)], &SEALED[start(n + 1)..]].concat();
        let next = if n == FULL - 1 { last(n) } else { Error::Chunk(n as u64) };
        check("dropped", &without, (n, next), (0, last(FULL - 1)));
    }
    let twice = [&SEALED[..], chunk(FULL)].concat();
    check("the last duplicated", &twice, (FULL, last(FULL)), (0, last(FULL)));
}

#[test]
fn bytes_at_the_end() {
    let longer = |more: usize| [&SEALED[..], &vec![0; more]].concat();
    let rest = SEALED_CHUNK - LAST - 16;
    check("a byte more", &longer(1), (FULL, last(FULL)), (0, last(FULL)));
    check("all but a chunk", &longer(rest - 1), (FULL, last(FULL)), (0, last(FULL)));
    // Now it looks like a full chunk, behind which the last one is missing.
    check("a chunk", &longer(rest), (FULL, Error::Chunk(FULL as u64)), (0, Error::Truncated));
    check("a chunk and a byte", &longer(rest + 1), (FULL, Error::Chunk(FULL as u64)), (0, Error::Truncated));
    check("a chunk and a tag", &longer(rest + 16), (FULL, Error::Chunk(FULL as u64)), (0, last(FULL + 1)));
}

#[test]
fn another_key_or_context() {
    let error = |key: &[u8], context: &[u8]| {
        let found = Reader::new(&SEALED[..], key, context).expect_err("not for this one");
        let seek = SeekReader::new(Cursor::new(&SEALED[..]), key, context).expect_err("not for this one");
        let range = RangeReader::new(&SEALED[..], key, context).expect_err("not for this one");
        let [found, seek, range] = [found, seek, range].map(|error| error.downcast::<Error>().expect("nothing else"));
        assert!(found == seek && found == range);
        found
    };
    assert_eq!(error(&[2; 16], CONTEXT), Error::Commitment);
    assert_eq!(error(&[1; 32], CONTEXT), Error::Commitment);
    assert_eq!(error(&KEY, b""), Error::Commitment);
    assert_eq!(error(&[1; 24], CONTEXT), Error::KeyLength);
}

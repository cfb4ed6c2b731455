//! Threads change nothing but the speed: bytes, errors and their order, interruptions.

use evariste_store::{Error, Reader, SeekReader, Writer};
use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom, Write};
use std::sync::LazyLock;

const KEY: [u8; 16] = [1; 16];
const CHUNK: usize = 16384;
const SEALED_CHUNK: usize = CHUNK + 16;
const HEADER: usize = 56;
const LONG: usize = 9 * 1024 * 1024 + 777;

/// With a period that is a prime, so that a run in another's place shows.
static TEXT: LazyLock<Vec<u8>> = LazyLock::new(|| (0..LONG).map(|i| (i % 251 + i / 65_521) as u8).collect());
static SEALED: LazyLock<Vec<u8>> = LazyLock::new(|| seal(&TEXT, 1, LONG));

fn seal(text: &[u8], threads: usize, piece: usize) -> Vec<u8> {
    let writer = Writer::with_salt(Vec::new(), &KEY, b"c", [2; 24]).expect("key");
    let mut writer = writer.threads(threads);
    text.chunks(piece).for_each(|piece| writer.write_all(piece).expect("memory takes everything"));
    writer.finish().expect("memory takes everything")
}

/// The same by reading into the writer.
fn seal_room(mut text: &[u8], threads: usize) -> Vec<u8> {
    let writer = Writer::with_salt(Vec::new(), &KEY, b"c", [2; 24]).expect("key");
    let mut writer = writer.threads(threads);
    loop {
        let n = text.read(writer.room().expect("memory takes everything")).expect("memory");
        if n == 0 {
            return writer.finish().expect("memory takes everything");
        }
        writer.advance(n);
    }
}

/// All text up to the end or the first error.
fn open(sealed: &[u8], threads: usize) -> (Vec<u8>, Option<Error>) {
    let mut reader = Reader::new(sealed, &KEY, b"c").expect("a true header").threads(threads);
    let mut text = Vec::new();
    let error =
        reader.read_to_end(&mut text).err().map(|error| error.downcast().expect("memory gives no other errors"));
    if let Some(error) = error {
        let again = reader.read_to_end(&mut text).expect_err("an error stays");
        assert_eq!(again.downcast::<Error>().expect("the same type"), error);
    }
    (text, error)
}

#[test]
fn the_same_bytes() {
    const MIB: usize = 64 * CHUNK;
    for len in [0, 1, CHUNK, MIB - 1, MIB, MIB + 1, 2 * MIB, 2 * MIB + CHUNK, 3 * MIB - 1, LONG] {
        let expected = seal(&TEXT[..len], 1, LONG);
        for threads in [0, 2, 3, 100] {
            for piece in [len.max(1), 100_000, CHUNK] {
                assert!(seal(&TEXT[..len], threads, piece) == expected, "{len} {threads} {piece}");
            }
            assert!(seal_room(&TEXT[..len], threads) == expected, "{len} {threads}");
            let (text, error) = open(&expected, threads);
            assert!(text == TEXT[..len] && error.is_none(), "{len} {threads} {error:?}");
        }
    }
}

#[test]
fn the_first_error_in_order_and_all_text_before_it() {
    let last = (LONG / CHUNK) as u64;
    for n in [0, 63, 64, 100, 127, 128, 191, 192, 200, 500, last] {
        let (at, text) = (HEADER + n as usize * SEALED_CHUNK, n as usize * CHUNK);
        let damaged = if n == last { Error::LastChunk(n) } else { Error::Chunk(n) };
        let mut sealed = SEALED.clone();
        sealed[at] ^= 1;
        // Another one, which a thread may find earlier.
        let later = at + 70 * SEALED_CHUNK;
        if later < sealed.len() {
            sealed[later] ^= 1;
        }
        for (case, error) in [
            (&sealed[..], damaged),
            (&SEALED[..at], Error::Truncated),
            (&SEALED[..at + 15], Error::Truncated),
            (&SEALED[..at + 700], Error::LastChunk(n)),
        ] {
            for threads in [1, 2, 5] {
                let (got, found) = open(case, threads);
                assert_eq!((got.len(), found), (text, Some(error)), "{threads}");
                assert!(got == TEXT[..text]);
            }
        }
    }
}

/// Fails every second time; gives or takes up to 300,000 bytes otherwise.
struct Reluctant<T>(T, usize);

impl<T> Reluctant<T> {
    fn turn(&mut self) -> io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(2) { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(300_000) }
    }
}

impl<R: Read> Read for Reluctant<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.turn()?.min(out.len());
        self.0.read(&mut out[..n])
    }
}

impl<W: Write> Write for Reluctant<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let n = self.turn()?.min(data.len());
        self.0.write(&data[..n])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn interruptions_lose_nothing() {
    let mut reader = Reader::new(Reluctant(&SEALED[..], 0), &KEY, b"c").expect("a true header").threads(3);
    let (mut text, mut failures) = (Vec::new(), 0);
    loop {
        match reader.fill_buf() {
            Ok([]) => break,
            Ok(some) => {
                text.extend_from_slice(some);
                let n = some.len();
                reader.consume(n);
            }
            Err(error) => {
                assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
                failures += 1;
            }
        }
    }
    assert!(text == *TEXT && failures > 20, "{failures}");

    let writer = Writer::with_salt(Reluctant(Vec::new(), 0), &KEY, b"c", [2; 24]).expect("key");
    let (mut writer, mut rest, mut failures) = (writer.threads(3), &TEXT[..], 0);
    while !rest.is_empty() {
        match writer.write(rest) {
            Ok(n) => rest = &rest[n..],
            Err(_) => failures += 1,
        }
    }
    while writer.flush().is_err() {
        failures += 1;
    }
    assert!(failures > 20, "{failures}");
    // Flushed: all but what fills no chunk.
    let mut smooth = Writer::with_salt(Vec::new(), &KEY, b"c", [2; 24]).expect("key").threads(3);
    smooth.write_all(&TEXT).expect("memory takes everything");
    smooth.flush().expect("memory takes everything");
    smooth.write_all(b"and more").expect("memory takes everything");
    let smooth = smooth.finish().expect("memory takes everything");
    assert!(smooth == seal(&[&TEXT[..], b"and more"].concat(), 1, LONG));
}

#[test]
fn a_sink_that_fails_ends_the_message() {
    #[derive(Debug)]
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(data.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(data.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    // 4 MiB at most are on their way when 9 are given.
    let mut writer = Writer::new(Full(3 << 20), &KEY, b"c").expect("key").threads(2);
    let error = writer.write_all(&TEXT).expect_err("no room");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(writer.finish().expect_err("still no room").kind(), io::ErrorKind::StorageFull);
}

#[test]
fn seeking_breaks_off_what_is_on_its_way() {
    let mut reader = SeekReader::new(Cursor::new(&SEALED[..]), &KEY, b"c").expect("a true message").threads(3);
    for (from, len) in [(5, 4 << 20), (LONG - 9, 100), (1 << 20, 3 << 20), (3 << 20, 9), ((3 << 20) + 9, 6 << 20)] {
        reader.seek(SeekFrom::Start(from as u64)).expect("a position");
        let mut text = Vec::new();
        reader.by_ref().take(len).read_to_end(&mut text).expect("a true message");
        assert!(text == TEXT[from..][..text.len()] && text.len() == (LONG - from).min(len as usize), "{from}");
    }
    let mut damaged = SEALED.clone();
    damaged[HEADER + 200 * SEALED_CHUNK] ^= 1;
    let mut reader = SeekReader::new(Cursor::new(&damaged[..]), &KEY, b"c").expect("a true end").threads(3);
    for _ in 0..2 {
        let mut text = Vec::new();
        reader.rewind().expect("a position");
        let error = reader.read_to_end(&mut text).expect_err("damaged");
        assert_eq!(error.downcast::<Error>().expect("damage"), Error::Chunk(200));
        assert!(text == TEXT[..200 * CHUNK]);
        reader.seek(SeekFrom::Start(201 * CHUNK as u64)).expect("a position");
        text.clear();
        reader.read_to_end(&mut text).expect("nothing wrong behind it");
        assert!(text == TEXT[201 * CHUNK..]);
    }
}

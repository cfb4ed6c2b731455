//! Whole files on several threads: the same messages and texts as by one.

use evariste_store::parallel::{self, WriteAt};
use evariste_store::{CopyError, Error, ReadAt, Reader, Writer, sealed_len};
use std::fs::{self, File};
use std::io::{self, Read, Write};

const KEY: [u8; 32] = [1; 32];
const CHUNK: usize = 16384;
const MIB: usize = 64 * CHUNK;

fn text(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251 + i / 65_521) as u8).collect()
}

fn seal(text: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &KEY, b"c").expect("key");
    writer.write_all(text).expect("memory takes everything");
    writer.finish().expect("memory takes everything")
}

#[test]
fn both_ways() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, MIB - 1, MIB, MIB + 1, 3 * MIB, 5 * MIB + 777] {
        let text = text(len);
        fs::write(path("text"), &text)?;
        for threads in [0, 1, 2, 3, 100] {
            let sealed = File::create(path("sealed"))?;
            let n = parallel::seal(&File::open(path("text"))?, &sealed, &KEY, b"c", threads)?;
            assert_eq!((n, n), (sealed_len(len as u64)?, sealed.metadata()?.len()), "{len} {threads}");
            let mut opened = Vec::new();
            Reader::new(File::open(path("sealed"))?, &KEY, b"c")?.read_to_end(&mut opened)?;
            assert!(opened == text, "{len} {threads}");

            fs::write(path("sealed"), seal(&text))?;
            let opened = File::create(path("opened"))?;
            let n = parallel::open(&File::open(path("sealed"))?, &opened, &KEY, b"c", threads)?;
            assert_eq!(n, len as u64);
            assert!(fs::read(path("opened"))? == text, "{len} {threads}");
        }
    }
    Ok(())
}

/// Fails behind so many bytes.
struct Until<T>(T, u64);

impl<T: ReadAt> ReadAt for Until<T> {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let end = offset + buffer.len() as u64;
        if end > self.1 { Err(io::ErrorKind::TimedOut.into()) } else { self.0.read_exact_at(buffer, offset) }
    }

    fn size(&self) -> io::Result<u64> {
        self.0.size()
    }
}

impl WriteAt for Until<()> {
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        if offset + data.len() as u64 > self.1 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

#[test]
fn who_fails_is_named() {
    let (text, sealed) = (text(5 * MIB), seal(&text(5 * MIB)));
    let everything = Until((), u64::MAX);
    for threads in [1, 3] {
        for limit in [0, 100, 3 * MIB as u64] {
            let failing = Until((), limit);
            for result in [
                parallel::seal(&text, &failing, &KEY, b"c", threads),
                parallel::open(&sealed, &failing, &KEY, b"c", threads),
            ] {
                let Err(CopyError::Sink(error)) = result else { panic!("{limit}: {result:?}") };
                assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            }
            for result in [
                parallel::seal(&Until(&text, limit), &everything, &KEY, b"c", threads),
                parallel::open(&Until(&sealed, limit), &everything, &KEY, b"c", threads),
            ] {
                let Err(CopyError::Source(error)) = result else { panic!("{limit}: {result:?}") };
                assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            }
        }
    }
    let Err(CopyError::Sink(error)) = parallel::seal(&text, &everything, &[1; 5], b"", 2) else { panic!("sealed") };
    assert_eq!(error.downcast::<Error>().expect("ours"), Error::KeyLength);
}

//! tokio's readers and writers beside the others, on sources and sinks that keep them waiting.

use evariste_store::{Error, tokio as store};
use std::future::poll_fn;
use std::io::{self, Cursor, Read, SeekFrom, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncSeek, AsyncSeekExt, AsyncWrite, AsyncWriteExt, ReadBuf};

const KEY: [u8; 32] = [1; 32];
const CHUNK: usize = 16384;
const LENGTHS: [usize; 7] = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 4 * CHUNK, 1_500_000];

fn text(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251 + i / 65_521) as u8).collect()
}

fn seal(text: &[u8]) -> Vec<u8> {
    let mut writer = evariste_store::Writer::new(Vec::new(), &KEY, b"c").expect("key");
    writer.write_all(text).expect("memory takes everything");
    writer.finish().expect("memory takes everything")
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(work)
}

/// Has its caller wait every second time; else does up to 5000 bytes.
struct Reluctant<T>(T, usize);

impl<T: Unpin> Reluctant<T> {
    /// What is in it, if it is its turn.
    fn turn(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Pin<&mut T>> {
        let inner = self.get_mut();
        inner.1 += 1;
        if inner.1.is_multiple_of(2) {
            return Poll::Ready(Pin::new(&mut inner.0));
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Reluctant<R> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let inner = ready!(self.turn(context));
        let mut some = vec![0; out.remaining().min(5000)];
        let mut some = ReadBuf::new(&mut some);
        ready!(inner.poll_read(context, &mut some))?;
        out.put_slice(some.filled());
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncSeek + Unpin> AsyncSeek for Reluctant<R> {
    fn start_seek(self: Pin<&mut Self>, to: SeekFrom) -> io::Result<()> {
        Pin::new(&mut self.get_mut().0).start_seek(to)
    }

    fn poll_complete(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<u64>> {
        ready!(self.turn(context)).poll_complete(context)
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Reluctant<W> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.turn(context)).poll_write(context, &data[..data.len().min(5000)])
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.turn(context)).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.turn(context)).poll_shutdown(context)
    }
}

#[test]
fn what_is_written_is_a_message() {
    for len in LENGTHS {
        let text = text(len);
        let sealed = run(async {
            let mut writer = store::Writer::new(Reluctant(Vec::new(), 0), &KEY, b"c")?;
            for piece in text.chunks(70_000) {
                writer.write_all(piece).await?;
                writer.flush().await?;
            }
            writer.shutdown().await?;
            assert_eq!(writer.write(b"more").await.expect_err("it has ended").kind(), io::ErrorKind::BrokenPipe);
            io::Result::Ok(writer.into_inner().0)
        });
        let sealed = sealed.expect("memory takes everything");
        assert_eq!(Ok(sealed.len() as u64), evariste_store::sealed_len(len as u64));
        let mut opened = Vec::new();
        let mut reader = evariste_store::Reader::new(&sealed[..], &KEY, b"c").expect("a true header");
        reader.read_to_end(&mut opened).expect("a true message");
        assert!(opened == text, "{len}");
    }
}

#[test]
fn what_is_read_is_the_text() {
    for len in LENGTHS {
        let (text, sealed) = (text(len), seal(&text(len)));
        let opened = run(async {
            let mut opened = Vec::new();
            let mut reader = store::Reader::new(Reluctant(&sealed[..], 0), &KEY, b"c").await?;
            reader.read_to_end(&mut opened).await?;
            io::Result::Ok(opened)
        });
        assert!(opened.expect("a true message") == text, "{len}");
    }
}

#[test]
fn reads_from_anywhere() {
    let text = text(3 * CHUNK + 9);
    let sealed = [&b"in front"[..], &seal(&text)].concat();
    run(async {
        let mut inner = Reluctant(Cursor::new(&sealed), 0);
        inner.seek(SeekFrom::Start(8)).await.expect("a position");
        let mut reader = store::SeekReader::new(inner, &KEY, b"c").await.expect("a true message");
        assert_eq!(reader.text_len(), text.len() as u64);
        for from in [3 * CHUNK + 8, 0, CHUNK - 1, CHUNK, 5, 2 * CHUNK, text.len(), text.len() + 1] {
            let mut rest = Vec::new();
            reader.seek(SeekFrom::Start(from as u64)).await.expect("a position");
            reader.read_to_end(&mut rest).await.expect("a true message");
            assert!(rest == text[from.min(text.len())..], "{from}");
        }
        assert_eq!(reader.seek(SeekFrom::End(-9)).await.expect("a position"), 3 * CHUNK as u64);
        assert!(reader.seek(SeekFrom::Current(-4 * CHUNK as i64)).await.is_err());
    });
}

/// A caller may go elsewhere while the source is still on its way.
#[test]
fn a_seek_may_be_given_up_for_another() {
    let (text, sealed) = (text(4 * CHUNK), seal(&text(4 * CHUNK)));
    run(async {
        let mut reader = store::SeekReader::new(Reluctant(Cursor::new(&sealed), 0), &KEY, b"c").await.expect("true");
        for polls in 1..20 {
            for (first, second) in [(CHUNK, 3 * CHUNK), (3 * CHUNK, 7), (0, 2 * CHUNK + 5)] {
                let mut bytes = [0; 9];
                reader.seek(SeekFrom::Start(first as u64)).await.expect("a position");
                for _ in 0..polls {
                    let mut out = ReadBuf::new(&mut bytes);
                    let poll = poll_fn(|context| Poll::Ready(Pin::new(&mut reader).poll_read(context, &mut out))).await;
                    if poll.is_ready() {
                        break;
                    }
                }
                reader.seek(SeekFrom::Start(second as u64)).await.expect("a position");
                reader.read_exact(&mut bytes).await.expect("a true message");
                assert_eq!(bytes, text[second..][..9], "{polls} {first} {second}");
            }
        }
    });
}

#[test]
fn damage_is_found_and_stays() {
    let mut sealed = seal(&text(3 * CHUNK));
    sealed[56 + CHUNK + 20] ^= 1;
    run(async {
        let mut reader = store::Reader::new(&sealed[..], &KEY, b"c").await.expect("a true header");
        let mut opened = Vec::new();
        for _ in 0..2 {
            let error = reader.read_to_end(&mut opened).await.expect_err("damaged");
            assert_eq!(error.downcast::<Error>().expect("damage"), Error::Chunk(1));
            assert!(opened == text(CHUNK));
        }
        let error = store::Reader::new(&sealed[..50], &KEY, b"c").await.expect_err("too short");
        assert_eq!(error.downcast::<Error>().expect("damage"), Error::Truncated);
    });
}

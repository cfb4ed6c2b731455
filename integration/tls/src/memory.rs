//! Both ends of a connection, and what they write carried by hand.

use anyhow::{Context, Result, ensure};
use rustls::{ClientConfig, ClientConnection, Connection, ServerConfig, ServerConnection};
use sha2::{Digest, Sha256};
use std::io::{ErrorKind, IoSlice, Read, Write};
use std::sync::Arc;

/// A client and a server.
pub struct Pair {
    /// The one that began.
    pub client: Connection,
    /// The one that answered.
    pub server: Connection,
}

impl Pair {
    /// After the handshake.
    pub fn connect(client: Arc<ClientConfig>, server: Arc<ServerConfig>) -> Result<Self> {
        let client = ClientConnection::new(client, "localhost".try_into()?)?;
        let mut pair = Self { client: client.into(), server: ServerConnection::new(server)?.into() };
        while pair.client.is_handshaking() || pair.server.is_handshaking() {
            let moved = pair.carry()?;
            ensure!(moved > 0, "the handshake stands still");
        }
        // The tickets.
        while pair.carry()? > 0 {}
        Ok(pair)
    }

    /// Carries what both have written to the other, and says how many bytes that were.
    pub fn carry(&mut self) -> Result<usize> {
        let sent = carry(&mut self.client, &mut self.server, &mut |_| ())?.bytes;
        Ok(sent + carry(&mut self.server, &mut self.client, &mut |_| ())?.bytes)
    }

    /// Sends text from the server to the client, or the other way, and compares digests.
    pub fn transfer(&mut self, to_client: bool, text: &[u8]) -> Result<()> {
        let received = self.receive(to_client, text)?;
        ensure!(received.len == text.len(), "{} bytes of {} came", received.len, text.len());
        ensure!(received.digest == super::digest(text), "another text came");
        Ok(())
    }

    /// Sends text, and tells what came of it.
    pub fn receive(&mut self, to_client: bool, text: &[u8]) -> Result<Received> {
        let (from, to) = match to_client {
            true => (&mut self.server, &mut self.client),
            false => (&mut self.client, &mut self.server),
        };
        let (mut hash, mut len) = (Sha256::new(), 0);
        let mut closed = false;
        // Pieces of many lengths, so that records are, too: whole, cut short, and put together of several chunks.
        for (n, piece) in text.chunks(49_999).enumerate() {
            if n % 2 == 0 {
                from.writer().write_all(piece)?;
            } else {
                let mut parts: Vec<_> = piece.chunks(7001).map(IoSlice::new).collect();
                let mut parts = &mut parts[..];
                while !parts.is_empty() {
                    let written = from.writer().write_vectored(parts)?;
                    IoSlice::advance_slices(&mut parts, written);
                }
            }
            while from.wants_write() {
                closed |= carry(from, to, &mut |got| {
                    hash.update(got);
                    len += got.len();
                })?
                .closed;
            }
            if closed {
                break;
            }
            // What the other has to say, an answer to a key update for example.
            carry(to, from, &mut |_| ())?;
        }
        Ok(Received { len, digest: hash.finalize().into(), closed })
    }
}

/// What came.
pub struct Received {
    /// Bytes.
    pub len: usize,
    /// SHA-256 of them.
    pub digest: [u8; 32],
    /// Whether the sender has closed the connection, in order.
    pub closed: bool,
}

/// What a turn brought.
struct Carried {
    /// Bytes on the wire.
    bytes: usize,
    /// Whether the end of the text has come.
    closed: bool,
}

/// Carries what one has written, and takes what the other can read, of which it keeps a record or so only.
fn carry(from: &mut Connection, to: &mut Connection, take: &mut dyn FnMut(&[u8])) -> Result<Carried> {
    let (mut wire, mut buffer) = (Vec::new(), [0; 1 << 14]);
    while from.wants_write() {
        from.write_tls(&mut wire)?;
    }
    let (mut carried, mut rest) = (Carried { bytes: wire.len(), closed: false }, &wire[..]);
    while !rest.is_empty() {
        to.read_tls(&mut rest)?;
        to.process_new_packets()?;
        loop {
            match to.reader().read(&mut buffer) {
                Ok(0) => {
                    carried.closed = true;
                    return Ok(carried);
                }
                Ok(got) => take(&buffer[..got]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error).context("reading"),
            }
        }
    }
    Ok(carried)
}

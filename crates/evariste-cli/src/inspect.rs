//! `evariste inspect`.

use crate::output;
use crate::secret::explain;
use anyhow::{Context, Result, bail};
use evariste_store::header::{Content, HEADER_LEN, Header, Slot};
use evariste_store::{Span, text_len};
use serde::Serialize;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

/// Say what an encrypted file is and what opens it, without a passphrase or key
///
/// The header says how the file is encrypted, and which passphrases and key files there are, by number and by
/// what trying them takes. With --raw there is no header: the file has a length, and nothing else is read.
///
/// Nothing of this is verified: whoever can write the file can write another header. A key file has the same
/// id wherever it is used.
#[derive(clap::Args)]
#[command(after_help = "Example: evariste inspect photo.evr")]
pub(crate) struct Args {
    /// No header: nothing but C2SP chunked encryption
    #[arg(long)]
    raw: bool,

    /// Print {bytes, text_bytes, chunks}, and what the header says, and nothing else
    #[arg(long)]
    json: bool,

    /// The encrypted file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Serialize)]
struct Found {
    #[serde(flatten)]
    header: Option<Described>,
    bytes: u64,
    text_bytes: u64,
    chunks: u64,
}

#[derive(Serialize)]
struct Described {
    version: u16,
    suite: String,
    content: &'static str,
    file_id: String,
    slots: Vec<DescribedSlot>,
}

#[derive(Serialize)]
struct DescribedSlot {
    slot: usize,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Kind {
    Passphrase { memory_kib: u32, passes: u32, lanes: u32 },
    KeyFile { id: String },
    Unknown { number: u8 },
    Damaged,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    output::exit_code(inspect(args))
}

fn inspect(args: Args) -> Result<()> {
    let name = args.file.display().to_string();
    let cannot = || format!("cannot read {name}");
    // A pipe must not be opened: that would wait for someone to write to it.
    let found = fs::metadata(&args.file).with_context(cannot)?;
    if !found.is_file() {
        bail!("{name} is not a regular file, and has no length");
    }
    let bytes = found.len();
    let header = if args.raw {
        None
    } else {
        let mut file = File::open(&args.file).with_context(cannot)?;
        Some(Header::read(&mut file).map_err(|error| explain(error, &name))?)
    };
    let message = bytes.saturating_sub(if header.is_some() { HEADER_LEN as u64 } else { 0 });
    let text_bytes = text_len(message).with_context(|| name.clone())?;
    let chunks = Span::last(message).with_context(|| name.clone())?.first + 1;
    let found = Found { header: header.as_ref().map(describe), bytes, text_bytes, chunks };
    let text = if args.json { serde_json::to_string_pretty(&found)? + "\n" } else { found.text(&name) };
    Ok(stdout().write_all(text.as_bytes())?)
}

fn describe(header: &Header) -> Described {
    let content = match header.content() {
        Content::Bytes => "bytes",
        Content::Tar => "tar",
        _ => "other",
    };
    let slots = header.slots().into_iter().enumerate().filter_map(|(slot, found)| {
        let kind = match found {
            Slot::Empty => return None,
            Slot::Passphrase(cost) => {
                Kind::Passphrase { memory_kib: cost.memory(), passes: cost.passes(), lanes: cost.lanes() }
            }
            Slot::KeyFile(id) => Kind::KeyFile { id: hex::encode(id) },
            Slot::Unknown(number) => Kind::Unknown { number },
            _ => Kind::Damaged,
        };
        Some(DescribedSlot { slot, kind })
    });
    Described {
        version: 1,
        suite: header.suite().to_string(),
        content,
        file_id: hex::encode(header.file_id()),
        slots: slots.collect(),
    }
}

impl Found {
    fn text(&self, name: &str) -> String {
        let Self { header, bytes, text_bytes, chunks } = self;
        let mut text = format!("{name}: {bytes} bytes, {text_bytes} of text, chunks: {chunks}\n");
        if let Some(header) = header {
            let content = if header.content == "tar" { ", a directory" } else { "" };
            // Writing to a string does not fail.
            let _ = writeln!(text, "header   version {}, {}{content}", header.version, header.suite);
            let _ = writeln!(text, "file id  {}", header.file_id);
            for slot in &header.slots {
                let _ = writeln!(text, "slot {}   {}", slot.slot, slot.kind.text());
            }
        }
        text
    }
}

impl Kind {
    fn text(&self) -> String {
        match self {
            Self::Passphrase { memory_kib, passes, lanes } => {
                let memory = match memory_kib {
                    kib if kib % 1024 == 0 => format!("{} MiB", kib / 1024),
                    kib => format!("{kib} KiB"),
                };
                format!("passphrase, Argon2id with {memory}, passes: {passes}, lanes: {lanes}")
            }
            Self::KeyFile { id } => format!("key file {id}"),
            Self::Unknown { number } => format!("kind {number}, which this version does not know"),
            Self::Damaged => "damaged".into(),
        }
    }
}

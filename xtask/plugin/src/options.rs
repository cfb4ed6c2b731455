//! What the plugin is told to do.

use std::path::PathBuf;

/// The immediates of the instructions that stand before and behind an operation: in xtask/subject, too.
const BEGIN: u32 = 0x4547;
const END: u32 = 0x4548;

/// The arguments of the plugin.
pub(crate) struct Options {
    pub(crate) job: Job,
    /// Where its output goes.
    pub(crate) out: PathBuf,
}

pub(crate) enum Job {
    Count,
    Blocks,
    Trace {
        marks: Marks,
        /// The operation to write down, counted from 0.
        record: Option<usize>,
    },
}

/// The instructions, as they are in memory, that stand around an operation. They do nothing, and no compiler
/// has a use for them.
pub(crate) struct Marks {
    pub(crate) begin: [u8; 4],
    pub(crate) end: [u8; 4],
}

impl Options {
    pub(crate) fn parse(target: &str, arguments: &[impl AsRef<str>]) -> Result<Self, String> {
        let value = |name: &str| arguments.iter().find_map(|a| a.as_ref().strip_prefix(name)?.strip_prefix('='));
        let record = value("record").map(|n| n.parse().map_err(|_| format!("record={n}"))).transpose()?;
        let job = match value("job") {
            Some("count") => Job::Count,
            Some("blocks") => Job::Blocks,
            Some("trace") => {
                let marks = Marks::of(target).ok_or_else(|| format!("no marks are known for {target}"))?;
                Job::Trace { marks, record }
            }
            other => return Err(format!("no job {other:?}")),
        };
        Ok(Self { job, out: value("out").ok_or("no out=FILE")?.into() })
    }
}

impl Marks {
    /// `movz xzr, #N` on AArch64, `li 0, N` on POWER.
    fn of(target: &str) -> Option<Self> {
        let pair = |word: fn(u32) -> [u8; 4]| Self { begin: word(BEGIN), end: word(END) };
        Some(match target {
            "aarch64" => pair(|n| (0xd280_001f | n << 5).to_le_bytes()),
            "ppc64le" => pair(|n| (0x3800_0000 | n).to_le_bytes()),
            "ppc64" => pair(|n| (0x3800_0000 | n).to_be_bytes()),
            _ => return None,
        })
    }
}

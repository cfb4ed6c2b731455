//! One program from its start until its output is on the disk.

use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) time: Duration,
    /// The most memory that the process had, in KiB.
    pub(crate) memory: u64,
}

pub(crate) fn run(mut command: Command, output: &Path) -> Result<Turn> {
    let start = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().with_context(|| format!("{command:?}"))?;
    let status = format!("/proc/{}/status", child.id());
    let mut memory = 0;
    // The mark is never lowered, so the last look before the end is the one that counts.
    while child.try_wait()?.is_none() {
        memory = peak(&status).unwrap_or(0).max(memory);
        thread::sleep(Duration::from_millis(2));
    }
    let done = child.wait_with_output()?;
    ensure!(done.status.success(), "{command:?}: {}\n{}", done.status, String::from_utf8_lossy(&done.stderr));
    File::open(output)?.sync_all()?;
    Ok(Turn { time: start.elapsed(), memory })
}

/// Waits until the file system of a folder has nothing more to write.
pub(crate) fn settle(folder: &Path) -> Result<()> {
    let status = Command::new("sync").arg("--file-system").arg(folder).status()?;
    ensure!(status.success(), "sync: {status}");
    Ok(())
}

fn peak(status: &str) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

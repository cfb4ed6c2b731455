//! Programs that are started, and those that stay.

use anyhow::{Context, Result, bail, ensure};
use std::io::Write;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything here takes.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A program that ends with whoever holds it, and all that it has started.
pub struct Process(Child);

impl Process {
    /// Starts it, in a group of its own.
    pub fn spawn(command: &mut Command) -> Result<Self> {
        Ok(Self(command.process_group(0).spawn().with_context(|| format!("{command:?}"))?))
    }

    /// Its output, which was to be piped.
    pub fn stdout(&mut self) -> Result<ChildStdout> {
        self.0.stdout.take().context("no output")
    }

    /// Its input, which was to be piped.
    pub fn stdin(&mut self) -> Result<ChildStdin> {
        self.0.stdin.take().context("no input")
    }

    /// Waits until it listens on a port of `tcp` or `udp`; an error if it ends meanwhile.
    pub fn listens(&mut self, kind: &str, port: u16) -> Result<()> {
        // Nobody connects to see it: to some servers that would be the one connection they serve.
        let local = format!(":{port:04X}");
        let its = |line: &str| line.split_whitespace().nth(1).is_some_and(|address| address.ends_with(&local));
        wait_for("a listener", || {
            if let Some(status) = self.0.try_wait()? {
                bail!("the server has ended: {status}");
            }
            Ok(std::fs::read_to_string(format!("/proc/net/{kind}"))?.lines().any(its))
        })
    }

    /// How it ended; an error if that takes too long.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        let mut status = None;
        wait_for("the end of a program", || {
            status = self.0.try_wait()?;
            Ok(status.is_some())
        })?;
        status.context("it has ended")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Servers have workers, which do not end by themselves.
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.0.wait();
    }
}

/// What a program prints, if it succeeds.
pub fn output(command: &mut Command) -> Result<Output> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?}"))?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}\n{}", output.status, error.trim_end());
    Ok(output)
}

/// The same for a program that reads something.
pub fn send(command: &mut Command, input: &[u8]) -> Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let mut stdin = child.stdin.take().context("no input")?;
    let output = thread::scope(|scope| {
        // Who does not read all says why on the error output.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output()
    })?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}\n{}", output.status, error.trim_end());
    Ok(output)
}

/// Tries again until it is so.
pub fn wait_for(what: &str, mut is_so: impl FnMut() -> Result<bool>) -> Result<()> {
    let start = Instant::now();
    while !is_so()? {
        if start.elapsed() > PATIENCE {
            bail!("{what}: not after {} seconds", PATIENCE.as_secs());
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// A port of this machine that nobody listens on, for programs that want a number.
pub fn free_port() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    UdpSocket::bind(("127.0.0.1", port))?;
    Ok(port)
}

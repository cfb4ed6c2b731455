//! The built program in a directory of its own.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A directory with two keys, in which the program runs.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(TempDir::new().unwrap());
        place.write("key16", &[0x42; 16]);
        place.write("key32", &[0x42; 32]);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// All names, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(self.0.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evariste"));
        command.args(args.split(' '));
        self.ready(command)
    }

    /// A command that signals can end: what runs these tests in the background may ignore some, and what is
    /// ignored is inherited.
    #[cfg(unix)]
    pub(crate) fn interruptible(&self, args: &str) -> Command {
        if cfg!(not(target_os = "linux")) {
            return self.command(args);
        }
        let mut command = Command::new("env");
        command.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_evariste")]).args(args.split(' '));
        self.ready(command)
    }

    /// A script in which `$0` is the program.
    #[cfg(unix)]
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_evariste")]);
        self.ready(command)
    }

    fn ready(&self, mut command: Command) -> Command {
        command.current_dir(self.0.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &str) -> Output {
        self.command(args).output().unwrap()
    }

    /// With standard input from a pipe.
    pub(crate) fn pipe(&self, args: &str, input: &[u8]) -> Output {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // A program that refuses its input does not read it.
                let _ = stdin.write_all(input);
            });
            child.wait_with_output().unwrap()
        })
    }

    /// Runs what must work, silently.
    #[track_caller]
    pub(crate) fn ok(&self, args: &str) -> Vec<u8> {
        done(self.run(args))
    }
}

/// What it printed, when all went well.
#[track_caller]
pub(crate) fn done(output: Output) -> Vec<u8> {
    assert_eq!(message(&output), "");
    assert_eq!(output.status.code(), Some(0));
    output.stdout
}

/// What it said, when it refused with this exit code and one line.
#[track_caller]
pub(crate) fn refused(output: &Output, code: i32) -> String {
    let message = message(output);
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert!(message.starts_with("evariste: ") && message.lines().count() == 1, "{message}");
    message
}

pub(crate) fn message(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Bytes with a prime period, so that exchanged chunks show.
pub(crate) fn text(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

//! Signals, terminals, permissions and pipes.

use crate::program::{Place, done, message, refused, text};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// A terminal: what a person sees, and what the program gets.
pub(crate) fn terminal() -> (File, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    (master.into(), OpenOptions::new().read(true).write(true).open(name).unwrap())
}

fn mode(place: &Place, name: &str) -> u32 {
    fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777
}

/// Starts a command, feeds it `input`, and waits for its file without a name; what it reads from, and that file.
fn started(place: &Place, mut command: Command, input: &[u8]) -> (Child, ChildStdin, String) {
    let before = place.names();
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input).unwrap();
    (child, stdin, appeared(place, &before))
}

/// The name that is not among those of `before`.
fn appeared(place: &Place, before: &[String]) -> String {
    let start = Instant::now();
    loop {
        if let Some(new) = place.names().into_iter().find(|name| !before.contains(name)) {
            return new;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "no file to be seen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_interrupt_leaves_nothing() {
    let place = Place::new();
    let sealed = done(place.pipe("encrypt --raw -k key32", &text(40_000)));
    let before = place.names();
    for (args, input, signal) in [
        ("encrypt --raw -k key32 -o out", &text(40_000), Signal::INT),
        ("decrypt --raw -k key32 -o out", &sealed, Signal::TERM),
        #[cfg(target_os = "linux")]
        ("decrypt --raw -k key32 -o out", &sealed, Signal::HUP),
    ] {
        let (mut child, _stdin, unfinished) = started(&place, place.interruptible(args), &input[..20_000]);
        assert_eq!(mode(&place, &unfinished), 0o600);
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(signal.as_raw()));
        assert_eq!(place.names(), before);
    }
}

/// As under `nohup`, and in the background of a script.
#[test]
#[cfg(target_os = "linux")]
fn what_is_ignored_stays_so() {
    let place = Place::new();
    for (name, signal) in [("HUP", Signal::HUP), ("INT", Signal::INT), ("TERM", Signal::TERM)] {
        let script = format!("trap '' {name}; exec \"$0\" encrypt --raw -f -k key32 -o out");
        let (child, mut stdin, _) = started(&place, place.shell(&script), &text(20_000));
        kill_process(Pid::from_child(&child), signal).unwrap();
        stdin.write_all(&text(20_000)).unwrap();
        drop(stdin);
        done(child.wait_with_output().unwrap());
        assert_eq!(place.ok("decrypt --raw -k key32 out"), [text(20_000), text(20_000)].concat());
        fs::remove_file(place.path("out")).unwrap();
    }
}

/// A limit on the size of files stands for a full disk.
#[test]
fn no_room() {
    let place = Place::new();
    place.write("in", &text(40_000));
    place.write("sealed", &place.ok("encrypt --raw -k key32 in"));
    fs::create_dir(place.path("d")).unwrap();
    place.write("d/a", &text(40_000));
    place.ok("encrypt -k key32 -o d.evr d");
    let before = place.names();
    for args in [
        "encrypt --raw -k key32 -o out in",
        "decrypt --raw -k key32 -o out sealed",
        "encrypt -k key32 -o out in",
        "encrypt -k key32 -o out d",
        "decrypt -k key32 -o out d.evr",
    ] {
        let script = format!("trap '' XFSZ; ulimit -f 8; exec \"$0\" {args}");
        let said = refused(&place.shell(&script).output().unwrap(), 1);
        assert!(said.contains("File too large") && !said.contains(".evariste-"), "{said}");
        assert_eq!(place.names(), before);
    }
}

#[test]
fn a_new_file_gets_the_usual_mode() {
    let place = Place::new();
    place.write("in", b"text");
    let umask = 0o666 & !mode(&place, "in");
    fs::set_permissions(place.path("in"), Permissions::from_mode(0o666)).unwrap();
    place.ok("encrypt --raw -k key32 -o out in");
    assert_eq!(mode(&place, "out"), 0o666 & !umask);
    done(place.shell("umask 027; exec \"$0\" encrypt --raw -k key32 -o less in").output().unwrap());
    assert_eq!(mode(&place, "less"), 0o640);
}

#[test]
fn no_binary_data_to_a_terminal() {
    let place = Place::new();
    place.write("in", b"text");
    place.write("sealed", &place.ok("encrypt --raw -k key32 in"));
    for args in ["encrypt --raw -k key32 in", "decrypt --raw -k key32 -o - sealed", "keygen", "keygen -o -"] {
        let (_master, slave) = terminal();
        let output = place.command(args).stdout(slave).output().unwrap();
        assert!(refused(&output, 2).contains("-o FILE"));
    }
}

#[test]
fn progress_is_for_terminals() {
    let place = Place::new();
    let seen = |args: &str, stderr: Option<File>| {
        let mut child = place.command(args);
        child.stdin(Stdio::piped()).stdout(Stdio::null());
        if let Some(stderr) = stderr {
            // One that can do more than type, whatever this runs in.
            child.stderr(stderr).env("TERM", "xterm");
        }
        let mut child = child.spawn().unwrap();
        child.stdin.take().unwrap().write_all(&text(40_000)).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        output
    };
    let watched = |args: &str| {
        let (mut master, slave) = terminal();
        let end = slave.try_clone().unwrap();
        seen(args, Some(slave));
        // Something to read in any case, for an empty terminal would not answer.
        (&end).write_all(b"$").unwrap();
        let mut all = Vec::new();
        while all.last() != Some(&b'$') {
            let mut bytes = [0; 4096];
            let n = master.read(&mut bytes).unwrap();
            all.extend_from_slice(&bytes[..n]);
        }
        String::from_utf8(all).unwrap()
    };
    assert!(watched("encrypt --raw -k key32").contains("KiB"));
    assert_eq!(watched("encrypt --raw -k key32 --quiet"), "$");
    assert_eq!(message(&seen("encrypt --raw -k key32", None)), "");
}

#[test]
fn nobody_gets_to_read_more() {
    let place = Place::new();
    place.ok("keygen -o key");
    assert_eq!(mode(&place, "key"), 0o600);
    place.write("in", b"text");
    for rights in [0o600, 0o640, 0o700] {
        fs::set_permissions(place.path("in"), Permissions::from_mode(rights)).unwrap();
        place.ok("encrypt --raw -f -k key -o sealed in");
        assert_eq!(mode(&place, "sealed") & !rights, 0);
        assert_eq!(mode(&place, "sealed") & 0o600, 0o600);
        place.ok("decrypt --raw -f -k key -o out sealed");
        assert_eq!(mode(&place, "out"), mode(&place, "sealed"));
    }
}

#[test]
fn links() {
    let place = Place::new();
    place.write("in", b"text");
    place.write("there", b"old");
    symlink("there", place.path("link")).unwrap();
    symlink("nowhere", place.path("broken")).unwrap();
    symlink("in", place.path("in too")).unwrap();
    refused(&place.run("encrypt --raw -k key32 -o link in"), 1);
    assert!(refused(&place.run("encrypt --raw -f -k key32 -o broken in"), 1).contains("leads nowhere"));
    assert_eq!(place.read("there"), b"old");
    place.ok("encrypt --raw -f -k key32 -o link in");
    assert!(place.path("link").is_symlink());
    assert_eq!(place.ok("decrypt --raw -k key32 there"), b"text");

    fs::rename(place.path("in too"), place.path("alias")).unwrap();
    assert!(refused(&place.run("encrypt --raw -f -k key32 -o alias in"), 2).contains("is also the input"));
    assert_eq!(place.read("in"), b"text");
}

#[test]
fn output_onto_input() {
    let place = Place::new();
    place.write("in", b"text");
    let onto = OpenOptions::new().append(true).open(place.path("in")).unwrap();
    let output = place.command("encrypt --raw -k key32 in").stdout(onto).output().unwrap();
    assert!(refused(&output, 2).contains("standard output is also the input"));
    assert_eq!(place.read("in"), b"text");

    let null = OpenOptions::new().write(true).open("/dev/null").unwrap();
    assert_eq!(message(&place.command("encrypt --raw -k key32").stdout(null).output().unwrap()), "");
    assert!(refused(&place.run("encrypt --raw -f -k key32 -o /dev/null in"), 1).contains("not a regular file"));
}

#[test]
fn a_reader_that_leaves_needs_no_message() {
    let place = Place::new();
    place.write("in", &text(300_000));
    let mut child = place.command("encrypt --raw -k key32 in").spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), message(&output)), (Some(1), String::new()));
}

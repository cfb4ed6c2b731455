//! Directories, and streams that are none of ours.

use crate::program::{Place, done, message, refused, text};
use evariste_store::Writer;
use evariste_store::header::{Content, Cost, Header, Secret};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;

fn directory(place: &Place) {
    fs::create_dir_all(place.path("d/sub/empty")).unwrap();
    place.write("d/a", &text(100_000));
    place.write("d/sub/b", b"");
    place.write(&format!("d/{}", "long".repeat(60)), b"a long name");
    symlink("a", place.path("d/link")).unwrap();
    symlink("/nowhere/at/all", place.path("d/sub/dangling")).unwrap();
    fs::set_permissions(place.path("d/a"), Permissions::from_mode(0o640)).unwrap();
    // Nothing can be made in it once it has its mode.
    fs::set_permissions(place.path("d/sub"), Permissions::from_mode(0o555)).unwrap();
}

/// What runs under another name's rights is for its owner to make so again.
#[test]
fn no_setuid() {
    let place = Place::new();
    fs::create_dir(place.path("d")).unwrap();
    place.write("d/a", b"text");
    fs::set_permissions(place.path("d/a"), Permissions::from_mode(0o6755)).unwrap();
    place.ok("encrypt -k key32 -o d.evr d");
    place.ok("decrypt -k key32 -o e d.evr");
    assert_eq!(fs::metadata(place.path("e/a")).unwrap().permissions().mode() & 0o7777, 0o755);
}

/// All in it: name, mode, time in seconds, content.
fn all(path: &Path, name: &str) -> Vec<(String, u32, i64, Vec<u8>)> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::symlink_metadata(path).unwrap();
    let content = match () {
        () if found.is_symlink() => fs::read_link(path).unwrap().into_os_string().into_encoded_bytes(),
        () if found.is_file() => fs::read(path).unwrap(),
        () => Vec::new(),
    };
    let time = if found.is_symlink() { 0 } else { found.mtime() };
    let mut list = vec![(name.to_owned(), found.mode(), time, content)];
    if found.is_dir() {
        let mut names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        list.extend(names.iter().flat_map(|entry| all(&path.join(entry), &format!("{name}/{}", entry.display()))));
    }
    list
}

#[test]
fn there_and_back() {
    let place = Place::new();
    directory(&place);
    place.ok("encrypt -k key32 -o d.evr d");
    place.ok("decrypt -k key32 -o e d.evr");
    assert_eq!(all(&place.path("d"), ""), all(&place.path("e"), ""));
    // Under another name, and as a tar stream for other programs.
    let stream = place.ok("decrypt -k key32 d.evr");
    let mut tar =
        std::process::Command::new("tar").args(["-t"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    tar.stdin.take().unwrap().write_all(&stream).unwrap();
    let listed = String::from_utf8(tar.wait_with_output().unwrap().stdout).unwrap();
    assert!(listed.lines().any(|name| name == "sub/b") && listed.lines().count() == 8, "{listed}");
    let said = refused(&place.run("decrypt -k key32 -f -o e d.evr"), 1);
    assert!(said.contains("e exists already"), "{said}");
    let said = refused(&place.run("encrypt --raw -k key32 -o x d"), 1);
    assert!(said.contains("d is a directory: pack it first"), "{said}");
    assert_eq!(place.names(), ["d", "d.evr", "e", "key16", "key32"]);
    fs::set_permissions(place.path("d/sub"), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(place.path("e/sub"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_cannot_be_packed() {
    let place = Place::new();
    fs::create_dir(place.path("d")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.path("d/socket")).unwrap();
    let output = place.run("encrypt -k key32 -o d.evr d");
    assert_eq!(message(&output), "evariste: left out d/socket: neither a file nor a directory nor a link\n");
    assert_eq!(output.status.code(), Some(0));
    place.ok("encrypt -q -k key32 -f -o d.evr d");
    if !rustix::process::getuid().is_root() {
        place.write("d/secret", b"");
        fs::set_permissions(place.path("d/secret"), Permissions::from_mode(0o000)).unwrap();
        let said = refused(&place.run("encrypt -q -k key32 -o x d"), 1);
        assert!(said.contains("cannot read d/secret"), "{said}");
    }
    assert_eq!(place.names(), ["d", "d.evr", "key16", "key32"]);
}

#[test]
fn damage_leaves_nothing() {
    let place = Place::new();
    directory(&place);
    place.ok("encrypt -k key32 -o d.evr d");
    let good = place.read("d.evr");
    let before = place.names();
    let mut bad = good.clone();
    bad[4096 + 56 + 3 * 16400] ^= 1;
    place.write("d.evr", &bad);
    let said = refused(&place.run("decrypt -k key32 -o e d.evr"), 1);
    assert!(said.contains("damaged in chunk 3") && said.ends_with("nothing was written\n"), "{said}");
    // The archive is over before the message is.
    place.write("d.evr", &good[..good.len() - 1]);
    let said = refused(&place.run("decrypt -k key32 -o e d.evr"), 1);
    assert!(said.contains("damaged in chunk"), "{said}");
    assert_eq!(place.names(), before);
    fs::set_permissions(place.path("d/sub"), Permissions::from_mode(0o755)).unwrap();
}

/// Whoever knows the passphrase can make any stream.
#[test]
fn hostile_streams() {
    let place = Place::new();
    let entry = |kind: tar::EntryType, name: &str, leads_to: &str, data: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        // The library's own setters refuse such names.
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.as_old_mut().linkname[..leads_to.len()].copy_from_slice(leads_to.as_bytes());
        header.set_cksum();
        let mut bytes = header.as_bytes().to_vec();
        bytes.extend_from_slice(data);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes
    };
    use tar::EntryType as Kind;
    let outside = place.path("outside").into_os_string().into_string().unwrap();
    for (what, entries) in [
        ("up", vec![entry(Kind::Regular, "../outside", "", b"x")]),
        ("absolute", vec![entry(Kind::Regular, &outside, "", b"x")]),
        ("through a link", vec![entry(Kind::Symlink, "l", "..", b""), entry(Kind::Regular, "l/outside", "", b"x")]),
        (
            "directory behind a link",
            vec![entry(Kind::Symlink, "l", "..", b""), entry(Kind::Directory, "l/outside", "", b"")],
        ),
        (
            "directory in a link's place",
            vec![entry(Kind::Symlink, "l", "..", b""), entry(Kind::Directory, "l", "", b"")],
        ),
        ("hard link", vec![entry(Kind::Link, "l", "../key32", b"")]),
        ("device", vec![entry(Kind::Char, "l", "", b"")]),
        ("twice", vec![entry(Kind::Regular, "l", "", b"x"), entry(Kind::Regular, "l", "", b"y")]),
        ("no archive", vec![vec![7; 1024]]),
    ] {
        let (mut header, key) = Header::create(evariste_store::Suite::Cobblestone256, Content::Tar).unwrap();
        header.add(&key, Secret::KeyFile(&[0x42; 32]), Cost::default()).unwrap();
        let mut writer = Writer::new(header.as_bytes().to_vec(), key.as_bytes(), header.context()).unwrap();
        writer.write_all(&entries.concat()).unwrap();
        writer.write_all(&[0; 1024]).unwrap();
        place.write("hostile", &writer.finish().unwrap());
        let said = refused(&place.run("decrypt -k key32 -o e hostile"), 1);
        assert!(said.ends_with("nothing was written\n"), "{what}: {said}");
        assert_eq!(place.names(), ["hostile", "key16", "key32"], "{what}");
    }
}

#[test]
fn an_interrupt_leaves_nothing() {
    let place = Place::new();
    fs::create_dir(place.path("d")).unwrap();
    place.write("d/a", &text(3 << 20));
    place.ok("encrypt -k key32 -o d.evr d");
    let sealed = place.read("d.evr");
    let before = place.names();
    let mut child = place.interruptible("decrypt -k key32 -o e -").stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&sealed[..1 << 20]).unwrap();
    let start = std::time::Instant::now();
    while place.names() == before {
        assert!(start.elapsed().as_secs() < 20);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
    assert_eq!(place.names(), before);
}

/// As `done` has it, for a directory that comes through a pipe.
#[test]
fn from_a_pipe() {
    let place = Place::new();
    fs::create_dir(place.path("d")).unwrap();
    place.write("d/a", b"text");
    let sealed = place.ok("encrypt -k key32 d");
    done(place.pipe("decrypt -k key32 -o e", &sealed));
    assert_eq!(place.read("e/a"), b"text");
}

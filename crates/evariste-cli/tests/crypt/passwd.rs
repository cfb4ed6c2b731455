//! What opens a file changes, and nothing else does.

use crate::program::{Place, done, refused, text};
use evariste_store::header::{Content, Cost, HEADER_LEN, Header, HeaderError, Secret};
use evariste_store::{Reader, Suite, Writer};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{Read, Write};

const OLD: Secret<'_> = Secret::Passphrase(b"old passphrase");
const NEW: Secret<'_> = Secret::Passphrase("neue Wörter".as_bytes());
const KEY: Secret<'_> = Secret::KeyFile(&[0x42; 32]);

/// What trying it takes is of no interest here.
const CHEAP: &str = "--argon2 1,1,1";

/// A file "sealed" of 40000 bytes of text that opens by these.
fn sealed(place: &Place, secrets: &[Secret<'_>]) {
    let (mut header, key) = Header::create(Suite::Cobblestone256, Content::Bytes).unwrap();
    for secret in secrets {
        header.add(&key, *secret, Cost::new(64, 1, 2).unwrap()).unwrap();
    }
    let mut writer = Writer::new(header.as_bytes().to_vec(), key.as_bytes(), header.context()).unwrap();
    writer.write_all(&text(40_000)).unwrap();
    place.write("sealed", &writer.finish().unwrap());
}

/// Whether "sealed" opens, to the end.
fn opens(place: &Place, secret: Secret<'_>) -> bool {
    let file = place.read("sealed");
    let mut source = &file[..];
    let header = Header::read(&mut source).unwrap();
    match header.unlock(secret) {
        Ok((key, _)) => {
            let mut found = Vec::new();
            Reader::new(source, key.as_bytes(), header.context()).unwrap().read_to_end(&mut found).unwrap();
            assert_eq!(found, text(40_000));
            true
        }
        Err(error) => {
            let wrong = [HeaderError::WrongPassphrase, HeaderError::NoPassphrase, HeaderError::WrongKeyFile];
            assert!(wrong.contains(&error), "{error}");
            false
        }
    }
}

fn all(place: &Place) -> [bool; 3] {
    [OLD, NEW, KEY].map(|secret| opens(place, secret))
}

#[test]
fn from_one_passphrase_to_another() {
    let place = Place::new();
    sealed(&place, &[OLD]);
    let before = place.read("sealed");
    let lines = "old passphrase\nneue Wörter\nmore\n".as_bytes();
    done(place.pipe(&format!("passwd --passphrase-fd 0 --new-passphrase-fd 0 {CHEAP} sealed"), lines));
    assert_eq!(all(&place), [false, true, false]);
    let after = place.read("sealed");
    assert_eq!(before[..512], after[..512]);
    assert_eq!(before[HEADER_LEN..], after[HEADER_LEN..]);
    // The old slot is gone from the disk.
    assert_eq!(after[512..1024], [0; 512]);
    assert!(place.names().iter().all(|name| ["key16", "key32", "sealed"].contains(&name.as_str())));
}

#[test]
fn adding_and_removing() {
    let place = Place::new();
    sealed(&place, &[OLD]);
    done(place.pipe("passwd --add --passphrase-fd 0 --new-key key32 sealed", b"old passphrase"));
    assert_eq!(all(&place), [true, false, true]);
    done(place.pipe(&format!("passwd --add -k key32 --new-passphrase-fd 0 {CHEAP} sealed"), "neue Wörter".as_bytes()));
    assert_eq!(all(&place), [true, true, true]);
    done(place.pipe("passwd --remove --passphrase-fd 0 sealed", b"old passphrase\n"));
    assert_eq!(all(&place), [false, true, true]);
    // Someone else's, by its number.
    place.ok("passwd --remove --slot 2 -k key32 sealed");
    assert_eq!(all(&place), [false, false, true]);
    let before = place.read("sealed");
    let said = refused(&place.run("passwd --remove -k key32 sealed"), 1);
    assert!(said.contains("the last slot cannot be removed"), "{said}");
    let said = refused(&place.run("passwd --remove --slot 5 -k key32 sealed"), 1);
    assert!(said.contains("there is no such slot"), "{said}");
    assert_eq!(place.read("sealed"), before);
}

#[test]
fn six_and_no_more() {
    let place = Place::new();
    sealed(&place, &[KEY, OLD, OLD, OLD, OLD]);
    place.ok("passwd --add -k key32 --new-key key16 sealed");
    let before = place.read("sealed");
    let said = refused(&place.run("passwd --add -k key32 --new-key key16 sealed"), 1);
    assert!(said.contains("all slots are in use") && said.contains("nothing was changed"), "{said}");
    assert_eq!(place.read("sealed"), before);
    // Replacing goes.
    place.ok("passwd -k key32 --new-key key16 sealed");
    assert_eq!(all(&place), [true, false, false]);
}

#[test]
fn what_is_wrong_changes_nothing() {
    let place = Place::new();
    sealed(&place, &[OLD]);
    place.write("text", b"attack at dawn");
    place.write("cut", &place.read("sealed")[..4000]);
    let mut damaged = place.read("sealed");
    damaged[20] ^= 1;
    place.write("damaged", &damaged);
    let mut slot = place.read("sealed");
    slot[600] ^= 1;
    place.write("slot", &slot);
    place.write("key24", &[1; 24]);
    let before: Vec<_> = place.names().into_iter().map(|name| (place.read(&name), name)).collect();
    for (args, input, code, said) in [
        ("--passphrase-fd 0 --new-key key32 sealed", "other", 1, "sealed: wrong passphrase"),
        ("--passphrase-fd 0 --new-key key32 sealed", "", 1, "the passphrase is empty"),
        ("--passphrase-fd 0 --new-key key32 sealed", "\nold passphrase", 1, "the passphrase is empty"),
        ("--passphrase-fd 0 --new-passphrase-fd 0 sealed", "old passphrase\n", 1, "the passphrase is empty"),
        ("--passphrase-fd 0 --new-key key32 sealed", &"x".repeat(5000), 1, "more than 4096 bytes"),
        ("--passphrase-fd 0 --new-key key24 sealed", "old passphrase", 1, "key24 is no key file"),
        ("--passphrase-fd 0 --new-key none sealed", "old passphrase", 1, "cannot read the key none"),
        ("-k key32 --new-key key16 sealed", "", 1, "sealed: wrong key file"),
        ("-k key32 --new-key key16 text", "", 1, "text: no header of evariste"),
        ("-k key32 --new-key key16 cut", "", 1, "cut: cut short within the header"),
        ("-k key32 --new-key key16 damaged", "", 1, "damaged: damaged in the first 512 bytes"),
        ("-k key32 --new-key key16 slot", "", 1, "slot: no slot opens, and 1 of them damaged"),
        ("-k key32 --new-key key16 none", "", 1, "cannot change none"),
        ("-k key32 --new-key key16 .", "", 1, "cannot change ."),
        ("-k key32 --passphrase-fd 0 sealed", "", 2, "cannot be used with"),
        ("--remove --add -k key32 sealed", "", 2, "cannot be used with"),
        ("--remove --new-key key16 -k key32 sealed", "", 2, "cannot be used with"),
        ("--slot 1 -k key32 sealed", "", 2, "--remove"),
        ("--argon2 256,3 -k key32 sealed", "", 2, "three numbers"),
        ("--argon2 2048,3,4 -k key32 sealed", "", 2, "Argon2id takes"),
        ("--argon2 4294967295,3,4 -k key32 sealed", "", 2, "Argon2id takes"),
        ("--argon2 1024,17,4 -k key32 sealed", "", 2, "more work"),
    ] {
        let message = refused(&place.pipe(&format!("passwd {args}"), input.as_bytes()), code);
        assert!(message.contains(said), "{message}");
    }
    assert_eq!(place.names().into_iter().map(|name| (place.read(&name), name)).collect::<Vec<_>>(), before);
}

#[test]
fn a_header_that_asks_for_too_much() {
    let place = Place::new();
    sealed(&place, &[OLD]);
    // All that is left is a key file and a slot that takes 1 GiB and 16 passes, twice.
    let (mut header, key) = Header::create(Suite::Cobblestone256, Content::Bytes).unwrap();
    header.add(&key, OLD, Cost::new(64, 1, 1).unwrap()).unwrap();
    let mut file = header.as_bytes().to_vec();
    file[516..520].copy_from_slice(&(1u32 << 20).to_be_bytes());
    file[520..524].copy_from_slice(&16u32.to_be_bytes());
    use sha2::Digest;
    let sum = sha2::Sha512::digest(&file[512..1008]);
    file[1008..1024].copy_from_slice(&sum[..16]);
    file.copy_within(512..1024, 1024);
    place.write("sealed", &[&file[..], &[0; 72]].concat());
    let said = refused(&place.pipe("passwd --passphrase-fd 0 --new-key key32 sealed", b"old passphrase"), 1);
    assert!(said.contains("more work than is allowed"), "{said}");
}

#[test]
fn one_at_a_time() {
    let place = Place::new();
    sealed(&place, &[KEY]);
    let held = OpenOptions::new().write(true).open(place.path("sealed")).unwrap();
    held.lock().unwrap();
    let said = refused(&place.run("passwd -k key32 --new-key key16 sealed"), 1);
    assert!(said.contains("another program is changing it"), "{said}");
    drop(held);
    place.ok("passwd -k key32 --new-key key16 sealed");
    assert_eq!(all(&place), [false; 3]);
}

#[test]
fn what_inspect_says() {
    let place = Place::new();
    sealed(&place, &[OLD, KEY]);
    let mut file = place.read("sealed");
    file[512 * 3] = 9;
    file[512 * 4] = 2;
    place.write("sealed", &file);
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let (id, key) = (hex(&file[16..32]), hex(&file[1024 + 48..1024 + 64]));
    let said = String::from_utf8(place.ok("inspect sealed")).unwrap();
    let bytes = file.len();
    assert_eq!(
        said,
        format!(
            "sealed: {bytes} bytes, 40000 of text, chunks: 3\n\
             header   version 1, Cobblestone-256\n\
             file id  {id}\n\
             slot 0   passphrase, Argon2id with 64 KiB, passes: 1, lanes: 2\n\
             slot 1   key file {key}\n\
             slot 2   kind 9, which this version does not know\n\
             slot 3   damaged\n"
        )
    );
    let found: Value = serde_json::from_slice(&place.ok("inspect --json sealed")).unwrap();
    let slots = json!([
        {"slot": 0, "kind": "passphrase", "memory_kib": 64, "passes": 1, "lanes": 2},
        {"slot": 1, "kind": "key-file", "id": key},
        {"slot": 2, "kind": "unknown", "number": 9},
        {"slot": 3, "kind": "damaged"},
    ]);
    let wanted = json!({
        "version": 1, "suite": "Cobblestone-256", "content": "bytes", "file_id": id, "slots": slots,
        "bytes": bytes, "text_bytes": 40000, "chunks": 3,
    });
    assert_eq!(found, wanted);

    file[10] ^= 3;
    place.write("damaged", &file);
    place.write("cut", &file[..HEADER_LEN - 1]);
    place.write("bare", &place.read("sealed")[..HEADER_LEN]);
    for (name, said) in [
        ("damaged", "damaged: damaged in the first 512 bytes"),
        ("cut", "cut: cut short within the header"),
        ("bare", "bare: cut short: the end is missing"),
        ("key32", "key32: no header of evariste"),
    ] {
        let message = refused(&place.run(&format!("inspect {name}")), 1);
        assert!(message.contains(said), "{message}");
    }
}

/// The default takes 256 MiB.
#[test]
fn a_new_passphrase_is_expensive() {
    let place = Place::new();
    sealed(&place, &[KEY]);
    done(place.pipe("passwd -k key32 --new-passphrase-fd 0 sealed", "neue Wörter".as_bytes()));
    let said = String::from_utf8(place.ok("inspect sealed")).unwrap();
    assert!(said.contains("slot 1   passphrase, Argon2id with 256 MiB, passes: 3, lanes: 4\n"), "{said}");
    assert_eq!(all(&place), [false, true, false]);
}

/// Two files on descriptors of their own, as a shell gives them.
#[test]
#[cfg(unix)]
fn from_any_descriptor() {
    let place = Place::new();
    sealed(&place, &[OLD]);
    place.write("first", b"old passphrase\n");
    place.write("second", "neue Wörter".as_bytes());
    let script = format!("exec \"$0\" passwd --passphrase-fd 7 --new-passphrase-fd 3 {CHEAP} sealed 7<first 3<second");
    done(place.shell(&script).output().unwrap());
    assert_eq!(all(&place), [false, true, false]);
    let script = "exec \"$0\" passwd --passphrase-fd 9 --new-key key32 sealed";
    let said = refused(&place.shell(script).output().unwrap(), 1);
    assert!(said.contains("cannot read a passphrase from file descriptor 9"), "{said}");
}

/// A terminal of its own, in which someone types.
#[cfg(target_os = "linux")]
pub(crate) fn typed(place: &Place, args: &str, lines: &[&str]) -> (String, Option<i32>) {
    use rustix::termios::{LocalModes, tcgetattr};
    use std::process::Stdio;
    let (mut master, slave) = crate::unix::terminal();
    let mut command = std::process::Command::new("setsid");
    command.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_evariste")]).args(args.split(' '));
    command.current_dir(place.path("")).stdin(Stdio::from(slave)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    drop(command);
    let mut seen = String::new();
    for line in lines {
        // After the question, when nothing is shown any more: it is asked first.
        let asked = seen.len();
        while !seen[asked..].ends_with(": ") {
            let mut bytes = [0; 4096];
            let n = master.read(&mut bytes).unwrap();
            seen += std::str::from_utf8(&bytes[..n]).unwrap();
        }
        while tcgetattr(&master).unwrap().local_modes.contains(LocalModes::ECHO) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        master.write_all(format!("{line}\r").as_bytes()).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.stdout.is_empty());
    (seen + &crate::program::message(&output), output.status.code())
}

#[test]
#[cfg(target_os = "linux")]
fn from_a_terminal() {
    let place = Place::new();
    sealed(&place, &[OLD]);
    let args = format!("passwd {CHEAP} sealed");
    let (seen, code) = typed(&place, &args, &["old passphrase", "neue Wörter", "neue Worter"]);
    assert!(seen.contains("the two passphrases differ") && code == Some(1), "{seen}");
    assert_eq!(all(&place), [true, false, false]);
    let (seen, code) = typed(&place, &args, &["wrong"]);
    assert!(seen.contains("sealed: wrong passphrase") && code == Some(1), "{seen}");
    let (seen, code) = typed(&place, &args, &["old passphrase", "neue Wörter", "neue Wörter"]);
    assert_eq!(code, Some(0), "{seen}");
    for question in ["Passphrase of sealed: ", "New passphrase of sealed: ", "The same again: "] {
        assert!(seen.contains(question), "{seen}");
    }
    assert!(!seen.contains("old passphrase") && !seen.contains("neue"), "{seen}");
    assert_eq!(all(&place), [false, true, false]);
}

/// Without one there is nobody to ask.
#[test]
#[cfg(target_os = "linux")]
fn no_terminal() {
    let place = Place::new();
    sealed(&place, &[OLD]);
    let mut command = std::process::Command::new("setsid");
    command.args(["--wait", env!("CARGO_BIN_EXE_evariste"), "passwd", "sealed"]).current_dir(place.path(""));
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    let said = refused(&output, 2);
    assert!(said.contains("no terminal to ask for a passphrase"), "{said}");
}

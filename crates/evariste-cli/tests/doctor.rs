//! `evariste doctor openssl`, with programs that only answer as OpenSSL does. With OpenSSL itself: `integration/openssl`.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// What a program answers: its version, the providers that are active, and what it says when it is to load ours.
struct Fake {
    directory: TempDir,
}

const CIPHERS: &str = "Legacy:\n  AES-128-CTR\nProvided:\n  AES-128-CTR @ default\n  \
    { 2.16.840.1.101.3.4.1.6, aes-128-gcm, id-aes128-GCM } @ default\n";

/// No program is started while another one is written: whoever starts it would still have it open for writing, for a
/// moment, and the system would not run it.
static TURN: Mutex<()> = Mutex::new(());

impl Fake {
    fn new(version: &str, providers: &str, ciphers: &str, loads: bool) -> Self {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let fake = Self { directory: tempfile::tempdir().expect("a directory") };
        let dir = fake.directory.path();
        fs::create_dir(dir.join("modules")).expect("a directory");
        for (name, text) in [("providers", providers), ("ciphers", ciphers), ("openssl.cnf", "# nothing\n")] {
            fs::write(dir.join(name), text).expect("written");
        }
        let load = match loads {
            true => "printf 'Providers:\\n  evariste\\n    name: evariste\\n    version: 9.8.7\\n'",
            false => "echo 'list: unable to load provider evariste' >&2; exit 1",
        };
        let here = dir.display();
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in\n\
             version) echo '{version}' ;;\n\
             'version -m') echo 'MODULESDIR: \"{here}/modules\"' ;;\n\
             'version -d') echo 'OPENSSLDIR: \"{here}\"' ;;\n\
             'list -providers') cat {here}/providers ;;\n\
             'list -cipher-algorithms') cat {here}/ciphers ;;\n\
             'list -provider-path'*) {load} ;;\n\
             mac*|enc*) cat >/dev/null ;;\n\
             *) echo \"unexpected: $*\" >&2; exit 1 ;;\nesac\n"
        );
        let file = dir.join("openssl");
        fs::write(&file, script).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("executable");
        fake
    }

    fn with_module(self) -> Self {
        fs::write(self.directory.path().join("modules/evariste.so"), "").expect("written");
        self
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn doctor(&self, more: &[&str]) -> (Option<i32>, String) {
        let file = self.path().join("openssl").display().to_string();
        doctor(&[&["--openssl", &file], more].concat(), "/usr/bin:/bin")
    }
}

fn doctor(arguments: &[&str], path: &str) -> (Option<i32>, String) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut command = Command::new(env!("CARGO_BIN_EXE_evariste"));
    command.args(["doctor", "openssl"]).args(arguments).env("PATH", path);
    let done = command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES").output().expect("the program starts");
    (done.status.code(), String::from_utf8(done.stdout).expect("UTF-8"))
}

const DEFAULT: &str =
    "Providers:\n  default\n    name: OpenSSL Default Provider\n    version: 3.0.19\n    status: active\n";
const BOTH: &str = "Providers:\n  default\n    version: 3.0.19\n  evariste\n    version: 9.8.7\n    status: active\n";
const VERSION: &str = "OpenSSL 3.0.19 27 Jan 2026 (Library: OpenSSL 3.0.20 7 Apr 2026)";

#[test]
fn nothing_is_there() {
    let (code, text) = doctor(&[], "/nowhere");
    assert_eq!((code, text.contains("there is no openssl on the PATH")), (Some(1), true), "{text}");
    let (code, text) = doctor(&["--openssl", "/nowhere/openssl"], "");
    assert_eq!((code, text.contains("there is no program /nowhere/openssl")), (Some(1), true), "{text}");
}

#[test]
fn too_old() {
    for version in ["OpenSSL 1.1.1w  11 Sep 2023", "LibreSSL 3.8.2"] {
        let (code, text) = Fake::new(version, "", "", true).doctor(&[]);
        assert_eq!(code, Some(1));
        assert!(text.contains(&format!("{version} takes no providers")) && !text.contains("To install"), "{text}");
    }
}

#[test]
fn not_installed() {
    let fake = Fake::new(VERSION, DEFAULT, CIPHERS, false);
    let (code, text) = fake.doctor(&[]);
    let dir = fake.path().display();
    assert_eq!(code, Some(1));
    for part in [
        "Version         OpenSSL 3.0.20 7 Apr 2026\n".to_owned(),
        format!("there is no {dir}/modules/evariste.so\n"),
        format!("{dir}/openssl.cnf does not activate it\n"),
        format!("\n  install -m 644 target/release/libevariste_openssl.so {dir}/modules/evariste.so\n"),
        format!("\n  evariste doctor openssl --openssl {dir}/openssl --lines >> {dir}/openssl.cnf\n"),
        "\n  AES-128-GCM  default\n".to_owned(),
    ] {
        assert!(text.contains(&part), "{part}\nis not in\n{text}");
    }
    assert!(!text.contains("To remove it"), "{text}");
}

#[test]
fn does_not_load() {
    let fake = Fake::new(VERSION, DEFAULT, CIPHERS, false).with_module();
    let (code, text) = fake.doctor(&[]);
    assert_eq!(code, Some(1));
    assert!(text.contains("evariste.so does not load: list: unable to load provider evariste\n"), "{text}");
    assert!(text.contains(&format!("To remove it, as root:\n  rm {}", fake.path().display())), "{text}");
}

#[test]
fn not_preferred() {
    let ciphers = format!("{CIPHERS}  AES-128-CTR @ evariste\n  {{ AES-128-GCM, id-aes128-GCM }} @ evariste\n");
    let fake = Fake::new(VERSION, BOTH, &ciphers, true).with_module();
    // It is in no file that it was called.
    let (code, text) = fake.doctor(&["--json"]);
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((code, &report["active"]), (Some(1), &false.into()));
    assert_eq!(report["module"]["version"], "9.8.7");
    assert_eq!(report["providers"][1]["name"], "evariste");
    assert_eq!(report["ciphers"][1], serde_json::json!({ "name": "AES-128-GCM", "provider": "default" }));
    let reasons = report["reasons"].as_array().expect("reasons");
    assert!(reasons.len() == 1 && reasons[0].as_str().is_some_and(|r| r.contains("not preferred")), "{text}");
}

#[test]
fn lines_for_the_configuration() {
    let fake = Fake::new(VERSION, DEFAULT, CIPHERS, true);
    let config = fake.path().join("openssl.cnf");
    fs::write(&config, "openssl_conf = mine\n[mine]\nproviders = some\n[some]\ndefault = plain\n").expect("written");
    let (code, text) = fake.doctor(&["--lines"]);
    assert_eq!(code, Some(0));
    assert!(text.starts_with("# evariste: begin\n") && text.ends_with("# evariste: end\n"), "{text}");
    assert!(text.contains("\n[some]\ndefault = plain\nevariste = evariste_sect\n[plain]\nactivate = 1\n"), "{text}");
    fs::write(&config, text).expect("written");
    let (_, text) = fake.doctor(&[]);
    let config = config.canonicalize().expect("there");
    let undo = format!("\n  sed -i '/^# evariste: begin$/,/^# evariste: end$/d' {}\n", config.display());
    assert!(text.contains(&undo), "{text}");
}

#[test]
fn usage() {
    assert_eq!(doctor(&["--json", "--lines"], "").0, Some(2));
    let (code, help) = doctor(&["--help"], "");
    assert!(help.contains("Examples:\n  evariste doctor openssl\n") && code == Some(0), "{help}");
}

/// NSS itself: `integration/nss`.
#[test]
fn no_nss() {
    let program = env!("CARGO_BIN_EXE_evariste");
    let output = Command::new(program).args(["doctor", "nss", "--json", "--from", "/nowhere"]).output().expect("runs");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&found["active"], output.status.code()), (&serde_json::Value::Bool(false), Some(1)));
    assert_eq!(found["reasons"][0], "there is no libfreeblpriv3.so in /nowhere");
    let output = Command::new(program).args(["doctor", "nss", "--shim", "x"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(2));
}

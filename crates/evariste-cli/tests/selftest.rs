//! `evariste selftest`.

use evariste::Backend;
use std::process::Command;

fn selftest(args: &[&str]) -> (Option<i32>, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_evariste")).arg("selftest").args(args).output();
    let run = run.expect("the program starts");
    (run.status.code(), String::from_utf8(run.stdout).expect("UTF-8"))
}

#[test]
fn every_backend_passes() {
    let (code, out) = selftest(&["--backend", "all"]);
    let lines: Vec<_> = out.lines().collect();
    let mut checks = 0;
    for candidate in Backend::candidates() {
        let name = format!("{} ", candidate.name);
        let mut of = lines.iter().filter(|line| line.starts_with(&name));
        match candidate.backend {
            Ok(_) => {
                checks += of.clone().count();
                assert_eq!(of.clone().count(), 15, "{out}");
                assert!(of.all(|line| line.ends_with(" ... ok")), "{out}");
            }
            Err(reason) => assert!(of.all(|line| line.ends_with(&format!(" not run: {reason}"))), "{out}"),
        }
    }
    assert_eq!(lines.last().copied(), Some(format!("{checks} of {checks} checks passed, 0 failed").as_str()));
    assert_eq!(code, Some(0));
}

#[test]
fn usage() {
    assert_eq!(selftest(&["--backend", "quantum"]).0, Some(2));
    let (code, help) = selftest(&["--help"]);
    assert!(help.contains("Example:\n  evariste selftest --backend all") && code == Some(0), "{help}");
}

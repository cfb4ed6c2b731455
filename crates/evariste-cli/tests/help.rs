//! What explains the program: `--help`, `evariste completions` and `evariste man`.

use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_evariste")).args(args).output().unwrap()
}

#[track_caller]
fn ok(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success() && output.stderr.is_empty(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that `--help` lists, those of commands too.
fn commands(of: &[&str]) -> Vec<Vec<String>> {
    let help = ok(&[of, &["--help"]].concat());
    let listed = help.split("Commands:\n").nth(1).unwrap_or_default().lines().take_while(|line| !line.is_empty());
    // What a long description goes on with is further in.
    let names = listed.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    let mut all = Vec::new();
    for name in names.filter(|name| *name != "help") {
        let path = [of, &[name]].concat();
        all.push(path.iter().map(ToString::to_string).collect());
        all.extend(commands(&path));
    }
    all
}

#[test]
fn every_command_has_an_example() {
    let all = commands(&[]);
    assert!(all.len() >= 9, "{all:?}");
    for command in all {
        let path: Vec<_> = command.iter().map(String::as_str).collect();
        let help = ok(&[&path[..], &["--help"]].concat());
        let example = help.split("\nExample").nth(1).unwrap_or_default();
        assert!(example.contains(&format!("evariste {}", path.join(" "))), "{help}");
    }
}

#[test]
fn completions_name_all_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = ok(&["completions", shell]);
        for command in commands(&[]).concat() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
    let refused = run(&["completions", "cmd"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stdout.is_empty());
}

/// The shell itself completes by it.
#[cfg(target_os = "linux")]
#[test]
fn bash_completes() {
    let script = ok(&["completions", "bash"])
        + "COMP_WORDS=(evariste key); COMP_CWORD=1; _evariste evariste key evariste; echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["--norc", "-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "keygen\n", "{:?}", String::from_utf8(output.stderr));
}

#[test]
fn a_page_for_each_command() {
    let page = ok(&["man"]);
    assert!(page.contains(".TH evariste 1") && page.contains("keygen"), "{page}");

    let place = TempDir::new().unwrap();
    let directory = place.path().join("new/man1");
    for _ in 0..2 {
        assert_eq!(ok(&["man", "--output", directory.to_str().unwrap()]), "");
    }
    for command in commands(&[]) {
        let page = fs::read_to_string(directory.join(format!("evariste-{}.1", command.join("-")))).unwrap();
        assert!(page.contains("Example"), "{page}");
    }
    assert_eq!(fs::read_dir(&directory).unwrap().count(), commands(&[]).len() + 1);

    fs::write(place.path().join("file"), "").unwrap();
    let refused = run(&["man", "--output", place.path().join("file").to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8(refused.stderr).unwrap().starts_with("evariste: cannot write pages to "));
}

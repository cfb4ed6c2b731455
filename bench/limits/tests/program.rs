//! The program as a user runs it.
#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

use serde_json::Value;
use std::process::{Command, Output};

fn limits(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_evariste-limits");
    // Another CPU's emulator, as for the core's tests.
    let runner = std::env::var("EVARISTE_TEST_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace().chain([program]);
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words).args(arguments).output().expect("it starts")
}

fn number(of: &Value, name: &str) -> f64 {
    of[name].as_f64().unwrap_or_else(|| panic!("no {name}: {of}"))
}

/// What is measured fits together in one run of five: on a machine with other work a figure may be anything.
#[test]
fn figures_are_consistent() {
    let complaints: Vec<String> = (0..5).map_while(|_| inconsistent().err()).collect();
    assert!(complaints.len() < 5, "{complaints:#?}");
}

/// What does not depend on time holds in each run; what does not fit is returned.
fn inconsistent() -> Result<(), String> {
    let output = limits(&["--json", "--rounds", "3", "--size", "1024"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let list = |name: &str| report[name].as_array().unwrap_or_else(|| panic!("no {name}")).clone();
    assert!(number(&report, "ghz") > 0.0);

    let (units, mut both) = (list("units"), 0);
    for unit in &units {
        if unit["cycles"].is_null() {
            assert!(unit["cpu_lacks"].is_string(), "neither figure nor reason: {unit}");
            continue;
        }
        let cycles = number(unit, "cycles");
        assert!(cycles > 0.0, "{unit}");
        let same = |other: &&Value| other["name"] == unit["name"] && other["bits"] == unit["bits"];
        let chain = units.iter().filter(same).find(|other| other["how"] == "latency");
        if let Some(chain) = chain.filter(|_| unit["how"] == "throughput") {
            // A tenth for what else the machine does.
            if cycles > 1.1 * number(chain, "cycles") {
                return Err(format!("one of many takes longer than one that waits: {unit}"));
            }
            both += 1;
        }
    }
    assert!(both > 0);

    for floor in list("floors") {
        let (cycles, gbps) = (number(&floor, "cycles_per_block"), number(&floor, "gbps"));
        assert!((gbps - 16.0 * number(&report, "ghz") / cycles).abs() < 1e-6 * gbps, "{floor}");
    }
    for reached in list("reached") {
        let share = number(&reached, "share");
        assert!(share > 0.0, "{reached}");
        if share >= 1.1 {
            return Err(format!("faster than the floor: {reached}"));
        }
    }
    Ok(())
}

#[test]
fn tables_are_for_people() {
    let output = limits(&["--units", "--rounds", "1"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success() && text.contains("GHz; 1 rounds; "), "{text}");
    assert!(text.contains("\nFloors: ") && !text.contains("evariste reaches"), "{text}");
}

#[test]
fn bad_usage_has_its_code() {
    for arguments in [&["--size", "15"][..], &["--rounds", "0"], &["--nothing"]] {
        assert_eq!(limits(arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(limits(&["--core", "100000"]).status.code(), Some(1));
}

//! `evariste doctor nss` with NSS itself.
#![allow(missing_docs)]

use anyhow::{Context, Result, ensure};
use evariste_nss_tests::doctor;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn json(args: &[&str]) -> Result<(Value, Option<i32>)> {
    let output = doctor(&[args, &["--json"]].concat())?;
    Ok((serde_json::from_slice(&output.stdout)?, output.status.code()))
}

fn names(directory: &Path) -> Result<Vec<String>> {
    let mut names = fs::read_dir(directory)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names = names.by_ref().collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// The system's NSS is its own; a directory makes it ours; without the directory all is as before.
#[test]
fn there_and_back() -> Result<()> {
    let (stock, code) = json(&[])?;
    assert_eq!((&stock["active"], &stock["ours"], code), (&Value::Bool(false), &Value::Null, Some(1)));
    let system = stock["libraries"].as_str().context("a directory")?;
    let before = fs::read(Path::new(system).join("libfreeblpriv3.so"))?;

    let place = tempfile::tempdir()?;
    let into = place.path().join("private");
    let name = into.to_str().context("a name in UTF-8")?;
    for _again in 0..2 {
        let (made, code) = json(&["--into", name])?;
        assert_eq!((&made["active"], code), (&Value::Bool(true), Some(0)), "{made}");
        assert_eq!(made["version"], stock["version"]);
        assert_eq!(made["undo"][0], format!("rm -r {name}"));
    }
    assert_eq!(fs::read(into.join("libfreeblpriv3-orig.so"))?, before);
    let (found, _) = json(&["--from", name])?;
    assert_eq!(found["active"], true);
    // From one that has ours: NSS's own is taken, not ours twice.
    let second = place.path().join("second");
    let (made, _) = json(&["--from", name, "--into", second.to_str().context("a name in UTF-8")?])?;
    assert_eq!(made["active"], true);
    assert_eq!(fs::read(second.join("libfreeblpriv3-orig.so"))?, before);

    fs::remove_dir_all(&into)?;
    assert_eq!(fs::read(Path::new(system).join("libfreeblpriv3.so"))?, before);
    assert_eq!(json(&[])?.0, stock);
    Ok(())
}

#[test]
fn what_does_not_work_is_said() -> Result<()> {
    let place = tempfile::tempdir()?;
    let into = place.path().join("private");
    let name = into.to_str().context("a name in UTF-8")?;
    // A directory of something else stays as it is.
    fs::create_dir(&into)?;
    fs::write(into.join("mine"), "")?;
    let output = doctor(&["--into", name])?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(1) && said.contains("is in use for something else"), "{said}");
    assert_eq!(names(&into)?, ["mine"]);
    fs::remove_dir_all(&into)?;

    json(&["--into", name])?;
    fs::remove_file(into.join("libfreeblpriv3-orig.so"))?;
    let (broken, code) = json(&["--from", name])?;
    let reasons = broken["reasons"].to_string();
    ensure!(code == Some(1) && reasons.contains("lacks libfreeblpriv3-orig.so"), "{broken}");

    let output = doctor(&["--from", "/nowhere"])?;
    ensure!(output.status.code() == Some(1), "{output:?}");
    Ok(())
}

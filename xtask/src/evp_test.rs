//! `cargo xtask evp-test`: OpenSSL's own tests of ciphers, through our provider.
//!
//! The sources are Debian's, fetched and built, which takes minutes, into `~/.cache/evariste-openssl`, where a build that
//! was broken off goes on. Nothing of them is kept here.

use crate::subject::{cargo, target_dir, workspace};
use crate::table::table;
use anyhow::{Context, Result, ensure};
use evariste_openssl::counters::{self, Counter};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The release of Debian whose OpenSSL it is: as bookworm, trixie, sid [default: this one]
    suite: Option<String>,
}

/// Files of tests; the ciphers that they must have called; whether all OpenSSLs have them.
const FILES: [(&str, &[&str], bool); 3] = [
    (
        "evpciph_aes_common.txt",
        &["AES-128-GCM", "AES-192-GCM", "AES-256-GCM", "AES-128-CTR", "AES-256-CTR", "AES-128-ECB", "AES-256-ECB"],
        true,
    ),
    ("evpciph_aes_ccm_cavs.txt", &["AES-128-CCM", "AES-192-CCM", "AES-256-CCM"], true),
    ("evpciph_aes_gcm_siv.txt", &["AES-128-GCM-SIV", "AES-256-GCM-SIV"], false),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let suite = args.suite.clone().map_or_else(debian::codename, Ok)?;
    let sources = debian::unpacked_sources(&debian::cache("evariste-openssl")?, &suite, "openssl")?;
    let program = build(&sources)?;
    let directory = target_dir()?.join("evp-test").join(&suite);
    std::fs::create_dir_all(&directory)?;
    let module = provider()?;
    let mut rows = Vec::new();
    for (file, ciphers, always) in FILES {
        let path = sources.join("test/recipes/30-test_evp_data").join(file);
        if !path.exists() && !always {
            rows.push([file.to_owned(), "this OpenSSL has no such ciphers".into(), String::new()]);
            continue;
        }
        let (stock, nothing) = tests(&program, &path, &directory, None)?;
        ensure!(nothing.is_empty(), "{file}: our provider was called without being asked for");
        let (passed, counted) = tests(&program, &path, &directory, Some(&module))?;
        ensure!(passed == stock, "{file}: {passed}, and without us {stock}");
        let operations = |cipher: &str| {
            let of = counted.iter().filter(|counter| counter.algorithm == cipher);
            of.map(|counter| counter.encrypted.operations + counter.decrypted.operations).sum::<u64>()
        };
        for cipher in ciphers {
            ensure!(operations(cipher) > 0, "{file}: {cipher} was not ours");
        }
        let all: u64 = ciphers.iter().map(|cipher| operations(cipher)).sum();
        rows.push([file.to_owned(), passed, format!("{all} operations of ours")]);
    }
    println!("\n{}", table(&["OpenSSL's file", "tests", "of these"], &rows));
    Ok(())
}

/// Builds `evp_test`, as far as that is not done.
fn build(sources: &Path) -> Result<PathBuf> {
    let program = sources.join("test/evp_test");
    if !program.exists() {
        debian::say(&format!("building evp_test in {}", sources.display()));
        let run = |command: &mut Command| debian::output(command.current_dir(sources)).map(drop);
        if !sources.join("Makefile").exists() {
            run(Command::new("perl").args(["Configure", "no-shared", "no-docs", "-O1"]))
                .or_else(|_| run(Command::new("perl").args(["Configure", "no-shared", "-O1"])))?;
        }
        let jobs = format!("-j{}", std::thread::available_parallelism().map_or(1, usize::from));
        run(Command::new("make").args([&jobs, "build_generated"]))?;
        run(Command::new("make").args([&jobs, "test/evp_test"]))?;
    }
    Ok(program)
}

/// The provider as it is released.
fn provider() -> Result<PathBuf> {
    let mut cargo = cargo();
    cargo.current_dir(workspace()).args(["build", "--quiet", "--release", "--package", "evariste-openssl"]);
    ensure!(cargo.arg("--target-dir").arg(target_dir()?).status().context("cargo")?.success(), "it cannot be built");
    Ok(target_dir()?.join("release/libevariste_openssl.so"))
}

/// Runs a file of tests with our provider, or without, and says what became of them, if none failed, and what was counted.
fn tests(program: &Path, file: &Path, directory: &Path, module: Option<&Path>) -> Result<(String, Vec<Counter>)> {
    let (config, counts) = (directory.join("openssl.cnf"), directory.join("counts"));
    let _ = std::fs::remove_file(&counts);
    let ours = module.map(|module| format!("activate = 1\nmodule = {}\n", module.display()));
    let (provider, properties) = match ours {
        Some(_) => ("evariste = ours\n", "default_properties = ?provider=evariste\n"),
        None => ("", ""),
    };
    let text = format!(
        "openssl_conf = main\n[main]\nproviders = providers\nalg_section = algorithms\n[providers]\ndefault = stock\n\
         {provider}[stock]\nactivate = 1\n[ours]\n{}[algorithms]\n{properties}",
        ours.unwrap_or_default()
    );
    std::fs::write(&config, text)?;
    let mut command = Command::new(program);
    command.env("EVARISTE_OPENSSL_COUNTERS", &counts).env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES");
    // Results are among what it prints as errors.
    let done = command.arg("-config").arg(config).arg(file).output().context("evp_test")?;
    let printed = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
    let log = directory.join(file.file_name().context("a file")?).with_extension("log");
    std::fs::write(&log, &printed[..])?;
    let passed = completed(&printed).filter(|_| done.status.success());
    let passed = passed.with_context(|| format!("{}: not all passed, see {}", file.display(), log.display()))?;
    let counted = if counts.exists() { counters::read(counts)? } else { Vec::new() };
    Ok((passed, counted))
}

/// Of `# Completed 164 tests with 0 errors and 1 skipped` what stands behind the first word, if there was no error.
fn completed(text: &str) -> Option<String> {
    let (_, result) = text.lines().find_map(|line| line.split_once("# Completed "))?;
    (result.contains(" tests with 0 errors") && !result.starts_with("0 ")).then(|| result.to_owned())
}

#[cfg(test)]
mod tests {
    use super::completed;

    #[test]
    fn results_are_read() {
        let line = |tests, errors| format!("ok 1\n    # Completed {tests} tests with {errors} errors and 1 skipped\n");
        assert_eq!(completed(&line(164, 0)).as_deref(), Some("164 tests with 0 errors and 1 skipped"));
        for text in [line(164, 1), line(164, 10), line(0, 0), String::new()] {
            assert_eq!(completed(&text), None, "{text}");
        }
    }
}

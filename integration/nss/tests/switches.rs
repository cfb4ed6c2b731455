//! Which code runs under which environment: each in a process of its own.

use anyhow::{Context, Result, ensure};
use evariste_nss_tests::{Freebl, Nss};
use std::process::{Command, Output};

/// In the processes of the other tests: says what runs.
#[test]
fn says_what_runs() -> Result<()> {
    let nss = Nss::ours()?;
    let backend = Freebl::load(&nss, "libfreeblpriv3.so")?.backend()?;
    println!("runs:{}:", backend.as_deref().unwrap_or("none"));
    Ok(())
}

fn ask(environment: &[(&str, &str)]) -> Result<Output> {
    let mut again = Command::new(std::env::current_exe()?);
    for name in ["EVARISTE_BACKEND", "EVARISTE_DISABLE"] {
        again.env_remove(name);
    }
    Ok(again.args(["says_what_runs", "--exact", "--nocapture"]).envs(environment.iter().copied()).output()?)
}

fn runs(environment: &[(&str, &str)]) -> Result<String> {
    let output = ask(environment)?;
    let said = String::from_utf8_lossy(&output.stdout);
    let runs = said.split("runs:").nth(1).and_then(|rest| rest.split(':').next());
    Ok(runs.with_context(|| format!("{said}{}", String::from_utf8_lossy(&output.stderr)))?.to_owned())
}

/// NSS's switch does what ours of that name does; both together, too.
#[test]
fn switches_of_nss_and_ours() -> Result<()> {
    let pairs: &[(&str, &str)] = &[
        ("NSS_DISABLE_HW_AES", "aes"),
        ("NSS_DISABLE_HW_CRYPTO", "aes clmul"),
        #[cfg(target_arch = "x86_64")]
        ("NSS_DISABLE_PCLMUL", "clmul"),
        #[cfg(target_arch = "x86_64")]
        ("NSS_DISABLE_AVX", "avx avx2 avx512 vaes vpclmul"),
        #[cfg(target_arch = "x86_64")]
        ("NSS_DISABLE_AVX2", "avx2 avx512 vaes vpclmul"),
        #[cfg(target_arch = "aarch64")]
        ("NSS_DISABLE_PMULL", "clmul"),
        #[cfg(target_arch = "powerpc64")]
        ("NSS_DISABLE_PPC_GHASH", "clmul"),
    ];
    let best = runs(&[])?;
    for (nss, ours) in pairs {
        let expected = runs(&[("EVARISTE_DISABLE", ours)])?;
        // As in NSS, what the value is does not matter.
        for value in ["1", "", "0"] {
            ensure!(runs(&[(nss, value)])? == expected, "{nss}={value:?}");
        }
        let portable = runs(&[("EVARISTE_DISABLE", "ssse3 neon aes clmul")])?;
        ensure!(runs(&[(nss, "1"), ("EVARISTE_DISABLE", "ssse3 neon aes clmul")])? == portable, "{nss} and ours");
        if nss.ends_with("HW_CRYPTO") && ["vaes", "aesni", "armv8", "power"].iter().any(|name| best.starts_with(name)) {
            ensure!(expected != best, "{nss} changes nothing");
        }
    }
    ensure!(runs(&[("EVARISTE_BACKEND", "portable")])? == "portable");
    Ok(())
}

/// In FIPS mode nothing of ours runs, and the user is told.
#[test]
fn fips_mode_is_refused() -> Result<()> {
    for value in ["1", "on", "TRUE", "fips"] {
        ensure!(runs(&[("NSS_FIPS", value)])? == "none", "{value}");
        let output = ask(&[("NSS_FIPS", value)])?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(said.contains("evariste-nss: FIPS mode: all goes to NSS's own code"), "{said}");
    }
    for value in ["0", ""] {
        ensure!(runs(&[("NSS_FIPS", value)])? != "none", "{value}");
    }
    Ok(())
}

/// NSS's own library by its path; one that is not there, or is ours, is said on stderr, and nothing is handed out.
#[test]
fn where_the_original_is() -> Result<()> {
    let nss = Nss::ours()?;
    let original = nss.libraries()?.join("libfreeblpriv3-orig.so");
    let path = original.to_str().context("a path of text")?;
    ensure!(runs(&[("EVARISTE_NSS_ORIGINAL", path)])? != "none");
    for (path, why) in [("/nonexistent/library.so", "cannot open"), ("libc.so.6", "no FREEBL_GetVector")] {
        let output = ask(&[("EVARISTE_NSS_ORIGINAL", path)])?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(!output.status.success() && said.contains("NSS's own library: ") && said.contains(why), "{said}");
    }
    Ok(())
}

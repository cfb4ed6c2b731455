//! Which provider serves a cipher: it is tried, and our provider says whether it was called.

use super::program::{Program, run};
use anyhow::{Context, Result};
use evariste_openssl::counters;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The name of our provider.
pub(super) const OURS: &str = "evariste";

/// A cipher, and who serves it.
#[derive(Debug, Serialize)]
pub(super) struct Served {
    pub(super) name: String,
    /// The provider, several if it may be any of them, or why that is not known.
    pub(super) provider: String,
    /// Whether our provider has it,
    #[serde(skip)]
    is_offered: bool,
    /// and another one has it, too.
    #[serde(skip)]
    is_contested: bool,
}

/// All ciphers that we may have, as far as this OpenSSL has them. What our provider counts goes to `counters`, if the
/// configuration says so.
pub(super) fn all(program: &Program, counters: Option<PathBuf>) -> Result<Vec<Served>, String> {
    let listed = parse(&run(program.command().args(["list", "-cipher-algorithms"]))?);
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (dir, counters) = (dir.path(), counters.as_deref());
    // Some are tried for a second.
    Ok(std::thread::scope(|scope| {
        let tries: Vec<_> = listed
            .into_iter()
            .map(|(name, providers)| {
                let is_offered = providers.iter().any(|provider| provider == OURS);
                let others: Vec<_> = providers.into_iter().filter(|provider| provider != OURS).collect();
                let tried = scope.spawn({
                    let name = name.clone();
                    move || if is_offered { is_ours(program, &name, dir, counters) } else { Ok(false) }
                });
                (name, is_offered, others, tried)
            })
            .collect();
        let done = tries.into_iter().map(|(name, is_offered, others, tried)| {
            let is_contested = is_offered && !others.is_empty();
            let provider = match tried.join() {
                Ok(Ok(true)) => OURS.to_owned(),
                Ok(Ok(false)) => others.join(" or "),
                Ok(Err(error)) => format!("not known: {error:#}"),
                Err(_) => "not known".into(),
            };
            Served { name, provider, is_offered, is_contested }
        });
        done.collect()
    }))
}

/// What is wrong with that, if our provider is active.
pub(super) fn complaint(ciphers: &[Served]) -> Option<String> {
    let lost = |cipher: &&Served| cipher.is_offered && cipher.provider != OURS;
    let names: Vec<_> = ciphers.iter().filter(lost).map(|cipher| &cipher.name[..]).collect();
    match names.len() {
        0 if ciphers.iter().any(|cipher| cipher.is_offered) => None,
        0 => Some("it is active, and has no ciphers".into()),
        some if some == ciphers.iter().filter(|cipher| cipher.is_contested).count() => {
            Some("it is active, but not preferred: default_properties = ?provider=evariste is missing".into())
        }
        _ => Some(format!("it is active, but does not serve {}", names.join(", "))),
    }
}

/// Uses a cipher, and looks whether it was ours.
fn is_ours(program: &Program, name: &str, dir: &Path, counters: Option<&Path>) -> Result<bool> {
    let own = dir.join(name);
    let file = counters.unwrap_or(&own);
    let before = operations(file, name)?;
    let mut command = program.command();
    command.env("EVARISTE_OPENSSL_COUNTERS", &own);
    let (bits, mode) = parts(name).context("no such cipher")?;
    let (key, iv) = ("01".repeat(bits / 8), "02".repeat(16));
    match mode {
        // A GMAC is GCM without text.
        "GCM" => command.args(["mac", "-cipher", name, "-macopt", &format!("hexkey:{key}")]).args([
            "-macopt",
            &format!("hexiv:{}", &iv[..24]),
            "GMAC",
        ]),
        "CTR" | "CBC" => command.args(["enc", &format!("-{}", name.to_lowercase()), "-K", &key, "-iv", &iv]),
        "ECB" => command.args(["enc", &format!("-{}", name.to_lowercase()), "-K", &key]),
        // Nothing else of the program takes these.
        _ => command.args(["speed", "-seconds", "1", "-bytes", "16", "-evp", name]),
    };
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // Who does not read it says by the exit status what is wrong.
    child.stdin.take().map(|mut input| input.write_all(b"evariste"));
    let status = child.wait()?;
    anyhow::ensure!(status.success(), "openssl {}: {status}", command.get_args().next().unwrap_or_default().display());
    Ok(operations(file, name)? > before)
}

/// How many there were with a cipher.
fn operations(file: &Path, name: &str) -> Result<u64> {
    match counters::read(file) {
        Ok(all) => {
            let of = all.into_iter().filter(|counter| counter.algorithm == name);
            Ok(of.map(|counter| counter.encrypted.operations + counter.decrypted.operations).sum())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error).with_context(|| file.display().to_string()),
    }
}

/// Ciphers that we may have, with the providers that have them.
fn parse(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::<_, Vec<_>>::new();
    for (names, provider) in text.lines().filter_map(|line| line.trim().rsplit_once(" @ ")) {
        for name in names.trim_matches(['{', '}']).split(',').map(|name| name.trim().to_uppercase()) {
            if parts(&name).is_some() {
                found.entry(name).or_default().push(provider.to_owned());
            }
        }
    }
    // That of CBC is seldom asked for, and others are not ours to report.
    found.retain(|name, providers| !name.ends_with("-CBC") || providers.iter().any(|provider| provider == OURS));
    found
}

/// Bits of the key, and mode.
fn parts(name: &str) -> Option<(usize, &str)> {
    let (bits, mode) = name.strip_prefix("AES-")?.split_once('-')?;
    let is_ours = ["GCM", "CCM", "CTR", "ECB", "CBC", "GCM-SIV"].contains(&mode);
    bits.parse().ok().filter(|bits| is_ours && [128, 192, 256].contains(bits)).map(|bits| (bits, mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ciphers_are_listed() {
        let text = "Legacy:\n  AES-128-GCM\nProvided:\n  { 2.16.840.1.101.3.4.1.6, aes-128-gcm, id-aes128-GCM } @ default\n  \
            AES-128-CTR @ default\n  { AES-128-GCM, id-aes128-GCM } @ evariste\n  AES-128-CBC @ default\n  \
            AES-128-CBC-CTS @ default\n  AES-128-SIV @ default\n  DES-EDE3-CBC @ legacy\n";
        let found = parse(text);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["AES-128-CTR", "AES-128-GCM"]);
        assert_eq!(found["AES-128-GCM"], ["default", "evariste"]);
        assert_eq!(parse("  AES-128-CBC @ evariste\n").len(), 1);
    }

    #[test]
    fn complaints() {
        let cipher = |name: &str, provider: &str, is_offered, is_contested| Served {
            name: name.into(),
            provider: provider.into(),
            is_offered,
            is_contested,
        };
        let ours = || cipher("AES-128-GCM", OURS, true, true);
        let siv = || cipher("AES-128-GCM-SIV", OURS, true, false);
        let stock = || cipher("AES-128-CTR", "default", true, true);
        let not_ours = || cipher("AES-128-CBC", "default", false, false);
        let complaint = |ciphers: &[Served]| complaint(ciphers).unwrap_or_default();
        assert!(complaint(&[]).contains("no ciphers"));
        assert!(complaint(&[not_ours()]).contains("no ciphers"));
        assert_eq!(complaint(&[ours(), siv(), not_ours()]), "");
        assert!(complaint(&[stock(), siv()]).contains("default_properties"));
        assert_eq!(complaint(&[ours(), siv(), stock()]), "it is active, but does not serve AES-128-CTR");
    }
}

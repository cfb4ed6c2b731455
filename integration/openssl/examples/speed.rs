//! The founding command lines, `openssl speed -evp aes-128-gcm` and others, before and after the provider is installed,
//! as a table for docs/performance.md.
//!
//! `cargo run --release --manifest-path integration/Cargo.toml -p evariste-openssl-tests --example speed -- --write`;
//! `--check` fails when OpenSSL's own provider is faster anywhere, a number is that of the turns.

use anyhow::{Context, Result, ensure};
use evariste_openssl_tests::{Installed, OpenSsl, With, output};
use std::fmt::Write;

const CIPHERS: [&str; 4] = ["aes-128-gcm", "aes-256-gcm", "aes-128-ctr", "aes-128-ccm"];
/// What it measures unless told otherwise.
const SIZES: [usize; 6] = [16, 64, 256, 1024, 8192, 16384];
const COMMAND: &str =
    "cargo run --release --manifest-path integration/Cargo.toml -p evariste-openssl-tests --example speed -- --write";

type Speeds = [f64; SIZES.len()];

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let said = |option: &str| arguments.iter().any(|argument| argument == option);
    let turns = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(3);
    let installed = Installed::new()?;
    let mut text = format!("`openssl speed -seconds 1 -evp CIPHER`, best of {turns} turns, {}.\n", cpu()?);
    let mut slower = Vec::new();
    for openssl in OpenSsl::all()? {
        let version = output(&mut openssl.command(&installed, With::Stock, "version", &["version"])?)?;
        let version = String::from_utf8(version.stdout)?;
        let version = version.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let titles = SIZES.map(|size| format!(" {size} bytes |")).concat();
        write!(text, "\n| {version} |{titles}\n|---|{}\n", "---|".repeat(SIZES.len()))?;
        for cipher in CIPHERS {
            let (stock, ours) = both(openssl, &installed, cipher, turns)?;
            let ratio = std::array::from_fn(|n| ours[n] / stock[n]);
            row(&mut text, &format!("{cipher}, OpenSSL's own"), &stock, 0)?;
            row(&mut text, &format!("{cipher}, evariste"), &ours, 0)?;
            row(&mut text, "times", &ratio, 2)?;
            slower.extend(
                SIZES
                    .iter()
                    .zip(ratio)
                    .filter(|(_, ratio)| *ratio < 1.0)
                    .map(|(size, ratio)| format!("{version}, {cipher}, {size} bytes: {ratio:.2} times")),
            );
            eprintln!("{version} {cipher}: {ratio:.2?}");
        }
    }
    print!("{text}");
    if said("--write") {
        document::write(document::PERFORMANCE, COMMAND, &text)?;
    }
    ensure!(!said("--check") || slower.is_empty(), "OpenSSL's own is faster: {slower:?}");
    Ok(())
}

/// The best of OpenSSL's own provider and of ours, which take turns, each time another one first: where others work on the
/// machine, too, a turn takes longer, and none takes less.
fn both(openssl: OpenSsl, installed: &Installed, cipher: &str, turns: usize) -> Result<(Speeds, Speeds)> {
    let (mut stock, mut ours) = (Vec::new(), Vec::new());
    let before = &installed.counts("ours")?;
    // That they are what they are said to be, which is counted: not while time is taken.
    for (with, counts) in [(With::Stock, "stock"), (With::Ours, "ours")] {
        let arguments = ["speed", "-seconds", "1", "-bytes", "16", "-evp", cipher];
        output(&mut openssl.command(installed, with, counts, &arguments)?)?;
    }
    installed.counts("stock")?.nothing()?;
    let counted = installed.counts("ours")?.since(before);
    counted.encrypted(&cipher.to_uppercase(), 100_000)?;
    for turn in 0..turns {
        // Each size at once by both: a minute later the machine may be another one.
        let (mut theirs, mut own) = ([0.0; SIZES.len()], [0.0; SIZES.len()]);
        for (n, size) in SIZES.into_iter().enumerate() {
            for is_ours in [turn % 2 == 1, turn % 2 == 0] {
                let (with, speeds) = if is_ours { (With::Ours, &mut own) } else { (With::Stock, &mut theirs) };
                speeds[n] = speed(openssl, installed, with, cipher, size)?;
            }
        }
        stock.push(theirs);
        ours.push(own);
    }
    Ok((best(&stock), best(&ours)))
}

/// 1000s of bytes per second, as it reports them.
fn speed(openssl: OpenSsl, installed: &Installed, with: With, cipher: &str, size: usize) -> Result<f64> {
    let size = size.to_string();
    let arguments = ["speed", "-mr", "-seconds", "1", "-bytes", &size, "-evp", cipher];
    let mut command = openssl.command(installed, with, "unused", &arguments)?;
    let done = output(command.env_remove("EVARISTE_OPENSSL_COUNTERS"))?;
    // +F:number:cipher:speed
    let text = String::from_utf8(done.stdout)?;
    let line = text.lines().find_map(|line| line.strip_prefix("+F:")).with_context(|| text.clone())?;
    let speed = line.split(':').nth(2).with_context(|| format!("no speed: {line}"))?;
    Ok(speed.parse::<f64>()? / 1000.0)
}

fn best(turns: &[Speeds]) -> Speeds {
    std::array::from_fn(|n| turns.iter().map(|speeds| speeds[n]).fold(0.0, f64::max))
}

fn row(text: &mut String, name: &str, values: &Speeds, decimals: usize) -> Result<()> {
    let bold = if decimals > 0 { "**" } else { "" };
    let cells = values.map(|value| format!(" {bold}{value:.decimals$}{bold} |")).concat();
    Ok(writeln!(text, "| {name} |{cells}")?)
}

/// Which one this is, as the system has it.
fn cpu() -> Result<String> {
    let all = std::fs::read_to_string("/proc/cpuinfo")?;
    let value = |name: &str| all.lines().find_map(|line| Some(line.strip_prefix(name)?.split_once(':')?.1.trim()));
    let name = value("model name").context("no name of the CPU")?;
    Ok(match value("cpu family").zip(value("model\t")) {
        Some((family, model)) => format!("{name}, family {family}, model {model}"),
        None => name.to_owned(),
    })
}

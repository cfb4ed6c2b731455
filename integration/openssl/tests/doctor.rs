//! `evariste doctor openssl` before, with, and after our provider, which is installed and removed by the commands that it
//! gives.

use anyhow::{Context, Result, ensure};
use evariste_openssl_tests::{OpenSsl, library, output, program, send};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Modules, a configuration, and a program, as if they were the system's.
struct System {
    directory: TempDir,
}

impl System {
    /// With the configuration of this system.
    fn new(openssl: OpenSsl) -> Result<Self> {
        let system = Self { directory: tempfile::Builder::new().prefix("a system ").tempdir()? };
        fs::create_dir(system.modules())?;
        let text = output(Command::new("openssl").args(["version", "-d"]))?.stdout;
        let text = String::from_utf8(text)?;
        let own = text.split('"').nth(1).context("no OPENSSLDIR")?;
        fs::copy(Path::new(own).join("openssl.cnf"), system.config())?;
        let words = openssl.words()?.into_iter().map(|word| format!("'{}'", word.display()));
        let script = format!("#!/bin/sh\nexec {} \"$@\"\n", words.collect::<Vec<_>>().join(" "));
        fs::write(system.openssl(), script)?;
        fs::set_permissions(system.openssl(), fs::Permissions::from_mode(0o755))?;
        Ok(system)
    }

    fn modules(&self) -> PathBuf {
        self.directory.path().join("modules")
    }

    fn config(&self) -> PathBuf {
        self.directory.path().join("openssl.cnf")
    }

    fn openssl(&self) -> PathBuf {
        self.directory.path().join("openssl")
    }

    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.env("OPENSSL_CONF", self.config()).env("OPENSSL_MODULES", self.modules());
        command.env_remove("EVARISTE_OPENSSL_COUNTERS");
        command
    }

    /// What the doctor says, and whether by its exit code it is well.
    fn doctor(&self) -> Result<(bool, Value)> {
        let mut command = self.command(program()?);
        let done = command.args(["doctor", "openssl", "--json", "--openssl"]).arg(self.openssl()).output()?;
        let code = done.status.code();
        ensure!(code == Some(0) || code == Some(1), "{}", String::from_utf8_lossy(&done.stderr));
        Ok((code == Some(0), serde_json::from_slice(&done.stdout)?))
    }

    /// Gives the commands of a list, from where the program and the provider were built.
    fn obey(&self, commands: &Value) -> Result<usize> {
        let commands = commands.as_array().context("no commands")?;
        let built = library()?.parent().context("no directory")?.display().to_string();
        for command in commands {
            let command = command.as_str().context("no command")?.replace("target/release", &built);
            let path = format!("{}:{}", program()?.parent().context("no directory")?.display(), "/usr/bin:/bin");
            output(self.command("sh").env("PATH", path).args(["-c", &command]))?;
        }
        Ok(commands.len())
    }

    /// Other configurations, from one that is in order, which is there again in the end.
    fn others(&self) -> Result<()> {
        let installed = fs::read_to_string(self.config())?;
        // It says where to count.
        let counts = self.directory.path().join("counts");
        let more = format!("[evariste_sect]\nactivate = 1\ncounters = {}\n", counts.display());
        fs::write(self.config(), installed.replace("[evariste_sect]\nactivate = 1\n", &more))?;
        let (is_well, report) = self.doctor()?;
        ensure!(is_well && counts.exists(), "{report}");

        // Active, but nobody asks for it.
        fs::write(self.config(), installed.replace("default_properties", "# default_properties"))?;
        let (is_well, report) = self.doctor()?;
        ensure!(!is_well && reasons(&report).contains("not preferred"), "{report}");

        // The file is elsewhere.
        let more = format!("[evariste_sect]\nactivate = 1\nmodule = {}\n", library()?.display());
        fs::write(self.config(), installed.replace("[evariste_sect]\nactivate = 1\n", &more))?;
        let (is_well, report) = self.doctor()?;
        let file = report["module"]["file"].as_str();
        ensure!(is_well && file == library()?.to_str(), "{report}");

        // The file is lost.
        fs::write(self.config(), &installed)?;
        let module = self.modules().join("evariste.so");
        fs::rename(&module, self.directory.path().join("lost"))?;
        let (is_well, report) = self.doctor()?;
        ensure!(!is_well && reasons(&report).contains("there is no "), "{report}");
        fs::rename(self.directory.path().join("lost"), &module)?;
        Ok(())
    }

    fn encrypt(&self) -> Result<Vec<u8>> {
        let arguments = ["enc", "-aes-128-ctr", "-K", "000102030405060708090a0b0c0d0e0f", "-iv", "ff"];
        Ok(send(self.command(self.openssl()).args(arguments), &[7; 1000])?.stdout)
    }
}

fn reasons(report: &Value) -> String {
    report["reasons"].to_string()
}

fn before_with_and_after(openssl: OpenSsl) -> Result<()> {
    let system = System::new(openssl)?;
    let (config, cipher_text) = (fs::read(system.config())?, system.encrypt()?);
    let (is_well, report) = system.doctor()?;
    ensure!(!is_well && report["active"] == false, "{report}");
    ensure!(reasons(&report).contains("there is no ") && reasons(&report).contains("does not activate"), "{report}");
    ensure!(report["undo"].as_array().is_some_and(Vec::is_empty), "{report}");

    // Half of it: the file, and not the lines.
    let commands = &report["install"];
    ensure!(system.obey(&Value::from(vec![commands[0].clone()]))? == 1);
    let (is_well, half) = system.doctor()?;
    ensure!(!is_well && half["module"]["version"] == env!("CARGO_PKG_VERSION"), "{half}");
    ensure!(!reasons(&half).contains("there is no ") && reasons(&half).contains("does not activate"), "{half}");
    ensure!(system.obey(&half["install"])? == 1, "{half}");

    let (is_well, report) = system.doctor()?;
    ensure!(is_well && report["active"] == true && reasons(&report) == "[]", "{report}");
    let ciphers = report["ciphers"].as_array().context("no ciphers")?;
    // RFC 8452 has no GCM-SIV with 192 bits; some OpenSSLs do.
    let is_ours = |cipher: &Value| cipher["provider"] == "evariste" || cipher["name"] == "AES-192-GCM-SIV";
    ensure!(ciphers.len() >= 12 && ciphers.iter().all(is_ours), "{report}");
    ensure!(system.encrypt()? == cipher_text, "another text");

    if matches!(openssl, OpenSsl::System) {
        system.others()?;
    }
    let (is_well, report) = system.doctor()?;
    ensure!(is_well && system.obey(&report["undo"])? == 2, "{report}");
    ensure!(fs::read(system.config())? == config, "the configuration is not as it was");
    ensure!(!system.modules().join("evariste.so").exists(), "the module is still there");
    let (is_well, report) = system.doctor()?;
    ensure!(!is_well && report["ciphers"][0]["provider"] == "default", "{report}");
    ensure!(system.encrypt()? == cipher_text, "another text");
    Ok(())
}

#[test]
fn system_and_later() -> Result<()> {
    // One after the other: a program that is being written cannot be started.
    OpenSsl::all()?.into_iter().try_for_each(before_with_and_after)
}

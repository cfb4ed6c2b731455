//! qemu-user with plugins.

use super::{Cpu, Target, build_plugin, cache, debian};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The release whose qemu-user can load plugins, and what that needs. Later ones are linked statically.
const RELEASE: &str = "bookworm";
const PACKAGES: &[&str] = &["qemu-user", "libcapstone4", "libnuma1", "liburing2"];

/// The plugin, built, and a qemu that can load it.
pub(crate) struct Plugin {
    library: PathBuf,
    /// Where qemu is unpacked; the system's otherwise.
    qemu: Option<PathBuf>,
}

/// A program on an emulated CPU.
pub(crate) struct Guest<'a> {
    pub(crate) plugin: &'a Plugin,
    pub(crate) target: &'a Target,
    pub(crate) cpu: &'a Cpu,
    pub(crate) program: &'a Path,
    /// Where its libraries are; those of the cross compiler otherwise.
    pub(crate) root: Option<&'a Path>,
    /// More of its environment, as `NAME=VALUE`.
    pub(crate) environment: &'a [&'a str],
}

impl Plugin {
    pub(crate) fn new() -> Result<Self> {
        let help = Command::new("qemu-aarch64").arg("--help").output();
        let system = help.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("-plugin"));
        let fetch = || debian::unpacked(&::debian::own_architecture()?, RELEASE, PACKAGES);
        Ok(Self { library: build_plugin()?, qemu: if system { None } else { Some(fetch()?) } })
    }

    /// Which qemu it is loaded into.
    pub(crate) fn qemu_version(&self, target: &Target) -> Result<String> {
        let output = self.qemu(target).arg("--version").output()?;
        let printed = String::from_utf8(output.stdout)?;
        let version = printed.split_whitespace().skip_while(|word| *word != "version").nth(1);
        Ok(version.with_context(|| format!("qemu gives no version: {printed}"))?.to_owned())
    }

    /// With nothing in its environment but what it needs itself, and that not in its guest's.
    fn qemu(&self, target: &Target) -> Command {
        let name = format!("qemu-{}", target.qemu);
        let Some(root) = &self.qemu else {
            let mut qemu = Command::new(name);
            qemu.env_clear();
            return qemu;
        };
        let mut qemu = Command::new(root.join("usr/bin").join(name));
        let libraries = ::debian::library_path(root, &format!("{}-linux-gnu", std::env::consts::ARCH));
        qemu.env_clear().env("LD_LIBRARY_PATH", libraries).args(["-U", "LD_LIBRARY_PATH"]);
        qemu
    }
}

impl Guest<'_> {
    /// What the program prints.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<String> {
        self.output(None, arguments)
    }

    /// What it prints, and what the plugin says of it; `job` is the plugin's arguments.
    pub(crate) fn watch(&self, job: &str, arguments: &[&str]) -> Result<(String, String)> {
        let out = cache()?.join(format!("{}.out", std::process::id()));
        // A comma in a value is written twice.
        let path = |path: &Path| path.display().to_string().replace(',', ",,");
        let plugin = format!("{},{job},out={}", path(&self.plugin.library), path(&out));
        let printed = self.output(Some(&plugin), arguments)?;
        let said = std::fs::read_to_string(&out)?;
        std::fs::remove_file(&out)?;
        Ok((printed, said))
    }

    fn output(&self, plugin: Option<&str>, arguments: &[&str]) -> Result<String> {
        // The same environment and random numbers each time, so that the same happens.
        let mut qemu = self.plugin.qemu(self.target);
        qemu.args(["-seed", "1", "-cpu", self.cpu.qemu, "-E", "OPENSSL_CONF=/dev/null"]);
        qemu.args(self.environment.iter().flat_map(|variable| ["-E", variable]));
        qemu.args(plugin.iter().flat_map(|plugin| ["-plugin", plugin]));
        match self.root {
            // Without its loader's path in the program, which leads out of the root.
            Some(root) => {
                qemu.arg(::debian::loader(root, self.target.gnu, self.target.loader)?);
                qemu.args(["--library-path", &::debian::library_path(root, self.target.gnu)]);
            }
            None => {
                qemu.arg("-L").arg(Path::new("/usr").join(self.target.gnu));
            }
        }
        let output = qemu.arg(self.program).args(arguments).output().with_context(|| format!("{qemu:?}"))?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{qemu:?}: {}: {errors}", output.status);
        Ok(String::from_utf8(output.stdout)?)
    }
}

//! What the program `openssl` says.

use serde::Serialize;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A provider that is active.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Provider {
    pub(super) name: String,
    pub(super) version: String,
}

/// The program.
pub(super) struct Program(PathBuf);

/// An answer, or why there is none.
type Answer<T> = Result<T, String>;

impl Program {
    pub(super) fn find(given: Option<&Path>) -> Answer<Self> {
        if let Some(file) = given {
            return match file.is_file() {
                true => Ok(Self(std::path::absolute(file).unwrap_or_else(|_| file.to_owned()))),
                false => Err(format!("there is no program {}", file.display())),
            };
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&path).map(|dir| dir.join("openssl")).find(|file| file.is_file());
        found.map(Self).ok_or_else(|| "there is no openssl on the PATH; --openssl FILE names one".into())
    }

    pub(super) fn file(&self) -> &Path {
        &self.0
    }

    /// As it is started by everybody else.
    pub(super) fn command(&self) -> Command {
        Command::new(&self.0)
    }

    /// What it prints without any configuration, which it may fail to start with.
    fn ask_it_alone(&self, arguments: &[&str]) -> Answer<String> {
        run(self.command().env("OPENSSL_CONF", "/dev/null").args(arguments))
    }

    /// As `OpenSSL 3.0.19 27 Jan 2026`.
    pub(super) fn version(&self) -> Answer<String> {
        let text = self.ask_it_alone(&["version"])?;
        // The program's own; which library it has found stands behind it.
        let (own, library) = text.trim().split_once(" (Library: ").unwrap_or((text.trim(), ""));
        let library = library.trim_end_matches(')');
        Ok(if library.is_empty() { own } else { library }.to_owned())
    }

    /// One of the directories that were built in.
    fn directory(&self, option: &str, name: &str) -> Answer<PathBuf> {
        let text = self.ask_it_alone(&["version", option])?;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": \"")?.strip_suffix('"'));
        Ok(value.ok_or_else(|| format!("openssl version {option} says no {name}"))?.into())
    }

    /// Where it looks for modules.
    pub(super) fn modules(&self) -> Answer<PathBuf> {
        variable("OPENSSL_MODULES").map_or_else(|| self.directory("-m", "MODULESDIR"), Ok)
    }

    /// The configuration in force, whether it is there or not.
    pub(super) fn config(&self) -> Answer<PathBuf> {
        let built_in = || Ok(self.directory("-d", "OPENSSLDIR")?.join("openssl.cnf"));
        variable("OPENSSL_CONF").map_or_else(built_in, Ok)
    }

    /// The version of our module, if it can be loaded.
    pub(super) fn module(&self, file: &Path) -> Answer<String> {
        let mut command = self.command();
        command.env("OPENSSL_CONF", "/dev/null").args(["list", "-provider-path"]).arg(file.parent().unwrap_or(file));
        let text = run(command.arg("-provider").arg(file.file_stem().unwrap_or_default()).arg("-providers"))?;
        // Whatever the file is called, as it is when somebody has chosen another name.
        let ours = parse_providers(&text).into_iter().find(|provider| provider.name != "default");
        Ok(ours.ok_or("it is not listed afterwards")?.version)
    }

    /// Those that the configuration in force activates.
    pub(super) fn providers(&self) -> Answer<Vec<Provider>> {
        Ok(parse_providers(&run(self.command().args(["list", "-providers"]))?))
    }
}

/// What is set to something.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| value != OsStr::new("")).map(PathBuf::from)
}

/// Whether this is OpenSSL since 3.0.
pub(super) fn has_providers(version: &str) -> bool {
    let number = version.strip_prefix("OpenSSL ").and_then(|rest| rest.split('.').next());
    number.and_then(|major| major.parse::<u32>().ok()) >= Some(3)
}

/// What a program prints, or the first thing that it says went wrong.
pub(super) fn run(command: &mut Command) -> Answer<String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", Path::new(command.get_program()).display()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(complaint(&String::from_utf8_lossy(&output.stderr)).unwrap_or_else(|| output.status.to_string()))
}

/// Of OpenSSL's queue of errors, number:error:code:library:function:reason:file:line:data, what the system said, or the
/// last reason; else the first line.
fn complaint(text: &str) -> Option<String> {
    let errors = text.lines().filter_map(|line| line.split_once(":error:"));
    let fields = errors.map(|(_, error)| error.splitn(7, ':').collect::<Vec<_>>());
    let said = fields.filter_map(|fields| match fields[..] {
        [_, _, _, reason, _, _, data] if !data.is_empty() => Some(format!("{reason}: {data}")),
        [_, _, _, reason, ..] => Some(reason.to_owned()),
        _ => None,
    });
    let first = || text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    said.max_by_key(String::len).or_else(first)
}

/// Names are indented by two, what is said of them by four.
fn parse_providers(text: &str) -> Vec<Provider> {
    let mut found = Vec::<Provider>::new();
    for line in text.lines().skip(1) {
        if let Some(version) = line.trim().strip_prefix("version: ") {
            if let Some(last) = found.last_mut() {
                last.version = version.to_owned();
            }
        } else if line.starts_with("  ") && !line.starts_with("   ") {
            found.push(Provider { name: line.trim().to_owned(), version: String::new() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_have_providers() {
        for (version, has) in [
            ("OpenSSL 3.0.19 27 Jan 2026", true),
            ("OpenSSL 4.0.0 14 Apr 2026", true),
            ("OpenSSL 1.1.1w  11 Sep 2023", false),
            ("LibreSSL 3.8.2", false),
            ("", false),
        ] {
            assert_eq!(has_providers(version), has, "{version}");
        }
    }

    #[test]
    fn providers_are_listed() {
        let text = "Providers:\n  default\n    name: OpenSSL Default Provider\n    version: 3.0.19\n    status: active\n  \
            evariste\n    name: evariste\n    version: 0.1.0\n    status: active\n";
        let found = parse_providers(text);
        let pairs: Vec<_> = found.iter().map(|p| (&p.name[..], &p.version[..])).collect();
        assert_eq!(pairs, [("default", "3.0.19"), ("evariste", "0.1.0")]);
        assert_eq!(parse_providers(""), []);
    }

    #[test]
    fn the_cause_is_picked_from_errors() {
        let text = "list: unable to load provider evariste\nHint: use -provider-path option or OPENSSL_MODULES\n\
            4047:error:12800067:DSO support routines:dlfcn_load:could not load the shared library:../dso.c:118:\
            filename(/m/evariste.so): /m/evariste.so: file too short\n\
            4047:error:12800067:DSO support routines:DSO_load:could not load the shared library:../lib.c:152:\n\
            4047:error:07880025:common libcrypto routines:provider_init:reason(37):../core.c:912:name=evariste\n";
        let expected = "could not load the shared library: filename(/m/evariste.so): /m/evariste.so: file too short";
        assert_eq!(complaint(text).as_deref(), Some(expected));
        assert_eq!(complaint("\n no such thing\nmore").as_deref(), Some("no such thing"));
        assert_eq!(complaint(""), None);
    }
}

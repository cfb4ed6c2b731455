//! What was found.

use super::program::Provider;
use super::served::Served;
use serde::Serialize;
use std::path::PathBuf;

/// The JSON form. What is not known, since something before it is missing, is null or empty.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    /// Whether every cipher that our provider has is served by it.
    pub(super) active: bool,
    /// Why not.
    pub(super) reasons: Vec<String>,
    /// The program that was asked.
    pub(super) openssl: Option<PathBuf>,
    /// The library's version.
    pub(super) version: Option<String>,
    /// Where modules are looked for.
    pub(super) modules: Option<PathBuf>,
    /// The configuration in force.
    pub(super) config: Option<PathBuf>,
    /// Our provider, if it can be loaded.
    pub(super) module: Option<Module>,
    /// All that are active.
    pub(super) providers: Vec<Provider>,
    pub(super) ciphers: Vec<Served>,
    /// Commands that are still to be given, and those that remove what is there.
    pub(super) install: Vec<String>,
    pub(super) undo: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Module {
    pub(super) file: PathBuf,
    pub(super) version: String,
}

impl Report {
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |name: &str, value: Option<String>| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                out += &format!("{name:15} {value}\n");
            }
        };
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        line("Program", path(&self.openssl));
        line("Version", self.version.clone());
        line("Modules", path(&self.modules));
        line("Configuration", path(&self.config));
        line("Our module", self.module.as_ref().map(|module| format!("{}, {}", module.file.display(), module.version)));
        let providers = self.providers.iter().map(|provider| format!("{} {}", provider.name, provider.version));
        line("Active", Some(providers.collect::<Vec<_>>().join(", ")));
        for variable in ["OPENSSL_CONF", "OPENSSL_MODULES"] {
            if std::env::var_os(variable).is_some_and(|value| !value.is_empty()) {
                line("Note", Some(format!("{variable} is set: other programs may not see it")));
            }
        }
        if !self.ciphers.is_empty() {
            out += "\nCiphers, and who serves them\n";
            let width = self.ciphers.iter().map(|cipher| cipher.name.len()).max().unwrap_or(0);
            for cipher in &self.ciphers {
                out += &format!("  {:width$}  {}\n", cipher.name, cipher.provider);
            }
        }
        let blank = if out.is_empty() { "" } else { "\n" };
        out += blank;
        if self.active {
            out += "evariste is active.\n";
        } else {
            out += "evariste is not active:\n";
            self.reasons.iter().for_each(|reason| out += &format!("  {reason}\n"));
        }
        let install = "To install it, as root, after cargo build --release -p evariste-openssl:";
        for (title, commands) in [(install, &self.install), ("To remove it, as root:", &self.undo)] {
            if !commands.is_empty() {
                out += &format!("\n{title}\n");
                commands.iter().for_each(|command| out += &format!("  {command}\n"));
            }
        }
        out
    }
}

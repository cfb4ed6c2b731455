//! OpenSSL's configuration, as far as it is about us.
//!
//! Read as config(5) has it, but for variables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Around our lines, so that they are found again.
pub(super) const BEGIN: &str = "# evariste: begin";
pub(super) const END: &str = "# evariste: end";

/// Sections with their values.
#[derive(Default)]
pub(super) struct Config {
    values: BTreeMap<(String, String), String>,
    has_lines: bool,
}

impl Config {
    /// A file that cannot be read is empty: OpenSSL says what is wrong with it.
    pub(super) fn read(file: &Path) -> Self {
        // Lines of ours are taken out of this file alone.
        Self { has_lines: has_lines(&text(file)), ..Self::parse(&with_included(file, 0)) }
    }

    fn parse(text: &str) -> Self {
        let mut config = Self { has_lines: has_lines(text), ..Self::default() };
        // Before any section is named.
        let mut section = "default".to_owned();
        for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = name.trim().to_owned();
            } else if let Some((name, value)) = line.split_once('=') {
                // The last one counts, and sections may go on later.
                config.values.insert((section.clone(), name.trim().to_owned()), value.trim().to_owned());
            }
        }
        config
    }

    fn value(&self, section: &str, name: &str) -> Option<&str> {
        self.values.get(&(section.to_owned(), name.to_owned())).map(String::as_str)
    }

    /// Whether our lines are in it.
    pub(super) fn has_lines(&self) -> bool {
        self.has_lines
    }

    /// A value of our provider's section.
    fn ours(&self, name: &str) -> Option<PathBuf> {
        let providers = self.value(self.value("default", "openssl_conf")?, "providers")?;
        Some(self.value(self.value(providers, "evariste")?, name)?.into())
    }

    /// The file that our provider counts in, if it is told so here.
    pub(super) fn counters(&self) -> Option<PathBuf> {
        self.ours("counters")
    }

    /// Where our provider is, if that is said here; relative to where modules are.
    pub(super) fn module(&self) -> Option<PathBuf> {
        self.ours("module")
    }

    /// What is to be added at the end: it goes on with the sections that are there, whatever they are called.
    pub(super) fn lines(&self) -> String {
        let main = self.value("default", "openssl_conf").unwrap_or("openssl_init");
        let providers = self.value(main, "providers").unwrap_or("provider_sect");
        let algorithms = self.value(main, "alg_section").unwrap_or("evariste_algorithms");
        let default = self.value(providers, "default").unwrap_or("default_sect");
        format!(
            "{BEGIN}\n[default]\nopenssl_conf = {main}\n\
             [{main}]\nproviders = {providers}\nalg_section = {algorithms}\n\
             [{providers}]\ndefault = {default}\nevariste = evariste_sect\n\
             [{default}]\nactivate = 1\n\
             [evariste_sect]\nactivate = 1\n\
             [{algorithms}]\ndefault_properties = ?provider=evariste\n{END}\n"
        )
    }
}

fn has_lines(text: &str) -> bool {
    text.lines().any(|line| line == BEGIN)
}

fn text(file: &Path) -> String {
    std::fs::read(file).map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
}

/// The text of a file, with that of others where it includes them; of a directory all that are called so.
fn with_included(file: &Path, depth: usize) -> String {
    // A file may include itself.
    const DEEPEST: usize = 4;
    let mut all = String::new();
    for line in text(file).lines() {
        let included = line.trim().strip_prefix(".include").filter(|rest| rest.starts_with([' ', '\t', '=']));
        let Some(name) = included.filter(|_| depth < DEEPEST) else {
            all += line;
            all.push('\n');
            continue;
        };
        let name = name.split('#').next().unwrap_or_default().trim_start_matches([' ', '\t', '=']).trim_end();
        let path = PathBuf::from(name);
        let mut files: Vec<_> = match std::fs::read_dir(&path) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).filter(|file| is_configuration(file)).collect(),
            Err(_) => vec![path],
        };
        files.sort();
        files.iter().for_each(|file| all += &with_included(file, depth + 1));
    }
    all
}

fn is_configuration(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "cnf" || extension == "conf")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_on_with_what_is_there() {
        let lines = Config::default().lines();
        assert!(lines.contains("\n[openssl_init]\nproviders = provider_sect\nalg_section = evariste_algorithms\n"));
        let text = "openssl_conf = main # ours\n[ main ]\nproviders=p\nalg_section = a\n[p]\ndefault = d\n";
        let config = Config::parse(text);
        assert!(!config.has_lines());
        let lines = config.lines();
        for part in [
            "\n[default]\nopenssl_conf = main\n[main]\n",
            "\nalg_section = a\n[p]\ndefault = d\n",
            "\n[d]\nactivate = 1\n",
        ] {
            assert!(lines.contains(part), "{lines}");
        }
        let both = Config::parse(&format!("{text}{lines}"));
        assert!(both.has_lines());
        // A second time they say the same.
        assert_eq!(both.lines(), lines);
    }

    #[test]
    fn included_files_count() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = |name: &str| dir.path().join(name);
        std::fs::create_dir(path("d")).expect("made");
        let main = format!(
            "openssl_conf = main\n.include {}\n.include = {} # all of it\n.include /none\n",
            path("one.cnf").display(),
            path("d").display()
        );
        std::fs::write(path("main.cnf"), main).expect("written");
        // Itself, too.
        let one = format!("{BEGIN}\n[main]\nproviders = p\n.include {}\n", path("one.cnf").display());
        std::fs::write(path("one.cnf"), one).expect("written");
        std::fs::write(path("d/two.conf"), "[p]\nevariste = e\n[e]\ncounters = /tmp/c\n").expect("written");
        std::fs::write(path("d/other.txt"), "[e]\ncounters = /tmp/other\n").expect("written");
        let config = Config::read(&path("main.cnf"));
        assert_eq!(config.counters(), Some("/tmp/c".into()));
        assert!(!config.has_lines());
        assert!(Config::read(&path("one.cnf")).has_lines());
    }

    #[test]
    fn our_section_is_found() {
        let text =
            "openssl_conf = main\n[main]\nproviders = p\n[p]\nevariste = e\n[e]\ncounters = /tmp/c\nmodule=m.so\n";
        assert_eq!(Config::parse(text).counters(), Some("/tmp/c".into()));
        assert_eq!(Config::parse(text).module(), Some("m.so".into()));
        assert_eq!(Config::parse("[e]\ncounters = /tmp/c\n").counters(), None);
    }
}

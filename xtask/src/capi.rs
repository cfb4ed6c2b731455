//! The C library: its header, how it is linked and installed, and how that is tried.

pub(crate) mod header;
pub(crate) mod install;
pub(crate) mod trial;

use crate::subject::workspace;
use std::path::PathBuf;

/// The crate it is made of.
fn sources() -> PathBuf {
    workspace().join("crates/evariste-capi")
}

/// The functions that a version script exports.
fn exported(map: &str) -> Vec<String> {
    let names = map.lines().map(|line| line.trim().trim_end_matches(';'));
    names.filter(|name| name.starts_with("evariste_")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The functions that a header declares.
    fn declared(header: &str) -> Vec<String> {
        let code = header.lines().filter(|line| !line.trim_start().starts_with(['*', '/', '#']));
        let before = code.filter_map(|line| line.split_once('(')).map(|(before, _)| before);
        let names = before.filter_map(|before| before.rsplit([' ', '*']).next());
        names.filter(|name| name.starts_with("evariste_")).map(str::to_owned).collect()
    }

    /// The script exports what the header declares, in order, so that it can be read.
    #[test]
    fn the_version_script_has_all_functions() {
        let read = |name| std::fs::read_to_string(sources().join(name)).expect(name);
        let (exported, mut declared) = (exported(&read("evariste.map")), declared(&read("include/evariste.h")));
        declared.sort();
        assert!(declared.len() > 30, "{declared:?}");
        assert_eq!(exported, declared);
    }
}

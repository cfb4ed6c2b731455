//! Tables of a document, written anew by the program that measures them.
//!
//! They stand between two comments, of which the first is the command that writes them: a reader of the source
//! knows how to, and no figure is copied by hand.

use anyhow::{Context, Result};
use std::path::PathBuf;

/// A document of this repository that has figures.
pub const PERFORMANCE: &str = "docs/performance.md";

/// Where a document of this repository is.
pub fn path(document: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(document)
}

/// Puts the tables of `command` into a document, in the place of those that are there.
pub fn write(document: &str, command: &str, tables: &str) -> Result<()> {
    let path = path(document);
    let old = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let new = splice(&old, command, tables).with_context(|| path.display().to_string())?;
    std::fs::write(&path, new).with_context(|| path.display().to_string())
}

/// The text with tables in the place of those that it had.
pub fn splice(text: &str, command: &str, tables: &str) -> Result<String> {
    const END: &str = "<!-- end -->\n";
    let begin = format!("<!-- {command} -->\n");
    let parts = text.split_once(&begin).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let (head, tail) = parts.with_context(|| format!("no place for tables between {begin:?} and {END:?}"))?;
    Ok(format!("{head}{begin}\n{tables}\n{END}{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_take_the_place_of_the_old_ones() {
        let text = "head\n<!-- a -->\nold\n<!-- end -->\nmiddle\n<!-- b -->\n<!-- end -->\ntail\n";
        let new = splice(text, "a", "new\n").expect("a place");
        assert_eq!(new, text.replace("old\n", "\nnew\n\n"));
        assert_eq!(splice(&new, "a", "new\n").expect("a place"), new);
        assert!(splice(text, "b", "other\n").expect("a place").contains("<!-- b -->\n\nother\n\n<!-- end -->\ntail"));
        assert!(splice(text, "c", "new\n").is_err() && splice("<!-- a -->\n", "a", "new\n").is_err());
    }

    #[test]
    fn documents_are_found() {
        assert!(path(PERFORMANCE).is_file());
    }
}

//! The one file of a crate that is changed.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use toml_edit::{DocumentMut, Item, TableLike, value};

/// RustCrypto's packages that evariste has an answer to, each with the versions that are the generation before.
const MODELS: &[(&str, &str)] =
    &[("aes", "0.8"), ("aes-gcm", "0.10"), ("aes-gcm-siv", "0.11"), ("ccm", "0.5"), ("ctr", "0.9"), ("ghash", "0.5")];

const KINDS: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// Makes the crate of a manifest a workspace of its own, wherever it lies.
pub(super) fn alone(manifest: &Path) -> Result<()> {
    edit(manifest, |document| {
        document.entry("workspace").or_insert(toml_edit::table());
        Ok(())
    })
}

/// Lets dependencies on RustCrypto be on evariste's packages, below `root`, and says which were.
pub(super) fn swap(manifest: &Path, root: &Path) -> Result<Vec<String>> {
    let mut swapped = Vec::new();
    edit(manifest, |document| {
        swap_tables(document.as_table_mut(), root, &mut swapped)?;
        if let Some(targets) = document.get_mut("target").and_then(Item::as_table_like_mut) {
            for (_, target) in targets.iter_mut() {
                swap_tables(target.as_table_like_mut().context("a target")?, root, &mut swapped)?;
            }
        }
        Ok(())
    })?;
    swapped.sort();
    swapped.dedup();
    Ok(swapped)
}

fn edit(manifest: &Path, change: impl FnOnce(&mut DocumentMut) -> Result<()>) -> Result<()> {
    let mut document: DocumentMut = fs::read_to_string(manifest)?.parse()?;
    change(&mut document)?;
    // Not over a file that may be linked to the registry's.
    fs::remove_file(manifest)?;
    Ok(fs::write(manifest, document.to_string())?)
}

fn swap_tables(parent: &mut dyn TableLike, root: &Path, swapped: &mut Vec<String>) -> Result<()> {
    for kind in KINDS {
        let Some(dependencies) = parent.get_mut(kind).and_then(Item::as_table_like_mut) else { continue };
        for (key, dependency) in dependencies.iter_mut() {
            let name = dependency.get("package").and_then(Item::as_str).unwrap_or(&key).to_owned();
            let Some((_, previous)) = MODELS.iter().find(|(model, _)| *model == name) else { continue };
            let requirement = dependency.as_str().or(dependency.get("version").and_then(Item::as_str));
            let requirement = requirement.context("a version")?.trim_start_matches(['^', '=', '~']).to_owned();
            let folder = if requirement.starts_with(previous) { "crates/previous" } else { "crates" };
            let package = format!("evariste-{name}");
            let path = root.join(folder).join(&package);
            if dependency.is_str() {
                *dependency = Item::Value(toml_edit::InlineTable::from_iter([("version", requirement)]).into());
            }
            dependency["package"] = value(package);
            dependency["path"] = value(path.to_str().context("a path in UTF-8")?);
            swapped.push(name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_write_a_dependency() -> Result<()> {
        let mut document: DocumentMut =
            "[dependencies]\naes-gcm = '0.10.3'\nkey = { package = 'ctr', version = '0.10' }\n\
             [dependencies.ccm]\nversion = '^0.5'\nfeatures = ['alloc']\n[dev-dependencies]\nserde = '1'\n"
                .parse()?;
        let mut swapped = Vec::new();
        swap_tables(document.as_table_mut(), Path::new("/e"), &mut swapped)?;
        swapped.sort();
        assert_eq!(swapped, ["aes-gcm", "ccm", "ctr"]);
        let at = |key: &str, field: &str| document["dependencies"][key][field].as_str().map(str::to_owned);
        assert_eq!(at("aes-gcm", "path").as_deref(), Some("/e/crates/previous/evariste-aes-gcm"));
        assert_eq!(at("aes-gcm", "version").as_deref(), Some("0.10.3"));
        assert_eq!(at("key", "path").as_deref(), Some("/e/crates/evariste-ctr"));
        assert_eq!(at("key", "package").as_deref(), Some("evariste-ctr"));
        assert_eq!(at("ccm", "path").as_deref(), Some("/e/crates/previous/evariste-ccm"));
        assert_eq!(document["dependencies"]["ccm"]["features"][0].as_str(), Some("alloc"));
        assert_eq!(document["dev-dependencies"]["serde"].as_str(), Some("1"));
        Ok(())
    }
}

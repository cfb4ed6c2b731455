//! The files that are encrypted and decrypted.

use crate::contestant::{Call, Contestant, Way, new_identity};
use crate::turn::{self, Turn};
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that goes away with them.
pub(crate) struct Files {
    folder: TempDir,
}

const MIB: usize = 1 << 20;

impl Files {
    /// With a text of so many MiB, which does not compress.
    pub(crate) fn new(folder: &Path, mib: u64) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("evariste-store-bench").tempdir_in(folder);
        let files = Self { folder: folder.context("no folder for files")? };
        fs::write(files.key(), [0x42; 32])?;
        new_identity(&files.path("identity"))?;
        let mut text = BufWriter::with_capacity(MIB, File::create(files.path("text"))?);
        let mut cipher = evariste::Ctr::new(&[1; 16], &[0; 16])?;
        for _ in 0..mib {
            let mut piece = vec![0; MIB];
            cipher.apply((&mut piece[..]).into())?;
            text.write_all(&piece)?;
        }
        text.into_inner()?.sync_all()?;
        Ok(files)
    }

    /// Of 32 bytes.
    pub(crate) fn key(&self) -> PathBuf {
        self.path("key")
    }

    pub(crate) fn sealed_by_evariste(&self) -> PathBuf {
        self.path("evariste")
    }

    /// One turn. What it encrypts stays, to be decrypted, until the next of its turns; but age's and rage's are one.
    pub(crate) fn turn(&self, contestant: &Contestant, way: Way, check: bool) -> Result<Turn> {
        let (sealed, output) = (self.path(contestant.name()), self.path("output"));
        let input = if way == Way::Encrypt { self.path("text") } else { sealed.clone() };
        let (key, identity) = (self.key(), self.path("identity"));
        let call = Call { input: &input, output: &output, key: &key, identity: &identity };
        into_page_cache(&input)?;
        let turn = turn::run(contestant.command(way, &call)?, &output)?;
        if way == Way::Encrypt {
            fs::rename(&output, &sealed)?;
        } else {
            ensure!(!check || same(&self.path("text"), &output)?, "{}: another text", contestant.name());
            fs::remove_file(&output)?;
            if !contestant.is_ours() {
                fs::remove_file(&sealed)?;
            }
        }
        // What is left to do for the disk is nobody's next turn.
        turn::settle(self.folder.path())?;
        Ok(turn)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn into_page_cache(path: &Path) -> Result<()> {
    let (mut file, mut piece) = (File::open(path)?, vec![0; MIB]);
    while file.read(&mut piece)? > 0 {}
    Ok(())
}

fn same(a: &Path, b: &Path) -> Result<bool> {
    if fs::metadata(a)?.len() != fs::metadata(b)?.len() {
        return Ok(false);
    }
    let [mut a, mut b] = [BufReader::with_capacity(MIB, File::open(a)?), BufReader::with_capacity(MIB, File::open(b)?)];
    let (mut left, mut right) = (vec![0; MIB], vec![0; MIB]);
    loop {
        let n = a.read(&mut left)?;
        if n == 0 {
            return Ok(true);
        }
        b.read_exact(&mut right[..n])?;
        if left[..n] != right[..n] {
            return Ok(false);
        }
    }
}

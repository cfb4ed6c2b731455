//! The grammar of response files: comments, headers, and records of `NAME = VALUE`.
//!
//! A paragraph with a count or a ciphertext is a record. What other paragraphs and headers in brackets
//! say holds for all records after it, until it is said anew.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;

/// The reason to skip what belongs to no algorithm here.
pub(super) const UNKNOWN: &str = "not an algorithm of this program";

/// One vector's fields, and those that hold for its group.
pub(super) struct Record {
    /// Where it starts, counted from 1.
    pub(super) line: usize,
    pub(super) title: Title,
    /// Whether it says that it must fail.
    pub(super) fail: bool,
    fields: Fields,
}

/// Names in lower case, since files do not agree on theirs, with line and value.
type Fields = BTreeMap<String, (usize, String)>;

impl Record {
    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(|(_, value)| value.as_str())
    }

    /// What to say when a field is missing.
    pub(super) fn lacks(&self, name: &str) -> String {
        format!("line {}: no {name}", self.line)
    }

    /// A decimal number, if it is there.
    pub(super) fn number(&self, name: &str) -> Result<Option<usize>> {
        let Some((line, value)) = self.fields.get(name) else { return Ok(None) };
        let number = value.parse().with_context(|| format!("line {line}: {name} is not a number"))?;
        Ok(Some(number))
    }

    /// Bytes in hexadecimal, of this length if there is one; CCM's files write no bytes as `00`.
    pub(super) fn bytes(&self, name: &str, len: Option<usize>) -> Result<Vec<u8>> {
        let (line, value) = self.fields.get(name).with_context(|| self.lacks(name))?;
        if len == Some(0) && value == "00" {
            return Ok(Vec::new());
        }
        let bytes = hex::decode(value).with_context(|| format!("line {line}: {name}"))?;
        if let Some(len) = len {
            ensure!(bytes.len() == len, "line {line}: {name} has {} bytes, not {len}", bytes.len());
        }
        Ok(bytes)
    }
}

/// What the comments so far say about the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Title {
    /// Nothing.
    Unknown,
    Ecb {
        monte_carlo: bool,
    },
    Ctr,
    Gcm,
    Ccm,
    GcmSiv,
    Xaes,
    /// Another mode.
    Other,
    /// Another cipher, in whatever mode.
    OtherCipher,
}

impl Title {
    /// The title after one more comment: the last mode named counts, unless the cipher is not AES.
    fn after(self, comment: &str) -> Self {
        const CIPHERS: [&str; 12] =
            ["TDES", "3DES", "DES", "CAMELLIA", "CAST", "SEED", "SM4", "IDEA", "ARIA", "RC2", "BLOWFISH", "CHACHA"];
        const MODES: [&str; 10] = ["CBC", "CFB", "OFB", "XTS", "OCB", "SIV", "CMAC", "XPN", "KW", "DRBG"];
        let comment = comment.to_ascii_uppercase();
        let words = || comment.split(|c: char| !c.is_ascii_alphanumeric());
        let is = |word: &str| words().any(|w| w == word);
        // CAST5, CHACHA20; but a DESCRIPTION is no DES.
        let is_cipher = |w: &str| CIPHERS.contains(&w) || CIPHERS.contains(&w.trim_end_matches(char::is_numeric));
        let starts = |names: &[&str]| words().any(|w| names.iter().any(|name| w.starts_with(name)));
        if self == Self::OtherCipher || words().any(is_cipher) {
            Self::OtherCipher
        } else if is("GCM") && is("SIV") {
            Self::GcmSiv
        } else if starts(&MODES) {
            Self::Other
        } else if is("XAES") {
            Self::Xaes
        } else if is("CCM") {
            Self::Ccm
        } else if is("GCM") {
            Self::Gcm
        } else if is("ECB") {
            Self::Ecb { monte_carlo: is("MCT") }
        } else if is("CTR") || is("AES") && is("COUNTER") {
            Self::Ctr
        } else {
            self
        }
    }
}

/// Splits a file into records.
///
/// # Errors
/// The first line that is not of the grammar.
pub(super) fn read(text: &str) -> Result<Vec<Record>> {
    let mut reader =
        Reader { group: Fields::new(), open: Fields::new(), fail: false, title: Title::Unknown, records: Vec::new() };
    for (n, line) in text.lines().enumerate() {
        reader.line(n + 1, line.trim()).with_context(|| format!("line {}", n + 1))?;
    }
    reader.close();
    Ok(reader.records)
}

struct Reader {
    group: Fields,
    /// The paragraph being read.
    open: Fields,
    fail: bool,
    title: Title,
    records: Vec<Record>,
}

impl Reader {
    fn line(&mut self, n: usize, line: &str) -> Result<()> {
        if let Some(comment) = line.strip_prefix('#') {
            self.title = self.title.after(comment);
        } else if line.is_empty() {
            self.close();
        } else if let Some(header) = line.strip_prefix('[') {
            self.close();
            let header = header.strip_suffix(']').context("no closing bracket")?;
            for (name, value) in header.split(',').filter_map(|part| part.split_once('=')) {
                self.group.insert(name.trim().to_ascii_lowercase(), (n, value.trim().into()));
            }
        } else if line.eq_ignore_ascii_case("fail") {
            self.fail = true;
        } else {
            let (name, value) = line.split_once('=').context("not NAME = VALUE")?;
            let name = name.trim().to_ascii_lowercase();
            if name == "count" {
                self.close();
            }
            if self.open.insert(name, (n, value.trim().into())).is_some() {
                bail!("said twice");
            }
        }
        Ok(())
    }

    /// Ends a paragraph.
    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        let fail = std::mem::take(&mut self.fail);
        if ["count", "ct", "ciphertext"].iter().any(|name| open.contains_key(*name)) {
            let line = open.values().map(|(line, _)| *line).min().unwrap_or_default();
            let mut fields = self.group.clone();
            fields.extend(open);
            self.records.push(Record { line, title: self.title, fail, fields });
        } else {
            self.group.extend(open);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hold_until_said_anew() -> Result<()> {
        let text =
            "Tlen = 16\n\n[Alen = 0, Plen = 1]\nKey = 01\nCount = 0\nCT = aa\nFAIL\n\n[Alen = 2]\n\nCount = 1\nct=bb";
        let records = read(text)?;
        assert_eq!(records.len(), 2);
        let numbers = |r: &Record| [r.number("alen"), r.number("plen"), r.number("tlen")].map(Result::ok);
        assert_eq!(numbers(&records[0]), [0, 1, 16].map(|n| Some(Some(n))));
        assert_eq!(numbers(&records[1]), [2, 1, 16].map(|n| Some(Some(n))));
        assert_eq!(records[1].bytes("key", Some(1))?, [1]);
        assert_eq!(records[1].bytes("ct", None)?, [0xbb]);
        assert_eq!([records[0].fail, records[1].fail], [true, false]);
        assert_eq!([records[0].line, records[1].line], [5, 11]);
        Ok(())
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text| read(text).err().map(|e| format!("{e:#}"));
        assert_eq!(error("# x\n\nwhat").as_deref(), Some("line 3: not NAME = VALUE"));
        assert_eq!(error("[Keylen = 1").as_deref(), Some("line 1: no closing bracket"));
        assert_eq!(error("CT = 00\nCT = 00").as_deref(), Some("line 2: said twice"));
    }

    #[test]
    fn titles() {
        let title = |comments: &[&str]| comments.iter().fold(Title::Unknown, |t, c| t.after(c));
        assert_eq!(title(&[" CAVS 11.1", " Key Length : 128"]), Title::Unknown);
        assert_eq!(
            title(&[" AESVS KeySbox test data for ECB", " Key Length : 128"]),
            Title::Ecb { monte_carlo: false }
        );
        assert_eq!(title(&[" AESVS MCT test data for ECB"]), Title::Ecb { monte_carlo: true });
        assert_eq!(title(&[" AESVS VarKey test data for CFB128"]), Title::Other);
        assert_eq!(title(&[" AES Counter test vectors from RFC 3686"]), Title::Ctr);
        assert_eq!(title(&["Cipher = aes-128-gcm-siv", " the counter wraps"]), Title::GcmSiv);
        assert_eq!(title(&["Cipher = aes-128-gcm"]), Title::Gcm);
        assert_eq!(title(&["Cipher = aes-128-gcm", " Description: seeds and ideas"]), Title::Gcm);
        assert_eq!(title(&[" DRBG800-90A information", " CTR_DRBG"]), Title::Other);
        assert_eq!(title(&[" XAES-256-GCM"]), Title::Xaes);
        assert_eq!(title(&["  \"CCM-VNT\" information "]), Title::Ccm);
        assert_eq!(title(&["Cipher = aes-128-siv"]), Title::Other);
        assert_eq!(title(&[" CAST5 CTR vectors", " Derived from AES CTR"]), Title::OtherCipher);
    }
}

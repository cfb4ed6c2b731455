//! NIST's CAVP response files, and what is written like them.

mod record;

use super::aead::{self, Mode};
use super::{Test, Vector, cipher};
use anyhow::{Context, Result, bail, ensure};
use record::{Record, Title};

/// All vectors of a file.
///
/// # Errors
/// The first line that makes no sense, or record that lacks a field of its algorithm.
pub(super) fn parse(text: &str) -> Result<Vec<Vector>> {
    let records = record::read(text)?;
    ensure!(!records.is_empty(), "no test vectors");
    let mut algorithm = Title::Unknown;
    records
        .iter()
        .map(|record| {
            algorithm = settle(record, algorithm);
            let name = format!("line {}", record.line);
            test(record, algorithm).map(|test| Vector { name, test })
        })
        .collect()
}

/// The algorithm shows in the names of the fields, and where those are not enough in the comments; failing
/// both, a record is like the one before it. It must not take all fields, or a damaged record would go unseen.
fn settle(record: &Record, before: Title) -> Title {
    let all = |names: &[&str]| names.iter().all(|name| record.has(name));
    let any = |names: &[&str]| names.iter().any(|name| record.has(name));
    if all(&["key", "nonce", "adata", "ct"]) {
        Title::Ccm
    } else if all(&["key", "iv", "ct", "tag"]) {
        Title::Gcm
    } else if record.title != Title::Unknown {
        record.title
    } else if spells_out(record) {
        // GCM has no names of its own here.
        before
    } else if any(&["adata", "payload"]) {
        Title::Ccm
    } else if all(&["iv", "tag"]) || any(&["aad", "ivlen", "aadlen", "taglen"]) {
        Title::Gcm
    } else {
        before
    }
}

fn test(record: &Record, algorithm: Title) -> Result<Test> {
    match algorithm {
        Title::Gcm if spells_out(record) => spelled_out(record, Mode::Gcm),
        Title::Gcm => gcm(record),
        Title::Ccm if spells_out(record) => spelled_out(record, Mode::Ccm),
        Title::Ccm => ccm(record),
        Title::GcmSiv => spelled_out(record, Mode::GcmSiv),
        Title::Xaes => spelled_out(record, Mode::Xaes),
        Title::Ctr => ctr(record),
        Title::Ecb { monte_carlo } => ecb(record, if monte_carlo { 1000 } else { 1 }),
        Title::Unknown if spells_out(record) => Ok(Test::Skip("the comments name no algorithm".into())),
        Title::Unknown | Title::Other | Title::OtherCipher => Ok(Test::Skip(record::UNKNOWN.into())),
    }
}

fn spells_out(record: &Record) -> bool {
    record.has("plaintext") || record.has("ciphertext")
}

/// GCM: lengths in bits, `FAIL` instead of a plaintext.
fn gcm(record: &Record) -> Result<Test> {
    let mut lengths = [None; 5];
    for (len, name) in lengths.iter_mut().zip(["keylen", "ivlen", "aadlen", "ptlen", "taglen"]) {
        *len = match record.number(name)? {
            Some(bits) if bits % 8 != 0 => return Ok(Test::Skip("a length that is not in whole bytes".into())),
            bits => bits.map(|bits| bits / 8),
        };
    }
    let [key, iv, aad, pt, tag] = lengths;
    let tag = record.bytes("tag", tag)?;
    Ok(Test::Aead(aead::Vector {
        mode: Mode::Gcm,
        key: record.bytes("key", key)?,
        nonce: record.bytes("iv", iv)?,
        aad: record.bytes("aad", aad)?,
        text: if record.fail { None } else { Some(record.bytes("pt", pt)?) },
        sealed: record.bytes("ct", pt)?,
        tag_len: tag.len(),
        tag,
        authentic: !record.fail,
    }))
}

/// CCM: lengths in bytes, the tag at the end of the ciphertext, a result where some must fail.
fn ccm(record: &Record) -> Result<Test> {
    let length = |name| record.number(name)?.with_context(|| record.lacks(name));
    let (alen, plen, nlen, tlen) = (length("alen")?, length("plen")?, length("nlen")?, length("tlen")?);
    let authentic = match record.value("result") {
        None => true,
        Some(result) if result.starts_with("Pass") => true,
        Some(result) if result.starts_with("Fail") => false,
        Some(result) => bail!("line {}: a result of {result:?}", record.line),
    };
    let mut sealed = record.bytes("ct", Some(plen + tlen))?;
    let tag = sealed.split_off(plen);
    Ok(Test::Aead(aead::Vector {
        mode: Mode::Ccm,
        key: record.bytes("key", None)?,
        nonce: record.bytes("nonce", Some(nlen))?,
        aad: record.bytes("adata", Some(alen))?,
        text: if authentic { Some(record.bytes("payload", Some(plen))?) } else { None },
        sealed,
        tag,
        tag_len: tlen,
        authentic,
    }))
}

/// Files of other origin that spell out `Plaintext` and `Ciphertext`; some leave out what is empty.
fn spelled_out(record: &Record, mode: Mode) -> Result<Test> {
    let tag = record.bytes("tag", None)?;
    Ok(Test::Aead(aead::Vector {
        mode,
        key: record.bytes("key", None)?,
        nonce: record.bytes("iv", None)?,
        aad: if record.has("aad") { record.bytes("aad", None)? } else { Vec::new() },
        text: Some(record.bytes("plaintext", None)?),
        sealed: record.bytes("ciphertext", None)?,
        tag_len: tag.len(),
        tag,
        authentic: !record.fail,
    }))
}

fn ctr(record: &Record) -> Result<Test> {
    let (text, sealed) = texts(record)?;
    let iv = record.bytes("iv", Some(16))?.try_into().ok().with_context(|| record.lacks("iv"))?;
    Ok(Test::Ctr(cipher::Ctr { key: record.bytes("key", None)?, iv, text, sealed }))
}

fn ecb(record: &Record, times: usize) -> Result<Test> {
    let (text, sealed) = texts(record)?;
    let (blocks, []) = text.as_chunks() else { bail!("line {}: plaintext is not in whole blocks", record.line) };
    let (sealed, _) = sealed.as_chunks();
    let (text, sealed) = (blocks.to_vec(), sealed.to_vec());
    Ok(Test::Ecb(cipher::Ecb { key: record.bytes("key", None)?, text, sealed, times }))
}

fn texts(record: &Record) -> Result<(Vec<u8>, Vec<u8>)> {
    let text = record.bytes("plaintext", None)?;
    let sealed = record.bytes("ciphertext", Some(text.len()))?;
    Ok((text, sealed))
}

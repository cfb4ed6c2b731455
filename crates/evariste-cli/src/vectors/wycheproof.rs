//! Wycheproof's JSON.

use super::aead::{self, Mode};
use super::{Test, Vector, chunked};
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    algorithm: String,
    test_groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    /// In bits.
    tag_size: Option<usize>,
    /// Of a form that depends on the algorithm.
    tests: Vec<Value>,
}

/// All vectors of a file.
///
/// # Errors
/// What is not JSON of this form, or not hexadecimal.
pub(super) fn parse(text: &str) -> Result<Vec<Vector>> {
    let file: File = serde_json::from_str(text)?;
    let mut vectors = Vec::new();
    for group in &file.test_groups {
        for test in &group.tests {
            let name = format!("tcId {}", test.get("tcId").unwrap_or(&Value::Null));
            let test = parse_test(&file.algorithm, group, test).with_context(|| name.clone())?;
            vectors.push(Vector { name, test });
        }
    }
    if vectors.is_empty() {
        bail!("no test vectors");
    }
    Ok(vectors)
}

fn parse_test(algorithm: &str, group: &Group, test: &Value) -> Result<Test> {
    let mode = match algorithm {
        "AES-GCM" => Mode::Gcm,
        "AES-CCM" => Mode::Ccm,
        "AES-GCM-SIV" => Mode::GcmSiv,
        "XAES-256-GCM" => Mode::Xaes,
        "AES-GMAC" => return gmac(group, test),
        "Cobblestone-128" | "Cobblestone-256" => return chunked(test),
        _ => return Ok(Test::Skip(format!("{algorithm} is not an algorithm of this program"))),
    };
    let AeadTest { key, iv, aad, msg, ct, tag, result } = AeadTest::deserialize(test)?;
    let vector = |authentic| {
        let text = Some(msg.0);
        let tag_len = group.tag_len(&tag);
        aead::Vector { mode, key: key.0, nonce: iv.0, aad: aad.0, text, sealed: ct.0, tag: tag.0, tag_len, authentic }
    };
    Ok(result.test(|authentic| Test::Aead(vector(authentic))))
}

fn gmac(group: &Group, test: &Value) -> Result<Test> {
    let MacTest { key, iv, msg, tag, result } = MacTest::deserialize(test)?;
    let (none, tag_len) = (Vec::new, group.tag_len(&tag));
    let vector = |authentic| aead::Vector {
        mode: Mode::Gcm,
        key: key.0,
        nonce: iv.0,
        aad: msg.0,
        text: Some(none()),
        sealed: none(),
        tag: tag.0,
        tag_len,
        authentic,
    };
    Ok(result.test(|authentic| Test::Aead(vector(authentic))))
}

fn chunked(test: &Value) -> Result<Test> {
    let ChunkedTest { key, ctx, ct, msg_length, msg_sha512, result } = ChunkedTest::deserialize(test)?;
    let sealed = inflate(&ct.0)?;
    let (text_len, text_sha512) = (msg_length.unwrap_or(0), msg_sha512.map(|hash| hash.0));
    let vector = |authentic| chunked::Vector { key: key.0, context: ctx.0, sealed, text_len, text_sha512, authentic };
    Ok(result.test(|authentic| Test::Chunked(vector(authentic))))
}

/// Chunked messages are long and written compressed.
fn inflate(zlib: &[u8]) -> Result<Vec<u8>> {
    const LIMIT: usize = 1 << 28;
    miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(zlib, LIMIT).map_err(|error| anyhow!("ct: {error}"))
}

impl Group {
    /// For tags of how many bytes keys are made: a test may come with a cut one.
    fn tag_len(&self, tag: &Hex) -> usize {
        self.tag_size.map_or(tag.0.len(), |bits| bits / 8)
    }
}

#[derive(Deserialize)]
struct AeadTest {
    key: Hex,
    iv: Hex,
    aad: Hex,
    msg: Hex,
    ct: Hex,
    tag: Hex,
    result: Verdict,
}

#[derive(Deserialize)]
struct MacTest {
    key: Hex,
    iv: Hex,
    msg: Hex,
    tag: Hex,
    result: Verdict,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChunkedTest {
    key: Hex,
    ctx: Hex,
    /// In zlib's format.
    ct: Hex,
    msg_length: Option<usize>,
    msg_sha512: Option<Hex>,
    result: Verdict,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Valid,
    Invalid,
    Acceptable,
}

impl Verdict {
    /// The test that `make` makes of whether a message is authentic.
    fn test(self, make: impl FnOnce(bool) -> Test) -> Test {
        match self {
            Self::Valid => make(true),
            Self::Invalid => make(false),
            Self::Acceptable => Test::Skip("either result is acceptable".into()),
        }
    }
}

/// Bytes in hexadecimal.
struct Hex(Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        hex::decode(text).map(Self).map_err(serde::de::Error::custom)
    }
}

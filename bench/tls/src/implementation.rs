//! What takes turns: providers of rustls through its traits, and evariste's core without them.

mod core;
mod provider;

use crate::case::{Buffers, Case};
use anyhow::Result;
use rustls::crypto::{CryptoProvider, aws_lc_rs, ring};

/// evariste-rustls.
pub(crate) const OWN: &str = "evariste";
/// evariste alone.
pub(crate) const CORE: &str = "core";
/// The providers that rustls has itself.
pub(crate) const STOCK: [Stock; 2] = [("ring", ring::default_provider), ("aws-lc-rs", aws_lc_rs::default_provider)];
type Stock = (&'static str, fn() -> CryptoProvider);

/// An implementation.
pub(crate) struct Runner {
    pub(crate) name: &'static str,
    /// Makes ready for a pass what a pass uses up, besides the buffers.
    pub(crate) prepare: Box<dyn FnMut() -> Result<()>>,
    pub(crate) run: Pass,
}

/// A pass: one message after the other, each result kept if that is wanted.
pub(crate) type Pass = Box<dyn FnMut(&mut Buffers, Kept<'_>)>;

/// Where results go, if anywhere.
pub(crate) type Kept<'a> = Option<&'a mut Vec<Vec<u8>>>;

impl Runner {
    fn new(name: &'static str, run: Pass) -> Self {
        Self { name, prepare: Box::new(|| Ok(())), run }
    }
}

/// Keeps a result, or makes the compiler believe so.
#[inline(always)]
fn keep(kept: &mut Kept<'_>, result: &[u8]) {
    std::hint::black_box(result);
    if let Some(kept) = kept {
        kept.push(result.to_vec());
    }
}

/// All that can do it, and the buffers that they share.
pub(crate) fn all(case: &Case) -> Result<(Vec<Runner>, Buffers)> {
    let own = evariste_rustls::accelerate(ring::default_provider());
    let mut runners = vec![provider::runner(OWN, &own, case)?];
    for (name, stock) in STOCK {
        runners.push(provider::runner(name, &stock(), case)?);
    }
    runners.extend(core::runner(case)?);
    Ok((runners, Buffers::new(case, provider::sealed(&own, case)?)))
}

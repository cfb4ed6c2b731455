//! How near evariste comes, on each backend that has a floor.

use crate::floors::{Floor, all_instructions};
use crate::meter::{Job, Meter};
use anyhow::Result;
use evariste::{Aead, Backend, Ccm, Ctr, Gcm, Ghash};

/// A figure beside its floor.
pub(crate) struct Reached {
    pub(crate) algorithm: String,
    pub(crate) backend: Backend,
    /// Bytes of a message.
    pub(crate) size: usize,
    /// For a block.
    pub(crate) cycles: f64,
    /// What it is compared with.
    pub(crate) floor: Floor,
}

impl Reached {
    /// Which part of the speed that the units allow.
    pub(crate) fn share(&self) -> f64 {
        self.floor.cycles / self.cycles
    }
}

/// Of a cache.
const LINE: usize = 64;

/// Messages of one size lie side by side in so many bytes, which the first-level caches hold: one that was written
/// a moment ago would have to wait for the stores.
const TEXTS: usize = 16 << 10;

/// Seals, encrypts and hashes messages of these sizes, without additional data, on one key each.
pub(crate) fn measure(meter: &mut Meter, floors: &[Floor], sizes: &[usize], rounds: u32) -> Result<Vec<Reached>> {
    let mut all = Vec::new();
    let mut jobs = Vec::new();
    for backend in Backend::available() {
        let Some(bits) = width(backend) else { continue };
        let find = |name: &str, bits| floors.iter().find(|floor| floor.name == name && floor.bits == bits);
        for &size in sizes {
            let mut add = |algorithm: String, floor: Option<&Floor>, job: Job<'static>| {
                if let Some(floor) = floor {
                    all.push(Reached { algorithm, backend, size, cycles: 0.0, floor: floor.clone() });
                    jobs.push(job);
                }
            };
            let loops =
                |name: &str| find(&all_instructions(name), bits).or_else(|| find(&format!("{name}, 3 products"), bits));
            for key in [128, 256] {
                let (bytes, nonce) = (&[7; 32][..key as usize / 8], [0; 12]);
                let name = format!("AES-{key}-CTR");
                let mut ctr = Ctr::with_backend(bytes, &[0; 16], backend)?;
                add(name.clone(), find(&name, bits), texts(size, move |text| ctr.apply(text.into()).is_ok()));
                let name = format!("AES-{key}-GCM");
                let gcm = Gcm::with_backend(bytes, backend)?;
                add(name.clone(), loops(&name), texts(size, move |text| gcm.seal(&nonce, &[], text).is_ok()));
                let name = format!("AES-{key}-CCM");
                let ccm = Ccm::with_backend(bytes, backend)?;
                let floor = find(&format!("{name}, one message"), 128);
                add(name, floor, texts(size, move |text| ccm.seal(&nonce, &[], text).is_ok()));
            }
            let mut ghash = Ghash::with_backend(&[7; 16], backend);
            let hash = move |text: &mut [u8]| {
                ghash.update(text);
                true
            };
            add("GHASH".to_owned(), loops("GHASH"), texts(size, hash));
        }
    }
    meter.measure(&mut jobs, rounds);
    for (reached, job) in all.iter_mut().zip(&jobs) {
        reached.cycles = job.cycles() / (reached.size as f64 / 16.0);
    }
    Ok(all)
}

/// The width of a backend's vectors, if both its halves are instructions that have a floor.
fn width(backend: Backend) -> Option<u32> {
    match backend.name() {
        "vaes512" => Some(512),
        "vaes256" => Some(256),
        "aesni-avx" | "aesni" | "armv8-sha3" | "armv8" => Some(128),
        _ => None,
    }
}

/// A message after the other.
fn texts(size: usize, mut message: impl FnMut(&mut [u8]) -> bool + 'static) -> Job<'static> {
    // From a line of the cache on: else wide loads touch two.
    let mut arena = vec![[0u8; LINE]; size.max(TEXTS).div_ceil(LINE) + 1];
    let start = arena.as_flattened().as_ptr().align_offset(LINE);
    let (mut at, end) = (0, size.max(TEXTS) / size);
    Job::new(move |times| {
        let bytes = &mut arena.as_flattened_mut()[start..];
        for _ in 0..times {
            assert!(message(&mut bytes[at * size..][..size]), "within the limits");
            at = (at + 1) % end;
        }
    })
}

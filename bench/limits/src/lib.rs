//! What the programs of this workspace have in common.

use anyhow::{Context, Result, bail};

/// Keeps the process on one core: the last one, if none is named. Returns its number.
///
/// # Errors
/// There is no such core, or the system does not permit it.
pub fn pin(core: Option<usize>) -> Result<usize> {
    let cores = core_affinity::get_core_ids().context("cannot tell the cores")?;
    let mut cores = cores.into_iter().filter(|c| core.is_none_or(|n| c.id == n));
    let chosen = cores.next_back().context("no such core")?;
    if !core_affinity::set_for_current(chosen) {
        bail!("cannot stay on core {}", chosen.id);
    }
    Ok(chosen.id)
}

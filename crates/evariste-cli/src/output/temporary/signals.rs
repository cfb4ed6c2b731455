//! What a signal leaves behind: nothing.

use super::pending;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::{fs, io};

/// SIGHUP, SIGINT and SIGTERM end the program as ever, so that a shell's loop ends too, but first the file goes.
/// What is ignored, as SIGHUP is under `nohup`, stays so.
pub(in crate::output) fn remove_when_interrupted() -> io::Result<()> {
    let mut signals = Signals::new(deadly(ignored()))?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            // Held to the end: nothing is created or renamed from here on.
            let pending = pending();
            if let Some(path) = &*pending {
                // It may be gone already; there is nobody left to tell. Files may still be made in a directory.
                for _ in 0..3 {
                    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
                }
            }
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// The signals to handle. Where nobody knows what is ignored, SIGHUP is left alone: `nohup` is more usual than
/// ignoring the others.
fn deadly(ignored: Option<u64>) -> Vec<i32> {
    let is_ignored = |signal: i32| match ignored {
        Some(mask) => mask >> (signal - 1) & 1 == 1,
        None => signal == SIGHUP,
    };
    [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)).collect()
}

/// A bit for each signal, the first for signal 1. Linux tells in a file; asking the system takes unsafe code.
fn ignored() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_stays_so() {
        assert_eq!(deadly(Some(0)), [SIGHUP, SIGINT, SIGTERM]);
        assert_eq!(deadly(Some(0b1)), [SIGINT, SIGTERM]);
        assert_eq!(deadly(Some(0b10)), [SIGHUP, SIGTERM]);
        assert_eq!(deadly(Some(0x4003)), [] as [i32; 0]);
        assert_eq!(deadly(None), [SIGINT, SIGTERM]);
    }
}

//! Messages that find their code out of the first-level instruction cache.
//!
//! So does a program that does other things between messages. Before each one, a run through a jump in each of
//! 8192 lines of code, half a megabyte, takes over that cache, the cache of decoded instructions and the
//! predictors of branches. The code of all implementations is then in the second-level cache, with buffers and
//! keys, which may be in the first-level cache of data, too.

use crate::case::Case;
use crate::peer::Peer;
use std::hint::black_box;
use std::time::Instant;

/// Whether there is such code for this CPU.
pub(super) const POSSIBLE: bool = cfg!(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "powerpc64", target_endian = "little")
));

/// Messages in a turn.
const MESSAGES: usize = 33;

/// The mean time of a message, in nanoseconds, of the middle half of all: not the median, as a clock may count in steps
/// as long as a message.
pub(super) fn turn(peer: &mut Peer, case: &mut Case, start: &[u8]) -> f64 {
    let mut times = [0.0; MESSAGES];
    for (n, time) in times.iter_mut().enumerate() {
        case.restore(start);
        let message = n % case.all();
        case.some = message..message + 1;
        *time = timed(|| (peer.run)(case));
    }
    mean(&mut times)
}

/// What a turn would measure of nothing.
pub(super) fn clock() -> f64 {
    let mut nothing: Box<dyn FnMut()> = black_box(Box::new(|| ()));
    let mut times: Vec<_> = (0..201).map(|_| timed(&mut nothing)).collect();
    mean(&mut times)
}

/// Of the middle half.
fn mean(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    let middle = &times[times.len() / 4..times.len() - times.len() / 4];
    middle.iter().sum::<f64>() / middle.len() as f64
}

#[inline(never)]
fn timed(run: impl FnOnce()) -> f64 {
    leave();
    // The clock's own code was out of the cache, too.
    black_box(Instant::now().elapsed());
    let began = Instant::now();
    run();
    began.elapsed().as_nanos() as f64
}

/// Runs through other code.
fn leave() {
    #[cfg(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "powerpc64", target_endian = "little")
    ))]
    lines();
}

/// A jump from each line of 64 bytes to the next.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", all(target_arch = "powerpc64", target_endian = "little")))]
#[unsafe(naked)]
extern "C" fn lines() {
    #[cfg(target_arch = "x86_64")]
    core::arch::naked_asm!(".p2align 6", ".rept 8192", "jmp 2f", ".p2align 6", "2:", ".endr", "ret");
    #[cfg(target_arch = "aarch64")]
    core::arch::naked_asm!(".p2align 6", ".rept 8192", "b 2f", ".p2align 6", "2:", ".endr", "ret");
    #[cfg(target_arch = "powerpc64")]
    core::arch::naked_asm!(".p2align 6", ".rept 8192", "b 2f", ".p2align 6", "2:", ".endr", "blr");
}

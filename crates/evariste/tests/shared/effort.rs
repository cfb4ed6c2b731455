//! How much is tried.

/// All cases; or every nth of them, where `EVARISTE_TEST_STEP` is n: an emulator may take minutes for all. A
/// step that is odd and no divisor of a stride still meets each place in it.
pub(crate) fn cases<I: Iterator>(all: I) -> std::iter::StepBy<I> {
    let step = std::env::var("EVARISTE_TEST_STEP").map_or(1, |n| n.parse().expect("EVARISTE_TEST_STEP is a number"));
    all.step_by(step)
}

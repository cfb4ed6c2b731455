//! Which backends a test runs on.

use evariste::Backend;

/// Every backend that this CPU can run, `portable` last; the others are printed with the reason.
pub(crate) fn usable() -> Vec<Backend> {
    let mut backends = Vec::new();
    for candidate in Backend::candidates() {
        match candidate.backend {
            Ok(backend) => backends.push(backend),
            Err(reason) => println!("{} did not run: {reason}", candidate.name),
        }
    }
    assert_eq!(backends.last().map(|b| b.name()), Some("portable"), "there is always one to run on");
    backends
}

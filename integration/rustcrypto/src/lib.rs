//! The thin packages beside the crates whose interfaces they have: see `tests/`.

//! A program on NSS, run to see what it loads.

use std::path::Path;
use std::process::Command;

/// What came of it.
pub(super) enum Trial {
    Loaded,
    /// And what was said about that.
    NotLoaded(String),
    Failed(String),
    NotTried(String),
}

/// Lets certutil make a database: our library makes its file of counters when it serves NSS.
pub(super) fn run(libraries: &Path) -> Trial {
    let own = match tempfile::tempdir() {
        Ok(own) => own,
        Err(error) => return Trial::NotTried(error.to_string()),
    };
    let counters = own.path().join("counters");
    let mut certutil = Command::new("certutil");
    certutil.args(["-N", "--empty-password", "-d", &format!("sql:{}", own.path().display())]);
    certutil.env("LD_LIBRARY_PATH", libraries).env("EVARISTE_NSS_COUNTERS", &counters);
    let output = match certutil.output() {
        Ok(output) => output,
        Err(error) => return Trial::NotTried(format!("certutil: {error}")),
    };
    let said = String::from_utf8_lossy(&output.stderr).lines().collect::<Vec<_>>().join("; ");
    match (output.status.success(), counters.exists()) {
        (true, true) => Trial::Loaded,
        (true, false) if said.is_empty() => Trial::NotLoaded(String::new()),
        (true, false) => Trial::NotLoaded(format!(": {said}")),
        (false, _) => Trial::Failed(said),
    }
}

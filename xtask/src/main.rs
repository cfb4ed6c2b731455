//! The checks that cargo does not do.

mod asm;
mod capi;
mod compared;
mod cross;
mod evp_test;
mod figures;
mod guest;
mod model;
mod nightly;
mod openssl_clients;
mod openssl_guest;
mod provider;
mod subject;
mod swap;
mod table;
mod taint;
mod targets;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod trace;
mod trace_guest;

use clap::{Parser, Subcommand};

/// Checks of evariste that cargo does not do, on Linux on x86-64.
///
/// Those of machine code and constant time look at the program in xtask/subject, which runs every operation of
/// every backend.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", arg_required_else_help = true)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads the machine code for x86-64: no calls and no spills in the kernels' loops, no instruction that the
    /// backend does not declare, and in no function of the core one that takes longer for some numbers. Reads the
    /// assembly for POWER: it declares all registers that it changes, and saves none for nothing; for aarch64,
    /// single instructions: they have no registers but operands. On all architectures: no backend reaches the code of `portable`, or another backend's. Runs nothing.
    Asm {
        /// All unless named
        #[arg(value_enum)]
        part: Vec<asm::Part>,
    },
    /// Runs all operations under valgrind with keys and texts marked undefined, unoptimized and
    /// optimized: no branch and no address may depend on them. On the backends that valgrind can run.
    Taint,
    /// Runs each operation twice, instruction by instruction, on two keys and texts: the addresses of all
    /// instructions and of all they read and write must be the same. On any backend that the CPU can run.
    Trace {
        /// The backends, separated by commas, or `all`.
        #[arg(long, default_value = "vaes256,vaes512", value_delimiter = ',')]
        backend: Vec<String>,
    },
    /// Does the same on CPUs that are not here, under qemu.
    TraceGuest {
        /// aarch64, powerpc64le or powerpc64, or one CPU of these as TARGET:CPU
        #[arg(default_values_t = trace_guest::DEFAULT.split(',').map(str::to_owned))]
        target: Vec<String>,
    },
    /// Counts the instructions of evariste and its peers on other CPUs, under qemu, and the cycles that LLVM's
    /// models give their loops. Fetches what it needs from Debian, and installs nothing.
    Model(model::Args),
    /// All goals for an architecture that is not here, beside such figures, those of peers, and PASS or MISS:
    /// `power` for the core, in a quarter of an hour, `openssl` for the provider under OpenSSL, in two minutes. Fetches what is missing of qemu and of the peers' libraries from Debian, into
    /// ~/.cache/evariste-model, and installs nothing: cross compilers (gcc-powerpc64le-linux-gnu,
    /// gcc-powerpc64-linux-gnu), llvm-22 and Rust's targets must be there, and it says which is not.
    Figures(figures::Args),
    /// Builds the C library and installs it: libevariste.so and .a, evariste.h, evariste.pc. Says what it did, and how
    /// to undo it. Needs a C compiler and binutils.
    InstallCapi(capi::install::Args),
    /// Builds the provider for OpenSSL 3 and 4 and installs it as evariste.so, where the system's OpenSSL looks for modules.
    /// Says which lines of openssl.cnf switch it on, and how to undo it.
    InstallProvider(provider::Args),
    /// Tries the C library: programs in C, C++ and Python, under valgrind and sanitizers, against an installation in
    /// target/capi. Needs gcc, g++, pkg-config, valgrind and python3.
    Capi(capi::trial::Args),
    /// Writes evariste.h from the source of crates/evariste-capi.
    Header {
        /// Only look whether it is as it should be
        #[arg(long)]
        check: bool,
    },
    /// Runs the core's tests, its self-test and test vectors on other architectures, under emulation: the
    /// backends of a table must be found there, and every test that this machine has must pass. Installs what
    /// it needs.
    Cross(cross::CrossArgs),
    /// The same on models of x86-64 CPUs.
    Cpus(cross::CpusArgs),
    /// Runs the tests of crates of the registry that use RustCrypto on evariste, by a change of their manifests alone:
    /// as many must pass as do without it. Fetches them; needs nothing else.
    Swap(swap::Args),
    /// Checks the core for other systems and CPUs, with all warnings, and runs the tests for Windows under wine
    /// and those for WebAssembly under node.
    Targets(targets::Args),
    /// Runs the tests of ciphers that OpenSSL has itself through our provider: as many must pass as do without it. Fetches
    /// OpenSSL's sources from Debian and builds them, in a few minutes; needs perl, make and a C compiler.
    EvpTest(evp_test::Args),
    /// Runs OpenSSL's program of other releases of Debian on the provider, unpacked and not installed: 3.6 and 4.0.
    OpensslClients(openssl_clients::Args),
    /// Runs the provider on POWER, under qemu: its tests, and on little endian Debian's OpenSSL with it, against the one
    /// here. Installs and fetches what it needs, as `cross` does.
    OpensslGuest(openssl_guest::Args),
    /// Runs all that takes long, in stages: a second call goes on with what has not passed on this commit.
    Nightly(nightly::Args),
}

fn main() -> anyhow::Result<()> {
    match Args::parse().command {
        Command::Asm { part } => asm::run(&part),
        Command::InstallCapi(args) => capi::install::run(&args),
        Command::InstallProvider(args) => provider::run(&args),
        Command::Capi(args) => capi::trial::run(&args),
        Command::Header { check } => capi::header::run(check),
        Command::Cross(args) => cross::cross(&args),
        Command::Cpus(args) => cross::cpus(&args),
        Command::EvpTest(args) => evp_test::run(&args),
        Command::OpensslClients(args) => openssl_clients::run(&args),
        Command::OpensslGuest(args) => openssl_guest::run(&args),
        Command::Nightly(args) => nightly::run(&args),
        Command::TraceGuest { target } => trace_guest::run(&target),
        Command::Figures(args) => figures::run(&args),
        Command::Model(args) => model::run(&args),
        Command::Swap(args) => swap::run(&args),
        Command::Taint => taint::run(),
        Command::Targets(args) => targets::run(&args),
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        Command::Trace { backend } => trace::run(&backend),
        #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
        Command::Trace { .. } => anyhow::bail!("single-stepping is written for Linux on x86-64"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        <Args as clap::CommandFactory>::command().debug_assert();
        // What CI calls, and what stands in CONTRIBUTING.md.
        for words in [
            "asm",
            "asm x86-64",
            "asm aarch64 power",
            "taint",
            "trace",
            "trace --backend all",
            "trace-guest",
            "trace-guest aarch64:neoverse-v1",
            "model --loops",
            "figures power --write --check",
            "figures power --json",
            "figures openssl --write --check",
            "targets --quick",
            "targets x86_64-pc-windows-gnu --without-wine",
            "cross --quick",
            "cross powerpc64le s390x --cpu power8,power9 --std debian",
            "cpus --quick",
            "cpus --step 7",
            "cpus Westmere max,-aes",
            "install-capi",
            "install-capi --prefix /usr --destdir package --libdir lib/x86_64-linux-gnu",
            "install-capi --target powerpc64le-unknown-linux-gnu --uninstall",
            "install-provider",
            "install-provider --prefix target/openssl --uninstall",
            "install-provider --prefix package --target powerpc64le-unknown-linux-gnu",
            "header --check",
            "capi",
            "capi powerpc64-unknown-linux-gnu aarch64-unknown-linux-gnu",
            "evp-test",
            "evp-test trixie",
            "openssl-clients sid",
            "openssl-guest",
            "openssl-guest powerpc64 --cpu power10",
            "swap",
            "swap cocoon --model",
            "nightly",
            "nightly cpus cross-arm",
            "nightly --list",
        ] {
            let all = std::iter::once("xtask").chain(words.split(' '));
            assert!(Args::try_parse_from(all).is_ok(), "{words}");
        }
        for (stage, command) in nightly::STAGES {
            assert!(Args::try_parse_from(["xtask"].iter().chain(*command)).is_ok(), "{stage}");
        }
        for words in ["cross --std here", "nightly no-such-stage", "cpus --cpu max"] {
            let all = std::iter::once("xtask").chain(words.split(' '));
            assert!(Args::try_parse_from(all).is_err(), "{words}");
        }
    }
}

//! A plugin for qemu-user that counts and follows the instructions of the program that runs in it.
//!
//! `qemu-ARCH -plugin libplugin.so,job=JOB,out=FILE PROGRAM` writes to FILE, when the program ends:
//!
//! - `job=count`: how many instructions it ran;
//! - `job=blocks`: the code between two branches, how often each piece of it ran, and the order of the last
//!   pieces, from which the hottest loop can be put together;
//! - `job=trace`: for each operation between two marks, how many instructions it ran, how often it touched
//!   memory, and a hash of all their addresses. With `record=N`, all addresses of operation N in their place.
//!
//! The same program and input give the same output, on any machine.

#![cfg(target_os = "linux")]

mod blocks;
mod count;
mod options;
mod qemu;
mod trace;

use options::{Job, Options};
use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

/// The version of qemu's interface that this is written for.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static qemu_plugin_version: c_int = 1;

static OPTIONS: OnceLock<Options> = OnceLock::new();

/// Called by qemu before the program starts; anything but 0 stops qemu.
///
/// # Safety
/// `info` and the `argc` strings at `argv` are what qemu-plugin.h says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: qemu::Id,
    info: *const qemu::Info,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    // SAFETY: the caller's promise; all of it stays where it is until this function returns.
    let (target, arguments) = unsafe {
        let arguments = (0..argc as usize).map(|i| CStr::from_ptr(*argv.add(i)).to_string_lossy());
        (CStr::from_ptr((*info).target_name).to_string_lossy(), arguments.collect::<Vec<_>>())
    };
    match Options::parse(&target, &arguments) {
        Ok(options) => {
            OPTIONS.get_or_init(|| options);
            qemu::register(id);
            0
        }
        Err(error) => {
            eprintln!("plugin: {error}");
            -1
        }
    }
}

fn translate(block: &qemu::Block) {
    match OPTIONS.get().map(|o| &o.job) {
        Some(Job::Count) => count::translate(block),
        Some(Job::Blocks) => blocks::translate(block),
        Some(Job::Trace { marks, .. }) => trace::translate(block, marks),
        None => {}
    }
}

fn exit() {
    let Some(Options { job, out }) = OPTIONS.get() else { return };
    let text = match job {
        Job::Count => count::report(),
        Job::Blocks => blocks::report(),
        Job::Trace { .. } => trace::report(),
    };
    if let Err(error) = std::fs::write(out, text) {
        eprintln!("plugin: {}: {error}", out.display());
    }
}

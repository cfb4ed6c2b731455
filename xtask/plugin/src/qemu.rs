//! qemu-plugin.h, version 1, as far as it is used.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::{NonNull, null_mut, without_provenance_mut};
use std::sync::atomic::AtomicU64;

/// What qemu calls this plugin.
pub(crate) type Id = u64;

/// The head of `qemu_info_t`.
#[repr(C)]
pub struct Info {
    /// The guest's architecture.
    pub target_name: *const c_char,
}

/// Code that qemu is about to translate: it is entered at its start only, and left at its end.
pub(crate) struct Block(NonNull<c_void>);

/// One of its instructions.
pub(crate) struct Instruction(NonNull<c_void>);

/// What a memory access is like.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Access(c_uint);

type OnTranslation = extern "C" fn(Id, NonNull<c_void>);
type OnExit = extern "C" fn(Id, *mut c_void);
/// With the number of the virtual CPU, and what was handed over when it was registered.
pub(crate) type OnRun = extern "C" fn(c_uint, *mut c_void);
/// The same, and the kind and address of the access between them.
pub(crate) type OnAccess = extern "C" fn(c_uint, Access, u64, *mut c_void);

/// The callback reads no registers.
const NO_REGISTERS: c_int = 0;
const ADD: c_int = 0;
const READ_OR_WRITE: c_int = 3;

unsafe extern "C" {
    fn qemu_plugin_register_vcpu_tb_trans_cb(id: Id, f: OnTranslation);
    fn qemu_plugin_register_atexit_cb(id: Id, f: OnExit, data: *mut c_void);
    fn qemu_plugin_register_vcpu_tb_exec_cb(tb: NonNull<c_void>, f: OnRun, flags: c_int, data: *mut c_void);
    fn qemu_plugin_register_vcpu_tb_exec_inline(tb: NonNull<c_void>, op: c_int, to: *mut c_void, by: u64);
    fn qemu_plugin_register_vcpu_insn_exec_cb(insn: NonNull<c_void>, f: OnRun, flags: c_int, data: *mut c_void);
    fn qemu_plugin_register_vcpu_mem_cb(
        insn: NonNull<c_void>,
        f: OnAccess,
        flags: c_int,
        kinds: c_int,
        data: *mut c_void,
    );
    fn qemu_plugin_tb_n_insns(tb: NonNull<c_void>) -> usize;
    fn qemu_plugin_tb_get_insn(tb: NonNull<c_void>, index: usize) -> NonNull<c_void>;
    fn qemu_plugin_insn_vaddr(insn: NonNull<c_void>) -> u64;
    fn qemu_plugin_insn_size(insn: NonNull<c_void>) -> usize;
    fn qemu_plugin_insn_data(insn: NonNull<c_void>) -> *const u8;
    fn qemu_plugin_insn_symbol(insn: NonNull<c_void>) -> *const c_char;
    fn qemu_plugin_mem_size_shift(info: Access) -> c_uint;
    fn qemu_plugin_mem_is_store(info: Access) -> bool;
}

/// From now on qemu calls [`crate::translate`] for all code before it runs, and [`crate::exit`] when the
/// program ends.
pub(crate) fn register(id: Id) {
    extern "C" fn on_translation(_: Id, tb: NonNull<c_void>) {
        crate::translate(&Block(tb));
    }
    extern "C" fn on_exit(_: Id, _: *mut c_void) {
        crate::exit();
    }
    // SAFETY: the id that qemu gave this plugin; the callbacks have qemu's signatures.
    unsafe {
        qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
        qemu_plugin_register_atexit_cb(id, on_exit, null_mut());
    }
}

// A `Block` is made when qemu translates it, is handed on by reference, and nothing keeps it or its
// `Instruction`s: they are qemu's live objects in all that follows.
impl Block {
    pub(crate) fn instructions(&self) -> Vec<Instruction> {
        // SAFETY: a live block, and indices below its length.
        unsafe {
            let all = 0..qemu_plugin_tb_n_insns(self.0);
            all.map(|i| Instruction(qemu_plugin_tb_get_insn(self.0, i))).collect()
        }
    }

    /// Adds to `counter` whenever the block is entered.
    pub(crate) fn add_at_each_run(&self, counter: &'static AtomicU64, by: u64) {
        // SAFETY: a live block; the counter lives forever, and may be written through a shared reference.
        unsafe { qemu_plugin_register_vcpu_tb_exec_inline(self.0, ADD, counter.as_ptr().cast(), by) }
    }

    /// Calls `f` with `number` in place of a pointer whenever the block is entered.
    pub(crate) fn at_each_run(&self, f: OnRun, number: usize) {
        // SAFETY: a live block; qemu does nothing with the pointer but hand it over.
        unsafe { qemu_plugin_register_vcpu_tb_exec_cb(self.0, f, NO_REGISTERS, without_provenance_mut(number)) }
    }
}

impl Instruction {
    pub(crate) fn address(&self) -> u64 {
        // SAFETY: a live instruction.
        unsafe { qemu_plugin_insn_vaddr(self.0) }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: a live instruction, whose bytes live as long, and of which there are so many.
        unsafe { std::slice::from_raw_parts(qemu_plugin_insn_data(self.0), qemu_plugin_insn_size(self.0)) }
    }

    /// The function it belongs to, where the program still has its names.
    pub(crate) fn symbol(&self) -> Option<String> {
        // SAFETY: a live instruction, whose symbol is null or a string that stays.
        let name = unsafe {
            let name = qemu_plugin_insn_symbol(self.0);
            (!name.is_null()).then(|| CStr::from_ptr(name))
        };
        name.map(|name| name.to_string_lossy().into_owned()).filter(|name| !name.is_empty())
    }

    /// Calls `f` with `number` in place of a pointer before the instruction runs.
    pub(crate) fn at_each_run(&self, f: OnRun, number: u64) {
        // SAFETY: a live instruction; qemu does nothing with the pointer but hand it over.
        unsafe {
            let data = without_provenance_mut(number as usize);
            qemu_plugin_register_vcpu_insn_exec_cb(self.0, f, NO_REGISTERS, data);
        }
    }

    /// Calls `f` for each access to memory.
    pub(crate) fn at_each_access(&self, f: OnAccess) {
        // SAFETY: a live instruction; qemu does nothing with the pointer but hand it over.
        unsafe { qemu_plugin_register_vcpu_mem_cb(self.0, f, NO_REGISTERS, READ_OR_WRITE, null_mut()) }
    }
}

impl Access {
    /// How many bytes.
    pub(crate) fn size(self) -> u64 {
        // SAFETY: what qemu handed over.
        1 << unsafe { qemu_plugin_mem_size_shift(self) }
    }

    pub(crate) fn writes(self) -> bool {
        // SAFETY: what qemu handed over.
        unsafe { qemu_plugin_mem_is_store(self) }
    }
}

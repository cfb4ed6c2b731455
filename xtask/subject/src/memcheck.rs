//! Client requests of valgrind's memcheck, which keeps a bit of "undefined" for every bit of the program
//! and complains when a branch or an address depends on one. Undefined stands for secret here.

/// The number of the first request of memcheck: its letters M and C on top.
const MEMCHECK: usize = 0x4d43_0000;

/// Whether the program runs under valgrind.
pub(crate) fn is_running() -> bool {
    const RUNNING_ON_VALGRIND: usize = 0x1001;
    request([RUNNING_ON_VALGRIND, 0, 0, 0]) > 0
}

/// From now on `bytes` are secret, and all that is computed from them.
pub(crate) fn mark_secret(bytes: &mut [u8]) {
    const MAKE_MEM_UNDEFINED: usize = MEMCHECK + 1;
    request([MAKE_MEM_UNDEFINED, bytes.as_mut_ptr().expose_provenance(), bytes.len(), 0]);
}

/// From now on `value` is public.
pub(crate) fn declassify<T: ?Sized>(value: &mut T) {
    const MAKE_MEM_DEFINED: usize = MEMCHECK + 2;
    let size = size_of_val(value);
    request([MAKE_MEM_DEFINED, core::ptr::from_mut(value).expose_provenance(), size, 0]);
}

/// Whether any bit of `bytes` is secret.
pub(crate) fn is_secret(bytes: &[u8]) -> bool {
    const GET_VBITS: usize = MEMCHECK + 8;
    let mut bits = vec![0u8; bytes.len()];
    let (from, to) = (bytes.as_ptr().expose_provenance(), bits.as_mut_ptr().expose_provenance());
    let answer = request([GET_VBITS, from, to, bytes.len()]);
    assert!(answer == 1, "GET_VBITS: {answer}");
    bits.iter().any(|b| *b != 0)
}

/// A request and its arguments; 0 without valgrind.
#[cfg(target_arch = "x86_64")]
fn request(words: [usize; 4]) -> usize {
    let [code, a, b, c] = words;
    let words = [code, a, b, c, 0, 0];
    let answer;
    // SAFETY: on a CPU the sequence changes nothing but flags: rdi is rotated by 128 bits in all, rbx
    // changes places with itself. valgrind knows it by its form, reads the six words that rax points to,
    // answers in rdx and writes at most what the callers above pass by a mutable pointer.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") words.as_ptr(),
            inout("rdx") 0usize => answer,
            options(nostack),
        );
    }
    answer
}

/// Elsewhere there is no valgrind to ask.
#[cfg(not(target_arch = "x86_64"))]
fn request(_words: [usize; 4]) -> usize {
    0
}

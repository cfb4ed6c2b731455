//! The border: the functions of a cipher that OpenSSL calls, the same for all modes.
//!
//! All `unsafe` of this crate rests on one promise, OpenSSL's to a provider (provider-cipher(7)): *functions are called
//! with a context that [`newctx`] or [`dupctx`] of the same table made and [`freectx`] has not freed, by one thread at a
//! time, and while the provider lives; pointers are null or good for the bytes that their lengths say, until the call
//! returns, and do not lead into a context; lists of parameters and tables of functions end as they must.* Nothing else
//! is taken for granted. Functions return 1 or 0, and no panic leaves.
#![allow(unsafe_code)]

use crate::algorithm::Cipher;
use crate::counters::Count;
use crate::ffi::{Dispatch, Function, Param, UNSIGNED, cipher};
use crate::mode::{Direction, Mode, Setting};
use crate::param::List;
use crate::provider::Provider;
use crate::reason::{Reason, Result};
use crate::text::{Input, Text};
use std::alloc::Layout;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs what could only panic by a bug, and turns that into an error.
#[inline(always)]
pub(crate) fn guard<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    // Whoever called ends what the call may have left half done.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(Reason::Internal))
}

/// A context.
struct Context<M> {
    mode: M,
    direction: Direction,
    /// Who made it, and lives longer.
    provider: *const Provider,
    /// Where this algorithm's work is counted, if it is.
    count: Option<Count>,
}

impl<M: Mode> Context<M> {
    /// # Safety
    /// The promise.
    #[inline(always)]
    unsafe fn of<'a>(context: *mut c_void) -> Option<&'a mut Self> {
        // SAFETY: the promise: null, or of this type, alive, and nobody else's meanwhile.
        unsafe { context.cast::<Self>().as_mut() }
    }

    #[cold]
    fn raise(&self, reason: Reason) -> c_int {
        // SAFETY: the promise: the provider lives.
        unsafe { &*self.provider }.raise(reason);
        0
    }

    /// What a call returns. One that failed ends the message.
    #[cold]
    fn failed(&mut self, reason: Reason) -> c_int {
        // Of what a panic left half done only the end can be said.
        _ = guard(|| {
            self.mode.end();
            Ok(())
        });
        self.raise(reason)
    }

    fn count(&self, (anything, bytes): (bool, usize)) {
        if let Some(count) = self.count.as_ref().filter(|_| anything) {
            count.add(self.direction, bytes);
        }
    }

    /// Memory for one; null if there is none.
    fn allocate() -> *mut Self {
        const { assert!(size_of::<Self>() > 0) };
        // SAFETY: the layout is not empty.
        unsafe { std::alloc::alloc(Layout::new::<Self>()) }.cast()
    }
}

/// # Safety
/// The promise; the context of the provider is its own.
unsafe extern "C" fn newctx<C: Cipher>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: the promise.
    let Some(known) = (unsafe { provider.cast::<Provider>().as_ref() }) else { return std::ptr::null_mut() };
    let made = guard(|| {
        let setting = Setting { key_len: C::KEY_LEN, short_tags: known.short_tags };
        let (mode, count) = (C::Mode::new(setting), known.count(C::INDEX));
        let at = Context::allocate();
        if !at.is_null() {
            // SAFETY: memory of this size and alignment that nobody else knows.
            unsafe { at.write(Context { mode, direction: Direction::Encrypt, provider: known, count }) };
        }
        Ok(at.cast())
    });
    made.unwrap_or(std::ptr::null_mut())
}

/// # Safety
/// The promise.
unsafe extern "C" fn freectx<M: Mode>(context: *mut c_void) {
    let context: *mut Context<M> = context.cast();
    if !context.is_null() {
        // SAFETY: the promise: from `allocate`, and nobody will use it again. Dropping it wipes it.
        unsafe {
            context.drop_in_place();
            std::alloc::dealloc(context.cast(), Layout::new::<Context<M>>());
        }
    }
}

/// # Safety
/// The promise; but several threads may copy one context at a time, for OpenSSL takes it as const.
unsafe extern "C" fn dupctx<M: Mode>(context: *mut c_void) -> *mut c_void {
    // SAFETY: the promise; nobody writes it meanwhile.
    let Some(from) = (unsafe { context.cast::<Context<M>>().as_ref() }) else { return std::ptr::null_mut() };
    let copied = guard(|| {
        let (at, count) = (Context::allocate(), from.count.clone());
        if !at.is_null() {
            // From heap to heap: a clone would leave the key on the stack, where it was made.
            // SAFETY: memory of this size and alignment that nobody else knows. What two would own, the count and what
            // `detach` is about, is replaced before anyone can drop it.
            unsafe {
                at.copy_from_nonoverlapping(from, 1);
                (&raw mut (*at).count).write(count);
                (*at).mode.detach(&from.mode);
            }
        }
        Ok(at.cast())
    });
    copied.unwrap_or(std::ptr::null_mut())
}

/// # Safety
/// The promise.
unsafe extern "C" fn init<M: Mode, const ENCRYPT: bool>(
    context: *mut c_void,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    params: *const Param,
) -> c_int {
    // Before anyone else may refer to the context: programs hand back EVP_CIPHER_CTX_iv, which lies within it.
    // SAFETY: the promise.
    let iv = unsafe { Iv::read(iv, iv_len) };
    // SAFETY: the promise.
    let Some(context) = (unsafe { Context::<M>::of(context) }) else { return 0 };
    context.direction = if ENCRYPT { Direction::Encrypt } else { Direction::Decrypt };
    let bytes = |at: *const u8, len: usize| {
        if at.is_null() || len > isize::MAX as usize {
            return None;
        }
        // SAFETY: the promise; not null.
        Some(unsafe { std::slice::from_raw_parts(at, len) })
    };
    let done = guard(|| {
        // Lengths come first, whatever their place: what follows has to fit them.
        let iv = iv.bytes()?;
        // SAFETY: the promise.
        for value in unsafe { List::new(params) }.filter(|value| is_length(value.name())) {
            if value.name() == b"ivlen" && iv.is_some_and(|iv| Ok(iv.len()) != value.length()) {
                return Err(Reason::IvLength);
            }
            context.mode.set(&value)?;
        }
        context.mode.init(context.direction, bytes(key, key_len), iv)?;
        // SAFETY: the promise.
        unsafe { List::new(params) }.filter(|value| !is_length(value.name())).try_for_each(|v| context.mode.set(&v))
    });
    match done {
        Ok(()) => 1,
        Err(reason) => context.failed(reason),
    }
}

/// A copy of an IV. It is no secret.
struct Iv {
    bytes: [u8; LONGEST_IV],
    /// None without one.
    len: Option<usize>,
}

/// More than any mode takes.
const LONGEST_IV: usize = 128;

impl Iv {
    /// # Safety
    /// `at` is null or good for reading `len` bytes.
    #[inline(always)]
    unsafe fn read(at: *const u8, len: usize) -> Self {
        let mut iv = Self { bytes: [0; LONGEST_IV], len: (!at.is_null()).then_some(len) };
        match iv.len {
            // SAFETY: the caller's promise. The usual length without a call.
            Some(12) => unsafe { iv.bytes.as_mut_ptr().copy_from_nonoverlapping(at, 12) },
            // SAFETY: the caller's promise; no more than there is room for.
            Some(len) if len <= LONGEST_IV => unsafe { iv.bytes.as_mut_ptr().copy_from_nonoverlapping(at, len) },
            _ => {}
        }
        iv
    }

    fn bytes(&self) -> Result<Option<&[u8]>> {
        self.len.map(|len| self.bytes.get(..len).ok_or(Reason::IvLength)).transpose()
    }
}

fn is_length(name: &[u8]) -> bool {
    name == b"ivlen" || name == b"keylen"
}

/// Update, and EVP_Cipher.
///
/// # Safety
/// The promise.
#[inline(always)]
unsafe fn piece<M: Mode>(
    context: *mut c_void,
    (out, out_len, room): (*mut u8, *mut usize, usize),
    (text, len): (*const u8, usize),
    call: impl FnOnce(&mut M, Input<'_>) -> Result<usize>,
) -> c_int {
    // SAFETY: the promise.
    let (Some(context), Some(out_len)) = (unsafe { (Context::<M>::of(context), out_len.as_mut()) }) else { return 0 };
    *out_len = 0;
    // SAFETY: the promise.
    let done = unsafe { Input::new(out, room, text, len) }.and_then(|input| {
        let tally = input.tally();
        let written = guard(|| call(&mut context.mode, input))?;
        context.count(tally);
        Ok(written)
    });
    match done {
        Ok(written) => {
            *out_len = written;
            1
        }
        Err(reason) => context.failed(reason),
    }
}

/// # Safety
/// The promise.
unsafe extern "C" fn update<M: Mode>(
    context: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    text: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: the promise.
    unsafe { piece(context, (out, out_len, room), (text, len), M::update) }
}

/// # Safety
/// The promise.
unsafe extern "C" fn cipher<M: Mode>(
    context: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    text: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: the promise.
    unsafe { piece(context, (out, out_len, room), (text, len), M::cipher) }
}

/// # Safety
/// The promise.
unsafe extern "C" fn finish<M: Mode>(context: *mut c_void, out: *mut u8, out_len: *mut usize, room: usize) -> c_int {
    // SAFETY: the promise.
    let (Some(context), Some(out_len)) = (unsafe { (Context::<M>::of(context), out_len.as_mut()) }) else { return 0 };
    *out_len = 0;
    // SAFETY: the promise.
    let room = unsafe { Text::room(out, room) };
    match guard(|| context.mode.finish(room)) {
        Ok(written) => {
            *out_len = written;
            1
        }
        Err(reason) => context.failed(reason),
    }
}

/// What holds for all contexts of an algorithm.
///
/// # Safety
/// The promise.
unsafe extern "C" fn get_params<C: Cipher>(params: *mut Param) -> c_int {
    let facts = C::Mode::FACTS;
    // SAFETY: the promise.
    let done = unsafe { List::new(params) }.try_for_each(|value| {
        let number = match value.name() {
            b"mode" => facts.mode as u64,
            b"keylen" => C::KEY_LEN as u64,
            b"ivlen" => facts.iv as u64,
            b"blocksize" => facts.block as u64,
            b"aead" | b"custom-iv" => facts.is_aead as u64,
            b"cts" | b"tls-multi" | b"has-randkey" => 0,
            _ => return Ok(()),
        };
        value.put_number(number)
    });
    // There is no context that knows whom to tell why.
    done.is_ok() as c_int
}

/// # Safety
/// The promise.
unsafe extern "C" fn get_ctx_params<M: Mode>(context: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: the promise.
    let Some(context) = (unsafe { Context::<M>::of(context) }) else { return 0 };
    // SAFETY: the promise.
    let done = guard(|| unsafe { List::new(params) }.try_for_each(|mut value| context.mode.get(&mut value)));
    done.map_or_else(|reason| context.raise(reason), |()| 1)
}

/// # Safety
/// The promise.
unsafe extern "C" fn set_ctx_params<M: Mode>(context: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: the promise.
    let Some(context) = (unsafe { Context::<M>::of(context) }) else { return 0 };
    // SAFETY: the promise.
    let done = guard(|| unsafe { List::new(params) }.try_for_each(|value| context.mode.set(&value)));
    done.map_or_else(|reason| context.raise(reason), |()| 1)
}

extern "C" fn gettable_params(_: *mut c_void) -> *const Param {
    static PARAMS: [Param; 9] = [
        Param::named(c"mode", UNSIGNED),
        Param::named(c"keylen", UNSIGNED),
        Param::named(c"ivlen", UNSIGNED),
        Param::named(c"blocksize", UNSIGNED),
        Param::named(c"aead", crate::ffi::INTEGER),
        Param::named(c"custom-iv", crate::ffi::INTEGER),
        Param::named(c"cts", crate::ffi::INTEGER),
        Param::named(c"has-randkey", crate::ffi::INTEGER),
        Param::END,
    ];
    PARAMS.as_ptr()
}

extern "C" fn gettable_ctx_params<M: Mode>(_: *mut c_void, _: *mut c_void) -> *const Param {
    M::FACTS.gettable.as_ptr()
}

extern "C" fn settable_ctx_params<M: Mode>(_: *mut c_void, _: *mut c_void) -> *const Param {
    M::FACTS.settable.as_ptr()
}

/// An entry of a table: the number, and the function as any function.
macro_rules! entry {
    ($id:expr, $function:expr => fn($($arg:ty),*) $(-> $result:ty)?) => {
        Dispatch {
            id: $id,
            // SAFETY: pointers to functions have one size; the core calls it by the type that belongs to the number.
            function: Some(unsafe {
                std::mem::transmute::<unsafe extern "C" fn($($arg),*) $(-> $result)?, Function>($function)
            }),
        }
    };
}
pub(crate) use entry;

type Context_ = *mut c_void;

/// The functions of an algorithm, up to number 0.
pub(crate) const fn functions<C: Cipher>() -> [Dispatch; 15] {
    [
        entry!(cipher::NEWCTX, newctx::<C> => fn(Context_) -> Context_),
        entry!(cipher::FREECTX, freectx::<C::Mode> => fn(Context_)),
        entry!(cipher::DUPCTX, dupctx::<C::Mode> => fn(Context_) -> Context_),
        entry!(cipher::ENCRYPT_INIT, init::<C::Mode, true> => fn(Context_, *const u8, usize, *const u8, usize, *const Param) -> c_int),
        entry!(cipher::DECRYPT_INIT, init::<C::Mode, false> => fn(Context_, *const u8, usize, *const u8, usize, *const Param) -> c_int),
        entry!(cipher::UPDATE, update::<C::Mode> => fn(Context_, *mut u8, *mut usize, usize, *const u8, usize) -> c_int),
        entry!(cipher::FINAL, finish::<C::Mode> => fn(Context_, *mut u8, *mut usize, usize) -> c_int),
        entry!(cipher::CIPHER, cipher::<C::Mode> => fn(Context_, *mut u8, *mut usize, usize, *const u8, usize) -> c_int),
        entry!(cipher::GET_PARAMS, get_params::<C> => fn(*mut Param) -> c_int),
        entry!(cipher::GET_CTX_PARAMS, get_ctx_params::<C::Mode> => fn(Context_, *mut Param) -> c_int),
        entry!(cipher::SET_CTX_PARAMS, set_ctx_params::<C::Mode> => fn(Context_, *const Param) -> c_int),
        entry!(cipher::GETTABLE_PARAMS, gettable_params => fn(Context_) -> *const Param),
        entry!(cipher::GETTABLE_CTX_PARAMS, gettable_ctx_params::<C::Mode> => fn(Context_, Context_) -> *const Param),
        entry!(cipher::SETTABLE_CTX_PARAMS, settable_ctx_params::<C::Mode> => fn(Context_, Context_) -> *const Param),
        Dispatch::END,
    ]
}

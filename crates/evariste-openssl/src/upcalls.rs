//! What the core does for a provider: it tells the configuration and takes errors.
#![allow(unsafe_code)]

use crate::ffi::{Dispatch, Function, Handle, Param, core};
use crate::reason::Reason;
use std::ffi::{CStr, c_char};
use std::mem::transmute;
use std::ptr::null;

/// Functions of the core, as far as it has them, and what it knows us by.
pub(crate) struct Core {
    handle: *const Handle,
    params: Option<core::GetParams>,
    new_error: Option<core::NewError>,
    set_error_debug: Option<core::SetErrorDebug>,
    vset_error: Option<core::VsetError>,
}

/// What stands for a list of no arguments. Null would do on most CPUs; on Arm such a list is a structure that functions
/// copy when they hand it on.
#[repr(C, align(16))]
struct NoArguments([u8; 64]);

impl Core {
    /// # Safety
    /// `functions` is the table that the core hands to a provider, `handle` what comes with it.
    pub(crate) unsafe fn new(handle: *const Handle, mut functions: *const Dispatch) -> Self {
        let mut core = Self { handle, params: None, new_error: None, set_error_debug: None, vset_error: None };
        // SAFETY: a table, up to number 0.
        while let Some(Dispatch { id, function: Some(function) }) = unsafe { functions.as_ref() }.copied() {
            // SAFETY: the number says what the function is.
            unsafe {
                match id {
                    0 => break,
                    core::GET_PARAMS => core.params = Some(transmute::<Function, core::GetParams>(function)),
                    core::NEW_ERROR => core.new_error = Some(transmute::<Function, core::NewError>(function)),
                    core::SET_ERROR_DEBUG => {
                        core.set_error_debug = Some(transmute::<Function, core::SetErrorDebug>(function))
                    }
                    core::VSET_ERROR => core.vset_error = Some(transmute::<Function, core::VsetError>(function)),
                    _ => {}
                }
                functions = functions.add(1);
            }
        }
        core
    }

    /// A value of our section of the configuration.
    pub(crate) fn configured(&self, key: &'static CStr) -> Option<&CStr> {
        let mut text: *const c_char = null();
        let mut params = [Param::wanted(key, &mut text), Param::END];
        // SAFETY: a list as the core wants it, with room for a pointer.
        let status = unsafe { self.params?(self.handle, params.as_mut_ptr()) };
        if status != 1 || text.is_null() {
            return None;
        }
        // SAFETY: the core sets it to a string that lives as long as the provider.
        Some(unsafe { CStr::from_ptr(text) })
    }

    /// Puts an error into the core's queue.
    #[cold]
    pub(crate) fn raise(&self, reason: Reason) {
        let (Some(new), Some(vset)) = (self.new_error, self.vset_error) else { return };
        let mut arguments = NoArguments([0; 64]);
        // SAFETY: functions of the core, called as core_dispatch.h says; strings that end in a zero. There is no format,
        // so nobody looks for arguments.
        unsafe {
            new(self.handle);
            if let Some(debug) = self.set_error_debug {
                debug(self.handle, c"evariste".as_ptr(), 0, null());
            }
            vset(self.handle, reason as u32, null(), arguments.0.as_mut_ptr().cast());
        }
    }
}

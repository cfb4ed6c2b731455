//! Parameters: values that come with a name, a type and a size, of which nothing is believed.
#![allow(unsafe_code)]

use crate::ffi::{INTEGER, OCTET_PTR, OCTET_STRING, Param, UNSIGNED, UTF8_PTR, UTF8_STRING};
use crate::reason::{Reason, Result};
use std::ffi::{CStr, c_char, c_void};

/// A list of the core, up to the parameter without a name.
pub(crate) struct List(*mut Param);

impl List {
    /// # Safety
    /// `first` is null or the first of a list that ends with a parameter without a name, which nobody else uses until
    /// the call returns. Names end in a zero; `data` is null or good for `data_size` bytes, to read, and where the value
    /// is asked for to write, and does not overlap the cipher's context. Of `tlsivfixed` with a size of -1, and `tlsivgen`
    /// with a size of 0, it is good for an IV of the length that is set, as OpenSSL's own provider has it.
    pub(crate) unsafe fn new(first: *const Param) -> Self {
        Self(first.cast_mut())
    }
}

impl Iterator for List {
    type Item = Value;

    #[inline(always)]
    fn next(&mut self) -> Option<Value> {
        // SAFETY: what `new` asks for: null, or one of the list.
        let key = unsafe { self.0.as_ref() }?.key;
        if key.is_null() {
            return None;
        }
        let value = Value { param: self.0, key };
        // SAFETY: there is at least one more, which ends the list.
        self.0 = unsafe { self.0.add(1) };
        Some(value)
    }
}

/// A parameter, to read what was set, or to be given what was asked for.
#[derive(Clone, Copy)]
pub(crate) struct Value {
    param: *mut Param,
    key: *const c_char,
}

impl Value {
    #[inline(always)]
    fn param(&self) -> &Param {
        // SAFETY: one of a list, as `List::new` asks for.
        unsafe { &*self.param }
    }

    #[inline(always)]
    pub(crate) fn name(&self) -> &[u8] {
        // SAFETY: a string that ends in a zero, as `List::new` asks for; not null.
        unsafe { CStr::from_ptr(self.key) }.to_bytes()
    }

    pub(crate) fn size(&self) -> usize {
        self.param().data_size
    }

    pub(crate) fn is_null(&self) -> bool {
        self.param().data.is_null()
    }

    fn is_type(&self, data_type: u32) -> Result {
        if self.param().data_type == data_type { Ok(()) } else { Err(Reason::ParamType) }
    }

    /// A number that was set, of four or eight bytes.
    ///
    /// # Errors
    /// [`Reason::ParamType`] for another type or size and for a negative number.
    pub(crate) fn number(&self) -> Result<u64> {
        let Param { data, data_size, data_type, .. } = *self.param();
        if data.is_null() {
            return Err(Reason::NullPointer);
        }
        // SAFETY: `data` is good for `data_size` bytes, as `List::new` asks for, wherever it is aligned.
        unsafe {
            match (data_type, data_size) {
                (UNSIGNED, 4) => Ok(data.cast::<u32>().read_unaligned().into()),
                (UNSIGNED, 8) => Ok(data.cast::<u64>().read_unaligned()),
                (INTEGER, 4) => data.cast::<i32>().read_unaligned().try_into().map_err(|_| Reason::ParamType),
                (INTEGER, 8) => data.cast::<i64>().read_unaligned().try_into().map_err(|_| Reason::ParamType),
                _ => Err(Reason::ParamType),
            }
        }
    }

    /// The same as a length; what no memory has is refused by whoever takes lengths.
    pub(crate) fn length(&self) -> Result<usize> {
        Ok(usize::try_from(self.number()?).unwrap_or(usize::MAX))
    }

    /// Bytes that were set.
    pub(crate) fn octets(&self) -> Result<&[u8]> {
        self.octets_of(self.size())
    }

    /// So many bytes that were set, where the size means something else than their number.
    pub(crate) fn octets_of(&self, len: usize) -> Result<&[u8]> {
        self.is_type(OCTET_STRING)?;
        let data = self.param().data;
        if data.is_null() && len > 0 {
            return Err(Reason::NullPointer);
        }
        if len > isize::MAX as usize {
            return Err(Reason::ParamType);
        }
        // SAFETY: `data` is good for them, as `List::new` asks for, or null for none.
        Ok(if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data.cast(), len) } })
    }

    fn returned(&self, size: usize) {
        // SAFETY: one of a list that nobody else uses, as `List::new` asks for; no reference to it is kept.
        unsafe { (*self.param).return_size = size }
    }

    /// Gives a number, as large as it was asked for.
    ///
    /// # Errors
    /// [`Reason::ParamType`] for another type than an integer of four or eight bytes, or if it does not fit.
    #[inline(always)]
    pub(crate) fn put_number(&self, number: u64) -> Result {
        let Param { data, data_size, data_type, .. } = *self.param();
        if data_type != UNSIGNED && data_type != INTEGER {
            return Err(Reason::ParamType);
        }
        if data.is_null() {
            self.returned(size_of::<u64>());
            return Ok(());
        }
        let most = if data_type == UNSIGNED { u32::MAX } else { i32::MAX as u32 };
        match data_size {
            // SAFETY: `data` is good for writing so many bytes, as `List::new` asks for, wherever it is aligned.
            8 if data_type == UNSIGNED || number <= i64::MAX as u64 => unsafe {
                data.cast::<u64>().write_unaligned(number)
            },
            // SAFETY: the same.
            4 if number <= most as u64 => unsafe { data.cast::<u32>().write_unaligned(number as u32) },
            _ => return Err(Reason::ParamType),
        }
        self.returned(data_size);
        Ok(())
    }

    /// Gives bytes, as a copy or by their address, where they stay as long as `bytes` do in the cipher's context.
    ///
    /// # Errors
    /// `too_small` if there is too little room.
    pub(crate) fn put_octets(&self, bytes: &[u8], too_small: Reason) -> Result {
        let Param { data, data_size, data_type, .. } = *self.param();
        if data_type == OCTET_PTR {
            // SAFETY: `data` is null or good for a pointer, as `List::new` asks for.
            return unsafe { self.put_pointer(bytes.as_ptr().cast(), bytes.len()) };
        }
        self.is_type(OCTET_STRING)?;
        self.returned(bytes.len());
        if data.is_null() {
            return Ok(());
        }
        if data_size < bytes.len() {
            return Err(too_small);
        }
        // SAFETY: there is room for them, and it is not in the context, as `List::new` asks for.
        unsafe { data.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
        Ok(())
    }

    /// Where bytes are to be given: `len` of them, where the size means something else than their number.
    pub(crate) fn octets_mut(&mut self, len: usize) -> Result<&mut [u8]> {
        self.is_type(OCTET_STRING)?;
        let data = self.param().data;
        if data.is_null() || len > isize::MAX as usize {
            return Err(Reason::NullPointer);
        }
        // What a caller has there may not be initialized: it is now.
        // SAFETY: room for `len` bytes, as `List::new` asks for, that nobody else uses.
        unsafe {
            data.write_bytes(0, len);
            Ok(std::slice::from_raw_parts_mut(data.cast(), len))
        }
    }

    /// Gives a string by its address.
    pub(crate) fn put_text(&self, text: &CStr) -> Result {
        self.is_type(UTF8_PTR)?;
        // SAFETY: `data` is null or good for a pointer, as `List::new` asks for.
        unsafe { self.put_pointer(text.as_ptr().cast(), text.to_bytes().len()) }
    }

    /// Gives a string as a copy, with a zero behind it.
    pub(crate) fn put_copy(&self, text: &str) -> Result {
        self.is_type(UTF8_STRING)?;
        self.returned(text.len());
        if self.is_null() {
            return Ok(());
        }
        if self.size() <= text.len() {
            return Err(Reason::OutputTooSmall);
        }
        let data = self.param().data.cast::<u8>();
        // SAFETY: room for the text and the zero, as `List::new` asks for.
        unsafe {
            data.copy_from_nonoverlapping(text.as_ptr(), text.len());
            data.add(text.len()).write(0);
        }
        Ok(())
    }

    /// The size of such a parameter is that of what is pointed to, or nothing: it says nothing about `data`.
    ///
    /// # Safety
    /// `data` is null or good for writing a pointer.
    unsafe fn put_pointer(&self, pointer: *const c_void, len: usize) -> Result {
        self.returned(len);
        let data = self.param().data;
        if data.is_null() {
            return Ok(());
        }
        // SAFETY: the caller says so.
        unsafe { data.cast::<*const c_void>().write_unaligned(pointer) };
        Ok(())
    }
}

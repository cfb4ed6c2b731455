//! The default backend, which is decided once: a program of its own, and one test.

#[path = "shared/calls.rs"]
mod calls;

use calls::{Key, text};
use evariste_capi::*;
use std::ffi::{CStr, CString};
use std::ptr::null;

fn set(name: &str) -> i32 {
    let name = CString::new(name).expect("no zeros");
    // SAFETY: a string.
    unsafe { evariste_set_backend(name.as_ptr()) }
}

#[test]
fn can_be_set_until_the_first_key() {
    let names: Vec<_> =
        (0usize..).map(|n| evariste_backend_at(n)).take_while(|name| !name.is_null()).map(text).collect();
    assert_eq!(names, evariste::Backend::candidates().map(|c| c.name).collect::<Vec<_>>());
    let beyond = [names.len(), usize::MAX].map(|n| (evariste_backend_at(n), evariste_backend_reason(n)));
    assert_eq!(beyond, [(null(), null()); 2]);
    // SAFETY: null, and what is no UTF-8.
    unsafe {
        assert_eq!(evariste_set_backend(null()), EVARISTE_ERROR_NULL);
        assert_eq!(evariste_set_backend(CStr::as_ptr(c"\xff")), EVARISTE_ERROR_BACKEND);
        assert_eq!(evariste_backend_name(null()), null());
    }
    assert_eq!([set(""), set("no such")], [EVARISTE_ERROR_BACKEND; 2]);
    let reasons: Vec<_> = (0..names.len()).map(|n| evariste_backend_reason(n)).collect();
    for (name, reason) in names.iter().zip(&reasons) {
        println!("{name}: {}", if reason.is_null() { "usable" } else { text(*reason) });
        assert_eq!(set(name), if reason.is_null() { EVARISTE_OK } else { EVARISTE_ERROR_BACKEND });
    }
    assert_eq!(names.last(), Some(&"portable"));
    // A refused key has asked for nothing, or a made one for all time.
    assert_eq!(Key::try_new(EVARISTE_AES_128_GCM, (&[0; 15]).into(), 0, 0).1, EVARISTE_ERROR_KEY);
    assert_eq!(set("portable"), EVARISTE_OK);
    assert_eq!(Key::new(EVARISTE_AES_128_GCM, 16).backend(), "portable");
    for name in names {
        let usable = evariste::Backend::by_name(name).is_some();
        assert_eq!(set(name), if usable { EVARISTE_ERROR_STATE } else { EVARISTE_ERROR_BACKEND });
    }
    assert_eq!(Key::new(EVARISTE_AES_256_CCM, 32).backend(), "portable");
    assert_eq!(text(evariste_version()), env!("CARGO_PKG_VERSION"));
    assert_eq!(text(evariste_strerror(EVARISTE_ERROR_AUTH)), "the message is not authentic");
}

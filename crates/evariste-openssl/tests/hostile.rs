//! What no program should do: an error each, no panic, no byte beyond the room.
#![allow(unsafe_code, reason = "C is called")]

mod shared;

use shared::*;

const ALL: &[&str] = &["AES-128-GCM", "AES-128-CCM", "AES-128-GCM-SIV", "AES-128-CTR", "AES-128-ECB", "AES-128-CBC"];

fn iv_len(name: &str) -> usize {
    match name {
        "AES-128-CCM" => 7,
        "AES-128-CTR" | "AES-128-CBC" => 16,
        "AES-128-ECB" => 0,
        _ => 12,
    }
}

#[test]
fn facts() {
    let provider = Provider::load(&[("cbc", "yes")]).expect("loads");
    let all = provider.algorithms();
    assert_eq!(all.len(), 17);
    for (names, properties, _) in all {
        assert_eq!(properties, "provider=evariste,fips=no");
        let name = names.split(':').next().expect("a name");
        let mut cipher = provider.cipher(name);
        let key_len: u64 = name[4..7].parse::<u64>().expect("bits") / 8;
        assert_eq!((cipher.fact(c"keylen"), cipher.get_number(c"keylen")), (key_len, Some(key_len)));
        let (mode, block, iv, aead) = match &name[8..] {
            "GCM" => (6, 1, 12, 1),
            "CCM" => (7, 1, 7, 1),
            "GCM-SIV" => (0x10005, 1, 12, 1),
            "CTR" => (5, 1, 16, 0),
            "ECB" => (1, 16, 0, 0),
            _ => (2, 16, 16, 0),
        };
        assert_eq!((cipher.fact(c"mode"), cipher.fact(c"blocksize"), cipher.fact(c"ivlen")), (mode, block, iv));
        assert_eq!((cipher.fact(c"aead"), cipher.fact(c"custom-iv"), cipher.fact(c"cts")), (aead, aead, 0));
        assert_eq!(cipher.get_number(c"ivlen"), Some(iv));
        assert!(cipher.set_number(c"keylen", key_len) && !cipher.set_number(c"keylen", key_len + 1));
        _ = errors();
    }
}

/// Values of every wrong type and size, and none at all.
#[test]
fn parameters() {
    let provider = Provider::load(&[("cbc", "yes")]).expect("loads");
    let keys = [
        c"ivlen",
        c"keylen",
        c"taglen",
        c"tag",
        c"iv",
        c"updated-iv",
        c"num",
        c"padding",
        c"tlsaad",
        c"tlsaadpad",
        c"tlsivfixed",
        c"tlsivinv",
        c"tlsivgen",
        c"tls-version",
        c"tls-mac-size",
        c"speed",
        c"mode",
        c"no-such-thing",
    ];
    for name in ALL {
        let iv = bytes(iv_len(name), 2);
        for encrypt in [true, false] {
            for ready in [false, true] {
                for key in keys {
                    for data_type in 0..10 {
                        for size in [0, 1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 17, 128, 200] {
                            let mut cipher = provider.cipher(name);
                            if ready {
                                cipher.init(encrypt, Some(&bytes(16, 1)), Some(&iv));
                                cipher.try_text(&[1; 32], false);
                                _ = errors();
                            }
                            let mut data = vec![0xff; size + 16];
                            let of = |data: &mut Vec<u8>| Param { data_size: size, ..param(key, data_type, data) };
                            cipher.set_all(&[of(&mut data), END]);
                            assert_eq!(data, vec![0xff; size + 16]);
                            // All of an IV is asked for by a size of 0, and addresses have a size of their own.
                            let room = match (key.to_bytes(), size, data_type) {
                                (b"tlsivgen", 0, OCTETS) => 12,
                                (.., UTF8_PTR | OCTET_PTR) => size.max(8),
                                _ => size,
                            };
                            cipher.get_all(&mut [of(&mut data), END]);
                            assert!(
                                data[room.min(size + 16)..].iter().all(|b| *b == 0xff),
                                "{name} {key:?} {data_type} {size}"
                            );
                            let nothing = Param { key: key.as_ptr(), data_type, data_size: size, ..END };
                            cipher.set_all(&[nothing, END]);
                            let nothing = Param { key: key.as_ptr(), data_type, data_size: size, ..END };
                            cipher.get_all(&mut [nothing, END]);
                            _ = errors();
                        }
                    }
                }
            }
        }
    }
    // A number of four bytes that does not fit, and negative ones.
    let mut gcm = provider.cipher("AES-128-GCM");
    for data in [&(-1i32).to_ne_bytes()[..], &(-1i64).to_ne_bytes(), &i64::MIN.to_ne_bytes()] {
        assert!(!gcm.set_all(&[param(c"ivlen", INTEGER, &mut data.to_vec()), END]));
        assert_eq!(gcm.error(), "a parameter is not of the type or size it must have");
    }
    // Sizes are told where there is no room yet.
    gcm.init(true, Some(&bytes(16, 1)), Some(&bytes(12, 1)));
    let mut params = [
        Param { key: c"iv".as_ptr(), data_type: OCTETS, ..END },
        Param { key: c"ivlen".as_ptr(), data_type: UNSIGNED, ..END },
        END,
    ];
    assert!(gcm.get_all(&mut params));
    assert_eq!((params[0].return_size, params[1].return_size), (12, 8));
    assert_eq!(gcm.get(c"iv", 11), None);
    assert_eq!(gcm.error(), "the IV is not of a length that was set or that the mode takes");
}

/// Every combination of null, too little room and overlap.
#[test]
fn buffers() {
    let provider = Provider::load(&[("cbc", "yes")]).expect("loads");
    for name in ALL {
        let (key, iv) = (bytes(16, 1), bytes(iv_len(name), 2));
        let start = |cipher: &mut Cipher<'_>| {
            cipher.init(true, Some(&key), Some(&iv));
            assert!(cipher.set_number(c"padding", 0));
        };
        let mut cipher = provider.cipher(name);
        start(&mut cipher);
        let whole = cipher.text(&bytes(48, 3));
        assert_eq!(whole.len(), 48);
        for at in 0..=100 {
            start(&mut cipher);
            let mut memory = vec![0; 200];
            memory[50..98].copy_from_slice(&bytes(48, 3));
            let done = cipher.try_at(&mut memory, Some((at, 48)), Some(50), 48);
            let is_apart = at == 50 || at <= 2 || at >= 98;
            // Blocks are moved, all others refused.
            assert_eq!(done.is_some(), is_apart || name.ends_with("CB") || name.ends_with("CBC"), "{name} {at}");
            match done {
                Some(_) => assert_eq!(memory[at..][..48], whole, "{name} {at}"),
                None => assert_eq!(cipher.error(), "input and output overlap"),
            }
            no_error();
        }
        for room in 0..48 {
            start(&mut cipher);
            let mut memory = vec![0; 200];
            assert_eq!(cipher.try_at(&mut memory, Some((100, room)), Some(0), 48), None);
            assert_eq!(cipher.error(), "the output has too little room");
            assert!(memory.iter().all(|b| *b == 0));
        }
        for (out, text, len) in [(Some((0, 48)), None, 48), (None, None, usize::MAX), (None, Some(0), usize::MAX)] {
            start(&mut cipher);
            assert_eq!(cipher.try_at(&mut [0; 48], out, text, len), None, "{name} {len}");
            assert_eq!(errors(), 1);
        }
        // Nothing is nothing.
        start(&mut cipher);
        assert_eq!(cipher.try_at(&mut [0; 48], Some((0, 48)), None, 0), Some(0));
        assert_eq!(cipher.try_at(&mut [0; 48], None, None, 0), Some(0));
        no_error();
    }
}

/// What the provider tells of itself.
#[test]
fn provider() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("counters");
    let path = file.to_str().expect("UTF-8");
    let provider = Provider::load(&[("counters", path)]).expect("loads");
    assert_eq!(
        (provider.text(c"name"), provider.text(c"version")),
        ("evariste".into(), env!("CARGO_PKG_VERSION").into())
    );
    assert_eq!(provider.text(c"evariste-backend"), evariste::Backend::active().name());
    assert_eq!(provider.text(c"evariste-counters"), path);
    let mut gcm = provider.cipher("AES-192-GCM");
    for encrypt in [true, false] {
        gcm.init(encrypt, Some(&bytes(24, 1)), Some(&bytes(12, 1)));
        gcm.aad(b"aad");
        gcm.text(&[0; 100]);
        gcm.copy().text(&[0; 23]);
    }
    let counters = evariste_openssl::counters::read(&file).expect("counters");
    let of = counters.iter().find(|c| c.algorithm == "AES-192-GCM").expect("there");
    assert_eq!((of.encrypted.operations, of.encrypted.bytes), (3, 123));
    assert_eq!(of.encrypted, of.decrypted);
    let mut number = [0; 8];
    assert!(provider.get(&mut [param(c"evariste-bytes", UNSIGNED, &mut number), END]));
    assert_eq!(u64::from_ne_bytes(number), 246);
    let mut lines = [0; 2000];
    let mut params = [param(c"evariste-counts", UTF8_STRING, &mut lines), END];
    assert!(provider.get(&mut params));
    let lines = String::from_utf8(lines[..params[0].return_size].to_vec()).expect("UTF-8");
    assert!(lines.lines().any(|line| line == "AES-192-GCM 3 123 3 123") && lines.lines().count() == 17, "{lines}");
    assert!(!provider.get(&mut [param(c"evariste-counts", UTF8_STRING, &mut [0; 10]), END]));
    assert_eq!(error(&provider), "the output has too little room");

    // Who only counts must not keep a program from running.
    let provider =
        Provider::load(&[("counters", dir.path().join("no/such/directory").to_str().expect("UTF-8"))]).expect("loads");
    assert!(provider.text(c"evariste-counters").starts_with("none: "));
    assert_eq!(Provider::load(&[]).expect("loads").text(c"evariste-counters"), "off");
}

/// Vectors without bytes are often null.
#[test]
fn nothing_to_nowhere() {
    let provider = Provider::load(&[("cbc", "yes")]).expect("loads");
    for name in ["AES-128-GCM", "AES-128-CTR", "AES-128-ECB", "AES-128-CBC"] {
        let mut cipher = provider.cipher(name);
        cipher.init(true, Some(&[1; 16]), (iv_len(name) > 0).then(|| bytes(iv_len(name), 2)).as_deref());
        let memory = &mut [0; 16];
        for (out, text) in [(None, Some(0)), (Some((0, 16)), None), (None, None), (Some((0, 16)), Some(0))] {
            assert_eq!(cipher.try_at(memory, out, text, 0), Some(0), "{name}");
        }
        no_error();
        // And the message goes on.
        assert_eq!(cipher.text(&[3; 16]).len(), 16);
    }
}

/// Programs hand back what EVP_CIPHER_CTX_iv gave them: an address within the context.
#[test]
fn an_iv_by_its_address() {
    let provider = Provider::load(&[]).expect("loads");
    for name in ["AES-128-GCM", "AES-128-CTR", "AES-128-CCM"] {
        let (key, iv) = (bytes(16, 1), bytes(iv_len(name), 2));
        let mut cipher = provider.cipher(name);
        cipher.init(true, Some(&key), Some(&iv));
        let mut address = [0; size_of::<usize>()];
        assert!(cipher.get_all(&mut [param(c"iv", OCTET_PTR, &mut address), END]));
        let address: *const u8 = std::ptr::with_exposed_provenance(usize::from_ne_bytes(address));
        // SAFETY: where the context has it, of that length.
        let within = unsafe { std::slice::from_raw_parts(address, iv.len()) };
        assert_eq!(within, iv, "{name}");
        cipher.init(true, Some(&key), Some(within));
        assert_eq!(cipher.get(c"iv", iv.len()), Some(iv), "{name}");
    }
}

/// What lies below the stack after a copy was made: no part of the key.
#[test]
fn copies_leave_no_key() {
    const DEPTH: usize = 1 << 16;
    #[inline(never)]
    fn clear() {
        std::hint::black_box(&mut [0u8; DEPTH]);
    }
    #[inline(never)]
    fn below(seen: &mut [u8]) {
        let here = std::hint::black_box(0u8);
        let low = (&raw const here).wrapping_sub(seen.len());
        for (at, byte) in seen.iter_mut().enumerate() {
            // SAFETY: stack of this thread, which `clear` has used; nothing else is written there meanwhile.
            *byte = unsafe { low.wrapping_add(at).read_volatile() };
        }
    }
    let provider = Provider::load(&[("cbc", "yes")]).expect("loads");
    let key = bytes(16, 9);
    for name in ALL {
        let mut cipher = provider.cipher(name);
        cipher.init(true, Some(&key), (iv_len(name) > 0).then(|| bytes(iv_len(name), 2)).as_deref());
        if name.ends_with("CCM") {
            assert!(cipher.announce(5));
        }
        if !["AES-128-CTR", "AES-128-ECB", "AES-128-CBC"].contains(name) {
            cipher.aad(&bytes(100, 3));
        }
        let mut seen = vec![0; DEPTH / 2];
        clear();
        let mut copied = cipher.copy();
        below(&mut seen);
        assert!(!seen.windows(16).any(|part| part == key), "{name}");
        // Each has its own.
        let text = copied.text(&bytes(5, 4));
        drop(copied);
        assert_eq!(cipher.text(&bytes(5, 4)), text);
    }
}

//! The README's commands do what it says.

use crate::program::{Place, done, message, text};
use std::fs;

/// The README, from where files are encrypted on: blocks of commands and what they print.
fn blocks() -> Vec<String> {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let section = readme.split("\nEncrypt a file or a directory").nth(1).unwrap();
    let section = section.split("`evariste COMMAND --help`").next().unwrap();
    section.split("```text\n").skip(1).map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

/// Without what is random: words of 32 hexadecimal digits.
fn masked(text: &str) -> String {
    let random = |word: &&str| word.len() == 32 && word.bytes().all(|b| b.is_ascii_hexdigit());
    text.split_inclusive([' ', '\n'])
        .map(|word| if random(&word.trim()) { word.replace(word.trim(), "*") } else { word.into() })
        .collect()
}

#[test]
#[cfg(target_os = "linux")]
fn files() {
    let place = Place::new();
    let mut photo = text(999_144);
    photo[..10].copy_from_slice(b"\xff\xd8\xff\xe0\0\x10JFIF");
    place.write("photo.jpg", &photo);
    place.write("my.key", &[0x42; 32]);
    fs::create_dir(place.path("letters")).unwrap();
    place.write("letters/to-a-friend", b"Dear friend");
    for (n, block) in blocks().iter().enumerate() {
        if n > 0 {
            for name in ["my.key", "copy.jpg"] {
                fs::remove_file(place.path(name)).unwrap();
            }
        }
        for command in block.split("$ ").skip(1) {
            let (line, printed) = command.split_once('\n').unwrap();
            let questions = printed.lines().filter(|line| line.ends_with(':')).count();
            let found = if questions > 0 {
                let args = line.strip_prefix("evariste ").unwrap();
                let (seen, code) = crate::passwd::typed(&place, args, &vec!["open sesame"; questions]);
                assert_eq!(code, Some(0), "{line}: {seen}");
                seen.replace(": ", ":").replace('\r', "").replace(":\n", ":").replace(':', ":\n")
            } else {
                let script = line.replace("evariste ", "\"$0\" ");
                let output = place.shell(&script).output().unwrap();
                let said = message(&output);
                String::from_utf8_lossy(&if said.is_empty() { done(output) } else { output.stderr }).into_owned()
            };
            assert_eq!(masked(found.trim_end()), masked(printed.trim_end()), "{line}");
        }
    }
    assert!(place.read("copy.jpg") == photo);
    assert_eq!(place.read("restored/to-a-friend"), b"Dear friend");
    assert!(!place.path("cut.jpg").exists());
}

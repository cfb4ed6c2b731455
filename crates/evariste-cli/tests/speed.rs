//! `evariste speed` and `evariste cpu`, run as programs.

use serde_json::{Map, Value};
use std::path::PathBuf;
use std::process::{Command, Output};

const ALGORITHMS: [&str; 16] = [
    "aes-128-ecb",
    "aes-192-ecb",
    "aes-256-ecb",
    "aes-128-ctr",
    "aes-192-ctr",
    "aes-256-ctr",
    "aes-128-gcm",
    "aes-192-gcm",
    "aes-256-gcm",
    "aes-128-ccm",
    "aes-192-ccm",
    "aes-256-ccm",
    "aes-128-gcm-siv",
    "aes-256-gcm-siv",
    "ghash",
    "gmac",
];

/// The program, without the switches that the tests' caller may have set.
fn evariste(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evariste"));
    command.args(args).env_remove("EVARISTE_BACKEND").env_remove("EVARISTE_DISABLE");
    command
}

fn speed(args: &[&str]) -> Output {
    let output = evariste(&["speed", "--seconds", "0.001"]).args(args).output();
    output.expect("the program starts")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "no progress line without a terminal: {output:?}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn figures(args: &[&str]) -> Vec<Map<String, Value>> {
    let text = stdout(&speed(&[args, &["--json"]].concat()));
    serde_json::from_str(&text).expect("an array of objects")
}

fn usable_backends() -> Vec<String> {
    let text = stdout(&evariste(&["cpu", "--json"]).output().expect("the program starts"));
    let cpu: Value = serde_json::from_str(&text).expect("JSON");
    let backends = cpu["backends"].as_array().expect("an array");
    backends.iter().filter(|b| b["usable"] == true).map(|b| b["name"].as_str().expect("a name").into()).collect()
}

fn temporary(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Exit code 2, nothing on stdout, and one line on stderr that has `words` in it.
fn refused(args: &[&str], words: &str) {
    let output = speed(args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert!(error.starts_with("evariste: ") && error.contains(words), "{args:?}: {error}");
    assert_eq!(error.lines().count(), 1, "{args:?}: {error}");
}

#[test]
fn tables() {
    let text = stdout(&speed(&["aes-128-gcm", "ghash", "--bytes", "64,16,1k"]));
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("evariste ") && lines[0].contains(" on "), "{text}");
    assert!(
        lines[1].starts_with("hash, seal on backend ") && lines[1].contains("AEADs with 13 bytes of AAD"),
        "{text}"
    );
    assert_eq!(lines[3], "The 'numbers' are in 1000s of bytes per second processed.");
    assert_eq!(lines[4], "type                 16 bytes     64 bytes   1024 bytes");
    for (line, name) in [(lines[5], "aes-128-gcm"), (lines[6], "ghash")] {
        let cells: Vec<_> = line.split_whitespace().collect();
        assert_eq!((cells.len(), cells[0]), (4, name), "{text}");
        for cell in &cells[1..] {
            let number = cell.strip_suffix('k').expect("thousands of bytes");
            assert!(number.parse::<f64>().expect("a number") > 0.0, "{text}");
        }
    }
    assert_eq!(lines[8..10], ["Nanoseconds per message.", lines[4]]);
    assert_eq!(lines.len(), 12, "{text}");
    for line in &lines[10..] {
        assert!(line.split_whitespace().skip(1).all(|cell| cell.parse::<f64>().is_ok()), "{text}");
    }
}

#[test]
fn every_algorithm_on_every_backend() {
    let backends = usable_backends();
    for direction in [&[][..], &["--decrypt"]] {
        let args = [&ALGORITHMS, direction, &["--backend", "all", "--bytes", "16,100"]].concat();
        let mut found = Vec::new();
        for figure in figures(&args) {
            let text = |key: &str| figure[key].as_str().expect("a string").to_string();
            found.push((text("algorithm"), text("implementation"), figure["size"].as_u64()));
        }
        let mut expected = Vec::new();
        for algorithm in ALGORITHMS {
            for backend in &backends {
                for size in [16, 100] {
                    expected.push((algorithm.to_string(), format!("evariste:{backend}"), Some(size)));
                }
            }
        }
        assert_eq!(found, expected);
    }
}

/// Every row names its backend, and all but portable's have a ratio to it.
#[test]
fn backends_compared() {
    let backends = usable_backends();
    let text = stdout(&speed(&["ghash", "--backend", "all", "--bytes", "100"]));
    let with = |ending: &str| {
        let cells = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        cells.filter(|c| c.first() == Some(&"ghash") && c.last().is_some_and(|c| c.ends_with(ending))).count()
    };
    assert_eq!(with("k"), backends.len(), "{text}");
    assert_eq!(with("x"), backends.len() - 1, "{text}");
    assert_eq!(text.contains("Times as fast as portable."), backends.len() > 1, "{text}");
    if let [first, _, ..] = &backends[..] {
        assert!(text.contains(&format!("\nghash {first} ")), "{text}");
    }
}

#[test]
fn json_has_exactly_these_fields() {
    let directions = |args: &[&str]| {
        let figures = figures(&[args, &["aes-128-gcm", "aes-128-ctr", "ghash", "gmac", "--bytes", "100"]].concat());
        let fields = ["algorithm", "direction", "aad", "size", "implementation", "ns", "gbps"];
        for figure in &figures {
            assert_eq!(figure.len(), fields.len());
            assert!(fields.iter().all(|f| figure.contains_key(*f)), "{figure:?}");
            assert_eq!(figure["implementation"], "evariste");
            assert_eq!(figure["size"], 100);
            let (ns, gbps) = (figure["ns"].as_f64().expect("a number"), figure["gbps"].as_f64().expect("a number"));
            assert!((100.0 / ns - gbps).abs() <= 1e-5 + gbps * 1e-2, "{figure:?}");
        }
        let field = |name: &str| figures.iter().map(|f| f[name].clone()).collect::<Vec<_>>();
        (field("direction"), field("aad"))
    };
    assert_eq!(directions(&[]).0, ["seal", "encrypt", "hash", "hash"]);
    assert_eq!(directions(&["--decrypt"]).0, ["open", "decrypt", "hash", "open"]);
    assert_eq!(directions(&["--aad", "1k"]).1, [1024, 0, 0, 0]);
}

#[test]
fn threads_and_alignment() {
    for direction in [&[][..], &["--decrypt"]] {
        let args = ["aes-256-gcm", "aes-128-ecb", "--bytes", "100", "--threads", "3", "--misalign", "7"];
        let text = stdout(&speed(&[&args, direction].concat()));
        assert!(text.contains("; sum of 3 threads; buffers 7 bytes off alignment\n"), "{text}");
    }
}

#[test]
fn usual_algorithms() {
    let figures = figures(&["--bytes", "16"]);
    let names: Vec<_> = figures.iter().map(|f| f["algorithm"].as_str().expect("a string")).collect();
    assert!(names.len() > 3 && names.iter().all(|n| ALGORITHMS.contains(n)), "{names:?}");
}

#[test]
fn svg() {
    let path = temporary("speed.svg");
    let file = path.to_str().expect("text");
    stdout(&speed(&["aes-128-gcm", "aes-128-ctr", "ghash", "--bytes", "16,100,1k", "--plot", file]));
    let svg = std::fs::read_to_string(&path).expect("the chart");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    for label in ["GB/s", "message size in bytes", "16", "100", "1 KiB", "aes-128-gcm", "aes-128-ctr", "ghash"] {
        assert!(svg.contains(&format!(">\n{label}\n</text>")), "{label}");
    }
    assert!(svg.contains("font-family=\"sans-serif\""));
    assert_eq!(svg.matches("<circle ").count(), 12, "three lines of three points and the legend");
    let lines = svg.lines().filter(|line| line.starts_with("<polyline ") && line.contains("stroke-width=\"6\""));
    assert_eq!(lines.count(), 6, "three lines, drawn and in the legend");
}

#[test]
fn png() {
    let path = temporary("speed.PNG");
    stdout(&speed(&["ghash", "--bytes", "16,100,1k", "--plot", path.to_str().expect("text")]));
    let file = std::fs::File::open(&path).expect("the chart");
    let mut png = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
    let mut pixels = vec![0; png.output_buffer_size().expect("a size")];
    let picture = png.next_frame(&mut pixels).expect("a picture");
    assert!(picture.width > 1000 && picture.height > 1000);
    // Above the plot there is nothing but the title and the line below it.
    let text = &pixels[..170 * picture.line_size];
    let dark = text.chunks(3).filter(|pixel| pixel[0] < 0x80).count();
    assert!(dark > 500, "{dark} dark pixels of text");
}

#[test]
fn bad_usage() {
    refused(&["des"], "no algorithm des; there are: aes-128-ecb ");
    refused(&["--backend", "mmx"], "no backend mmx; there are: all ");
    for bytes in ["", "0", "x", "-1", "1.5", "16,,64", "1025M", "16kb"] {
        refused(&[&format!("--bytes={bytes}")], "bytes");
    }
    refused(&["--aad", "many"], "\"many\" is not a number of bytes");
    refused(&["aes-128-ccm", "--bytes", "16M"], "16777216 bytes are too many for aes-128-ccm");
    for file in ["chart.gif", "chart.svg.gz", "chart", "svg", ".png"] {
        refused(&["--plot", file], "ends in neither .svg nor .png");
    }
    for args in [["--seconds", "0"], ["--seconds", "nan"], ["--threads", "0"], ["--misalign", "5000"]] {
        let output = evariste(&["speed"]).args(args).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_chart_that_cannot_be_written_is_an_error_at_once() {
    let path = temporary("no such folder").join("speed.svg");
    let output = speed(&["ghash", "--bytes", "16", "--plot", path.to_str().expect("text")]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.starts_with("evariste: cannot create ") && error.contains("there is no directory "), "{error}");
    assert!(output.stdout.is_empty(), "nothing was measured");
}

/// Here the table cannot be printed.
#[test]
#[cfg(target_os = "linux")]
fn an_error_leaves_no_chart() {
    let dir = tempfile::TempDir::new().expect("a directory");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
    let mut command = evariste(&["speed", "ghash", "--bytes", "16", "--seconds", "0.001", "--plot", "speed.svg"]);
    let status = command.current_dir(dir.path()).stdout(full).status().expect("the program starts");
    assert_eq!(status.code(), Some(1));
    assert_eq!(std::fs::read_dir(dir.path()).expect("a directory").count(), 0);
}

#[test]
fn cpu_json() {
    let text = stdout(&evariste(&["cpu", "--json"]).output().expect("the program starts"));
    let cpu: Map<String, Value> = serde_json::from_str(&text).expect("an object");
    assert_eq!(cpu.len(), 4);
    assert!(cpu["cpu"].as_str().is_some_and(|name| !name.is_empty()));
    assert!(cpu["features"].as_array().is_some_and(|words| words.iter().all(Value::is_string)));
    assert_eq!(cpu["disabled"], Value::Array(Vec::new()));
    let backends = cpu["backends"].as_array().expect("an array");
    assert_eq!(backends.iter().filter(|b| b["active"] == true).count(), 1);
    for backend in backends {
        assert_eq!(backend.as_object().map(Map::len), Some(4));
        assert!(backend["name"].is_string());
        let usable = backend["usable"].as_bool().expect("true or false");
        assert_eq!(usable, backend["reason"].is_null(), "{backend}");
        assert!(usable || backend["active"] == false && backend["reason"].is_string(), "{backend}");
    }
    assert!(backends.iter().any(|b| b["name"] == "portable" && b["usable"] == true));
}

#[test]
fn cpu_text_and_switches() {
    let output = evariste(&["cpu"]).env("EVARISTE_BACKEND", "portable").env("EVARISTE_DISABLE", "aes,clmul").output();
    let text = stdout(&output.expect("the program starts"));
    assert!(text.starts_with("CPU               "), "{text}");
    assert!(text.contains("\nEVARISTE_DISABLE  aes clmul\nEVARISTE_BACKEND  portable\n"), "{text}");
    let (_, backends) = text.split_once("\nBackends, fastest first\n").expect("a list");
    for line in backends.lines() {
        let (name, state) = line.trim().split_once(' ').expect("a name and a state");
        let state = state.trim();
        assert_eq!(state == "[active]", name == "portable", "{text}");
        let reasons = ["[active]", "usable", "this CPU lacks ", "EVARISTE_DISABLE took away "];
        assert!(reasons.iter().any(|reason| state.starts_with(reason)), "{text}");
    }
}

#[test]
fn unknown_words_are_told() {
    let output = evariste(&["cpu", "--json"]).env("EVARISTE_DISABLE", "mmx aes").output().expect("the program starts");
    assert!(output.status.success());
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert_eq!(warnings, "evariste: warning: EVARISTE_DISABLE: no feature \"mmx\"\n");
    let cpu: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(cpu["disabled"], serde_json::json!(["aes"]));
}

//! Operations that crash, hang, or use up what they are given, on the emulated board: each is named, and the rest goes on.
//!
//! `cargo test -p host --test misbehaving -- --ignored --nocapture`; `cargo run -p host -- setup --yes` must have run.
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// What each is found to have done.
const FAULTS: [(&str, &str); 6] = [
    ("faulty-crash", "exception"),
    ("faulty-hang", "hung"),
    ("faulty-stack", "stack-exhausted"),
    ("faulty-heap", "heap-exhausted"),
    ("faulty-abort", "aborted"),
    ("faulty-failure", "provider-failed"),
];

fn host(archive: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_host"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .arg("--archive")
        .arg(archive)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the host program");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().expect("an exit status"),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
#[ignore = "slow: a hang is waited for, in each environment"]
fn a_provider_that_misbehaves_costs_its_own_rows_alone() {
    let archive = tempfile::tempdir().unwrap();
    let (status, _, said) = host(
        archive.path(),
        &[
            "flash-and-bench",
            "--provider",
            "faulty,classical",
            "--algorithms",
            "faulty-crash,faulty-hang,faulty-stack,faulty-heap,faulty-abort,faulty-failure,X25519",
            "--seed",
            "1",
        ],
    );
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(status, 1, "a run with faults is no success: {said}");
    assert!(said.contains("operations failed on the target"), "{said}");
    let (_, shown, _) = host(
        archive.path(),
        &["archive", "show", "latest", "--format", "json"],
    );
    let shown: Value = serde_json::from_str(&shown).expect("one JSON value");
    let mut found: BTreeMap<(&str, &str), &Value> = BTreeMap::new();
    for row in shown["rows"].as_array().expect("rows") {
        let text = |field: &str| row[field].as_str().expect(field);
        found.insert((text("environment"), text("algorithm")), row);
    }
    // Each start says by its log which it is, with the place in the sources.
    let manifest = host::archive::open(archive.path(), "latest")
        .unwrap()
        .manifest();
    let log: Vec<String> = manifest.log.iter().map(Value::to_string).collect();
    assert_eq!(log.len(), manifest.invocations.len(), "{log:?}");
    for line in &log {
        assert!(line.contains("(target-bench/src/report/mod.rs:"), "{line}");
    }
    for environment in ["bare-metal", "native", "container", "unikernel"] {
        for (algorithm, fault) in FAULTS {
            let row = found[&(environment, algorithm)];
            let named = &row["faults"][0];
            assert_eq!(named["kind"], fault, "{environment} {row}");
            assert!(row["median"].is_null(), "no figure of what failed: {row}");
            println!("{environment} {algorithm}: {}", named["text"]);
        }
        let well = found[&(environment, "X25519")];
        assert!(well["median"].is_number(), "{well}");
    }
}

//! The least memory that the unikernel's guest needs: with that much it runs, with a MiB less its image does not fit.
//!
//! `cargo test -p host --test guest_memory -- --ignored --nocapture`; `cargo run -p host -- setup --yes` must have run.
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// A run in a guest of so many MiB: status, what was said, and the facts of the run.
fn run(folder: &Path, mebibytes: u64) -> (i32, String, Value) {
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../boards/qemu-virt.toml"),
    )
    .unwrap();
    // What the guest has and what the image may count on are the same.
    let given: u64 = 128;
    let size = |mebibytes: u64| format!("size = {:#x}", mebibytes << 20);
    let board = folder.join("qemu-virt.toml");
    let old = ("\nsize = 0x0800_0000\n", format!("\nmemory_mib = {given}"));
    assert!(
        text.contains(old.0) && text.contains(&old.1),
        "the board file as this test knows it"
    );
    let text = text
        .replace(old.0, &format!("\n{}\n", size(mebibytes)))
        .replace(&old.1, &format!("\nmemory_mib = {mebibytes}"));
    std::fs::write(&board, text).unwrap();
    let archive = folder.join(mebibytes.to_string());
    let host = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_host"))
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
            .arg("--archive")
            .arg(&archive)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("the host program")
    };
    let board = board.to_str().unwrap();
    let output = host(&[
        "flash-and-bench",
        "--board",
        board,
        "--env",
        "unikernel",
        "--algorithms",
        "X25519",
        "--seed",
        "1",
    ]);
    let shown = host(&["archive", "show", "latest", "--format", "json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap_or_default();
    (
        output.status.code().expect("an exit status"),
        String::from_utf8_lossy(&output.stderr).into_owned(),
        shown["run"]["facts"].clone(),
    )
}

#[test]
#[ignore = "slow: three runs in guests of different sizes"]
fn the_least_memory_of_a_guest_is_what_it_runs_with() {
    let folder = tempfile::tempdir().unwrap();
    let (status, said, facts) = run(folder.path(), 128);
    assert_eq!(status, 0, "{said}");
    let least: u64 = facts["image.bare.memory_mib"]
        .as_str()
        .and_then(|text| text.parse().ok())
        .expect("a fact of the run");
    let (status, said, _) = run(folder.path(), least);
    assert_eq!(status, 0, "with {least} MiB: {said}");
    let (status, said, _) = run(folder.path(), least - 1);
    println!("{least} MiB are enough, {} are not", least - 1);
    assert_eq!(status, 3, "{said}");
    assert!(said.contains("does not fit the board's memory"), "{said}");
}

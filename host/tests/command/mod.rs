//! Calls the host program as a user does, from the project's folder.
#![allow(dead_code, reason = "each test program uses a part")]
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs a program that has to succeed.
pub fn run(command: &mut Command) {
    let out = command.output().expect("it runs");
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{command:?}: {errors}");
}

/// Runs the host program on `archive`.
pub fn host(archive: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_host"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .arg("--archive")
        .arg(archive)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the host program")
}

/// What it prints as JSON.
pub fn json(archive: &Path, arguments: &[&str]) -> serde_json::Value {
    let out = host(archive, &[arguments, &["--format", "json"]].concat());
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{arguments:?}: {errors}");
    serde_json::from_slice(&out.stdout).expect("JSON")
}

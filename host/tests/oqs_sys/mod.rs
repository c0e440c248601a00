//! The sources of liboqs, in the package oqs-sys as cargo keeps it.
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Their folder.
pub fn sources() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata: {errors}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|package| package["name"] == "oqs-sys");
    let manifest = package.expect("oqs-sys among the packages")["manifest_path"].as_str();
    Path::new(manifest.expect("a path")).with_file_name("liboqs")
}

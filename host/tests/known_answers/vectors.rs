//! Where the published vectors are: in the package of liboqs' sources, as cargo keeps it.
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| super::oqs_sys::sources().join("tests"))
}

/// A file of JSON below liboqs' folder of tests.
pub fn json(file: &str) -> Value {
    let path = folder().join(file);
    let bytes = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

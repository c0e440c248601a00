//! `SHA256SUMS`: a line for every other file, as `sha256sum` writes and checks it. It covers the manifest too, which cannot
//! hold its own digest.
use super::Error;
use crate::digest;
use std::path::Path;

/// The file's name within a run's folder.
pub const FILE: &str = "SHA256SUMS";

/// Length and SHA-256 of a file.
pub fn of_file(path: &Path) -> Result<(u64, String), Error> {
    digest::of_file(path).map_err(|e| Error::io("reading", path, 0, e))
}

/// The file's text for (name, digest) pairs.
pub fn text(sums: &[(String, String)]) -> String {
    sums.iter()
        .map(|(name, sum)| format!("{sum}  {name}\n"))
        .collect()
}

/// Reads the file's text: (name, digest) pairs, and the numbers of lines, from 1, that are none.
pub fn parse(text: &str) -> (Vec<(String, String)>, Vec<usize>) {
    let mut sums = Vec::new();
    let mut bad = Vec::new();
    for (at, line) in text.lines().enumerate() {
        match line.split_once("  ") {
            Some((sum, name)) if sum.len() == 64 && sum.bytes().all(|b| b.is_ascii_hexdigit()) => {
                sums.push((name.to_owned(), sum.to_owned()));
            }
            _ => bad.push(at + 1),
        }
    }
    (sums, bad)
}

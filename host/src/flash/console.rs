//! What a program said last, from the file that it writes to.
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes of a file's end that are looked at.
const WINDOW: u64 = 16 << 10;

/// The last `lines` lines of the file, control characters left out; empty where there is no file.
#[must_use]
pub fn tail(path: &Path, lines: usize) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(WINDOW)))?;
        let mut bytes = Vec::new();
        file.take(WINDOW).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    let text: String = String::from_utf8_lossy(&bytes)
        .chars()
        .filter(|c| *c == '\n' || !c.is_control())
        .collect();
    let all: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

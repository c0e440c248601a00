//! A built program: what tells it from others.

/// A program that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// SHA-256 of its file, hexadecimal.
    pub sha256: String,
    /// GNU build id, as the linker wrote it.
    pub build_id: [u8; 20],
}

/// Bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

//! A built program: what tells it from others, and what makes its answers readable.
use crate::build::Readable;
use std::sync::Arc;

/// A program that was built.
#[derive(Clone, Debug)]
pub struct Program {
    /// SHA-256 of its file, hexadecimal.
    pub sha256: String,
    /// GNU build id, as the linker wrote it.
    pub build_id: [u8; 20],
    /// Its symbols and log texts, where its file is at hand.
    pub readable: Option<Arc<Readable>>,
}

/// Bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

//! A built program's file: what tells it from others.
use object::Object;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// A program that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its file.
    pub path: PathBuf,
    /// SHA-256 of the file, hexadecimal.
    pub sha256: String,
    /// GNU build id, as the linker wrote it.
    pub build_id: [u8; 20],
}

/// Why a file is no program of ours.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It has no build id of the right length.
    #[error("{path} is no ELF file with a build id of 20 bytes; build it anew")]
    NoBuildId {
        /// The file.
        path: PathBuf,
    },
}

impl Program {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// See [`ProgramError`].
    pub fn read(path: &Path) -> Result<Self, ProgramError> {
        let bytes = std::fs::read(path).map_err(|source| ProgramError::Read {
            path: path.to_owned(),
            source,
        })?;
        let build_id = object::File::parse(bytes.as_slice())
            .ok()
            .and_then(|file| file.build_id().ok().flatten()?.try_into().ok());
        Ok(Self {
            path: path.to_owned(),
            sha256: hex(&Sha256::digest(&bytes)),
            build_id: build_id.ok_or_else(|| ProgramError::NoBuildId {
                path: path.to_owned(),
            })?,
        })
    }
}

/// Bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

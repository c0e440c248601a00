//! What a built program is: its build id and its digest.
use object::Object;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A program that cannot be identified.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no ELF file.
    #[error("{} is not a program", .path.display())]
    Elf {
        /// The file.
        path: PathBuf,
        /// Why.
        source: object::Error,
    },
    /// It has no build id of 20 bytes, by which its Hello could be recognised.
    #[error("{} has no build id; the linker must be told --build-id=sha1", .path.display())]
    NoBuildId {
        /// The file.
        path: PathBuf,
    },
}

/// Build id, and sha256 of the file in hexadecimal.
///
/// # Errors
/// [`ProgramError`].
pub fn identify(path: &Path) -> Result<([u8; 20], String), ProgramError> {
    let data = std::fs::read(path).map_err(|source| ProgramError::Read {
        path: path.to_owned(),
        source,
    })?;
    let elf = |source| ProgramError::Elf {
        path: path.to_owned(),
        source,
    };
    let file = object::File::parse(data.as_slice()).map_err(elf)?;
    let id = file.build_id().map_err(elf)?;
    let id = id
        .and_then(|id| id.try_into().ok())
        .ok_or_else(|| ProgramError::NoBuildId {
            path: path.to_owned(),
        })?;
    Ok((id, hexadecimal(&Sha256::digest(&data))))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_is_refused() {
        let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(matches!(identify(&text), Err(ProgramError::Elf { .. })));
        let absent = Path::new("/no/such/file");
        assert!(matches!(identify(absent), Err(ProgramError::Read { .. })));
    }

    #[test]
    fn digests_are_written_in_hexadecimal() {
        assert_eq!(
            hexadecimal(&Sha256::digest(b"")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}

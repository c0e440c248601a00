//! What a built program is: its build id and its digest.
use crate::digest;
use object::{Object, ObjectSegment, ObjectSymbol};
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
    Ok((id, digest::of(&data)))
}

/// Where a program lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes that are loaded from its file: what an image of it must hold, symbols and line tables left out.
    pub loaded: u64,
    /// First address behind it, zeroed memory included.
    pub end: u64,
}

/// Where the program in this file lies; `None` where it cannot be read as one.
#[must_use]
pub fn extent(path: &Path) -> Option<Extent> {
    let data = std::fs::read(path).ok()?;
    let file = object::File::parse(data.as_slice()).ok()?;
    let ends = file.segments().map(|s| s.address() + s.size());
    // Stacks behind the last section are in no segment.
    let told = file.symbols().filter(|s| s.name() == Ok("__writable_end"));
    Some(Extent {
        loaded: file.segments().map(|s| s.file_range().1).sum(),
        end: ends.chain(told.map(|s| s.address())).max()?,
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
}

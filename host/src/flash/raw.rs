//! The raw image that some firmware loads: memory's bytes from the load address on, without the ELF file around them. Pure.
//!
//! What the file does not hold (`.bss`, stacks) is not in it either: the image clears that itself.
use object::{Object, ObjectSegment};

/// Largest image that is made. An address far off would otherwise ask for gigabytes of zeros.
const LARGEST: u64 = 64 << 20;

/// Why there is no raw image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RawError {
    /// The bytes are no ELF file.
    #[error("it is no ELF file: {0}")]
    Elf(object::Error),
    /// Nothing in it is loaded.
    #[error("it has no bytes to load")]
    Empty,
    /// The loader would put it elsewhere than it was linked for.
    #[error("its first byte is linked for {found:#x}, and the board loads it at {expected:#x}")]
    Address {
        /// First address in the file.
        found: u64,
        /// The board's load address.
        expected: u64,
    },
    /// The loader enters it at the first byte.
    #[error(
        "it begins at {first:#x} and must be entered at {entry:#x}: a raw image is entered at its first byte"
    )]
    Entry {
        /// First address.
        first: u64,
        /// The ELF file's entry.
        entry: u64,
    },
    /// Two segments want the same address.
    #[error("two of its segments overlap at {0:#x}")]
    Overlap(u64),
    /// Segments lie far apart, or are huge.
    #[error("it spans {0} bytes; {LARGEST} at most make sense")]
    Size(u64),
}

/// Makes the raw image of an ELF file that `load_address` is the first address of.
///
/// # Errors
/// [`RawError`].
pub fn raw(elf: &[u8], load_address: u64) -> Result<Vec<u8>, RawError> {
    let file = object::File::parse(elf).map_err(RawError::Elf)?;
    let mut segments = Vec::new();
    for segment in file.segments() {
        let data = segment.data().map_err(RawError::Elf)?;
        if !data.is_empty() {
            segments.push((segment.address(), data));
        }
    }
    segments.sort_by_key(|(address, _)| *address);
    let (first, _) = *segments.first().ok_or(RawError::Empty)?;
    if first != load_address {
        return Err(RawError::Address {
            found: first,
            expected: load_address,
        });
    }
    if file.entry() != first {
        return Err(RawError::Entry {
            first,
            entry: file.entry(),
        });
    }
    let mut image = Vec::new();
    for (address, data) in segments {
        let offset = address - first;
        let span = offset.saturating_add(data.len() as u64);
        if span > LARGEST {
            return Err(RawError::Size(span));
        }
        let offset = offset as usize;
        if offset < image.len() {
            return Err(RawError::Overlap(address));
        }
        image.resize(offset, 0);
        image.extend_from_slice(data);
    }
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: u32 = 1;
    const NOTE: u32 = 4;

    /// An ELF file of aarch64 with these program headers: kind, address, bytes, size in memory.
    fn elf(entry: u64, segments: &[(u32, u64, &[u8], u64)]) -> Vec<u8> {
        let mut file = b"\x7fELF\x02\x01\x01".to_vec();
        file.resize(16, 0);
        file.extend(2u16.to_le_bytes());
        file.extend(183u16.to_le_bytes());
        file.extend(1u32.to_le_bytes());
        for word in [entry, 64, 0] {
            file.extend(word.to_le_bytes());
        }
        file.extend(0u32.to_le_bytes());
        for half in [64, 56, segments.len() as u16, 64, 0, 0] {
            file.extend(half.to_le_bytes());
        }
        let mut offset = 64 + 56 * segments.len() as u64;
        for (kind, address, data, memory) in segments {
            file.extend(kind.to_le_bytes());
            file.extend(7u32.to_le_bytes());
            for word in [offset, *address, *address, data.len() as u64, *memory, 1] {
                file.extend(word.to_le_bytes());
            }
            offset += data.len() as u64;
        }
        for (_, _, data, _) in segments {
            file.extend(*data);
        }
        file
    }

    #[test]
    fn segments_lie_where_they_are_loaded_with_zeros_between() {
        let file = elf(
            0x8_0000,
            &[
                (LOAD, 0x8_0010, b"data", 0x1000),
                (LOAD, 0x8_0000, b"code", 4),
                (NOTE, 0x8_0002, b"de", 2),
                (LOAD, 0x8_2000, b"", 0x4000),
            ],
        );
        let image = raw(&file, 0x8_0000).unwrap();
        assert_eq!(
            image, b"code\0\0\0\0\0\0\0\0\0\0\0\0data",
            ".bss is not in it"
        );
    }

    #[test]
    fn what_would_not_start_is_refused() {
        let code = (LOAD, 0x8_0000, b"code".as_slice(), 4);
        let made = |entry, segments: &[_]| raw(&elf(entry, segments), 0x8_0000).unwrap_err();
        assert_eq!(made(0, &[]), RawError::Empty);
        assert_eq!(
            made(0x8_0004, &[code]),
            RawError::Entry {
                first: 0x8_0000,
                entry: 0x8_0004
            }
        );
        assert_eq!(
            made(0x8_0000, &[(LOAD, 0x7_0000, b"early", 5), code]),
            RawError::Address {
                found: 0x7_0000,
                expected: 0x8_0000
            }
        );
        assert_eq!(
            made(0x8_0000, &[code, (LOAD, 0x8_0003, b"x", 1)]),
            RawError::Overlap(0x8_0003)
        );
        let far = made(0x8_0000, &[code, (LOAD, u64::MAX - 1, b"x", 1)]);
        assert!(matches!(far, RawError::Size(_)), "{far:?}");
        assert!(matches!(raw(b"no file", 0), Err(RawError::Elf(_))));
    }
}

//! Whether two programs hold the same machine code, function by function. Pure: bytes in, verdict out.
//!
//! Both programs are linked from the same objects at different addresses, so an instruction may differ in the field that the
//! linker fills: the target of `b` and `bl`, the page of `adrp` and `adr`, the low 12 bits of an `add`, load or store. Any
//! other difference is a difference of code.
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Functions of the library that both programs hold.
    pub functions: usize,
    /// Bytes of their code, in one program.
    pub bytes: usize,
    /// Those that are equal byte for byte.
    pub identical: usize,
    /// Those that differ in link-time fields alone.
    pub relocated: usize,
    /// Names of those that differ otherwise, with the offset of the first such instruction.
    pub different: Vec<(String, usize)>,
    /// Names of those that only one of the programs holds.
    pub only_in_one: Vec<String>,
}

/// Names of the functions that the members of a static library define.
///
/// # Errors
/// Where the bytes are no archive of object files.
pub fn functions_of_library(archive: &[u8]) -> object::read::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for member in ArchiveFile::parse(archive)?.members() {
        let data = member?.data(archive)?;
        let Ok(file) = object::File::parse(data) else {
            continue;
        };
        for symbol in file
            .symbols()
            .filter(|s| s.kind() == SymbolKind::Text && s.is_definition())
        {
            names.insert(symbol.name()?.to_owned());
        }
    }
    Ok(names)
}

/// Compares the functions called `names` in two aarch64 ELF programs.
///
/// # Errors
/// Where one of them is no ELF file.
pub fn compare(
    left: &[u8],
    right: &[u8],
    names: &BTreeSet<String>,
) -> object::read::Result<Comparison> {
    let (left, right) = (code(left, names)?, code(right, names)?);
    let mut result = Comparison {
        only_in_one: left
            .keys()
            .chain(right.keys())
            .filter(|n| !(left.contains_key(*n) && right.contains_key(*n)))
            .cloned()
            .collect(),
        ..Comparison::default()
    };
    for (name, ours) in &left {
        let Some(theirs) = right.get(name) else {
            continue;
        };
        result.functions += 1;
        result.bytes += 4 * ours.iter().map(Vec::len).sum::<usize>();
        match difference(ours, theirs) {
            Some(offset) => result.different.push((name.clone(), offset)),
            None if ours == theirs => result.identical += 1,
            None => result.relocated += 1,
        }
    }
    Ok(result)
}

/// Code of each named function, as words. Static functions can share a name: their bodies are ordered by what the linker does not
/// touch, so that equal ones stand side by side.
fn code(
    program: &[u8],
    names: &BTreeSet<String>,
) -> object::read::Result<BTreeMap<String, Vec<Vec<u32>>>> {
    let file = object::File::parse(program)?;
    let mut code: BTreeMap<String, Vec<Vec<u32>>> = BTreeMap::new();
    for symbol in file
        .symbols()
        .filter(|s| s.kind() == SymbolKind::Text && s.size() != 0)
    {
        let name = symbol.name()?;
        let Some(section) = symbol.section_index().filter(|_| names.contains(name)) else {
            continue;
        };
        let section = file.section_by_index(section)?;
        let Some(bytes) = section.data_range(symbol.address(), symbol.size())? else {
            continue;
        };
        let words = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        code.entry(name.to_owned())
            .or_default()
            .push(words.collect());
    }
    for bodies in code.values_mut() {
        bodies.sort_by_cached_key(|body| {
            (
                body.len(),
                body.iter()
                    .map(|word| word & !linker_field(*word))
                    .collect::<Vec<_>>(),
            )
        });
    }
    Ok(code)
}

/// Byte offset of the first instruction that differs beyond link-time fields.
fn difference(ours: &[Vec<u32>], theirs: &[Vec<u32>]) -> Option<usize> {
    if ours.len() != theirs.len() {
        return Some(0);
    }
    ours.iter().zip(theirs).find_map(|(ours, theirs)| {
        if ours.len() != theirs.len() {
            return Some(4 * ours.len().min(theirs.len()));
        }
        let same = |(a, b): (&u32, &u32)| a == b || (a ^ b) & !linker_field(*a) == 0;
        ours.iter()
            .zip(theirs)
            .position(|pair| !same(pair))
            .map(|word| 4 * word)
    })
}

/// The bits of an instruction that a linker may fill (Arm ARM, C4.1: A64 instruction set encoding).
fn linker_field(word: u32) -> u32 {
    const FIELDS: [(u32, u32, u32); 4] = [
        (0x7c00_0000, 0x1400_0000, 0x03ff_ffff), // b, bl: 26 bits
        (0x1f00_0000, 0x1000_0000, 0x60ff_ffe0), // adr, adrp: 21 bits
        (0x7f80_0000, 0x1100_0000, 0x003f_fc00), // add: 12 bits
        (0x3b00_0000, 0x3900_0000, 0x003f_fc00), // load, store: 12 bits
    ];
    FIELDS
        .iter()
        .find(|(mask, value, _)| word & mask == *value)
        .map_or(0, |(_, _, bits)| *bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_link_time_fields_may_differ() {
        let body = |word: u32| vec![vec![0xd503_201f, word]];
        assert_eq!(
            difference(&body(0x9400_0001), &body(0x9400_0fff)),
            None,
            "the target of bl"
        );
        assert_eq!(
            difference(&body(0x9000_0000), &body(0xb000_0020)),
            None,
            "the page of adrp"
        );
        assert_eq!(
            difference(&body(0x9100_0400), &body(0x9100_0800)),
            None,
            "the low bits of add"
        );
        assert_eq!(
            difference(&body(0xf940_0400), &body(0xf940_0800)),
            None,
            "the low bits of ldr"
        );
        assert_eq!(
            difference(&body(0x9400_0001), &body(0x1400_0001)),
            Some(4),
            "bl is not b"
        );
        assert_eq!(
            difference(&body(0x9000_0000), &body(0x9000_0001)),
            Some(4),
            "another register"
        );
        assert_eq!(
            difference(&body(0x8b00_0000), &body(0x8b00_0400)),
            Some(4),
            "add with a shifted register has no such field"
        );
        assert_eq!(
            difference(&[vec![1, 2]], &[vec![1]]),
            Some(4),
            "a missing instruction"
        );
    }
}

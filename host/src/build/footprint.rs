//! The static footprint of each algorithm: what its code and read-only data come to, if a program held that algorithm alone.
//!
//! Taken from the provider's archive as it was compiled. From the function that makes the algorithm known, every section is followed that a
//! relocation reaches, through function pointers and tables too. What algorithms share (hashes, AES) counts for each of them; what lies in
//! other libraries does not.
use object::read::archive::ArchiveFile;
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionFlags, SectionIndex, elf,
};
use std::collections::{BTreeMap, HashMap};
use wire::catalog::{ALGORITHMS, Kind, Provider};

/// Bytes that an algorithm brings into a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Static {
    /// Machine code.
    pub code: u64,
    /// Read-only data.
    pub read_only: u64,
}

/// A section of a member, by position.
type Node = usize;

#[derive(Default)]
struct Graph {
    sizes: Vec<Static>,
    edges: Vec<Vec<Node>>,
    /// Sections that a relocation of each section names by a symbol of another member.
    outside: Vec<Vec<String>>,
    defined: HashMap<String, Node>,
}

impl Graph {
    fn of(archive: &[u8]) -> object::Result<Self> {
        let mut graph = Self::default();
        for member in ArchiveFile::parse(archive)?.members() {
            let data = member?.data(archive)?;
            if let Ok(file) = object::File::parse(data) {
                graph.add(&file);
            }
        }
        for from in 0..graph.edges.len() {
            for name in std::mem::take(&mut graph.outside[from]) {
                if let Some(to) = graph.defined.get(&name) {
                    graph.edges[from].push(*to);
                }
            }
        }
        Ok(graph)
    }

    fn add(&mut self, file: &object::File<'_>) {
        let mut nodes: HashMap<SectionIndex, Node> = HashMap::new();
        for section in file.sections() {
            nodes.insert(section.index(), self.sizes.len());
            self.sizes.push(size(&section));
            self.edges.push(Vec::new());
            self.outside.push(Vec::new());
        }
        for symbol in file
            .symbols()
            .filter(|s| s.is_global() && s.is_definition())
        {
            if let (Ok(name), Some(node)) = (
                symbol.name(),
                symbol.section_index().and_then(|i| nodes.get(&i)),
            ) {
                self.defined.entry(name.to_owned()).or_insert(*node);
            }
        }
        for section in file.sections() {
            let from = nodes[&section.index()];
            for (_, relocation) in section.relocations() {
                match relocation.target() {
                    RelocationTarget::Section(index) => self.edges[from].extend(nodes.get(&index)),
                    RelocationTarget::Symbol(index) => {
                        let Ok(symbol) = file.symbol_by_index(index) else {
                            continue;
                        };
                        match symbol.section_index().and_then(|i| nodes.get(&i)) {
                            Some(to) => self.edges[from].push(*to),
                            None => {
                                self.outside[from].extend(symbol.name().ok().map(str::to_owned))
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// What is reached from a section.
    fn reached(&self, start: Node) -> Static {
        let mut seen = vec![false; self.sizes.len()];
        let mut open = vec![start];
        let mut sum = Static::default();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            sum.code += self.sizes[node].code;
            sum.read_only += self.sizes[node].read_only;
            open.extend(&self.edges[node]);
        }
        sum
    }
}

/// What a section weighs; nothing if it is not loaded or is written to.
fn size<'a>(section: &impl ObjectSection<'a>) -> Static {
    let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
        return Static::default();
    };
    let has = |flag: elf::SectionFlags| sh_flags & flag == flag;
    match (
        has(elf::SHF_ALLOC),
        has(elf::SHF_EXECINSTR),
        has(elf::SHF_WRITE),
    ) {
        (true, true, _) => Static {
            code: section.size(),
            read_only: 0,
        },
        (true, false, false) => Static {
            code: 0,
            read_only: section.size(),
        },
        _ => Static::default(),
    }
}

/// Of each of liboqs' algorithms, by canonical name, from `liboqs.a`.
///
/// # Errors
/// Where that is no archive of object files.
pub fn of_liboqs(archive: &[u8]) -> object::Result<BTreeMap<&'static str, Static>> {
    let graph = Graph::of(archive)?;
    let plain = |name: &str| -> String {
        name.chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect()
    };
    // `OQS_KEM_ml_kem_512_new` makes ML-KEM-512 known.
    let makers: Vec<(String, Node)> = graph
        .defined
        .iter()
        .filter_map(|(name, node)| {
            let name = name
                .strip_prefix("OQS_KEM_")
                .or_else(|| name.strip_prefix("OQS_SIG_"))?;
            Some((plain(name.strip_suffix("_new")?), *node))
        })
        .collect();
    let algorithms = ALGORITHMS.iter().filter(|a| a.kind != Kind::Null);
    let found = algorithms.filter_map(|algorithm| {
        let wanted = plain(algorithm.name_at(Provider::Liboqs)?);
        let (_, node) = makers.iter().find(|(maker, _)| maker.ends_with(&wanted))?;
        Some((algorithm.name, graph.reached(*node)))
    });
    Ok(found.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reached_counts_once() {
        let weigh = |code, read_only| Static { code, read_only };
        let graph = Graph {
            sizes: vec![weigh(10, 0), weigh(0, 5), weigh(7, 0), weigh(1000, 0)],
            // A loop, and a table that both functions use.
            edges: vec![vec![1, 2], vec![], vec![1, 0], vec![0]],
            ..Graph::default()
        };
        assert_eq!(graph.reached(0), weigh(17, 5));
        assert_eq!(graph.reached(3), weigh(1017, 5));
    }

    #[test]
    fn what_is_no_archive_is_an_error() {
        assert!(of_liboqs(b"no archive").is_err());
    }
}

//! What a program's file tells of its answers: names for addresses, and texts for the numbers that its log consists of.
use defmt_decoder::{Locations, Table};
use object::{Object, ObjectSymbol, SymbolKind};
use std::path::Path;

/// Most names of a path: the outer functions tell which way was taken.
const NAMES: usize = 16;

/// Symbols and log texts of one program.
pub struct Readable {
    /// First address, end, name; in ascending order.
    functions: Vec<(u64, u64, String)>,
    log: Option<(Table, Locations)>,
}

impl std::fmt::Debug for Readable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Readable({} functions)", self.functions.len())
    }
}

impl Readable {
    /// Of the program in this file; `None` where it cannot be read as one.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let data = std::fs::read(path).ok()?;
        let file = object::File::parse(data.as_slice()).ok()?;
        let mut functions: Vec<_> = file
            .symbols()
            .filter(|s| s.kind() == SymbolKind::Text && s.size() > 0)
            .filter_map(|s| Some((s.address(), s.address() + s.size(), plain(s.name().ok()?))))
            .collect();
        functions.sort();
        let log = Table::parse(&data).ok().flatten().map(|table| {
            let locations = table.get_locations(&data).unwrap_or_default();
            (table, locations)
        });
        Some(Self { functions, log })
    }

    /// The function that holds `address`.
    #[must_use]
    pub fn function(&self, address: u64) -> Option<&str> {
        let after = self
            .functions
            .partition_point(|(start, _, _)| *start <= address);
        let (_, end, name) = self.functions.get(after.checked_sub(1)?)?;
        (address < *end).then_some(name)
    }

    /// The providers' functions on a trail, each once, in its order. Return addresses lie behind the call, which may be the last
    /// instruction of a function that never returns: one before them is looked up.
    #[must_use]
    pub fn path(&self, trail: &[u64]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for address in trail {
            let name = self.function(address.wrapping_sub(1));
            if let Some(name) = name.filter(|name| !is_harness(name))
                && names.len() < NAMES
                && !names.iter().any(|n| n == name)
            {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// The remarks in an encoded log: a length of two bytes, then a frame, again and again.
    #[must_use]
    pub fn log(&self, mut bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk::<2>() {
            let length = usize::from(u16::from_le_bytes(*length)).min(rest.len());
            let (frame, rest) = rest.split_at(length);
            bytes = rest;
            lines.push(self.line(frame));
        }
        lines
    }

    fn line(&self, frame: &[u8]) -> String {
        let Some((table, locations)) = &self.log else {
            return format!(
                "{} bytes of log that cannot be read: the program's file has no texts",
                frame.len()
            );
        };
        let Ok((decoded, _)) = table.decode(frame) else {
            return format!("{} bytes of log that cannot be read", frame.len());
        };
        let level = decoded.level().map_or("", |level| level.as_str());
        let text = decoded.display_message();
        match locations.get(&decoded.index()) {
            Some(at) => {
                // From the package on: where the sources lie is nobody's business.
                let file = at.file.to_string_lossy();
                let file = file
                    .rfind("target-bench/")
                    .map_or(&*file, |from| &file[from..]);
                format!("{level} {text} ({file}:{})", at.line)
            }
            None => format!("{level} {text}"),
        }
    }
}

/// The name as its source has it.
fn plain(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// What stands between the timer and the provider.
fn is_harness(name: &str) -> bool {
    const OURS: [&str; 4] = [
        "target_bench::",
        "<target_bench::",
        "core::",
        "call_on_stack",
    ];
    OURS.iter().any(|ours| name.starts_with(ours))
}

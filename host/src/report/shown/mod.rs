//! The tables below a run's rows: counts by code path, memory by algorithm, memory by environment. Pure.
mod dispatch;
mod environments;
mod memory;

use super::table::Table;
use crate::stats::Row;
use std::collections::BTreeMap;

/// A table with its heading.
pub type Section = (&'static str, Table);

/// All that have something to say. `facts` are the manifest's; `per_tick` is how many instructions a tick of the board's clock stands for,
/// where it is emulated.
#[must_use]
pub fn sections(
    rows: &[Row],
    facts: &BTreeMap<String, String>,
    per_tick: Option<u32>,
) -> Vec<Section> {
    let all = [
        ("Counts by code path", dispatch::table(rows)),
        ("Memory by algorithm", memory::table(rows, facts)),
        (
            "Memory by environment",
            environments::table(rows, facts, per_tick),
        ),
    ];
    all.into_iter()
        .filter(|(_, table)| !table.is_empty())
        .collect()
}

/// For people.
#[must_use]
pub fn text(sections: &[Section], color: bool) -> String {
    let parts = sections
        .iter()
        .map(|(name, table)| format!("\n{name}\n\n{}", table.text(color)));
    parts.collect()
}

/// As Markdown.
#[must_use]
pub fn markdown(sections: &[Section]) -> String {
    let parts = sections
        .iter()
        .map(|(name, table)| format!("\n## {name}\n\n{}", table.markdown()));
    parts.collect()
}

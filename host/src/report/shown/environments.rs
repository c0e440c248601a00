//! Memory by environment: what it costs to be there at all, with all algorithms in the program.
use super::super::number;
use super::super::table::Table;
use crate::model::{Environment, Place, Stack};
use crate::stats::Row;
use std::collections::BTreeMap;

/// A line for each place. What an environment does not have, or cannot tell, is `-`.
pub(super) fn table(
    rows: &[Row],
    facts: &BTreeMap<String, String>,
    per_tick: Option<u32>,
) -> Table {
    let start = match per_tick {
        Some(_) => ">start, instructions",
        None => ">start, ticks",
    };
    let mut table = Table::new([
        "place",
        ">image",
        ">program, read-only",
        ">writable",
        ">resident (peak)",
        ">PSS",
        ">control group, peak",
        ">beside it",
        ">guest memory",
        ">least",
        start,
        ">until ready",
    ]);
    let mut places: Vec<Place> = rows.iter().map(|r| r.subject.place()).collect();
    places.sort_unstable();
    places.dedup();
    for place in places {
        let number = |key: &str| -> Option<u64> { facts.get(key)?.parse().ok() };
        let of = |key: &str| number(&format!("footprint.{place}.{key}"));
        if of("read_only").is_none() && of("resident").is_none() {
            continue;
        }
        let bytes = |value: Option<u64>| value.map_or("-".to_owned(), number::bytes);
        let mib = |value: Option<u64>| value.map_or("-".to_owned(), |m| format!("{m} MiB"));
        let guest = place.environment.is_guest();
        let program = match (place.environment, place.stack) {
            (Environment::BareMetal | Environment::Unikernel, _) => "bare",
            (Environment::Unikraft, _) => "unikraft",
            (_, Stack::Shared) => "linux",
            (_, Stack::Stock) => "stock",
        };
        // A guest has a clock of ticks of its own: it cannot tell how long its start took.
        let since = |instant: Option<u64>| {
            let ticks = instant?.checked_sub(of("asked")?).filter(|_| !guest)?;
            Some(ticks * u64::from(per_tick.unwrap_or(1)))
        };
        let count = |value: Option<u64>| value.map_or("-".to_owned(), |n| number::count(n as f64));
        let peak = of("peak").filter(|_| !guest);
        table.push([
            place.to_string(),
            bytes(number(&format!("image.{program}.bytes"))),
            bytes(of("read_only")),
            bytes(of("writable")),
            match (of("resident"), peak) {
                (Some(now), Some(peak)) => {
                    format!("{} ({})", number::bytes(now), number::bytes(peak.max(now)))
                }
                _ => "-".to_owned(),
            },
            bytes(of("proportional")),
            bytes(of("container.peak").or_else(|| of("start.peak"))),
            match place.environment {
                Environment::Container => beside("runtime", of("process.VmHWM")),
                Environment::Unikernel | Environment::Unikraft => {
                    beside("QEMU, guest included", of("process.VmHWM"))
                }
                _ => "-".to_owned(),
            },
            mib(number(match program {
                "unikraft" => "unikraft.memory_mib",
                _ => "guest.memory_mib",
            })
            .filter(|_| guest)),
            mib(number("image.bare.memory_mib").filter(|_| program == "bare")),
            count(since(of("entered"))),
            count(since(of("ready"))),
        ]);
    }
    table
}

fn beside(what: &str, bytes: Option<u64>) -> String {
    bytes.map_or("-".to_owned(), |b| format!("{what} {}", number::bytes(b)))
}

//! Counts by algorithm and code path.
use super::super::rows::median_and_mean;
use super::super::table::Table;
use crate::report::algorithms::dispatches;
use crate::stats::Row;
use wire::catalog::{Algorithm, Provider};
use wire::message::Dispatch;

/// A line for each operation that was measured with features detected and hidden in one place; in the first such place alone, as the
/// others ran the same code.
pub(super) fn table(rows: &[Row]) -> Table {
    let mut table = Table::new([
        "algorithm",
        "operation",
        "place",
        ">detected",
        ">portable",
        ">ratio",
        "code path",
    ]);
    let mut above = String::new();
    let mut seen = Vec::new();
    let algorithms = rows.iter().filter(|r| r.subject.provider != Provider::Null);
    for detected in algorithms.filter(|r| r.subject.dispatch == Dispatch::Detected) {
        let key = (
            detected.subject.provider,
            detected.subject.algorithm,
            detected.subject.operation,
        );
        let portable = rows.iter().find(|r| {
            r.subject.dispatch == Dispatch::Portable
                && (r.environment, r.stack) == (detected.environment, detected.stack)
                && (r.subject.provider, r.subject.algorithm, r.subject.operation) == key
        });
        let Some(portable) = portable.filter(|_| !seen.contains(&key)) else {
            continue;
        };
        seen.push(key);
        let name = match above == detected.algorithm {
            true => String::new(),
            false => detected.algorithm.clone(),
        };
        above.clone_from(&detected.algorithm);
        table.push([
            name,
            detected.operation.to_owned(),
            format!("{}/{}", detected.environment, detected.stack.name()),
            median_and_mean(detected),
            median_and_mean(portable),
            match (detected.median, portable.median) {
                (Some(below), Some(above)) if below > 0.0 => format!("{:.2}", above / below),
                _ => "-".to_owned(),
            },
            code(detected, portable),
        ]);
    }
    table
}

/// Which code ran on either side: the first functions that only one side left a trace of.
fn code(detected: &Row, portable: &Row) -> String {
    let own =
        |ran: &[String], other: &[String]| ran.iter().find(|name| !other.contains(name)).cloned();
    let sides = (
        own(&detected.path, &portable.path),
        own(&portable.path, &detected.path),
    );
    match sides {
        (Some(detected), Some(portable)) => format!("{detected}, {portable}"),
        _ if has_one_path(detected) && count_alike(detected, portable) => "same code".to_owned(),
        _ => "not told by the stack".to_owned(),
    }
}

fn has_one_path(row: &Row) -> bool {
    let algorithm = Algorithm::by_id(row.subject.algorithm);
    let provider: Provider = row.subject.provider;
    algorithm.is_some_and(|a| dispatches(a, provider).len() < 2)
}

/// Whether the counts bear out that the same code ran: within 1 %.
fn count_alike(a: &Row, b: &Row) -> bool {
    match (a.median, b.median) {
        (Some(a), Some(b)) => (b / a - 1.0).abs() < 0.01,
        _ => false,
    }
}

//! Rows of a run.
use super::number;
use super::table::Table;
use crate::model::{Environment, Subject};
use crate::stats::Row;

/// The columns of the CSV: the JSON's fields, nested ones as `outer.inner`, lists joined by `;`.
const COLUMNS: &[&str] = &[
    "board",
    "environment",
    "dispatch",
    "stack",
    "provider",
    "algorithm",
    "family",
    "operation",
    "iterations",
    "invocations",
    "boots",
    "clock",
    "scope",
    "median",
    "mean",
    "ci_low",
    "ci_high",
    "ci_reason",
    "exact",
    "p05",
    "p95",
    "total",
    "total_source",
    "nanoseconds",
    "mean_nanoseconds",
    "stack_bytes",
    "heap_bytes",
    "allocations",
    "random_bytes",
    "digest",
    "path",
    "digest_reason",
    "warm_up",
    "left_out.warm_up",
    "left_out.void",
    "left_out.faulty",
    "left_out.flagged",
    "random_time",
    "level",
    "sizes.public_key",
    "sizes.secret_key",
    "sizes.ciphertext",
    "sizes.signature",
    "sizes.shared_secret",
    "faults",
    "outliers",
    "near_resolution",
    "notes",
];

/// All fields of all rows, for CSV.
#[must_use]
pub fn flat(rows: &[Row]) -> Table {
    Table::of_fields(COLUMNS, rows)
}

/// What stands in one line: everything but the environment.
fn line(subject: Subject) -> Subject {
    Subject {
        environment: Environment::BareMetal,
        ..subject
    }
}

/// The rows grouped into lines, in the order in which they come.
pub(super) fn lines(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut lines: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        match lines
            .iter_mut()
            .find(|l| line(l[0].subject) == line(row.subject) && l[0].clock == row.clock)
        {
            Some(same) => same.push(row),
            None => lines.push(vec![row]),
        }
    }
    lines
}

/// Environments that have a row, in the order of tables.
pub(super) fn environments(rows: &[Row]) -> Vec<Environment> {
    Environment::ALL
        .into_iter()
        .filter(|e| rows.iter().any(|r| r.environment == *e))
        .collect()
}

/// Columns of provider, dispatch and stack, where not all rows have the same.
pub(super) struct Varying {
    provider: bool,
    dispatch: bool,
    stack: bool,
}

impl Varying {
    pub(super) fn of(rows: &[Row]) -> Self {
        let varies = |same: fn(&Row, &Row) -> bool| rows.iter().any(|row| !same(row, &rows[0]));
        Self {
            provider: varies(|a, b| a.provider == b.provider),
            dispatch: varies(|a, b| a.dispatch == b.dispatch),
            stack: varies(|a, b| a.stack == b.stack),
        }
    }

    pub(super) fn head(&self) -> Vec<String> {
        let columns = [
            (self.provider, "provider"),
            (self.dispatch, "dispatch"),
            (self.stack, "stack"),
        ];
        columns
            .into_iter()
            .filter(|(there, _)| *there)
            .map(|(_, name)| name.to_owned())
            .collect()
    }

    /// The cells that name a line: algorithm, operation, and what varies. An algorithm is named once, on its first line; `above`
    /// is that of the line before.
    pub(super) fn named_cells(&self, row: &Row, above: &mut String) -> Vec<String> {
        let name = if row.algorithm == *above {
            String::new()
        } else {
            row.algorithm.clone()
        };
        above.clone_from(&row.algorithm);
        let mut cells = vec![name, row.operation.to_owned()];
        cells.extend(self.cells(row));
        cells
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let columns = [
            (self.provider, row.provider),
            (self.dispatch, row.dispatch),
            (self.stack, row.stack.name()),
        ];
        columns
            .into_iter()
            .filter(|(there, _)| *there)
            .map(|(_, name)| name.to_owned())
            .collect()
    }
}

/// What the numbers of [`side_by_side`] are.
pub const CELLS: &str = "Numbers are median / mean, or one where both are shown alike; ± is the farther end of the median's 95 % interval.";

/// Environments side by side, for people and Markdown.
#[must_use]
pub fn side_by_side(rows: &[Row]) -> Table {
    let environments = environments(rows);
    let varying = Varying::of(rows);
    let mut head = vec!["algorithm".to_owned(), "operation".to_owned()];
    head.extend(varying.head());
    head.extend(environments.iter().map(|e| format!(">{e}")));
    head.extend(
        [
            ">all levels",
            ">peak stack",
            ">peak heap",
            "clock",
            "remarks",
        ]
        .map(str::to_owned),
    );
    let mut table = Table::new(head);
    let mut above = String::new();
    for line in lines(rows) {
        let row = line[0];
        let mut cells = varying.named_cells(row, &mut above);
        for environment in &environments {
            cells.push(
                line.iter()
                    .find(|r| r.environment == *environment)
                    .map_or("-".to_owned(), |r| value(r)),
            );
        }
        let largest = |of: fn(&Row) -> Option<u32>| line.iter().filter_map(|r| of(r)).max();
        let memory =
            |bytes: Option<u32>| bytes.map_or("-".to_owned(), |b| number::bytes(u64::from(b)));
        cells.push(
            line.iter()
                .find_map(|r| r.total)
                .map_or("-".to_owned(), number::count),
        );
        cells.push(memory(largest(|r| r.stack_bytes)));
        cells.push(memory(largest(|r| r.heap_bytes)));
        cells.push(row.clock.name().to_owned());
        cells.push(remarks(&line));
        table.push(cells);
    }
    table
}

/// Median and mean, as time where that is known; once, where both are shown alike.
pub(super) fn median_and_mean(row: &Row) -> String {
    let shown = |time: Option<f64>, count: Option<f64>| match (time, count) {
        (Some(nanoseconds), _) => number::time(nanoseconds),
        (None, Some(count)) => number::count(count),
        (None, None) => "no value".to_owned(),
    };
    let median = shown(row.nanoseconds, row.median);
    match shown(row.mean_nanoseconds, row.mean) {
        mean if mean == median => median,
        mean => format!("{median} / {mean}"),
    }
}

/// Median and mean with the larger half of the median's interval, as a share; `exact` values have none.
fn value(row: &Row) -> String {
    let shown = median_and_mean(row);
    let Some(median) = row.median else {
        return shown;
    };
    match (row.exact, row.ci_low, row.ci_high) {
        (false, Some(low), Some(high)) if median > 0.0 => {
            format!(
                "{shown} ±{}",
                number::percent((median - low).max(high - median) / median)
            )
        }
        _ => shown,
    }
}

/// What a line's random time means for it, if it has any.
pub(super) fn draws(line: &[&Row]) -> Option<String> {
    let fewest = line
        .iter()
        .filter(|r| r.random_time.is_some())
        .map(|r| r.iterations)
        .min()?;
    Some(match fewest {
        1 => "random time, one draw".to_owned(),
        draws => format!("random time, {draws} draws"),
    })
}

fn remarks(line: &[&Row]) -> String {
    let mut remarks = Vec::new();
    let faulty: usize = line.iter().map(|r| r.left_out.faulty).sum();
    let flagged: usize = line.iter().map(|r| r.left_out.flagged).sum();
    let faults: usize = line.iter().map(|r| r.faults.len()).sum();
    if faults > 0 {
        remarks.push(format!("{faults} faults, {faulty} samples left out"));
    }
    let void: usize = line.iter().map(|r| r.left_out.void).sum();
    if void > 0 {
        remarks.push(format!("{void} samples of void blocks left out"));
    }
    if flagged > 0 {
        remarks.push(format!("{flagged} doubtful samples left out"));
    }
    remarks.extend(draws(line));
    let outliers: usize = line.iter().map(|r| r.outliers).sum();
    if outliers > 0 {
        remarks.push(format!("{outliers} far out"));
    }
    if line.iter().any(|r| r.near_resolution.is_some()) {
        remarks.push("near the clock's resolution".to_owned());
    }
    remarks.join("; ")
}

#[cfg(test)]
mod tests {
    use super::COLUMNS;

    #[test]
    fn csv_names_are_unique() {
        let mut names = COLUMNS.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COLUMNS.len());
    }
}

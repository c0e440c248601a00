//! What a run came to, on one page.
use super::conditions::conditions;
use super::number;
use super::rows::{Varying, draws, environments, lines, median_and_mean};
use super::table::{FAILED, PASSED, Table};
use crate::compare::{Agreement, SameWork, arms, floor};
use crate::model::{Environment, Stack, Subject};
use crate::stats::clock::ClockName;
use crate::stats::evidence::algorithm_name;
use crate::stats::{Evidence, Row, drift};
use std::fmt::Write;
use wire::catalog::Provider;
use wire::message::Dispatch;

const EMULATED: &str = "Instruction counts of an emulated board compare algorithms and code paths and check that every \
environment did the same work; they are not time, cycles or energy, and say nothing of what a container or a hypervisor costs.";
const HARDWARE: &str = "Each count is by its own environment's clock and scope: `compare` forms a ratio only between equal \
ones, and its interval says how far this run can tell them apart.";

/// The summary at the end of a run: a line an operation with its count, how far each environment is from that, and whether all
/// did the same work; then totals, and a sentence on what the counts can tell. `rows` and `work` are the run's.
#[must_use]
pub fn summary(evidence: &Evidence, rows: &[Row], work: &SameWork, color: bool) -> String {
    let measured: Vec<Row> = rows
        .iter()
        .filter(|r| r.subject.provider != Provider::Null)
        .cloned()
        .collect();
    let mut text = String::new();
    if !measured.is_empty() {
        text.push_str(&table(evidence, &measured, work).text(color));
        text.push('\n');
    }
    // Writing to a String cannot fail.
    let mut say = |words: String| {
        let _ = writeln!(text, "{words}");
    };
    say(totals(&measured, work));
    if let Some(harness) = harness(rows) {
        say(harness);
    }
    if let Some(floor) = floor(&arms(evidence)) {
        say(floor.to_string());
    }
    if let Some(drift) = drift::drift(evidence) {
        say(drift.sentence());
    }
    conditions(evidence).into_iter().for_each(&mut say);
    for disagreement in work.disagreements() {
        say(format!("{FAILED} {disagreement}"));
    }
    let faults: usize = rows.iter().map(|r| r.faults.len()).sum();
    if faults > 0 {
        say(format!(
            "{FAILED} {faults} commands ended in a fault; `archive show` names them"
        ));
    }
    for skipped in &evidence.skipped {
        let what = skipped
            .operation
            .map_or(String::new(), |(algorithm, provider, operation)| {
                format!(" {} {operation} ({provider})", algorithm_name(algorithm))
            });
        say(format!(
            "skipped {}{what}: {}",
            skipped.environment, skipped.reason
        ));
    }
    say(if evidence.provenance.emulated {
        EMULATED
    } else {
        HARDWARE
    }
    .to_owned());
    text
}

/// The environment that the others are held against: native, or the first that is there.
fn reference(environments: &[Environment]) -> Option<Environment> {
    environments
        .iter()
        .find(|e| **e == Environment::Native)
        .or(environments.first())
        .copied()
}

fn table(evidence: &Evidence, rows: &[Row], work: &SameWork) -> Table {
    let environments = environments(rows);
    let reference = reference(&environments);
    let varying = Varying::of(rows);
    let against_detected = rows
        .iter()
        .any(|r| r.subject.dispatch == Dispatch::Portable);
    let mut head = vec!["algorithm".to_owned(), "operation".to_owned()];
    head.extend(varying.head());
    let reference_name = reference.map_or("count", Environment::name);
    head.push(format!(">{reference_name}, median / mean"));
    head.extend(
        environments
            .iter()
            .filter(|e| Some(**e) != reference)
            .map(|e| format!(">{e}")),
    );
    if against_detected {
        head.push(">portable / detected".to_owned());
    }
    head.push("same work".to_owned());
    let any_random = rows.iter().any(|r| r.random_time.is_some());
    if any_random {
        head.push("draws".to_owned());
    }
    let mut table = Table::new(head);
    let mut above = String::new();
    for line in lines(rows) {
        let row = line[0];
        let mut cells = varying.named_cells(row, &mut above);
        let find = |environment: Environment| line.iter().find(|r| r.environment == environment);
        let base = reference.and_then(find);
        cells.push(base.map_or("-".to_owned(), |r| median_and_mean(r)));
        for environment in environments.iter().filter(|e| Some(**e) != reference) {
            cells.push(match (find(*environment), base) {
                (Some(row), Some(base)) if evidence.provenance.emulated => beside(row, base),
                (Some(row), _) => median_and_mean(row),
                (None, _) => "-".to_owned(),
            });
        }
        if against_detected {
            cells.push(portable_ratio(row.subject, base.copied(), rows));
        }
        cells.push(mark(work, row.subject));
        if any_random {
            cells.push(draws(&line).unwrap_or_default());
        }
        table.push(cells);
    }
    table
}

/// How far `row` is from `base`.
fn beside(row: &Row, base: &Row) -> String {
    match (row.median, base.median) {
        (Some(median), Some(base)) if base > 0.0 => number::deviation(median / base - 1.0),
        _ => median_and_mean(row),
    }
}

fn portable_ratio(subject: Subject, row: Option<&Row>, rows: &[Row]) -> String {
    if subject.dispatch != Dispatch::Portable {
        return String::new();
    }
    let ratio = row.and_then(|portable| {
        let detected = Subject {
            dispatch: Dispatch::Detected,
            ..portable.subject
        };
        let detected = rows
            .iter()
            .find(|r| r.subject == detected && r.clock == portable.clock)?;
        Some(portable.median? / detected.median?)
    });
    ratio.map_or("-".to_owned(), |r| format!("{r:.2}x"))
}

/// The stock stack draws the system's randomness: there is nothing that its outputs could equal.
fn mark(work: &SameWork, subject: Subject) -> String {
    if subject.stack == Stack::Stock {
        return "own randomness".to_owned();
    }
    match work
        .of(subject.provider, subject.algorithm, subject.operation)
        .map(|o| &o.digests)
    {
        Some(Agreement::Same) => PASSED.to_owned(),
        Some(Agreement::Different(_)) => format!("{FAILED} outputs differ"),
        Some(Agreement::Unchecked(_)) | None => "-".to_owned(),
    }
}

/// `1 algorithm`, `2 algorithms`.
fn several(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

fn totals(rows: &[Row], work: &SameWork) -> String {
    let algorithms: std::collections::BTreeSet<&str> =
        rows.iter().map(|r| r.algorithm.as_str()).collect();
    let checked = work
        .operations
        .iter()
        .filter(|o| o.provider != Provider::Null);
    let (mut same, mut comparable, mut all) = (0, 0, 0);
    for operation in checked {
        all += 1;
        comparable += usize::from(!matches!(operation.digests, Agreement::Unchecked(_)));
        same += usize::from(operation.digests == Agreement::Same);
    }
    let mut text = format!(
        "{}, {} in {}; ",
        several(algorithms.len(), "algorithm"),
        several(all, "operation"),
        several(environments(rows).len(), "environment"),
    );
    text += &match comparable {
        0 => "measured in one place: no outputs to hold against each other".to_owned(),
        all => format!("equal outputs in {same} of {all} operations"),
    };
    if let Some((operation, counts)) = work.largest_spread() {
        let _ = write!(
            text,
            "; instruction counts differ by {} at most ({} {}), {}",
            number::percent(counts.spread),
            algorithm_name(operation.algorithm),
            operation.operation,
            if counts.within {
                "within 0.3 %"
            } else {
                "more than 0.3 %"
            }
        );
    }
    let left_out: usize = rows.iter().map(|r| r.left_out.warm_up).sum();
    let doubtful: usize = rows
        .iter()
        .map(|r| r.left_out.faulty + r.left_out.flagged)
        .sum();
    let _ = write!(
        text,
        "; left out of figures: {left_out} warm-up samples, {doubtful} doubtful ones"
    );
    text
}

/// What the harness costs, from the rows of the `null` provider.
fn harness(rows: &[Row]) -> Option<String> {
    let null: Vec<String> = rows
        .iter()
        .filter(|r| {
            r.subject.provider == Provider::Null
                && r.subject.dispatch == Dispatch::Detected
                && r.stack == Stack::Shared
        })
        .filter_map(|r| Some(format!("{} {}", r.environment, number::count(r.median?))))
        .collect();
    let clock = rows
        .iter()
        .find(|r| r.subject.provider == Provider::Null)
        .map_or(ClockName::Ticks, |r| r.clock);
    (!null.is_empty()).then(|| {
        format!(
            "the harness itself, {} an iteration: {}",
            clock.name(),
            null.join(", ")
        )
    })
}

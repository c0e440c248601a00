//! Figures: from one subject's readings to its row.
use super::bootstrap::{self, Cell, Generator};
use super::clock::{ClockName, TotalSource};
use super::evidence::{algorithm_name, fault_name};
use super::row::{LeftOut, Row, RowFault};
use super::{Evidence, Reading, digest, draws::Draws, interval, outliers, quantile};
use crate::hex::hex;
use crate::model::{Stack, Subject};
use std::collections::BTreeSet;
use wire::catalog::Algorithm;
use wire::message::{Digest, Fault};
use wire::units::Scope;

/// All rows of a run, in the order of [`Evidence::subjects`]. A subject whose clock changed between invocations gives a row
/// for each clock: unlike things are not pooled.
#[must_use]
pub fn rows(evidence: &Evidence) -> Vec<Row> {
    evidence
        .subjects()
        .into_iter()
        .flat_map(|subject| rows_of(evidence, subject))
        .collect()
}

/// The rows of one subject.
#[must_use]
pub fn rows_of(evidence: &Evidence, subject: Subject) -> Vec<Row> {
    let readings = evidence.readings(subject);
    clocks_of(evidence, subject)
        .into_iter()
        .map(|(clock, scope)| {
            let of_clock: Vec<Reading> = readings
                .iter()
                .filter(|r| (r.clock, r.scope) == (clock, scope))
                .copied()
                .collect();
            row(evidence, subject, &of_clock, (clock, scope))
        })
        .collect()
}

/// Number of rows of a run.
#[must_use]
pub fn count(evidence: &Evidence) -> usize {
    let subjects = evidence.subjects().into_iter();
    subjects
        .map(|subject| clocks_of(evidence, subject).len())
        .sum()
}

/// The clocks that a subject was counted by: those of the invocations that gave samples, or, where none did (its first
/// iteration failed, say), of the first, so that its fault has a row.
pub fn clocks_of(evidence: &Evidence, subject: Subject) -> Vec<(ClockName, Scope)> {
    let mut with_samples = Vec::new();
    let mut any = None;
    for measured in evidence.measured_of(subject) {
        let started = evidence.invocations.get(&measured.invocation);
        let Some(hello) = started.and_then(|s| s.hello.as_ref()) else {
            continue;
        };
        let clock = hello.body.clocks.count;
        let named = (
            super::clock::name(clock.counter, &evidence.provenance),
            clock.scope,
        );
        any.get_or_insert(named);
        if !measured.samples.is_empty() && !with_samples.contains(&named) {
            with_samples.push(named);
        }
    }
    if with_samples.is_empty() {
        with_samples.extend(any);
    }
    with_samples
}

/// The samples' positions in a table of invocations by draws of work.
#[must_use]
pub fn table(readings: &[Reading], draws: Draws, value: impl Fn(&Reading) -> f64) -> Vec<Cell> {
    let draw = |r: &Reading| draws.of_iteration(r.iteration);
    let invocations: BTreeSet<u32> = readings.iter().map(|r| r.invocation).collect();
    let works: BTreeSet<u32> = readings.iter().map(draw).collect();
    let position = |set: &BTreeSet<u32>| -> std::collections::HashMap<u32, usize> {
        set.iter().enumerate().map(|(at, id)| (*id, at)).collect()
    };
    let (invocations, works) = (position(&invocations), position(&works));
    readings
        .iter()
        .map(|r| Cell {
            invocation: invocations[&r.invocation],
            draw: works[&draw(r)],
            value: value(r),
        })
        .collect()
}

/// Name of a figure, for the seed of its resampling.
#[must_use]
pub fn figure_name(subject: Subject) -> String {
    [
        subject.environment.name(),
        subject.dispatch.name(),
        subject.stack.name(),
        subject.provider.name(),
        &algorithm_name(subject.algorithm),
        subject.operation.name(),
    ]
    .join("/")
}

struct Interval {
    bounds: Option<(f64, f64)>,
    reason: Option<String>,
    exact: bool,
}

/// The interval of the median of `used`, whose counts in ascending order are `sorted`.
fn interval(
    evidence: &Evidence,
    subject: Subject,
    used: &[Reading],
    sorted: &[f64],
    clock: ClockName,
) -> Interval {
    let none = |reason: String| Interval {
        bounds: None,
        reason: Some(reason),
        exact: false,
    };
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return none("no sample that figures may rest on".to_owned());
    };
    // The emulator's instruction clock has no noise: two equal counts are one fact, seen twice. Elsewhere a handful of equal
    // readings may be the clock's coarse step.
    let noiseless = evidence.provenance.emulated && clock == ClockName::Instructions;
    let enough = if noiseless { 2 } else { interval::FEWEST };
    if first == last && sorted.len() >= enough {
        let point = *first;
        return Interval {
            bounds: Some((point, point)),
            reason: None,
            exact: true,
        };
    }
    let invocations = used
        .iter()
        .map(|r| r.invocation)
        .collect::<BTreeSet<_>>()
        .len();
    let draws = evidence.draws(subject);
    if invocations >= bootstrap::FEWEST || (invocations == 1 && draws.resampled().is_some()) {
        let generator = Generator::named(evidence.provenance.seed, &figure_name(subject));
        let bounds = bootstrap::of_median(&table(used, draws, Reading::count_each), generator);
        return Interval {
            bounds,
            reason: None,
            exact: false,
        };
    }
    if invocations >= 2 {
        return none(format!(
            "{invocations} invocations: an interval across invocations needs {}",
            bootstrap::FEWEST
        ));
    }
    match interval::of_median(sorted) {
        Some((low, high)) => Interval {
            bounds: Some((low, high)),
            reason: None,
            exact: false,
        },
        None => none(format!(
            "{} iterations: an interval needs {}",
            sorted.len(),
            interval::FEWEST
        )),
    }
}

fn row(
    evidence: &Evidence,
    subject: Subject,
    readings: &[Reading],
    (clock, scope): (ClockName, Scope),
) -> Row {
    let provenance = &evidence.provenance;
    let used: Vec<Reading> = readings.iter().filter(|r| r.counts()).copied().collect();
    let counts = sorted(used.iter().map(Reading::count_each));
    let totals = sorted(used.iter().filter_map(Reading::total_each));
    let interval = interval(evidence, subject, &used, &counts, clock);
    let times = nanoseconds(&used).filter(|times| !provenance.emulated && !times.is_empty());
    let notes = notes(evidence, subject, &used, &interval);
    let algorithm = Algorithm::by_id(subject.algorithm);
    let measured: Vec<_> = evidence
        .measured_of(subject)
        .filter(|m| readings.is_empty() || readings.iter().any(|r| r.invocation == m.invocation))
        .collect();
    let memory = |of: fn(&wire::message::Memory) -> u32| {
        measured
            .iter()
            .filter_map(|m| m.memory.as_ref())
            .map(of)
            .max()
    };
    let accounts = subject.stack == Stack::Shared;
    let (digest, digest_reason) = match digest_of(evidence, subject, readings) {
        Ok(digest) => (Some(digest), None),
        Err(reason) => (None, Some(reason)),
    };
    Row {
        board: provenance.board.clone(),
        environment: subject.environment,
        dispatch: subject.dispatch.name(),
        stack: subject.stack,
        provider: subject.provider.name(),
        algorithm: algorithm_name(subject.algorithm),
        family: algorithm.map_or("unknown", |a| a.family.name()),
        operation: subject.operation.name(),
        iterations: used.len(),
        invocations: used
            .iter()
            .map(|r| r.invocation)
            .collect::<BTreeSet<_>>()
            .len(),
        boots: boots(evidence, readings),
        clock,
        scope,
        median: quantile::median(&counts),
        mean: quantile::mean(&counts),
        ci_low: interval.bounds.map(|b| b.0),
        ci_high: interval.bounds.map(|b| b.1),
        ci_reason: interval.reason,
        exact: interval.exact,
        p05: quantile::quantile(&counts, 0.05),
        p95: quantile::quantile(&counts, 0.95),
        total: quantile::median(&totals),
        total_source: readings
            .first()
            .map_or(TotalSource::None, |r| r.total_source),
        nanoseconds: times.as_deref().and_then(quantile::median),
        mean_nanoseconds: times
            .as_ref()
            .map(|times| times.iter().sum::<f64>() / times.len() as f64),
        stack_bytes: memory(|m| m.stack_bytes),
        // The system's allocator and its random numbers keep no accounts.
        heap_bytes: memory(|m| m.heap_bytes).filter(|_| accounts),
        allocations: memory(|m| m.allocations).filter(|_| accounts),
        random_bytes: memory(|m| m.random_bytes).filter(|_| accounts),
        digest,
        path: measured.first().map(|m| m.path.clone()).unwrap_or_default(),
        digest_reason,
        warm_up: evidence.warm_up(subject),
        left_out: left_out(readings),
        random_time: algorithm
            .filter(|a| a.has_random_time(subject.operation))
            .map(|_| random_time(used.len())),
        level: algorithm.map_or(0, |a| a.level),
        sizes: algorithm.map(|a| a.sizes.into()).unwrap_or_default(),
        faults: measured
            .iter()
            .filter_map(|m| m.fault.as_ref().map(|fault| row_fault(m.invocation, fault)))
            .collect(),
        outliers: outliers::count(&counts),
        near_resolution: if provenance.emulated {
            None
        } else {
            near_resolution(&used)
        },
        notes,
        subject,
    }
}

/// The digest of the outputs of `readings`, which are of one clock, in hexadecimal.
///
/// # Errors
/// Why there is none.
pub fn digest_of(
    evidence: &Evidence,
    subject: Subject,
    readings: &[Reading],
) -> Result<String, String> {
    let digests: Vec<Digest> = evidence
        .measured_of(subject)
        .filter(|m| readings.is_empty() || readings.iter().any(|r| r.invocation == m.invocation))
        .filter_map(|m| m.digest)
        .collect();
    match digest::of_commands(&digests) {
        Ok(Some(digest)) => Ok(hex(&digest)),
        Ok(None) => Err("no outputs were digested from iteration 0 on".to_owned()),
        Err(conflict) => Err(conflict.to_string()),
    }
}

/// Ticks below which one step of their clock is more than 1 % of what is timed.
pub const COARSE: f64 = 100.0;

fn near_resolution(used: &[Reading]) -> Option<String> {
    let ticks = quantile::median(&sorted(used.iter().map(|r| r.ticks as f64)))?;
    (ticks < COARSE).then(|| {
        format!(
            "a sample takes {ticks} ticks: one step of that clock is {:.0} % of it",
            100.0 / ticks.max(1.0)
        )
    })
}

/// What the figures speak of, where that is less than the operation in general.
fn notes(
    evidence: &Evidence,
    subject: Subject,
    used: &[Reading],
    interval: &Interval,
) -> Vec<String> {
    let mut notes = Vec::new();
    let executions = evidence.executions(subject);
    if executions > 1 {
        notes.push(format!(
            "each sample counts {executions} executions of the same work: figures are of one execution, and their spread is that of means"
        ));
    }
    notes.extend(evidence.draws(subject).note());
    let works: BTreeSet<u32> = used.iter().map(|r| r.iteration).collect();
    if works.len() == 1 && !interval.exact && interval.bounds.is_some() {
        notes.push(
            "one draw of work: the interval speaks of other starts, not of other draws".to_owned(),
        );
    }
    notes
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

fn random_time(draws: usize) -> String {
    if draws == 1 {
        "one draw of a random-time operation: another seed may give a very different count"
            .to_owned()
    } else {
        format!("{draws} draws of a random-time operation")
    }
}

/// Ticks as time in ascending order, each converted by the rate of its own invocation; `None` where a rate is not known.
fn nanoseconds(used: &[Reading]) -> Option<Vec<f64>> {
    let values: Option<Vec<f64>> = used.iter().map(Reading::nanoseconds_each).collect();
    Some(sorted(values?.into_iter()))
}

fn boots(evidence: &Evidence, readings: &[Reading]) -> Vec<String> {
    let invocations: BTreeSet<u32> = readings.iter().map(|r| r.invocation).collect();
    let mut boots: Vec<String> = Vec::new();
    for boot in invocations
        .iter()
        .filter_map(|id| evidence.invocations.get(id)?.boot())
    {
        if !boots.contains(&boot) {
            boots.push(boot);
        }
    }
    boots
}

fn left_out(readings: &[Reading]) -> LeftOut {
    let mut left_out = LeftOut::default();
    for reading in readings {
        if reading.warm_up {
            left_out.warm_up += 1;
        } else if reading.void {
            left_out.void += 1;
        } else if reading.fault.is_some() {
            left_out.faulty += 1;
        } else if reading.flags != 0 {
            left_out.flagged += 1;
        }
    }
    left_out
}

fn row_fault(invocation: u32, fault: &Fault) -> RowFault {
    RowFault {
        invocation,
        iteration: fault.iteration,
        kind: fault_name(fault.kind),
        text: fault.text.clone(),
    }
}

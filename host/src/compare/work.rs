//! Whether every environment did the same work.
//!
//! Iteration `i` draws the same randomness everywhere, so its outputs must be the same bytes in every environment, dispatch
//! and invocation: equal digests prove it. Equal counts of user-level instructions say that it was also done by the same
//! code. Stack `stock` draws the system's randomness, and providers draw in orders of their own: neither has to agree.
use crate::hex::hex;
use crate::model::{Environment, Stack};
use crate::stats::Row;
use crate::stats::clock::ClockName;
use crate::stats::evidence::{Evidence, algorithm_name};
use std::collections::{BTreeMap, BTreeSet};
use wire::catalog::{AlgorithmId, Operation, Provider};
use wire::message::Dispatch;

/// Largest relative difference of median instruction counts that counts as agreement: 0.3 %.
pub const SPREAD: f64 = 0.003;

/// What the digests of one operation say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// All that ran the same iterations gave the same outputs.
    Same,
    /// Not all: a sentence for each stretch of iterations that differs.
    Different(Vec<String>),
    /// There is nothing to hold against each other, and why.
    Unchecked(String),
}

/// How far instruction counts of one operation agree across environments.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// Code path of the rows.
    pub dispatch: Dispatch,
    /// What lies under the provider.
    pub stack: Stack,
    /// Median of each environment.
    pub medians: Vec<(Environment, f64)>,
    /// Largest median over the smallest, minus 1.
    pub spread: f64,
    /// Whether that is at most [`SPREAD`].
    pub within: bool,
}

/// One operation, looked at across environments.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationWork {
    /// Where the code comes from.
    pub provider: Provider,
    /// The algorithm.
    pub algorithm: AlgorithmId,
    /// The operation.
    pub operation: Operation,
    /// What the digests say.
    pub digests: Agreement,
    /// What the counts say, for each dispatch and stack that two environments have in instructions.
    pub counts: Vec<Counts>,
}

/// The check of a whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SameWork {
    /// Every operation, in the order of tables.
    pub operations: Vec<OperationWork>,
}

impl SameWork {
    /// The operation's part.
    #[must_use]
    pub fn of(
        &self,
        provider: Provider,
        algorithm: AlgorithmId,
        operation: Operation,
    ) -> Option<&OperationWork> {
        self.operations
            .iter()
            .find(|o| (o.provider, o.algorithm, o.operation) == (provider, algorithm, operation))
    }

    /// What differs, in sentences; empty where all that could be checked agrees.
    #[must_use]
    pub fn disagreements(&self) -> Vec<String> {
        self.operations
            .iter()
            .flat_map(|o| match &o.digests {
                Agreement::Different(list) => list
                    .iter()
                    .map(|what| {
                        format!(
                            "{} {} {}: {what}",
                            algorithm_name(o.algorithm),
                            o.operation,
                            o.provider
                        )
                    })
                    .collect(),
                _ => Vec::new(),
            })
            .collect()
    }

    /// Whether no digest differs.
    #[must_use]
    pub fn agrees(&self) -> bool {
        !self
            .operations
            .iter()
            .any(|o| matches!(o.digests, Agreement::Different(_)))
    }

    /// The largest spread of counts, and the operation.
    #[must_use]
    pub fn largest_spread(&self) -> Option<(&OperationWork, &Counts)> {
        let all = self
            .operations
            .iter()
            .filter(|o| o.provider != Provider::Null);
        // What draws the system's randomness did other work in each environment.
        all.flat_map(|o| o.counts.iter().map(move |c| (o, c)))
            .filter(|(_, counts)| counts.stack == Stack::Shared)
            .max_by(|a, b| a.1.spread.total_cmp(&b.1.spread))
    }
}

/// Checks a run. `rows` are the run's.
#[must_use]
pub fn same_work(evidence: &Evidence, rows: &[Row]) -> SameWork {
    let mut operations: Vec<(AlgorithmId, Provider, Operation)> = evidence
        .subjects()
        .iter()
        .map(|s| (s.algorithm, s.provider, s.operation))
        .collect();
    operations.dedup();
    let operations = operations
        .into_iter()
        .map(|(algorithm, provider, operation)| OperationWork {
            provider,
            algorithm,
            operation,
            digests: digests(evidence, algorithm, provider, operation),
            counts: counts(rows, algorithm, provider, operation),
        })
        .collect();
    SameWork { operations }
}

/// Who ran some iterations: environment, dispatch, invocation.
type Who = (Environment, Dispatch, u32);

fn name((environment, dispatch, invocation): Who) -> String {
    match dispatch {
        Dispatch::Detected => format!("{environment} (invocation {invocation})"),
        Dispatch::Portable => format!("{environment} portable (invocation {invocation})"),
    }
}

fn digests(
    evidence: &Evidence,
    algorithm: AlgorithmId,
    provider: Provider,
    operation: Operation,
) -> Agreement {
    let mut stretches: BTreeMap<(u32, u32), BTreeMap<[u8; 32], BTreeSet<Who>>> = BTreeMap::new();
    let mut places: BTreeSet<(Environment, Dispatch)> = BTreeSet::new();
    for m in &evidence.measured {
        let s = m.subject;
        if (s.algorithm, s.provider, s.operation, s.stack)
            != (algorithm, provider, operation, Stack::Shared)
        {
            continue;
        }
        places.insert((s.environment, s.dispatch));
        if let Some(d) = m.digest {
            let who = (s.environment, s.dispatch, m.invocation);
            stretches
                .entry((d.first, d.iterations))
                .or_default()
                .entry(d.sha256)
                .or_default()
                .insert(who);
        }
    }
    let different: Vec<String> = stretches
        .iter()
        .filter(|(_, outputs)| outputs.len() > 1)
        .map(|((first, iterations), outputs)| {
            let sides: Vec<String> = outputs
                .iter()
                .map(|(sha256, who)| {
                    let who: Vec<String> = who.iter().map(|w| name(*w)).collect();
                    format!("{} gave {}", who.join(", "), &hex(sha256)[..16])
                })
                .collect();
            let last = u64::from(*first) + u64::from(*iterations).saturating_sub(1);
            format!(
                "outputs of iterations {first} to {last} differ: {}",
                sides.join("; ")
            )
        })
        .collect();
    if !different.is_empty() {
        return Agreement::Different(different);
    }
    if places.len() < 2 {
        return Agreement::Unchecked("it ran in one place only".to_owned());
    }
    // Every place must share a stretch with some other place, or nothing was said about it.
    let alone = places.iter().find(|place| {
        !stretches.values().flat_map(BTreeMap::values).any(|who| {
            who.iter().any(|(e, d, _)| (*e, *d) == **place)
                && who.iter().any(|(e, d, _)| (*e, *d) != **place)
        })
    });
    match alone {
        Some((environment, _)) => Agreement::Unchecked(format!(
            "no iterations of {environment} were digested elsewhere too"
        )),
        None => Agreement::Same,
    }
}

fn counts(
    rows: &[Row],
    algorithm: AlgorithmId,
    provider: Provider,
    operation: Operation,
) -> Vec<Counts> {
    let mut grouped: BTreeMap<(Dispatch, Stack), Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|r| {
        let s = r.subject;
        (s.algorithm, s.provider, s.operation) == (algorithm, provider, operation)
            && r.clock == ClockName::Instructions
            && r.median.is_some()
    }) {
        grouped
            .entry((row.subject.dispatch, row.subject.stack))
            .or_default()
            .push(row);
    }
    grouped
        .into_iter()
        .filter_map(|((dispatch, stack), rows)| {
            let iterations = rows.first()?.iterations;
            if rows.len() < 2 || rows.iter().any(|r| r.iterations != iterations) {
                return None;
            }
            let medians: Vec<(Environment, f64)> = rows
                .iter()
                .filter_map(|r| Some((r.environment, r.median?)))
                .collect();
            let low = medians.iter().map(|m| m.1).fold(f64::INFINITY, f64::min);
            let high = medians.iter().map(|m| m.1).fold(0.0, f64::max);
            let spread = if low > 0.0 { high / low - 1.0 } else { 0.0 };
            Some(Counts {
                dispatch,
                stack,
                medians,
                spread,
                within: spread <= SPREAD,
            })
        })
        .collect()
}

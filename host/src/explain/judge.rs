//! One contrast: its overheads, and the causes held against all that was measured in it.
use super::causes::{CAUSES, Cause, Prediction, group};
use super::conditions::{Condition, Side, condition};
use super::{Assessed, Contrast, Held, Overhead, Verdict, within};
use crate::compare::{By, Compared};
use crate::stats::Evidence;
use crate::stats::evidence::algorithm_name;
use wire::catalog::{Algorithm, Operation};

/// The contrast of `ratios`, all of one pair of places; `None` where none of them is past `bound`.
pub(super) fn contrast(
    evidence: &Evidence,
    by: By,
    ratios: &[&Compared],
    bound: f64,
) -> Option<Contrast> {
    let first = ratios.first()?;
    // What a run cannot see is no overhead.
    let is_past =
        |c: &Compared| c.ratio > bound && c.floor.is_none_or(|floor| c.ratio > 1.0 + floor);
    let mut past: Vec<&Compared> = ratios.iter().filter(|c| is_past(c)).copied().collect();
    if past.is_empty() {
        return None;
    }
    past.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    let causes: Vec<(&Cause, Assessed)> = CAUSES
        .iter()
        .map(|cause| (cause, assess(cause, evidence, by, ratios)))
        .collect();
    let overheads = past.into_iter().map(|c| {
        let fitting = causes
            .iter()
            .filter(|(cause, assessed)| assessed.verdict == Verdict::Fits && covers(cause, c));
        let path = |candidate| path(evidence, by, c, candidate).unwrap_or_default();
        Overhead {
            algorithm: c.algorithm.clone(),
            operation: c.operation,
            provider: c.provider,
            ratio: c.ratio,
            ci_low: c.ci_low,
            ci_high: c.ci_high,
            floor: c.floor,
            causes: fitting.map(|(cause, _)| cause.name).collect(),
            baseline_path: path(false),
            candidate_path: path(true),
        }
    });
    Some(Contrast {
        by: by.name(),
        baseline: first.baseline.clone(),
        candidate: first.candidate.clone(),
        within: within(first, by),
        clock: first.clock,
        overheads: overheads.collect(),
        causes: causes.into_iter().map(|(_, assessed)| assessed).collect(),
    })
}

fn family(c: &Compared) -> &'static str {
    Algorithm::by_name(&c.algorithm).map_or("unknown", |a| a.family.name())
}

/// What `cause` predicts for the operation of `c`; nothing where its time depends on what it draws and the sides drew otherwise: then
/// the ratio is one of luck, too.
fn prediction(cause: &Cause, c: &Compared) -> Option<Prediction> {
    let algorithm = Algorithm::by_name(&c.algorithm);
    let operation = Operation::ALL.into_iter().find(|o| o.name() == c.operation);
    let random = algorithm
        .zip(operation)
        .is_some_and(|(a, operation)| a.has_random_time(operation));
    match random && !c.same_outputs {
        true => None,
        false => cause.prediction(family(c), &c.algorithm, c.operation, c.provider),
    }
}

/// Whether `cause` predicts a ratio as large as that of `c`.
fn covers(cause: &Cause, c: &Compared) -> bool {
    match prediction(cause, c) {
        Some(prediction) => prediction.holds(c.ratio, c.ratio),
        // It says that others are slower or faster, and not by how much.
        None => cause.says_nothing_of_size,
    }
}

fn assess(cause: &Cause, evidence: &Evidence, by: By, ratios: &[&Compared]) -> Assessed {
    type Key<'a> = (String, &'a str, &'a str);
    let mut groups: Vec<(Key<'_>, Vec<&Compared>)> = Vec::new();
    for c in ratios {
        let key = (group(family(c), &c.algorithm), c.operation, c.provider);
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, list)) => list.push(c),
            None => groups.push((key, vec![c])),
        }
    }
    let predictions: Vec<Held> = groups
        .into_iter()
        .filter_map(|((group, _, _), list)| {
            let first = *list.first()?;
            let prediction = prediction(cause, first);
            let seen = || list.iter().map(|c| c.ratio);
            let (seen_low, seen_high) = (
                seen().fold(f64::INFINITY, f64::min),
                seen().fold(0.0, f64::max),
            );
            Some(Held {
                family: group,
                operation: first.operation,
                low: prediction.map(|p| p.low),
                high: prediction.map(|p| p.high),
                seen_low,
                seen_high,
                holds: prediction.map(|p| p.holds(seen_low, seen_high)),
            })
        })
        .collect();
    let (verdict, evidence) = match condition(cause.at, evidence, by, ratios) {
        Condition::Absent(why) => (Verdict::Absent, why),
        Condition::Unknown(why) => (Verdict::Untested, why),
        Condition::Present(why) if predictions.iter().any(|p| p.holds == Some(false)) => {
            (Verdict::Contradicted, why)
        }
        Condition::Present(why) => (Verdict::Fits, why),
    };
    Assessed {
        cause: cause.name,
        about: cause.about,
        verdict,
        evidence,
        predictions,
        test: cause.test,
    }
}

/// Functions that left a trace on one side of a ratio.
fn path(evidence: &Evidence, by: By, c: &Compared, candidate: bool) -> Option<Vec<String>> {
    let (baseline_side, candidate_side) = Side::both(c, by)?;
    let side = if candidate {
        candidate_side
    } else {
        baseline_side
    };
    let provider = match (by, candidate) {
        (By::Provider, true) => c.candidate.as_str(),
        (By::Provider, false) => c.baseline.as_str(),
        _ => c.provider,
    };
    let measured = evidence.measured.iter().find(|m| {
        let s = m.subject;
        (s.environment, s.dispatch, s.stack) == (side.environment, side.dispatch, side.stack)
            && s.provider.name() == provider
            && s.operation.name() == c.operation
            && algorithm_name(s.algorithm) == c.algorithm
    })?;
    Some(measured.path.clone())
}

//! Puts rows side by side: those that are equal in everything but what the comparison is by.
use super::floor::{Arms, arms};
use super::ratio::{Ratio, Refusal, Series, ratio};
use crate::model::{Environment, Provenance, Stack, Subject};
use crate::stats::Reading;
use crate::stats::evidence::{Evidence, algorithm_name};
use crate::stats::figures::{clocks_of, digest_of};
use serde::Serialize;
use wire::catalog::Provider;
use wire::message::Dispatch;

/// What a comparison is by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "the variants are the words of the command line"
)]
pub enum By {
    Environment,
    Dispatch,
    Stack,
    Provider,
    Run,
    Board,
    Liboqs,
}

impl By {
    /// The name in options and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Dispatch => "dispatch",
            Self::Stack => "stack",
            Self::Provider => "provider",
            Self::Run => "run",
            Self::Board => "board",
            Self::Liboqs => "liboqs",
        }
    }

    /// Whether it takes several runs.
    #[must_use]
    pub fn takes_runs(self) -> bool {
        matches!(self, Self::Run | Self::Board | Self::Liboqs)
    }

    fn label(self, subject: Subject, evidence: &Evidence) -> String {
        match self {
            Self::Environment => subject.environment.name().to_owned(),
            Self::Dispatch => subject.dispatch.name().to_owned(),
            Self::Stack => subject.stack.name().to_owned(),
            Self::Provider => subject.provider.name().to_owned(),
            Self::Run | Self::Board | Self::Liboqs => self.of_run(evidence).to_owned(),
        }
    }

    /// What the run is called where runs are compared so; nothing where the sides lie within one run.
    #[must_use]
    pub fn of_run(self, evidence: &Evidence) -> &str {
        let Provenance {
            run, board, facts, ..
        } = &evidence.provenance;
        match self {
            Self::Run => run,
            Self::Board => board,
            Self::Liboqs => facts.get("liboqs").map_or("unknown", String::as_str),
            Self::Environment | Self::Dispatch | Self::Stack | Self::Provider => "",
        }
    }

    /// The subject without what the comparison is by: equal for what stands side by side.
    fn rest(self, subject: Subject) -> Subject {
        let mut rest = subject;
        match self {
            Self::Environment => rest.environment = Environment::Native,
            Self::Dispatch => rest.dispatch = Dispatch::Detected,
            Self::Stack => rest.stack = Stack::Shared,
            Self::Provider => rest.provider = Provider::Liboqs,
            Self::Run | Self::Board | Self::Liboqs => {}
        }
        rest
    }

    /// Whether `subject` is the baseline wherever it is there.
    fn is_baseline(self, subject: Subject) -> bool {
        !self.takes_runs() && self.rest(subject) == subject
    }
}

/// One ratio, with what it is of. The first fields are the JSON that others rely on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(
    missing_docs,
    reason = "each name is explained in docs/archive.md, where its readers look"
)]
pub struct Compared {
    pub algorithm: String,
    pub operation: &'static str,
    pub baseline: String,
    pub candidate: String,
    pub ratio: f64,
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    pub paired: bool,
    pub ci_reason: Option<String>,
    pub iterations: usize,
    pub environment: &'static str,
    pub dispatch: &'static str,
    pub stack: &'static str,
    pub provider: &'static str,
    pub clock: &'static str,
    pub baseline_scope: &'static str,
    pub candidate_scope: &'static str,
    pub same_outputs: bool,
    pub emulated: bool,
    /// The smallest overhead that the run can see in this operation, as a share; `None` where nothing was measured twice.
    pub floor: Option<f64>,
}

/// A ratio that is not formed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What it would have been of.
    pub what: String,
    /// Why not.
    pub refusal: Refusal,
}

/// All ratios of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Those that were formed.
    pub ratios: Vec<Compared>,
    /// Those that were not.
    pub refused: Vec<Refused>,
    /// The baseline's place against itself, where one run measured it in two arms.
    pub arms: Vec<Arms>,
}

/// Compares `runs`, the first of which is the baseline where they are compared by run, board or liboqs. The `null` provider is left
/// out: a ratio of almost nothing to almost nothing says nothing.
#[must_use]
pub fn compare(runs: &[&Evidence], by: By) -> Comparison {
    let all: Vec<(usize, Subject)> = runs
        .iter()
        .enumerate()
        .flat_map(|(run, evidence)| {
            evidence
                .subjects()
                .into_iter()
                .map(move |subject| (run, subject))
        })
        .filter(|(_, subject)| subject.provider != Provider::Null)
        .collect();
    let mut keys: Vec<Subject> = Vec::new();
    for (_, subject) in &all {
        let key = by.rest(*subject);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut comparison = Comparison::default();
    for key in keys {
        let mut group: Vec<(usize, Subject)> = all
            .iter()
            .filter(|(_, subject)| by.rest(*subject) == key)
            .copied()
            .collect();
        // Stable: the preferred baseline first, then as the rows come.
        group.sort_by_key(|(_, subject)| !by.is_baseline(*subject));
        compare_group(runs, by, &group, &mut comparison);
    }
    if let ([run], false) = (runs, by.takes_runs()) {
        for arm in arms(run) {
            let same = |c: &&mut Compared| arm.is_of(&c.algorithm, c.operation, c.provider);
            for compared in comparison.ratios.iter_mut().filter(same) {
                compared.floor = arm.floor;
            }
            comparison.arms.push(arm);
        }
    }
    comparison
}

fn compare_group(runs: &[&Evidence], by: By, group: &[(usize, Subject)], into: &mut Comparison) {
    let Some(((base_run, base_subject), candidates)) = group.split_first() else {
        return;
    };
    if candidates.is_empty() {
        return;
    }
    let Some(baseline) = series(runs[*base_run], *base_subject) else {
        return;
    };
    let base_label = by.label(*base_subject, runs[*base_run]);
    for (run, subject) in candidates {
        let Some(candidate) = series(runs[*run], *subject) else {
            continue;
        };
        let label = by.label(*subject, runs[*run]);
        match ratio(&baseline, &candidate) {
            Ok(ratio) => into.ratios.push(compared(
                ratio,
                (&baseline, &base_label),
                (&candidate, &label),
            )),
            Err(refusal) => into.refused.push(Refused {
                what: format!(
                    "{} {}: {label} against {base_label}",
                    algorithm_name(subject.algorithm),
                    subject.operation
                ),
                refusal,
            }),
        }
    }
}

fn compared(
    ratio: Ratio,
    (baseline, base_label): (&Series, &str),
    (candidate, label): (&Series, &str),
) -> Compared {
    let subject = candidate.subject;
    Compared {
        algorithm: algorithm_name(subject.algorithm),
        operation: subject.operation.name(),
        baseline: base_label.to_owned(),
        candidate: label.to_owned(),
        ratio: ratio.ratio,
        ci_low: ratio.interval.map(|i| i.0),
        ci_high: ratio.interval.map(|i| i.1),
        paired: ratio.paired,
        ci_reason: ratio.ci_reason,
        iterations: ratio.iterations,
        environment: subject.environment.name(),
        dispatch: subject.dispatch.name(),
        stack: subject.stack.name(),
        provider: subject.provider.name(),
        clock: candidate.clock.name(),
        baseline_scope: baseline.scope.name(),
        candidate_scope: candidate.scope.name(),
        same_outputs: baseline.digest.is_some() && baseline.digest == candidate.digest,
        emulated: candidate.emulated,
        floor: None,
    }
}

/// The samples of a subject that figures may rest on, by the clock that most of them have.
pub(super) fn series(evidence: &Evidence, subject: Subject) -> Option<Series> {
    let mut readings = evidence.readings(subject);
    let counted = |(clock, scope)| {
        let same = |r: &&Reading| r.counts() && (r.clock, r.scope) == (clock, scope);
        readings.iter().filter(same).count()
    };
    let (clock, scope) = clocks_of(evidence, subject)
        .into_iter()
        .max_by_key(|clock| counted(*clock))?;
    readings.retain(|r| (r.clock, r.scope) == (clock, scope));
    let digest = digest_of(evidence, subject, &readings).ok();
    readings.retain(Reading::counts);
    Some(Series {
        run: evidence.provenance.run.clone(),
        board: evidence.provenance.board.clone(),
        emulated: evidence.provenance.emulated,
        seed: evidence.provenance.seed,
        subject,
        clock,
        scope,
        digest,
        readings,
        draws: evidence.draws(subject),
        blocks: evidence
            .turns
            .values()
            .map(|turn| (turn.invocation, turn.block))
            .collect(),
    })
}

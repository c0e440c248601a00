//! The ratio of two rows, or why there is none.
use crate::model::Subject;
use crate::stats::bootstrap::{self, Generator, PairedCell};
use crate::stats::clock::ClockName;
use crate::stats::draws::Draws;
use crate::stats::{Reading, figures, interval, quantile};
use std::collections::{BTreeMap, BTreeSet};
use wire::units::Scope;

/// One row's samples, with what decides whether they may be compared.
#[derive(Clone, Debug)]
pub struct Series {
    /// The run.
    pub run: String,
    /// The board.
    pub board: String,
    /// Whether the board is emulated.
    pub emulated: bool,
    /// The run's seed.
    pub seed: u64,
    /// What the row is about.
    pub subject: Subject,
    /// What counted.
    pub clock: ClockName,
    /// Whose work it includes.
    pub scope: Scope,
    /// Digest of the outputs.
    pub digest: Option<String>,
    /// The samples that figures may rest on.
    pub readings: Vec<Reading>,
    /// Which of its iterations are draws of their own.
    pub draws: Draws,
    /// The block of each invocation, where the run is made of blocks.
    pub blocks: BTreeMap<u32, u32>,
}

/// A ratio of medians, candidate over baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// The ratio.
    pub ratio: f64,
    /// Its interval at 95 % at least.
    pub interval: Option<(f64, f64)>,
    /// Why there is no interval.
    pub ci_reason: Option<String>,
    /// Whether it is the median of ratios of the same iterations.
    pub paired: bool,
    /// Pairs, or the smaller number of samples.
    pub iterations: usize,
}

/// Why no ratio is formed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Instructions of an emulation are no time of a machine.
    #[error(
        "{emulated} is emulated and {real} is not: instructions of an emulation say nothing of a real board's time"
    )]
    EmulatedAgainstReal {
        /// The emulated board.
        emulated: String,
        /// The other.
        real: String,
    },
    /// The clocks differ.
    #[error("the clocks differ: {baseline} against {candidate}")]
    Clocks {
        /// Clock of the baseline.
        baseline: String,
        /// Clock of the candidate.
        candidate: String,
    },
    /// The clocks count different things.
    #[error("the scopes differ: {clock} of {baseline} against {clock} of {candidate}")]
    Scopes {
        /// The clock.
        clock: &'static str,
        /// Scope of the baseline.
        baseline: &'static str,
        /// Scope of the candidate.
        candidate: &'static str,
    },
    /// There are no samples.
    #[error("no sample of the {0} may be used")]
    NoSamples(&'static str),
    /// Dividing by it means nothing.
    #[error("the baseline counts zero")]
    ZeroBaseline,
}

/// Whether the scopes may be compared. On an emulated board, where instructions do not depend on what else runs, `user` of a
/// process, `guest` of a unikernel and `all` of bare metal each count the operation's own instructions.
fn scopes_fit(a: &Series, b: &Series) -> bool {
    let own = |scope| matches!(scope, Scope::User | Scope::Guest | Scope::All);
    a.scope == b.scope
        || (a.emulated
            && b.emulated
            && a.clock == ClockName::Instructions
            && own(a.scope)
            && own(b.scope))
}

fn clock_with_rate(series: &Series) -> (ClockName, Option<u64>) {
    let rate = series
        .readings
        .first()
        .and_then(|r| r.ticks_rate)
        .filter(|_| series.clock == ClockName::Ticks);
    (series.clock, rate)
}

/// How far two rates of ticks may differ and still be one clock's, as a share. Where the CPU does not say its rate, each start of a program
/// measures it anew, good to a few parts in a million; a ratio of ticks is off by no more than this.
const SAME_RATE: f64 = 1e-4;

fn same_clock(one: &Series, other: &Series) -> bool {
    let ((clock, rate), (other_clock, other_rate)) = (clock_with_rate(one), clock_with_rate(other));
    let rates_fit = match (rate, other_rate) {
        (Some(rate), Some(other)) => (rate as f64 / other as f64 - 1.0).abs() <= SAME_RATE,
        (rate, other) => rate == other,
    };
    clock == other_clock && rates_fit
}

fn refusal(baseline: &Series, candidate: &Series) -> Option<Refusal> {
    if baseline.emulated != candidate.emulated {
        let (emulated, real) = if baseline.emulated {
            (baseline, candidate)
        } else {
            (candidate, baseline)
        };
        return Some(Refusal::EmulatedAgainstReal {
            emulated: emulated.board.clone(),
            real: real.board.clone(),
        });
    }
    for (series, which) in [(baseline, "baseline"), (candidate, "candidate")] {
        if series.readings.is_empty() {
            return Some(Refusal::NoSamples(which));
        }
    }
    if !same_clock(baseline, candidate) {
        let name = |series: &Series| match clock_with_rate(series) {
            (clock, Some(rate)) => format!("{} at {rate} Hz", clock.name()),
            (clock, None) => clock.name().to_owned(),
        };
        return Some(Refusal::Clocks {
            baseline: name(baseline),
            candidate: name(candidate),
        });
    }
    (!scopes_fit(baseline, candidate)).then(|| Refusal::Scopes {
        clock: baseline.clock.name(),
        baseline: baseline.scope.name(),
        candidate: candidate.scope.name(),
    })
}

/// The ratio of `candidate` to `baseline`. Equal digests make pairs of equal iterations, which did the same work: the ratio
/// is the median of the pairs' ratios. Otherwise it is the ratio of the medians.
///
/// # Errors
/// Where the two are unlike.
pub fn ratio(baseline: &Series, candidate: &Series) -> Result<Ratio, Refusal> {
    if let Some(refusal) = refusal(baseline, candidate) {
        return Err(refusal);
    }
    let generator = Generator::named(
        baseline.seed,
        &format!(
            "{}|{}",
            figures::figure_name(baseline.subject),
            figures::figure_name(candidate.subject)
        ),
    );
    let same_outputs = baseline.digest.is_some() && baseline.digest == candidate.digest;
    let pairs = if same_outputs {
        pairs(baseline, candidate)
    } else {
        Vec::new()
    };
    if pairs.is_empty() {
        unpaired(baseline, candidate, generator)
    } else {
        paired(baseline, candidate, pairs, generator)
    }
}

/// Median of each iteration over the invocations.
fn by_iteration(series: &Series) -> BTreeMap<u32, f64> {
    let mut values: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for reading in &series.readings {
        values
            .entry(reading.iteration)
            .or_default()
            .push(reading.count_each());
    }
    values
        .into_iter()
        .filter_map(|(iteration, mut counts)| {
            counts.sort_unstable_by(f64::total_cmp);
            Some((iteration, quantile::median(&counts)?))
        })
        .collect()
}

/// Ratios of the iterations that both have, in ascending order.
fn pairs(baseline: &Series, candidate: &Series) -> Vec<f64> {
    let below = by_iteration(baseline);
    let mut ratios: Vec<f64> = by_iteration(candidate)
        .into_iter()
        .filter_map(|(iteration, value)| {
            let base = *below.get(&iteration)?;
            (base > 0.0).then(|| value / base)
        })
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios
}

fn invocations(series: &Series) -> usize {
    series
        .readings
        .iter()
        .map(|r| r.invocation)
        .collect::<BTreeSet<_>>()
        .len()
}

/// Whether both sides were measured in the same blocks: what changes from block to block meets both.
fn share_blocks(a: &Series, b: &Series) -> bool {
    let blocks = |s: &Series| -> Option<BTreeSet<u32>> {
        let of_reading = |r: &Reading| s.blocks.get(&r.invocation).copied();
        s.readings.iter().map(of_reading).collect()
    };
    a.run == b.run && blocks(a).is_some_and(|of_a| Some(of_a) == blocks(b))
}

/// Why invocations are too few to resample and too many to leave out of account, if they are.
fn too_few_invocations(baseline: &Series, candidate: &Series) -> Option<String> {
    let (a, b) = (invocations(baseline), invocations(candidate));
    let few = a.min(b);
    (a.max(b) > 1 && few < bootstrap::FEWEST).then(|| {
        format!(
            "{few} invocations: an interval across invocations needs {}",
            bootstrap::FEWEST
        )
    })
}

fn paired(
    baseline: &Series,
    candidate: &Series,
    ratios: Vec<f64>,
    generator: Generator,
) -> Result<Ratio, Refusal> {
    let ratio = quantile::median(&ratios).ok_or(Refusal::ZeroBaseline)?;
    let noiseless = baseline.emulated && baseline.clock == ClockName::Instructions;
    let enough = if noiseless { 2 } else { interval::FEWEST };
    let (interval, ci_reason) = if ratios.len() >= enough && ratios.first() == ratios.last() {
        (Some((ratio, ratio)), None)
    } else if let Some(reason) = too_few_invocations(baseline, candidate) {
        (None, Some(reason))
    } else if invocations(baseline) > 1 || baseline.draws.resampled().is_some() {
        (resampled(baseline, candidate, generator), None)
    } else {
        match interval::of_median(&ratios) {
            Some(bounds) => (Some(bounds), None),
            None => (
                None,
                Some(format!(
                    "{} pairs: an interval needs {}",
                    ratios.len(),
                    interval::FEWEST
                )),
            ),
        }
    };
    Ok(Ratio {
        ratio,
        interval,
        ci_reason,
        paired: true,
        iterations: ratios.len(),
    })
}

fn resampled(baseline: &Series, candidate: &Series, generator: Generator) -> Option<(f64, f64)> {
    let in_blocks = share_blocks(baseline, candidate);
    let cells = |s: &Series| {
        let unit = |invocation: u32| match in_blocks {
            true => s.blocks.get(&invocation).copied().unwrap_or(invocation),
            false => invocation,
        };
        let cell = |r: &Reading| PairedCell {
            unit: unit(r.invocation),
            iteration: r.iteration,
            value: r.count_each(),
        };
        s.readings.iter().map(cell).collect::<Vec<_>>()
    };
    let draw = |iteration| baseline.draws.of_iteration(iteration);
    bootstrap::of_paired_ratio(
        &cells(candidate),
        &cells(baseline),
        draw,
        in_blocks,
        generator,
    )
}

fn unpaired(baseline: &Series, candidate: &Series, generator: Generator) -> Result<Ratio, Refusal> {
    let median = |series: &Series| {
        let mut counts: Vec<f64> = series.readings.iter().map(Reading::count_each).collect();
        counts.sort_unstable_by(f64::total_cmp);
        quantile::median(&counts)
    };
    let base = median(baseline)
        .filter(|m| *m > 0.0)
        .ok_or(Refusal::ZeroBaseline)?;
    let ratio = median(candidate).ok_or(Refusal::NoSamples("candidate"))? / base;
    let iterations = baseline.readings.len().min(candidate.readings.len());
    let (interval, ci_reason) = if let Some(reason) = too_few_invocations(baseline, candidate) {
        (None, Some(reason))
    } else if iterations < interval::FEWEST {
        (
            None,
            Some(format!(
                "{iterations} iterations: an interval needs {}",
                interval::FEWEST
            )),
        )
    } else {
        let cells = |s: &Series| figures::table(&s.readings, s.draws, Reading::count_each);
        (
            bootstrap::of_ratio(&cells(candidate), &cells(baseline), generator),
            None,
        )
    };
    Ok(Ratio {
        ratio,
        interval,
        ci_reason,
        paired: false,
        iterations,
    })
}

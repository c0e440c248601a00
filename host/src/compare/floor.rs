//! The smallest overhead that a run can see: the baseline's place against itself.
//!
//! On hardware each block visits that place twice. The two arms are alike in everything but their turn, so their ratio is 1 but for
//! what the run cannot tell apart. An overhead that is no larger than that ratio's distance from 1, its interval included, is none
//! that this run has shown.
use super::groups::series;
use super::ratio::{Series, ratio};
use crate::stats::Evidence;
use crate::stats::evidence::algorithm_name;
use crate::stats::quantile;
use serde::Serialize;
use wire::catalog::Provider;

/// One operation of the baseline's place: its second arm against its first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arms {
    /// The place, for people.
    pub place: String,
    /// The algorithm.
    pub algorithm: String,
    /// The operation.
    pub operation: &'static str,
    /// Where the code comes from.
    pub provider: &'static str,
    /// Second arm over first.
    pub ratio: f64,
    /// Lower end of the ratio's interval.
    pub ci_low: Option<f64>,
    /// Its upper end.
    pub ci_high: Option<f64>,
    /// Why there is none.
    pub ci_reason: Option<String>,
    /// How far the farther end of the interval is from 1; `None` where there is no interval.
    pub floor: Option<f64>,
}

impl Arms {
    /// Whether it is of that operation.
    #[must_use]
    pub fn is_of(&self, algorithm: &str, operation: &str, provider: &str) -> bool {
        (self.algorithm.as_str(), self.operation, self.provider) == (algorithm, operation, provider)
    }
}

/// All operations that a run measured in two arms; none of a run without a second arm.
#[must_use]
pub fn arms(evidence: &Evidence) -> Vec<Arms> {
    if evidence.turns.values().all(|turn| turn.arm == 0) {
        return Vec::new();
    }
    let subjects = evidence.subjects().into_iter();
    subjects
        .filter(|subject| subject.provider != Provider::Null)
        .filter_map(|subject| {
            let all = series(evidence, subject)?;
            let (first, second) = (arm(evidence, &all, 0), arm(evidence, &all, 1));
            if second.readings.is_empty() {
                return None;
            }
            let ratio = ratio(&first, &second).ok()?;
            Some(Arms {
                place: subject.place().to_string(),
                algorithm: algorithm_name(subject.algorithm),
                operation: subject.operation.name(),
                provider: subject.provider.name(),
                floor: ratio
                    .interval
                    .map(|(low, high)| (1.0 - low).abs().max((high - 1.0).abs())),
                ratio: ratio.ratio,
                ci_low: ratio.interval.map(|i| i.0),
                ci_high: ratio.interval.map(|i| i.1),
                ci_reason: ratio.ci_reason,
            })
        })
        .collect()
}

fn arm(evidence: &Evidence, all: &Series, arm: u8) -> Series {
    let mut series = all.clone();
    series
        .readings
        .retain(|reading| evidence.arm(reading.invocation) == arm);
    series
}

/// What the arms of a run come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// The place, for people.
    pub place: String,
    /// Operations with an interval.
    pub operations: usize,
    /// The smallest ratio.
    pub lowest: f64,
    /// The largest ratio.
    pub highest: f64,
    /// The median of the operations' floors, as a share.
    pub median: f64,
    /// The largest of them.
    pub worst: f64,
}

/// Sums up `arms`; `None` where no operation has an interval.
#[must_use]
pub fn floor(arms: &[Arms]) -> Option<Floor> {
    let mut floors: Vec<f64> = arms.iter().filter_map(|arm| arm.floor).collect();
    floors.sort_unstable_by(f64::total_cmp);
    let ratios = || arms.iter().filter(|a| a.floor.is_some()).map(|a| a.ratio);
    Some(Floor {
        place: arms.first()?.place.clone(),
        operations: floors.len(),
        lowest: ratios().fold(f64::INFINITY, f64::min),
        highest: ratios().fold(0.0, f64::max),
        median: quantile::median(&floors)?,
        worst: *floors.last()?,
    })
}

impl std::fmt::Display for Floor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} against itself: ratios {:.4} to {:.4} over {} operations; the smallest overhead that this run can see is {:.2} % in \
             the median operation and {:.2} % in the worst",
            self.place,
            self.lowest,
            self.highest,
            self.operations,
            self.median * 100.0,
            self.worst * 100.0
        )
    }
}

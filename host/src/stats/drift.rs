//! Drift: whether the machine itself changed during a run.
//!
//! A fixed reference operation runs at the beginning and at the end of every start of a program on hardware. It does the same work each
//! time. Each look at it is the median of its iterations, in time, held against the median of all looks from the same place; how that
//! deviation goes with the host's clock is what drifted. The trend is the median of the slopes of all pairs of looks (Sen, "Estimates of
//! the Regression Coefficient Based on Kendall's Tau", Journal of the American Statistical Association 63, 1968), which a few
//! disturbed looks do not bend.
use super::evidence::Evidence;
use super::quantile::median;
use super::reading::unpack;
use crate::model::{Measured, Place};
use serde::Serialize;
use std::collections::BTreeMap;

/// A trend over the run that is worth a warning: 1 %.
pub const TREND_BOUND: f64 = 0.01;
/// A deviation of a single look that is worth a warning: 5 %.
pub const DEVIATION_BOUND: f64 = 0.05;

/// One look at the reference operation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Look {
    /// The invocation.
    pub invocation: u32,
    /// Its place.
    pub place: String,
    /// When, nanoseconds since the Unix epoch.
    pub at_ns: u64,
    /// Median of the reference operation's iterations, in nanoseconds.
    pub nanoseconds: f64,
    /// How far that is from the median of all looks from the same place, as a share.
    pub deviation: f64,
}

/// What the looks come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drift {
    /// The looks, in the order of time.
    pub looks: Vec<Look>,
    /// The deviation that is farthest from 0.
    pub largest_deviation: f64,
    /// What the trend adds up to from the first look to the last, as a share.
    pub trend: f64,
    /// What is past a bound, in a sentence.
    pub warning: Option<String>,
}

impl Drift {
    /// What is to be said of it.
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.warning {
            Some(warning) => format!("warning: {warning}"),
            None => format!(
                "drift: a fixed reference operation changed by {:+.2} % over the run, and by {:+.2} % at most at once",
                self.trend * 100.0,
                self.largest_deviation * 100.0
            ),
        }
    }
}

/// The drift of a run; `None` where nothing watched for it.
#[must_use]
pub fn drift(evidence: &Evidence) -> Option<Drift> {
    let seen: Vec<(u32, Place, u64, f64)> = evidence
        .monitors
        .iter()
        // A block that was throttled is no part of the run's figures.
        .filter(|m| !evidence.is_void(m.invocation))
        .filter_map(|m| {
            Some((
                m.invocation,
                m.subject.place(),
                m.at_ns,
                nanoseconds(evidence, m)?,
            ))
        })
        .collect();
    of_looks(&seen)
}

/// Median of an answer's iterations, the first left out, in nanoseconds.
fn nanoseconds(evidence: &Evidence, measured: &Measured) -> Option<f64> {
    let started = evidence.invocations.get(&measured.invocation)?;
    let rate = started.hello.as_ref()?.body.clocks.ticks.rate?.0;
    let (samples, complete) = unpack(measured);
    let sound = |flags: u8| flags == 0;
    let mut ticks: Vec<u64> = samples
        .iter()
        .filter(|(iteration, sample)| *iteration > 0 && sound(sample.flags))
        .map(|(_, sample)| sample.ticks)
        .collect();
    ticks.sort_unstable();
    let median = median(&ticks).filter(|ticks| complete && rate > 0 && *ticks > 0.0)?;
    Some(median * 1e9 / rate as f64)
}

/// The same from looks: invocation, place, when, nanoseconds.
#[must_use]
pub fn of_looks(seen: &[(u32, Place, u64, f64)]) -> Option<Drift> {
    let mut by_place: BTreeMap<Place, Vec<f64>> = BTreeMap::new();
    for (_, place, _, nanoseconds) in seen {
        by_place.entry(*place).or_default().push(*nanoseconds);
    }
    for values in by_place.values_mut() {
        values.sort_unstable_by(f64::total_cmp);
    }
    let mut looks: Vec<Look> = seen
        .iter()
        .filter_map(|(invocation, place, at_ns, nanoseconds)| {
            let usual = median(by_place.get(place)?)?;
            Some(Look {
                invocation: *invocation,
                place: place.to_string(),
                at_ns: *at_ns,
                nanoseconds: *nanoseconds,
                deviation: nanoseconds / usual - 1.0,
            })
        })
        .collect();
    looks.sort_by_key(|look| look.at_ns);
    let largest_deviation = looks
        .iter()
        .map(|look| look.deviation)
        // Of two that are equally far, the earlier.
        .reduce(|far, next| if next.abs() > far.abs() { next } else { far })?;
    let trend = trend(&looks);
    Some(Drift {
        warning: warning(&looks, largest_deviation, trend),
        looks,
        largest_deviation,
        trend,
    })
}

fn trend(looks: &[Look]) -> f64 {
    let (Some(first), Some(last)) = (looks.first(), looks.last()) else {
        return 0.0;
    };
    let mut slopes: Vec<f64> = Vec::new();
    for (at, early) in looks.iter().enumerate() {
        let later = looks[at + 1..].iter().filter(|l| l.at_ns > early.at_ns);
        slopes
            .extend(later.map(|late| {
                (late.deviation - early.deviation) / (late.at_ns - early.at_ns) as f64
            }));
    }
    slopes.sort_unstable_by(f64::total_cmp);
    median(&slopes).unwrap_or(0.0) * (last.at_ns - first.at_ns) as f64
}

fn warning(looks: &[Look], largest: f64, trend: f64) -> Option<String> {
    let mut causes = Vec::new();
    if trend.abs() > TREND_BOUND {
        causes.push(format!("by {:+.1} % from beginning to end", trend * 100.0));
    }
    if largest.abs() > DEVIATION_BOUND {
        let worst = looks.iter().find(|l| l.deviation == largest)?;
        let (share, place) = (largest * 100.0, &worst.place);
        causes.push(format!(
            "by {share:+.1} % at once, in invocation {} ({place})",
            worst.invocation
        ));
    }
    (!causes.is_empty()).then(|| {
        format!(
            "the machine drifted: a fixed reference operation changed {}; look for heat, frequency scaling or other load",
            causes.join(", and ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(value: impl Fn(u32) -> f64) -> Drift {
        let seen: Vec<_> = (0..20)
            .map(|i| (i, Place::BASELINE, u64::from(i) * 1_000_000_000, value(i)))
            .collect();
        of_looks(&seen).unwrap()
    }

    #[test]
    fn a_steady_machine_gives_no_warning() {
        let drift = looks(|i| 1000.0 + f64::from(i % 3));
        assert_eq!(drift.warning, None);
        assert!(drift.trend.abs() < 0.002 && drift.largest_deviation.abs() < 0.003);
        assert_eq!(of_looks(&[]), None);
    }

    #[test]
    fn a_slope_and_a_step_are_told_apart() {
        let slope = looks(|i| 1000.0 * (1.0 + 0.002 * f64::from(i)));
        assert!((slope.trend - 0.038).abs() < 0.002, "{}", slope.trend);
        assert!(slope.warning.unwrap().contains("from beginning to end"));
        // One disturbed look is no trend.
        let step = looks(|i| if i == 7 { 1300.0 } else { 1000.0 });
        assert!(step.trend.abs() < 1e-9);
        let warning = step.warning.unwrap();
        assert!(
            warning.contains("+30.0 %") && warning.contains("invocation 7"),
            "{warning}"
        );
    }

    #[test]
    fn places_are_held_against_themselves() {
        let container = Place {
            environment: crate::model::Environment::Container,
            ..Place::BASELINE
        };
        let seen: Vec<_> = (0..20)
            .map(|i| {
                let (place, value) = if i % 2 == 0 {
                    (container, 2000.0)
                } else {
                    (Place::BASELINE, 1000.0)
                };
                (i, place, u64::from(i), value)
            })
            .collect();
        assert_eq!(of_looks(&seen).unwrap().largest_deviation, 0.0);
    }
}

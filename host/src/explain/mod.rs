//! Candidate causes of overheads, each with what it predicts for every other family, and what the run says to that. Pure.
//!
//! A [`Contrast`] is one place against another within a run: the same environment with features hidden, a container against a process.
//! A cause is judged by the contrast as a whole, not by one operation: it has to have been at work ([`conditions`]), and what it
//! [predicts](causes) for each family has to hold. A cause that fits is **sufficient** for what it predicts; that nothing else was at work
//! too is not shown by that. Where no cause fits, an overhead is unexplained.
mod causes;
mod conditions;
mod judge;
mod shares;

pub use causes::{CAUSES, Cause, Prediction};
pub use conditions::Condition;
pub use shares::Share;

use crate::compare::{By, Compared, compare};
use crate::stats::Evidence;
use serde::Serialize;

/// A ratio above this is an overhead that asks for a cause, unless the user names another bound.
pub const BOUND: f64 = 1.05;

/// What there is to say of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// The run.
    pub run: String,
    /// Its board.
    pub board: String,
    /// Whether the board is emulated: ratios are then of instructions.
    pub emulated: bool,
    /// Ratios above this are overheads.
    pub bound: f64,
    /// Pairs of places with an overhead.
    pub contrasts: Vec<Contrast>,
    /// Pairs of places that were compared.
    pub compared: usize,
    /// What ran beside the operations, by place.
    pub shares: Vec<Share>,
}

/// One place against another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contrast {
    /// What the two differ in.
    pub by: &'static str,
    /// The one that is divided by.
    pub baseline: String,
    /// The one that is held against it.
    pub candidate: String,
    /// What the two have in common, for people: `native/shared`.
    pub within: String,
    /// What counted.
    pub clock: &'static str,
    /// Ratios past the bound, the largest first.
    pub overheads: Vec<Overhead>,
    /// The causes, each with its verdict.
    pub causes: Vec<Assessed>,
}

/// A ratio past the bound.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overhead {
    /// The algorithm.
    pub algorithm: String,
    /// The operation.
    pub operation: &'static str,
    /// Where the code comes from.
    pub provider: &'static str,
    /// Candidate over baseline.
    pub ratio: f64,
    /// Lower end of its interval.
    pub ci_low: Option<f64>,
    /// Upper end of its interval.
    pub ci_high: Option<f64>,
    /// The smallest overhead that the run can see here, as a share; `None` where nothing was measured twice.
    pub floor: Option<f64>,
    /// Causes that fit; empty where it is unexplained.
    pub causes: Vec<&'static str>,
    /// Functions that left a trace in the baseline, the outermost first.
    pub baseline_path: Vec<String>,
    /// The same of the candidate.
    pub candidate_path: Vec<String>,
}

/// A cause, as it stands in one contrast.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assessed {
    /// Its name.
    pub cause: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// What the run says of whether it was at work.
    pub evidence: String,
    /// What it predicts for the families that were measured, and what was seen.
    pub predictions: Vec<Held>,
    /// The command that would put it to the test.
    pub test: &'static str,
}

/// How a cause stands in a contrast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It was at work, and all that it predicts is seen.
    Fits,
    /// It was at work, and something that it predicts is not seen: it cannot be all of it.
    Contradicted,
    /// It was not at work.
    Absent,
    /// The run does not say whether it was at work.
    Untested,
}

impl Verdict {
    /// For people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Contradicted => "contradicted",
            Self::Absent => "not at work",
            Self::Untested => "not tested by this run",
        }
    }
}

/// One prediction beside what was seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Held {
    /// The family, or those sets of it that the causes tell apart.
    pub family: String,
    /// The operation.
    pub operation: &'static str,
    /// Smallest ratio that was to be expected; `None` where the cause says nothing of this family.
    pub low: Option<f64>,
    /// Largest.
    pub high: Option<f64>,
    /// Smallest ratio that was seen.
    pub seen_low: f64,
    /// Largest ratio that was seen.
    pub seen_high: f64,
    /// Whether what was seen lies within what was expected; `None` where nothing was.
    pub holds: Option<bool>,
}

/// Explains the overheads of a run.
#[must_use]
pub fn explain(evidence: &Evidence, bound: f64) -> Explained {
    let mut contrasts = Vec::new();
    let mut compared = 0;
    for by in [By::Environment, By::Dispatch, By::Stack, By::Provider] {
        let ratios = compare(&[evidence], by).ratios;
        for group in grouped(&ratios, by) {
            compared += 1;
            contrasts.extend(judge::contrast(evidence, by, &group, bound));
        }
    }
    Explained {
        run: evidence.provenance.run.clone(),
        board: evidence.provenance.board.clone(),
        emulated: evidence.provenance.emulated,
        bound,
        contrasts,
        compared,
        shares: shares::shares(evidence),
    }
}

/// The ratios of one pair of places each.
fn grouped(ratios: &[Compared], by: By) -> Vec<Vec<&Compared>> {
    let mut groups: Vec<Vec<&Compared>> = Vec::new();
    for ratio in ratios {
        let key = |c: &Compared| {
            let place = within(c, by);
            (c.baseline.clone(), c.candidate.clone(), place)
        };
        match groups.iter_mut().find(|g| key(g[0]) == key(ratio)) {
            Some(group) => group.push(ratio),
            None => groups.push(vec![ratio]),
        }
    }
    groups
}

/// What both sides have in common.
fn within(c: &Compared, by: By) -> String {
    let parts = [
        (By::Environment, c.environment),
        (By::Dispatch, c.dispatch),
        (By::Stack, c.stack),
    ];
    let common: Vec<&str> = parts
        .iter()
        .filter(|(of, _)| *of != by)
        .map(|(_, name)| *name)
        .collect();
    common.join("/")
}

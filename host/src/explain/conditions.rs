//! Whether a cause was at work in a contrast: what the targets said of themselves.
use super::causes::At;
use crate::compare::{By, Compared};
use crate::model::{Environment, Stack};
use crate::stats::{Evidence, drift};
use std::collections::BTreeSet;
use std::str::FromStr;
use wire::message::Dispatch;

/// What the run says of a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It was at work.
    Present(String),
    /// It was not.
    Absent(String),
    /// The run does not say.
    Unknown(String),
}

/// One side of a contrast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    /// The environment.
    pub environment: Environment,
    /// The dispatch.
    pub dispatch: Dispatch,
    /// The stack.
    pub stack: Stack,
}

impl Side {
    /// Both sides of a ratio: baseline, candidate.
    pub fn both(c: &Compared, by: By) -> Option<(Self, Self)> {
        let side = |label: &str| {
            let name = |of: By, own: &'static str| {
                if by == of {
                    label.to_owned()
                } else {
                    own.to_owned()
                }
            };
            Some(Self {
                environment: Environment::from_str(&name(By::Environment, c.environment)).ok()?,
                dispatch: [Dispatch::Detected, Dispatch::Portable]
                    .into_iter()
                    .find(|d| d.name() == name(By::Dispatch, c.dispatch))?,
                stack: [Stack::Shared, Stack::Stock]
                    .into_iter()
                    .find(|s| s.name() == name(By::Stack, c.stack))?,
            })
        };
        Some((side(&c.baseline)?, side(&c.candidate)?))
    }

    /// CPU features that the providers were shown there; `None` where no start of the program is known.
    fn features(self, evidence: &Evidence) -> Option<BTreeSet<String>> {
        let hello = evidence.invocations.values().find_map(|started| {
            let hello = started.hello.as_ref()?;
            let here = (
                started.invocation.environment,
                started.invocation.stack,
                hello.body.dispatch,
            );
            (here == (self.environment, self.stack, self.dispatch)).then_some(hello)
        })?;
        Some(hello.body.cpu.features_used.iter().cloned().collect())
    }
}

/// Whether what a cause stands for was at work between the two sides of `ratios`.
pub(super) fn condition(at: At, evidence: &Evidence, by: By, ratios: &[&Compared]) -> Condition {
    let Some((baseline, candidate)) = ratios.first().and_then(|c| Side::both(c, by)) else {
        return Condition::Unknown("the places are not known".to_owned());
    };
    match at {
        At::Features => features(evidence, baseline, candidate),
        At::Registers => {
            Condition::Absent("both sides of a run are programs of one build".to_owned())
        }
        At::Stack => match baseline.stack == candidate.stack {
            true => Condition::Absent(format!(
                "both sides have the {} stack",
                baseline.stack.name()
            )),
            false => Condition::Present(format!(
                "{} against {}: another C library, allocator and source of randomness",
                candidate.stack.name(),
                baseline.stack.name()
            )),
        },
        At::Work => work(ratios),
        At::Beside => beside(evidence, baseline, candidate),
        At::Time => time(evidence),
        At::Library => match by {
            By::Provider => Condition::Present("the sides are different libraries".to_owned()),
            _ => Condition::Absent("both sides are the same library, of the same build".to_owned()),
        },
    }
}

fn features(evidence: &Evidence, baseline: Side, candidate: Side) -> Condition {
    let (Some(before), Some(after)) = (baseline.features(evidence), candidate.features(evidence))
    else {
        return Condition::Unknown("a side did not say which CPU features it has".to_owned());
    };
    let words = |set: &mut dyn Iterator<Item = &String>| {
        let list: Vec<&str> = set.map(String::as_str).collect();
        if list.is_empty() {
            "none".to_owned()
        } else {
            list.join(" ")
        }
    };
    let hidden: Vec<&String> = before.difference(&after).collect();
    match hidden.is_empty() {
        true => Condition::Absent(format!(
            "both sides show the providers: {}",
            words(&mut after.iter())
        )),
        false => Condition::Present(format!(
            "hidden from the candidate's providers: {}; left: {}",
            words(&mut hidden.into_iter()),
            words(&mut after.iter())
        )),
    }
}

fn work(ratios: &[&Compared]) -> Condition {
    let other = ratios.iter().filter(|c| !c.same_outputs).count();
    match other {
        0 => Condition::Absent(format!(
            "equal digests of the outputs in {} of {0} operations",
            ratios.len()
        )),
        _ => Condition::Present(format!(
            "the digests of the outputs differ, or are missing, in {other} of {} operations",
            ratios.len()
        )),
    }
}

fn beside(evidence: &Evidence, baseline: Side, candidate: Side) -> Condition {
    if evidence.provenance.emulated {
        return Condition::Absent(
            "the clock counts the operation's own instructions; kernel and hypervisor are not in it, and are listed by place".to_owned(),
        );
    }
    match baseline.environment == candidate.environment {
        true => Condition::Absent("both sides ran in the same environment".to_owned()),
        false => Condition::Unknown(
            "the clock may include interrupts, faults and exits; shares by place are listed"
                .to_owned(),
        ),
    }
}

fn time(evidence: &Evidence) -> Condition {
    if evidence.provenance.emulated {
        return Condition::Absent(
            "an instruction count does not depend on frequency or heat".to_owned(),
        );
    }
    match drift::drift(evidence) {
        Some(drift) => match &drift.warning {
            Some(warning) => Condition::Present(warning.clone()),
            None => Condition::Absent(drift.sentence()),
        },
        None => Condition::Unknown("the run has no monitor of drift".to_owned()),
    }
}

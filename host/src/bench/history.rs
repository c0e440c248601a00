//! What a run's journal holds already, when the run is resumed. Pure.
use crate::model::{Environment, Planned, Provenance, Record, Repeated, Subject};
use crate::plan::Item;
use std::collections::{BTreeMap, BTreeSet};

/// What need not be done again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// What the run is, where the journal says it.
    pub provenance: Option<Provenance>,
    /// The numbers that its pilot led to.
    pub plan: Option<Vec<Planned>>,
    /// The invocations in which each subject was measured completely, or showed its fault.
    pub complete: BTreeMap<Subject, BTreeSet<u32>>,
    /// What was given up.
    pub skipped: BTreeSet<(Environment, Item)>,
    /// The next invocation's number.
    pub next_invocation: u32,
}

impl History {
    /// Reads a journal's records.
    #[must_use]
    pub fn from_records(records: &[Record]) -> Self {
        let mut history = Self::default();
        for record in records {
            match record {
                Record::Begin { provenance } => {
                    history.provenance = serde_json::from_str(provenance).ok();
                }
                Record::Plan(plan) => history.plan = Some(plan.clone()),
                Record::Repeated(list) => {
                    Repeated::apply(list, history.plan.as_deref_mut().unwrap_or_default());
                }
                Record::Invocation(invocation) => {
                    history.next_invocation = history.next_invocation.max(invocation.id + 1);
                }
                Record::Measured(m) => {
                    let samples: u32 = m.samples.iter().map(|b| b.samples).sum();
                    if m.fault.is_some() || samples == m.iterations {
                        let invocations = history.complete.entry(m.subject).or_default();
                        invocations.insert(m.invocation);
                    }
                }
                Record::Skipped {
                    environment,
                    operation: Some(item),
                    ..
                } => {
                    history.skipped.insert((*environment, *item));
                }
                // What is void is to be measured again.
                Record::Void { invocations, .. } => {
                    for complete in history.complete.values_mut() {
                        complete.retain(|invocation| !invocations.contains(invocation));
                    }
                }
                Record::Skipped { .. }
                | Record::Link { .. }
                | Record::Fact { .. }
                | Record::Turn(_)
                | Record::Conditions(_)
                | Record::Monitor(_)
                | Record::Remark { .. }
                | Record::End { .. } => {}
            }
        }
        history
    }

    /// Whether `subject` needs no `repetition` any more, counted from 0.
    #[must_use]
    pub fn has(&self, subject: &Subject, repetition: u32) -> bool {
        let item = (subject.algorithm, subject.provider, subject.operation);
        let measured = self.complete.get(subject).map_or(0, BTreeSet::len);
        measured > repetition as usize || self.skipped.contains(&(subject.environment, item))
    }
}

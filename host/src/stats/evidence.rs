//! What a run's records say, sorted out.
use super::draws::Draws;
use crate::model::{
    Conditions, Environment, Invocation, Measured, Planned, Provenance, Record, Repeated, Status,
    Subject, Turn,
};
use std::collections::{BTreeMap, BTreeSet};
use wire::catalog::{AlgorithmId, Operation, Provider};
use wire::hello::Hello;
use wire::message::FaultKind;

/// An invocation, with its Hello read.
#[derive(Clone, Debug)]
pub struct Started {
    /// As recorded.
    pub invocation: Invocation,
    /// What the target found itself in; `None` where the bytes are no Hello of a version that is known here.
    pub hello: Option<Hello>,
}

impl Started {
    /// The boot that the invocation came from, in hexadecimal.
    #[must_use]
    pub fn boot(&self) -> Option<String> {
        self.hello.as_ref().map(|h| crate::hex::hex(&h.body.boot))
    }
}

/// An environment or operation that was asked for and not measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The environment.
    pub environment: Environment,
    /// The operation, where it is not the whole environment.
    pub operation: Option<(AlgorithmId, Provider, Operation)>,
    /// Why.
    pub reason: String,
}

/// A block that was measured while the board was throttled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Void {
    /// The block.
    pub block: u32,
    /// The invocations that it is made of.
    pub invocations: Vec<u32>,
    /// Why.
    pub reason: String,
}

/// The records of a run cannot be understood at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the record that says what the run is (its first) is missing or damaged")]
pub struct NoProvenance;

/// A run's records, sorted out.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// What the run is.
    pub provenance: Provenance,
    /// The plan; where it was recorded more than once, each operation as last recorded.
    pub plan: Vec<Planned>,
    /// The invocations, by number.
    pub invocations: BTreeMap<u32, Started>,
    /// The answers to run commands, in the order in which they arrived.
    pub measured: Vec<Measured>,
    /// Where invocations stand in the run's blocks, by number; those of a run without blocks stand nowhere.
    pub turns: BTreeMap<u32, Turn>,
    /// The answers about the reference operation of the drift monitor, in the order in which they arrived.
    pub monitors: Vec<Measured>,
    /// What the board was like, in the order in which it was looked at.
    pub conditions: Vec<Conditions>,
    /// Blocks that are in no figure.
    pub void: Vec<Void>,
    /// What was not measured.
    pub skipped: Vec<Skipped>,
    /// What the link had to put right: invocation and event.
    pub link: Vec<(u32, String)>,
    /// What the targets said by their log: invocation and text.
    pub remarks: Vec<(u32, String)>,
    /// Provenance learnt during the run.
    pub facts: BTreeMap<String, String>,
    /// How the run ended; [`Status::Cut`] where no end was recorded after the last measurement.
    pub status: Status,
    /// Milliseconds that measuring took, all attempts together.
    pub milliseconds: u64,
    /// Records that contradict themselves or each other, in sentences.
    pub problems: Vec<String>,
}

impl Evidence {
    /// Sorts out `records`. `known` stands in for a first record that was lost.
    ///
    /// # Errors
    /// Where there is no provenance.
    pub fn from_records(
        records: Vec<Record>,
        known: Option<Provenance>,
    ) -> Result<Self, NoProvenance> {
        let provenance = records
            .iter()
            .find_map(|record| match record {
                Record::Begin { provenance } => serde_json::from_str(provenance).ok(),
                _ => None,
            })
            .or(known)
            .ok_or(NoProvenance)?;
        let mut evidence = Self {
            provenance,
            plan: Vec::new(),
            invocations: BTreeMap::new(),
            measured: Vec::new(),
            turns: BTreeMap::new(),
            monitors: Vec::new(),
            conditions: Vec::new(),
            void: Vec::new(),
            skipped: Vec::new(),
            link: Vec::new(),
            remarks: Vec::new(),
            facts: BTreeMap::new(),
            status: Status::Cut,
            milliseconds: 0,
            problems: Vec::new(),
        };
        for record in records {
            evidence.take(record);
        }
        evidence.look_for_orphans();
        Ok(evidence)
    }

    /// Samples without the Hello that says by which clock they were counted cannot be used.
    fn look_for_orphans(&mut self) {
        let known = &self.invocations;
        let orphans: BTreeSet<u32> = self
            .measured
            .iter()
            .map(|m| m.invocation)
            .filter(|id| !known.contains_key(id))
            .collect();
        self.problems.extend(orphans.iter().map(|id| {
            format!("the start of invocation {id} is not recorded: its samples have no clock and are in no figure")
        }));
    }

    fn take(&mut self, record: Record) {
        match record {
            Record::Begin { .. } => {}
            Record::Plan(planned) => {
                for new in planned {
                    let key = |p: &Planned| (p.provider, p.algorithm, p.operation);
                    self.plan.retain(|old| key(old) != key(&new));
                    self.plan.push(new);
                }
            }
            Record::Invocation(invocation) => {
                self.status = Status::Cut;
                let hello = Hello::from_bytes(&invocation.hello);
                if let Err(error) = &hello {
                    self.problems.push(format!(
                        "the Hello of invocation {}: {error}",
                        invocation.id
                    ));
                }
                let started = Started {
                    hello: hello.ok(),
                    invocation,
                };
                let id = started.invocation.id;
                if self.invocations.insert(id, started).is_some() {
                    self.problems.push(format!(
                        "invocation {id} is recorded twice; the last one counts"
                    ));
                }
            }
            Record::Measured(measured) => {
                self.status = Status::Cut;
                self.measured.push(measured);
            }
            Record::Skipped {
                environment,
                operation,
                reason,
            } => {
                let skipped = Skipped {
                    environment,
                    operation,
                    reason,
                };
                // A resumed run skips again what it cannot do.
                if !self.skipped.contains(&skipped) {
                    self.skipped.push(skipped);
                }
            }
            Record::Turn(turn) => {
                self.turns.insert(turn.invocation, turn);
            }
            Record::Monitor(seen) => self.monitors.push(seen),
            Record::Conditions(seen) => self.conditions.push(seen),
            Record::Void {
                block,
                invocations,
                reason,
            } => self.void.push(Void {
                block,
                invocations,
                reason,
            }),
            Record::Link { invocation, event } => self.link.push((invocation, event)),
            Record::Repeated(list) => Repeated::apply(&list, &mut self.plan),
            Record::Remark { invocation, text } => self.remarks.push((invocation, text)),
            Record::Fact { key, value } => {
                self.facts.insert(key, value);
            }
            Record::End {
                status,
                milliseconds,
            } => {
                self.status = status;
                self.milliseconds = self.milliseconds.saturating_add(milliseconds);
            }
        }
    }

    /// What was measured, in the order of tables: by algorithm, provider, operation, then environment, dispatch, stack.
    #[must_use]
    pub fn subjects(&self) -> Vec<Subject> {
        let mut subjects: Vec<Subject> = self.measured.iter().map(|m| m.subject).collect();
        subjects.sort_by_key(|s| {
            (
                s.algorithm,
                s.provider,
                s.operation,
                s.environment,
                s.dispatch,
                s.stack,
            )
        });
        subjects.dedup();
        subjects
    }

    /// The answers about `subject`, in the order in which they arrived.
    pub fn measured_of(&self, subject: Subject) -> impl Iterator<Item = &Measured> {
        self.measured.iter().filter(move |m| m.subject == subject)
    }

    /// The plan of the operation that `subject` names.
    #[must_use]
    pub fn planned(&self, subject: Subject) -> Option<&Planned> {
        self.plan.iter().find(|p| {
            (p.provider, p.algorithm, p.operation)
                == (subject.provider, subject.algorithm, subject.operation)
        })
    }

    /// Number of warm-up iterations of the operation that `subject` names.
    #[must_use]
    pub fn warm_up(&self, subject: Subject) -> u32 {
        self.planned(subject).map_or(0, |p| p.warm_up)
    }

    /// Executions that each sample of `subject` counts.
    #[must_use]
    pub fn executions(&self, subject: Subject) -> u32 {
        self.planned(subject).map_or(1, |p| p.executions)
    }

    /// Which iterations of the operation that `subject` names are draws of their own.
    #[must_use]
    pub fn draws(&self, subject: Subject) -> Draws {
        Draws::of(self.planned(subject))
    }

    /// Whether `invocation` is of a block that is in no figure.
    #[must_use]
    pub fn is_void(&self, invocation: u32) -> bool {
        self.void
            .iter()
            .any(|v| v.invocations.contains(&invocation))
    }

    /// Which of the two arms of the baseline's place `invocation` belongs to: 0 everywhere else.
    #[must_use]
    pub fn arm(&self, invocation: u32) -> u8 {
        self.turns.get(&invocation).map_or(0, |turn| turn.arm)
    }
}

/// The fault's name in tables, JSON and files.
#[must_use]
pub fn fault_name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::ProviderFailed => "provider-failed",
        FaultKind::WrongResult => "wrong-result",
        FaultKind::Counter => "counter",
        FaultKind::StackExhausted => "stack-exhausted",
        FaultKind::HeapExhausted => "heap-exhausted",
        FaultKind::Exception => "exception",
        FaultKind::Panic => "panic",
        FaultKind::Aborted => "aborted",
        FaultKind::Hung => "hung",
        FaultKind::RandomnessExhausted => "randomness-exhausted",
    }
}

/// The algorithm's canonical name; `unknown-N` for an id that this version's catalogue does not hold.
#[must_use]
pub fn algorithm_name(id: AlgorithmId) -> String {
    wire::catalog::Algorithm::by_id(id)
        .map_or_else(|| format!("unknown-{}", id.0), |a| a.name.to_owned())
}

//! What a run's records say, once repeats are resolved.
//!
//! After a broken link or a resumed run the same iteration of the same invocation may have been measured more than once. The
//! last complete command that covers it counts; a command is complete if it ended without a fault and its samples cover all
//! iterations that were asked for. Where none is complete, the last sample counts, and it stays marked.
use super::clock::{self, ClockName, TotalSource};
use crate::model::{
    Environment, Invocation, Measured, Planned, Provenance, Record, Status, Subject,
};
use std::collections::BTreeMap;
use wire::catalog::{AlgorithmId, Operation, Provider};
use wire::hello::Hello;
use wire::message::FaultKind;
use wire::samples::Sample;
use wire::units::Scope;

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
        self.hello.as_ref().map(|h| super::hex::hex(&h.body.boot))
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

/// One iteration, named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The invocation.
    pub invocation: u32,
    /// The iteration.
    pub iteration: u32,
    /// Whether it belongs to the first iterations of its invocation, which are left out of figures.
    pub warm_up: bool,
    /// What `count` counts.
    pub clock: ClockName,
    /// Whose work `count` includes.
    pub scope: Scope,
    /// The count.
    pub count: u64,
    /// The same iteration over all exception levels.
    pub total: Option<u64>,
    /// Where `total` comes from.
    pub total_source: TotalSource,
    /// The same iteration in ticks.
    pub ticks: u64,
    /// Rate of the ticks, in hertz.
    pub ticks_rate: Option<u64>,
    /// Doubts, a set of `wire::samples::FLAG_` bits.
    pub flags: u8,
    /// What went wrong with the command that it belongs to.
    pub fault: Option<FaultKind>,
}

impl Reading {
    /// Whether figures may rest on it.
    #[must_use]
    pub fn counts(&self) -> bool {
        !self.warm_up && self.flags == 0 && self.fault.is_none()
    }
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
    /// What was not measured.
    pub skipped: Vec<Skipped>,
    /// What the link had to put right: invocation and event.
    pub link: Vec<(u32, String)>,
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
            skipped: Vec::new(),
            link: Vec::new(),
            facts: BTreeMap::new(),
            status: Status::Cut,
            milliseconds: 0,
            problems: Vec::new(),
        };
        for record in records {
            evidence.take(record);
        }
        Ok(evidence)
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
                self.skipped.push(Skipped {
                    environment,
                    operation,
                    reason,
                });
            }
            Record::Link { invocation, event } => self.link.push((invocation, event)),
            Record::Fact { key, value } => {
                self.facts.insert(key, value);
            }
            Record::End {
                status,
                milliseconds,
            } => {
                self.status = status;
                self.milliseconds += milliseconds;
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

    /// Number of warm-up iterations of the operation that `subject` names.
    #[must_use]
    pub fn warm_up(&self, subject: Subject) -> u32 {
        self.plan
            .iter()
            .find(|p| {
                (p.provider, p.algorithm, p.operation)
                    == (subject.provider, subject.algorithm, subject.operation)
            })
            .map_or(0, |p| p.warm_up)
    }

    /// The iterations of `subject` that were measured, repeats resolved, by invocation and iteration. Samples of an invocation
    /// whose Hello cannot be read have no clock and are left out; [`Self::problems`] names the invocation.
    #[must_use]
    pub fn readings(&self, subject: Subject) -> Vec<Reading> {
        let warm_up = self.warm_up(subject);
        let mut ranked: Vec<(bool, Reading)> = Vec::new();
        for measured in self.measured_of(subject) {
            let Some(hello) = self
                .invocations
                .get(&measured.invocation)
                .and_then(|s| s.hello.as_ref())
            else {
                continue;
            };
            let clocks = &hello.body.clocks;
            let (samples, complete) = unpack(measured);
            let source = clock::total_source(&clocks.total, subject.environment, &self.provenance);
            ranked.extend(samples.into_iter().map(|(iteration, sample)| {
                let reading = Reading {
                    invocation: measured.invocation,
                    iteration,
                    warm_up: iteration < warm_up,
                    clock: clock::name(clocks.count.counter, &self.provenance),
                    scope: clocks.count.scope,
                    count: clock::count(&sample, &clocks.count),
                    total: clock::total(&sample, source, &self.provenance),
                    total_source: source,
                    ticks: sample.ticks,
                    ticks_rate: clocks.ticks.rate.map(|rate| rate.0),
                    flags: sample.flags,
                    fault: measured.fault.as_ref().map(|fault| fault.kind),
                };
                (complete, reading)
            }));
        }
        // Stable: of equal keys the one that arrived last stays last.
        ranked.sort_by_key(|(complete, r)| (r.invocation, r.iteration, *complete));
        let mut kept: Vec<Reading> = Vec::with_capacity(ranked.len());
        for (_, reading) in ranked {
            match kept.last_mut() {
                Some(last)
                    if (last.invocation, last.iteration)
                        == (reading.invocation, reading.iteration) =>
                {
                    *last = reading;
                }
                _ => kept.push(reading),
            }
        }
        kept
    }

    /// All readings, subject by subject; one subject's are in memory at a time.
    pub fn all_readings(&self) -> impl Iterator<Item = (Subject, Reading)> {
        self.subjects().into_iter().flat_map(|subject| {
            self.readings(subject)
                .into_iter()
                .map(move |r| (subject, r))
        })
    }
}

/// The samples of one answer, each with its iteration, and whether the command is complete: it ended without a fault and its
/// samples cover all iterations that were asked for. Batches that contradict themselves are left out.
#[must_use]
pub fn unpack(measured: &Measured) -> (Vec<(u32, Sample)>, bool) {
    let mut samples = Vec::new();
    let mut next = u64::from(measured.first);
    let mut gapless = true;
    for batch in &measured.samples {
        gapless &= u64::from(batch.first) == next;
        match batch.unpack() {
            Ok(unpacked) => samples.extend((batch.first..).zip(unpacked)),
            Err(_) => gapless = false,
        }
        next += u64::from(batch.samples);
    }
    let covered = next == u64::from(measured.first) + u64::from(measured.iterations);
    (samples, gapless && covered && measured.fault.is_none())
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
    }
}

/// The algorithm's canonical name; `unknown-N` for an id that this version's catalogue does not hold.
#[must_use]
pub fn algorithm_name(id: AlgorithmId) -> String {
    wire::catalog::Algorithm::by_id(id)
        .map_or_else(|| format!("unknown-{}", id.0), |a| a.name.to_owned())
}

//! Conducts a run: who starts what where, in which order, and what becomes of it when something fails.
//!
//! One thread drives each machine (an emulator here; a board on a desk is another), one thread writes the journal. The first
//! environment runs the pilot that fixes the numbers of iterations; the others wait for it. Each start of a program in an
//! environment is an invocation. This room joins the edges and is used by `cli` alone.
mod bare;
mod control;
mod error;
mod handover;
mod history;
mod identity;
mod interrupt;
mod journal;
mod linux;
mod local;
mod machine;
mod meter;
mod monitor;
mod pilot;
mod program;
mod scratch;
mod talk;
mod together;
mod worker;

pub use bare::{BareBoard, Guest, KVM_QEMU, Wrap};
pub use error::BenchError;
pub use history::History;
pub use identity::{random, run_id, wire_id};
pub use interrupt::Interrupt;
pub use journal::Journaled;
pub use linux::LinuxBoard;
pub use local::{LocalBoard, LocalPrograms};
pub use machine::{Machine, MachineError};
pub use meter::Meter;
pub use program::Program;
pub use scratch::Scratch;
pub use worker::{NOT_HELD, REPEATS};

use crate::model::{Environment, Record, Stack, Status};
use crate::plan::{Item, Plan, PlannedPlace, Visit, blocks};
use handover::Handover;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use wire::message::MainClock;

/// What shall be measured.
#[derive(Clone, Debug)]
pub struct Job {
    /// The run's id, as it travels on the link.
    pub wire_id: [u8; 16],
    /// The seed.
    pub seed: u64,
    /// What samples are counted by.
    pub clock: MainClock,
    /// The plan.
    pub plan: Plan,
    /// The operations, in order.
    pub items: Vec<Item>,
    /// Where to measure, in order: the first place runs the pilot.
    pub places: Vec<PlannedPlace>,
    /// Whether the board is emulated: its clock has no noise, and neither blocks nor a monitor of drift would say anything.
    pub emulated: bool,
    /// How long measuring may take, where that is limited.
    pub limit: Option<Duration>,
    /// The program of each environment and stack, where its file is known: a Hello with another build id is refused.
    pub programs: BTreeMap<(Environment, Stack), Program>,
    /// How long an environment may take to its Hello.
    pub boot_patience: Duration,
    /// Counts per second to reckon with, at least, when waiting for an answer.
    pub slowest: u64,
    /// How long a board that was throttled is left alone before its block is measured again.
    pub cooling: Duration,
    /// How the sessions wait and retry.
    pub limits: crate::link::Limits,
}

impl Job {
    /// Starts of a program in each place.
    #[must_use]
    pub fn invocations(&self) -> u32 {
        self.plan.starts(self.emulated)
    }

    /// The visits of a machine that has `environments`, in order.
    #[must_use]
    pub fn visits(&self, environments: &[Environment]) -> Vec<Visit> {
        let is_here = |p: &&PlannedPlace| environments.contains(&p.place.environment);
        let here: Vec<_> = self.places.iter().filter(is_here).copied().collect();
        blocks(&here, self.invocations(), !self.emulated, self.seed)
    }

    /// Starts of a program that the run is made of; on hardware with those of the baseline's second arm.
    #[must_use]
    pub fn starts(&self) -> u64 {
        let each = self.places.len() + usize::from(!self.emulated);
        each as u64 * u64::from(self.invocations())
    }
}

/// The environments of one machine, and how the machine is made: on the thread that drives it.
pub struct Crew<'a> {
    /// The environments, in order.
    pub environments: Vec<Environment>,
    /// Makes the machine.
    pub machine: Box<dyn FnOnce() -> Result<Box<dyn Machine>, MachineError> + Send + 'a>,
}

/// How a run went.
#[derive(Debug)]
pub struct Ending {
    /// The status to archive it with.
    pub status: Status,
    /// What failed, one for each machine that did.
    pub errors: Vec<BenchError>,
    /// Wall time of measuring.
    pub elapsed: Duration,
    /// Warnings, in sentences: faults, operations that were given up.
    pub warnings: Vec<String>,
    /// What the links had to put right.
    pub repairs: u64,
}

/// What all threads of a run share.
struct Conductor<'a> {
    job: &'a Job,
    history: &'a History,
    interrupt: &'a Interrupt,
    meter: &'a Meter,
    journal: Sender<Record>,
    handover: &'a Handover,
    next_invocation: &'a AtomicU32,
    rate: &'a AtomicU64,
    repairs: &'a AtomicU64,
    begin: Instant,
}

/// Measures `job`, leaving out what `history` holds, and journals every answer as it comes.
///
/// # Errors
/// None: what failed is in the ending, and what was measured is in the journal.
pub fn conduct(
    job: &Job,
    history: &History,
    journal: &mut dyn Journaled,
    crews: Vec<Crew<'_>>,
    interrupt: &Interrupt,
    meter: &Meter,
) -> Ending {
    let begin = Instant::now();
    // On an emulated board machines disturb no count of each other's; elsewhere their visits take turns.
    let crews = match job.emulated {
        true => crews,
        false => together::together(crews),
    };
    let (sender, records) = std::sync::mpsc::channel();
    let handover = Handover::new(history.plan.clone());
    let next_invocation = AtomicU32::new(history.next_invocation);
    let rate = AtomicU64::new(0);
    let repairs = AtomicU64::new(0);
    let pilot_in = job.places.first().map(|p| p.place.environment);
    let conductor = Conductor {
        job,
        history,
        interrupt,
        meter,
        journal: sender,
        handover: &handover,
        next_invocation: &next_invocation,
        rate: &rate,
        repairs: &repairs,
        begin,
    };
    if let Some(plan) = &history.plan {
        meter.begin(
            "measure",
            crate::plan::work(plan).saturating_mul(job.starts()),
        );
    }
    let mut errors = Vec::new();
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || journal::write(journal, &records, interrupt));
        let threads: Vec<_> = crews
            .into_iter()
            .map(|crew| {
                let conductor = conductor.share();
                scope.spawn(move || {
                    let pilots = crew
                        .environments
                        .iter()
                        .any(|environment| Some(*environment) == pilot_in);
                    let result = worker::drive(&conductor, crew, pilots);
                    if result.is_err() && pilots {
                        // Without numbers the others have nothing to do.
                        conductor.handover.give_up();
                    }
                    result
                })
            })
            .collect();
        // The writer ends once nobody holds a sender any more.
        drop(conductor);
        for thread in threads {
            match thread.join() {
                Ok(Ok(())) => {}
                Ok(Err(error)) => errors.push(error),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        match writer.join() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => errors.insert(0, error),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    meter.done();
    let status = if interrupt.is_set() {
        Status::Interrupted
    } else if errors.is_empty() {
        Status::Complete
    } else {
        Status::Failed
    };
    // An interruption is no failure of anything.
    errors.retain(|error| !matches!(error, BenchError::Interrupted | BenchError::NoPlan));
    Ending {
        status,
        errors,
        elapsed: begin.elapsed(),
        warnings: meter.warnings(),
        repairs: repairs.into_inner(),
    }
}

impl<'a> Conductor<'a> {
    /// The same for another thread.
    fn share(&self) -> Conductor<'a> {
        Conductor {
            journal: self.journal.clone(),
            ..*self
        }
    }

    /// Hands a record to the journal's writer.
    fn record(&self, record: Record) -> Result<(), BenchError> {
        // A writer that is gone has reported why.
        self.journal
            .send(record)
            .map_err(|_| BenchError::Interrupted)
    }
}

//! Readings: the iterations of a run, each with what its numbers mean, repeats resolved.
//!
//! After a broken link or a resumed run the same iteration of the same invocation may have been measured more than once. The
//! last complete command that covers it counts; a command is complete if it ended without a fault and its samples cover all
//! iterations that were asked for. Where none is complete, the last sample counts, and it stays marked.
use super::clock::{self, ClockName, TotalSource};
use super::evidence::Evidence;
use crate::model::{Measured, Subject};
use wire::message::FaultKind;
use wire::samples::Sample;
use wire::units::Scope;

/// One iteration, named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The invocation.
    pub invocation: u32,
    /// The iteration.
    pub iteration: u32,
    /// Whether it belongs to the first iterations of its invocation, which are left out of figures.
    pub warm_up: bool,
    /// Whether its block is void: the board was throttled.
    pub void: bool,
    /// What `count` counts.
    pub clock: ClockName,
    /// Whose work `count` includes.
    pub scope: Scope,
    /// Executions that the sample counts: its numbers are sums over them.
    pub executions: u32,
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
    /// Whether that command is complete.
    pub complete: bool,
}

impl Reading {
    /// The count of one execution.
    #[must_use]
    pub fn count_each(&self) -> f64 {
        self.each(self.count)
    }

    /// The same over all exception levels.
    #[must_use]
    pub fn total_each(&self) -> Option<f64> {
        self.total.map(|total| self.each(total))
    }

    /// Nanoseconds of one execution, from ticks; `None` where their rate is not known.
    #[must_use]
    pub fn nanoseconds_each(&self) -> Option<f64> {
        let rate = self.ticks_rate.filter(|rate| *rate > 0)?;
        Some(self.each(self.ticks) * 1e9 / rate as f64)
    }

    fn each(&self, sum: u64) -> f64 {
        sum as f64 / f64::from(self.executions.max(1))
    }

    /// Whether figures may rest on it.
    #[must_use]
    pub fn counts(&self) -> bool {
        !self.warm_up && !self.void && self.flags == 0 && self.fault.is_none()
    }
}

impl Evidence {
    /// The iterations of `subject` that were measured, repeats resolved, by invocation and iteration. Samples of an invocation
    /// whose Hello cannot be read have no clock and are left out; [`Self::problems`] names the invocation.
    #[must_use]
    pub fn readings(&self, subject: Subject) -> Vec<Reading> {
        let warm_up = self.warm_up(subject);
        let executions = self.executions(subject);
        let mut readings: Vec<Reading> = Vec::new();
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
            readings.extend(samples.into_iter().map(|(iteration, sample)| Reading {
                invocation: measured.invocation,
                iteration,
                warm_up: iteration < warm_up,
                void: self.is_void(measured.invocation),
                clock: clock::name(clocks.count.counter, &self.provenance),
                scope: clocks.count.scope,
                executions,
                count: clock::count(&sample, &clocks.count),
                total: clock::total(&sample, source, &self.provenance),
                total_source: source,
                ticks: sample.ticks,
                ticks_rate: clocks.ticks.rate.map(|rate| rate.0),
                flags: sample.flags,
                fault: measured.fault.as_ref().map(|fault| fault.kind),
                complete,
            }));
        }
        // Stable: of equal keys the one that arrived last stays last, and the last one is kept.
        readings.sort_by_key(|r| (r.invocation, r.iteration, r.complete));
        readings.dedup_by(|later, kept| {
            let repeated = (later.invocation, later.iteration) == (kept.invocation, kept.iteration);
            if repeated {
                *kept = *later;
            }
            repeated
        });
        readings
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
        let Ok(unpacked) = batch.unpack() else {
            gapless = false;
            continue;
        };
        let numbered = unpacked.into_iter().enumerate();
        // No iteration has a number past u32: such samples contradict themselves too.
        samples.extend(numbered.filter_map(|(at, sample)| {
            let iteration = batch.first.checked_add(u32::try_from(at).ok()?)?;
            Some((iteration, sample))
        }));
        next += u64::from(batch.samples);
    }
    let covered = next == u64::from(measured.first) + u64::from(measured.iterations);
    (samples, gapless && covered && measured.fault.is_none())
}

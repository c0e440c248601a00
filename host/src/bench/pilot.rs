//! The pilot: one iteration of each operation, in a start of its own, to learn what it costs.
use super::machine::Machine;
use super::talk::{After, Talk, talk};
use super::{BenchError, Conductor};
use crate::model::{Place, Record, Repeated};
use crate::plan::{Item, estimate, work};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Instant;
use wire::message::RunRequest;
use wire::samples::Sample;

/// The invocation that the pilot calls itself: it is none of the run's.
pub const INVOCATION: u32 = u32::MAX;

/// Runs the pilot in `place`, fixes the plan, journals it and hands it over.
pub fn run(
    conductor: &Conductor<'_>,
    machine: &mut dyn Machine,
    place: Place,
) -> Result<(), BenchError> {
    let job = conductor.job;
    let total = job.items.iter().map(|i| expected(*i)).sum();
    conductor.meter.begin("pilot", total);
    let mut counts = BTreeMap::new();
    let mut ticks = BTreeMap::new();
    let mut left: Vec<Item> = job.items.clone();
    let begin = Instant::now();
    // A program that an operation ends is started again for the rest, once for each operation at most.
    while !left.is_empty() {
        let before = left.len();
        match attempt(conductor, machine, place, &mut left, &mut |item, sample| {
            counts.insert(item, sample.count);
            ticks.insert(item, sample.ticks);
        }) {
            Err(BenchError::Link { source, .. })
                if source.is_restartable() && machine.board_ended().is_none() => {}
            result => result?,
        }
        if left.len() == before {
            // Not even the first one came to an end: its fault shows in the run proper.
            left.remove(0);
        }
    }
    let spent: u64 = counts.values().sum();
    let rate = spent as f64 / begin.elapsed().as_secs_f64().max(1e-3);
    conductor.rate.store(rate as u64, Ordering::Relaxed);
    let limit = job.limit.map(|limit| {
        let seconds = limit
            .saturating_sub(conductor.begin.elapsed())
            .as_secs_f64();
        // The machine with the most environments takes longest; starts take time, too.
        (seconds * rate / job.starts().max(1) as f64) as u64
    });
    let mut fixed = job.plan.fix(&job.items, &counts, limit);
    // An emulated board's clock has no noise that more ticks would drown.
    if !job.emulated {
        job.plan.repeat(&mut fixed.operations, &ticks);
    }
    if fixed.reduced_by > 1 {
        conductor.meter.warn(format!(
            "the budget of time means fewer iterations: the plan's budget of counts was divided by {}",
            fixed.reduced_by
        ));
        conductor.record(Record::Fact {
            key: "plan.reduced_by".to_owned(),
            value: fixed.reduced_by.to_string(),
        })?;
    }
    conductor.record(Record::Plan(fixed.operations.clone()))?;
    let repeated = Repeated::of(&fixed.operations);
    if !repeated.is_empty() {
        conductor.record(Record::Repeated(repeated))?;
    }
    conductor.meter.begin(
        "measure",
        work(&fixed.operations).saturating_mul(job.starts()),
    );
    conductor.handover.publish(fixed.operations);
    Ok(())
}

fn attempt(
    conductor: &Conductor<'_>,
    machine: &mut dyn Machine,
    place: Place,
    left: &mut Vec<Item>,
    seen: &mut dyn FnMut(Item, &Sample),
) -> Result<(), BenchError> {
    let start = Talk {
        place,
        invocation: INVOCATION,
        turn: None,
    };
    talk(conductor, machine, start, &mut Vec::new(), &mut |session| {
        while let Some((algorithm, provider, operation)) = left.first().copied() {
            let item = (algorithm, provider, operation);
            conductor.meter.at(&super::worker::label(place, item));
            let request = RunRequest {
                algorithm,
                provider,
                operation,
                seed: conductor.job.seed,
                first: 0,
                iterations: 1,
                keys: 1,
                inputs: 1,
            };
            let patience = super::worker::patience(conductor.job, expected(item));
            let parts = match session.run(&request, patience, &mut |_| {}) {
                Ok(parts) => parts,
                // The program does not hold it: the run proper says so.
                Err(crate::link::LinkError::Refused { .. }) => {
                    left.remove(0);
                    continue;
                }
                // The run proper shows that it hangs.
                Err(crate::link::LinkError::Hung { .. }) => {
                    left.remove(0);
                    return Ok(After::Kill);
                }
                Err(error) => return Err(error),
            };
            left.remove(0);
            conductor.meter.add(expected(item));
            let sample = parts.samples.first().and_then(|b| b.unpack().ok());
            match (&parts.fault, sample.as_deref()) {
                (None, Some([sample, ..])) => {
                    seen(item, sample);
                }
                (Some(fault), _) if super::worker::is_fatal(fault.kind) => return Ok(After::Ends),
                _ => {}
            }
        }
        Ok(After::Stop)
    })
}

/// What the pilot of one operation takes, before anything is known.
fn expected(item: Item) -> u64 {
    estimate::count(item) + estimate::preparation(item)
}

//! Drives one machine through its environments.
use super::machine::Machine;
use super::talk::{After, Noted, Talk, now_ns, record_events, record_remarks, talk};
use super::{BenchError, Conductor, Crew, Job, MachineError, monitor, pilot};
use crate::link::{IDENTIFY, LinkError, Session};
use crate::model::{Environment, Measured, Place, Planned, Record, Stack, Subject};
use crate::plan::{Item, NULL, Visit, cost, cost_alone};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use wire::catalog::Algorithm;
use wire::message::{Dispatch, Fault, FaultKind, RunRequest};

/// Least patience with any command.
const FLOOR: Duration = Duration::from_secs(30);

/// How often an operation may end the program before it is given up.
const ATTEMPTS: u32 = 2;

/// Why an operation is left out that the program does not offer.
pub const NOT_HELD: &str = "the program does not hold it";

/// How often a block is measured again that is void because the board was throttled.
pub const REPEATS: u32 = 3;

/// Iterations of the empty operation where the plan has none: it says what the harness costs.
const REFERENCE: u32 = 101;

/// Makes the crew's machine and drives it through its visits. `pilots`: it runs the pilot first, if there is no plan yet.
pub fn drive(conductor: &Conductor<'_>, crew: Crew<'_>, pilots: bool) -> Result<(), BenchError> {
    let visits = conductor.job.visits(&crew.environments);
    let Some(first) = visits.first().map(|v| v.place.place) else {
        return Ok(());
    };
    let failed = |source| machine_error(first.environment, source);
    let mut machine = (crew.machine)().map_err(failed)?;
    if pilots && conductor.handover.known().is_none() {
        let place = conductor.job.places.first().map_or(first, |p| p.place);
        pilot::run(conductor, machine.as_mut(), place)?;
    }
    let plan = conductor.handover.wait(conductor.interrupt)?;
    let mut failures = Failures::default();
    let block = |visit: &Visit| visit.turn.map(|turn| turn.block);
    for visits in visits.chunk_by(|one, next| block(one) == block(next)) {
        for attempt in 0.. {
            let mut noted = Vec::new();
            let goes_on = visit_all(
                conductor,
                machine.as_mut(),
                visits,
                &plan,
                &mut failures,
                &mut noted,
            )?;
            if !goes_on {
                return failures.first();
            }
            let Some(block) = visits.first().and_then(block) else {
                break;
            };
            if !declare_void(conductor, block, noted, attempt)? {
                break;
            }
            cool(conductor)?;
        }
    }
    failures.first()
}

/// What failed so far.
#[derive(Default)]
struct Failures {
    errors: Vec<BenchError>,
    /// What could not be started once is not tried again in every block.
    places: Vec<(Environment, Stack)>,
}

impl Failures {
    fn first(self) -> Result<(), BenchError> {
        self.errors.into_iter().next().map_or(Ok(()), Err)
    }
}

/// Makes `visits`, in order; `false` where the machine is gone and none of the others can be made.
fn visit_all(
    conductor: &Conductor<'_>,
    machine: &mut dyn Machine,
    visits: &[Visit],
    plan: &[Planned],
    failures: &mut Failures,
    noted: &mut Vec<Noted>,
) -> Result<bool, BenchError> {
    for visit in visits {
        let Place {
            environment, stack, ..
        } = visit.place.place;
        if failures.places.contains(&(environment, stack)) {
            continue;
        }
        let result = at_place(conductor, machine, *visit, plan, noted);
        for (key, value) in machine.take_facts() {
            conductor.record(Record::Fact { key, value })?;
        }
        match result {
            Ok(()) => {}
            Err(BenchError::Interrupted) => return Err(BenchError::Interrupted),
            // The other places of this machine may be well, unless the machine itself is gone.
            Err(error) => {
                let over = machine.board_ended().is_some();
                failures.errors.push(error);
                failures.places.push((environment, stack));
                if over {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// Declares a block void in which the board was throttled. Whether it is to be measured again: not for ever.
fn declare_void(
    conductor: &Conductor<'_>,
    block: u32,
    noted: Vec<Noted>,
    attempt: u32,
) -> Result<bool, BenchError> {
    let Some(reason) = noted.iter().find_map(|n| n.throttled.clone()) else {
        return Ok(false);
    };
    let again = attempt < REPEATS;
    let then = match again {
        true => "it is measured again",
        false => "the run goes on without it; cool the board, or feed it better",
    };
    conductor.meter.warn(format!(
        "block {block} is void, attempt {} of {}: {reason}; {then}",
        attempt + 1,
        REPEATS + 1
    ));
    conductor.record(Record::Void {
        block,
        invocations: noted.into_iter().map(|n| n.invocation).collect(),
        reason,
    })?;
    Ok(again)
}

/// Lets the board cool before a block is measured again.
fn cool(conductor: &Conductor<'_>) -> Result<(), BenchError> {
    let begin = Instant::now();
    while begin.elapsed() < conductor.job.cooling {
        if conductor.interrupt.ends() {
            return Err(BenchError::Interrupted);
        }
        std::thread::sleep(Duration::from_millis(50).min(conductor.job.cooling));
    }
    Ok(())
}

pub(super) fn machine_error(environment: Environment, source: MachineError) -> BenchError {
    match source {
        MachineError::Interrupted => BenchError::Interrupted,
        source => BenchError::Machine {
            environment,
            source,
        },
    }
}

/// One visit: measures what was not measured before.
fn at_place(
    conductor: &Conductor<'_>,
    machine: &mut dyn Machine,
    visit: Visit,
    plan: &[Planned],
    noted: &mut Vec<Noted>,
) -> Result<(), BenchError> {
    let place = visit.place.place;
    let (wanted, dear): (Vec<Planned>, Vec<Planned>) =
        plan.iter().partition(|p| visit.place.takes(p, plan));
    if visit.repetition == 0 && !dear.is_empty() {
        let names: Vec<String> = dear.iter().map(name).collect();
        conductor.record(Record::Fact {
            key: format!("left_out.{place}"),
            value: format!("too dear for the plan here: {}", names.join(", ")),
        })?;
    }
    let left: Vec<Planned> = wanted
        .into_iter()
        .filter(|p| !conductor.history.has(&subject(place, p), visit.repetition))
        .collect();
    let all: u64 = plan.iter().map(|p| cost(p, plan)).sum();
    conductor
        .meter
        .add(all - left.iter().map(|p| cost(p, plan)).sum::<u64>());
    measure(conductor, machine, visit, left, plan, noted)
}

fn name(planned: &Planned) -> String {
    let algorithm = Algorithm::by_id(planned.algorithm).map_or("unknown", |a| a.name);
    format!("{algorithm} {}", planned.operation)
}

pub(super) fn subject(place: Place, planned: &Planned) -> Subject {
    Subject {
        environment: place.environment,
        dispatch: place.dispatch,
        stack: place.stack,
        provider: planned.provider,
        algorithm: planned.algorithm,
        operation: planned.operation,
    }
}

/// Measures what is `left`, in one start of the program, or in more where it ends early.
fn measure(
    conductor: &Conductor<'_>,
    machine: &mut dyn Machine,
    visit: Visit,
    mut left: Vec<Planned>,
    plan: &[Planned],
    noted: &mut Vec<Noted>,
) -> Result<(), BenchError> {
    let place = visit.place.place;
    let environment = place.environment;
    let mut endings: BTreeMap<Item, u32> = BTreeMap::new();
    let mut idle_starts = 0;
    let mut mute_starts = 0;
    while !left.is_empty() {
        let start = Talk {
            place,
            turn: visit.turn,
            invocation: conductor.next_invocation.fetch_add(1, Ordering::Relaxed),
        };
        let before = left.len();
        let result = talk(conductor, machine, start, noted, &mut |session| {
            run_all(conductor, session, start, &mut left, plan)
        });
        let Err(BenchError::Link { source, .. }) = &result else {
            result?;
            continue;
        };
        if !source.is_restartable() || machine.board_ended().is_some() {
            return result;
        }
        let reason = source.to_string();
        conductor.record(Record::Link {
            invocation: start.invocation,
            event: reason.clone(),
        })?;
        idle_starts = if left.len() < before {
            0
        } else {
            idle_starts + 1
        };
        // A program that ends before it says who it is ends by no operation's doing.
        mute_starts = match source {
            LinkError::Ended { command, .. } if command == IDENTIFY => mute_starts + 1,
            _ => 0,
        };
        if mute_starts > ATTEMPTS || idle_starts > 2 * ATTEMPTS {
            return Err(BenchError::KeepsEnding {
                environment,
                times: mute_starts.max(idle_starts),
                last: reason,
            });
        }
        let Some(first) = left.first().copied().filter(|_| mute_starts == 0) else {
            continue;
        };
        let item = (first.algorithm, first.provider, first.operation);
        let times = endings.entry(item).or_default();
        *times += 1;
        if *times >= ATTEMPTS {
            left.remove(0);
            give_up(conductor, place, item, &reason)?;
        }
    }
    Ok(())
}

fn give_up(
    conductor: &Conductor<'_>,
    place: Place,
    item: Item,
    reason: &str,
) -> Result<(), BenchError> {
    conductor
        .meter
        .warn(format!("{} is left out: {reason}", label(place, item)));
    conductor.record(Record::Skipped {
        environment: place.environment,
        operation: Some(item),
        reason: reason.to_owned(),
    })
}

/// Runs what is `left`, in order, and takes from it what is done.
fn run_all(
    conductor: &Conductor<'_>,
    session: &mut Session<'_>,
    start: Talk,
    left: &mut Vec<Planned>,
    plan: &[Planned],
) -> Result<After, LinkError> {
    let place = start.place;
    let journal = |result: Result<(), BenchError>| result.map_err(|_| LinkError::Interrupted);
    let offers = session.list()?;
    let is_offered = |p: &Planned| {
        offers
            .iter()
            .any(|o| (o.algorithm, o.provider) == (p.algorithm, p.provider))
    };
    for missing in left.extract_if(.., |p| !is_offered(p)) {
        let item = (missing.algorithm, missing.provider, missing.operation);
        journal(give_up(conductor, place, item, NOT_HELD))?;
    }
    let (algorithm, provider, operation) = NULL;
    let reference = Planned {
        provider,
        algorithm,
        operation,
        iterations: REFERENCE,
        warm_up: 1,
        keys: 1,
        inputs: 1,
        pilot_count: 0,
        executions: 1,
    };
    let is_null = |p: &Planned| (p.algorithm, p.provider) == (algorithm, provider);
    if !plan.iter().any(is_null) && is_offered(&reference) {
        let measured = run_one(conductor, session, start, &reference, plan)?;
        journal(conductor.record(Record::Measured(measured)))?;
    }
    let watched = monitor::of(conductor.job, &offers);
    monitor::look(conductor, session, start, watched)?;
    while let Some(planned) = left.first().copied() {
        let item = (planned.algorithm, planned.provider, planned.operation);
        conductor.meter.at(&label(place, item));
        let mut result = run_one(conductor, session, start, &planned, plan);
        if let Err(error @ LinkError::Hung { .. }) = &result {
            result = Ok(hanging(start, &planned, error.to_string()));
        }
        journal(record_events(conductor, session, start.invocation))?;
        let measured = match result {
            Ok(measured) => measured,
            Err(error @ LinkError::Refused { .. }) => {
                left.remove(0);
                journal(give_up(conductor, place, item, &error.to_string()))?;
                continue;
            }
            Err(error) => return Err(error),
        };
        left.remove(0);
        let fault = measured.fault.clone();
        journal(conductor.record(Record::Measured(measured)))?;
        if let Some(fault) = fault {
            conductor.meter.warn(format!(
                "{} failed in iteration {}: {}",
                label(place, item),
                fault.iteration,
                fault.text
            ));
            if fault.kind == FaultKind::Hung {
                return Ok(After::Kill);
            }
            if is_fatal(fault.kind) {
                return Ok(After::Ends);
            }
        }
    }
    monitor::look(conductor, session, start, watched)?;
    Ok(After::Stop)
}

/// What there is to say of an operation that does not come to an end. No link carries it: the target is at work.
fn hanging(start: Talk, planned: &Planned, text: String) -> Measured {
    Measured {
        invocation: start.invocation,
        subject: subject(start.place, planned),
        first: 0,
        iterations: planned.iterations,
        at_ns: now_ns(),
        samples: Vec::new(),
        digest: None,
        memory: None,
        fault: Some(Fault {
            kind: FaultKind::Hung,
            iteration: 0,
            code: 0,
            address: 0,
            text,
        }),
        path: Vec::new(),
    }
}

/// Runs one operation of `plan`.
pub(super) fn run_one(
    conductor: &Conductor<'_>,
    session: &mut Session<'_>,
    start: Talk,
    planned: &Planned,
    plan: &[Planned],
) -> Result<Measured, LinkError> {
    let job = conductor.job;
    let expected = cost(planned, plan);
    let request = RunRequest {
        algorithm: planned.algorithm,
        provider: planned.provider,
        operation: planned.operation,
        seed: job.seed,
        first: 0,
        iterations: planned.iterations,
        keys: planned.keys,
        inputs: planned.inputs,
    };
    let mut shown = 0;
    let patience = patience(job, cost_alone(planned, plan));
    let parts = session.run_repeated(&request, planned.executions, patience, &mut |arrived| {
        let now = expected * u64::from(arrived) / u64::from(planned.iterations.max(1));
        conductor.meter.add(now.saturating_sub(shown));
        shown = shown.max(now);
    })?;
    conductor.meter.add(expected.saturating_sub(shown));
    let readable = job
        .programs
        .get(&(start.place.environment, start.place.stack));
    let readable = readable.and_then(|program| program.readable.as_ref());
    record_remarks(conductor, start, &parts.log, &parts.encoded_log)
        .map_err(|_| LinkError::Interrupted)?;
    Ok(Measured {
        invocation: start.invocation,
        subject: subject(start.place, planned),
        first: 0,
        iterations: planned.iterations,
        at_ns: now_ns(),
        samples: parts.samples,
        digest: parts.digest,
        memory: parts.memory,
        fault: parts.fault,
        path: readable.map(|r| r.path(&parts.trail)).unwrap_or_default(),
    })
}

/// How long to wait for an answer to a command that counts `expected`, before it is thought lost.
pub fn patience(job: &Job, expected: u64) -> Duration {
    FLOOR + Duration::from_secs(expected / job.slowest.max(1))
}

/// Whether the program ends after such a fault: it cannot know what state it is in.
pub fn is_fatal(kind: FaultKind) -> bool {
    match kind {
        FaultKind::ProviderFailed
        | FaultKind::WrongResult
        | FaultKind::Counter
        | FaultKind::RandomnessExhausted => false,
        FaultKind::StackExhausted
        | FaultKind::HeapExhausted
        | FaultKind::Exception
        | FaultKind::Panic
        | FaultKind::Aborted
        | FaultKind::Hung => true,
    }
}

/// An operation in a place, for people.
pub fn label(place: Place, (algorithm, _, operation): Item) -> String {
    let name = Algorithm::by_id(algorithm).map_or("unknown", |a| a.name);
    let mut text = place.environment.name().to_owned();
    if place.dispatch == Dispatch::Portable {
        text += " portable";
    }
    if place.stack == Stack::Stock {
        text += " stock";
    }
    format!("{text} {name} {operation}")
}

//! One start of a program, from its Hello to its end.
use super::machine::Machine;
use super::worker::machine_error;
use super::{BenchError, Conductor, MachineError, pilot, program};
use crate::link::{LinkError, Session, Stop};
use crate::model::{Conditions, Invocation, Place, Record, Turn};
use crate::stats::throttle::throttled;
use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};
use wire::message::Identify;
use wire::units::Ticks;

/// A start of a program.
#[derive(Clone, Copy, Debug)]
pub struct Talk {
    /// Where.
    pub place: Place,
    /// Its number.
    pub invocation: u32,
    /// Where it stands in the run's blocks, if there are any.
    pub turn: Option<Turn>,
}

/// How a program comes to its end after what was done in its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// It is told to stop.
    Stop,
    /// It ends by itself.
    Ends,
    /// It does not listen any more, and is killed.
    Kill,
}

/// An invocation, and why its block is void, if the board was throttled in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The invocation.
    pub invocation: u32,
    /// How that was seen.
    pub throttled: Option<String>,
}

/// What is done in a session.
type Act<'a> = &'a mut dyn FnMut(&mut Session<'_>) -> Result<After, LinkError>;

/// Starts the program, hears its Hello, does what `act` does, and ends the program.
pub fn talk(
    conductor: &Conductor<'_>,
    machine: &mut dyn Machine,
    start: Talk,
    noted: &mut Vec<Noted>,
    act: Act<'_>,
) -> Result<(), BenchError> {
    let Talk {
        place, invocation, ..
    } = start;
    let environment = place.environment;
    machine
        .start(place, invocation)
        .map_err(|source| machine_error(environment, source))?;
    let (port, state) = machine
        .link()
        .ok_or(MachineError::NotStarted)
        .map_err(|source| machine_error(environment, source))?;
    let state = RefCell::new(state);
    let mut watch = || match conductor.interrupt.ends() {
        true => Err(Stop::Interrupted),
        false => state.borrow_mut().look(),
    };
    let mut session = Session::open(port, &mut watch, conductor.job.limits);
    let mut conditions = |after| {
        let found = state.borrow_mut().conditions()?;
        Some(Conditions {
            invocation,
            after,
            at_ns: now_ns(),
            ..found
        })
    };
    let result = converse(conductor, &mut session, start, &mut conditions, noted, act);
    // After all measurements, so that none of them is disturbed; on hardware in the first block alone.
    let is_first = start.turn.is_none_or(|turn| turn.block == 0);
    if matches!(result, Ok(After::Stop)) && invocation != pilot::INVOCATION && is_first {
        weigh(conductor, &mut session, place, &mut || {
            state.borrow_mut().weigh()
        })?;
    }
    let told = match result {
        Ok(After::Stop) => session.stop().is_ok(),
        Ok(After::Ends) => true,
        Ok(After::Kill) | Err(_) => false,
    };
    record_events(conductor, &mut session, invocation)?;
    if matches!(result, Err(BenchError::Interrupted)) {
        return Err(BenchError::Interrupted);
    }
    let ended = match machine.board_ended() {
        None => machine.end(told),
        Some(_) => Ok(()),
    };
    result?;
    ended.map_err(|source| machine_error(environment, source))
}

fn converse(
    conductor: &Conductor<'_>,
    session: &mut Session<'_>,
    start: Talk,
    conditions: &mut dyn FnMut(bool) -> Option<Conditions>,
    noted: &mut Vec<Noted>,
    act: Act<'_>,
) -> Result<After, BenchError> {
    let Talk {
        place,
        invocation,
        turn,
    } = start;
    let environment = place.environment;
    let job = conductor.job;
    let failed = |source| match source {
        LinkError::Interrupted => BenchError::Interrupted,
        source => BenchError::Link {
            environment,
            invocation,
            source,
        },
    };
    let identify = Identify {
        run: job.wire_id,
        invocation,
        dispatch: place.dispatch,
    };
    let greeting = session
        .hello_counting(&identify, job.clock, job.boot_patience)
        .map_err(failed)?;
    let program = job.programs.get(&(environment, place.stack));
    let found = greeting.hello.prefix.build_id;
    if let Some(program) = program
        && program.build_id != found
    {
        return Err(BenchError::OtherProgram {
            environment,
            found: program::hex(&found),
            built: program::hex(&program.build_id),
        });
    }
    if invocation != pilot::INVOCATION {
        conductor.record(Record::Invocation(Invocation {
            id: invocation,
            environment,
            stack: place.stack,
            at_ns: now_ns(),
            hello: greeting.bytes,
            program_sha256: program.map(|p| p.sha256.clone()).unwrap_or_default(),
        }))?;
        if let Some(turn) = turn {
            conductor.record(Record::Turn(Turn { invocation, ..turn }))?;
        }
        record_remarks(conductor, start, &[], &greeting.encoded_log)?;
    }
    if invocation == pilot::INVOCATION {
        return act(session).map_err(failed);
    }
    let before = conditions(false);
    record_conditions(conductor, before.as_ref())?;
    let result = act(session).map_err(failed);
    let after = conditions(true);
    noted.push(Noted {
        invocation,
        throttled: before
            .zip(after.as_ref())
            .and_then(|(before, after)| throttled(&before, after)),
    });
    record_conditions(conductor, after.as_ref())?;
    result
}

fn record_conditions(
    conductor: &Conductor<'_>,
    seen: Option<&Conditions>,
) -> Result<(), BenchError> {
    match seen {
        Some(seen) => conductor.record(Record::Conditions(seen.clone())),
        None => Ok(()),
    }
}

/// What the program takes to be there goes to the archive: as it sees itself, and as the board sees it.
fn weigh(
    conductor: &Conductor<'_>,
    session: &mut Session<'_>,
    place: Place,
    board: &mut dyn FnMut() -> Vec<(String, u64)>,
) -> Result<(), BenchError> {
    // A link that fails here fails again at once, where it is handled.
    let own = session.footprint().unwrap_or_default();
    let ticks = |instant: Option<Ticks>| instant.map(|t| t.0);
    let own = [
        ("read_only", own.read_only),
        ("writable", own.writable),
        ("resident", own.resident),
        ("proportional", own.proportional),
        ("peak", own.peak),
        ("group_peak", own.group_peak),
        ("entered", ticks(own.entered)),
        ("ready", ticks(own.ready)),
    ];
    let own = own
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    for (key, value) in own.chain(board()) {
        conductor.record(Record::Fact {
            key: format!("footprint.{place}.{key}"),
            value: value.to_string(),
        })?;
    }
    Ok(())
}

/// What the target said by its log goes to the journal: `plain` as it is, `encoded` by the texts that its program's file has.
pub fn record_remarks(
    conductor: &Conductor<'_>,
    start: Talk,
    plain: &[String],
    encoded: &[u8],
) -> Result<(), BenchError> {
    let program = (start.place.environment, start.place.stack);
    let program = conductor.job.programs.get(&program);
    let readable = program.and_then(|program| program.readable.as_ref());
    let decoded = readable.map(|readable| readable.log(encoded));
    for text in plain.iter().chain(decoded.iter().flatten()) {
        conductor.record(Record::Remark {
            invocation: start.invocation,
            text: text.clone(),
        })?;
    }
    Ok(())
}

/// What the link put right goes to the journal.
pub fn record_events(
    conductor: &Conductor<'_>,
    session: &mut Session<'_>,
    invocation: u32,
) -> Result<(), BenchError> {
    if invocation == pilot::INVOCATION {
        return Ok(());
    }
    for event in session.take_events() {
        conductor.repairs.fetch_add(1, Ordering::Relaxed);
        conductor.record(Record::Link { invocation, event })?;
    }
    Ok(())
}

/// The host's clock.
pub fn now_ns() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
        })
}

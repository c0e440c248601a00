//! The monitor of drift: a fixed reference operation, run at the beginning and at the end of every start of a program on hardware. It
//! does the same work each time, so that what changes is the machine. `stats::drift` says what is made of it.
use super::talk::Talk;
use super::{Conductor, Job, worker};
use crate::link::LinkError;
use crate::model::{Planned, Record};
use wire::catalog::{Algorithm, Operation, Provider};
use wire::message::Offer;

/// Constant work without a table or a branch on what it draws, and in every program.
const REFERENCE: (&str, Provider, Operation) = ("X25519", Provider::Classical, Operation::Derive);

/// Some milliseconds on any board.
const ITERATIONS: u32 = 51;

/// The reference operation, where `job` watches for drift and the program offers it.
pub fn of(job: &Job, offers: &[Offer]) -> Option<Planned> {
    let (name, provider, operation) = REFERENCE;
    let algorithm = Algorithm::by_name(name)?.id;
    let is_it = |o: &Offer| (o.algorithm, o.provider) == (algorithm, provider);
    (!job.emulated && offers.iter().any(is_it)).then_some(Planned {
        provider,
        algorithm,
        operation,
        iterations: ITERATIONS,
        warm_up: 1,
        // One piece of work, again and again.
        keys: 1,
        inputs: 1,
        pilot_count: 0,
        executions: 1,
    })
}

/// Runs it once more, and records it apart from what is measured.
pub fn look(
    conductor: &Conductor<'_>,
    session: &mut crate::link::Session<'_>,
    start: Talk,
    watched: Option<Planned>,
) -> Result<(), LinkError> {
    let Some(planned) = watched else {
        return Ok(());
    };
    let seen = match worker::run_one(conductor, session, start, &planned, &[]) {
        Ok(seen) => seen,
        // Without a monitor the run is still a run.
        Err(LinkError::Refused { .. }) => return Ok(()),
        Err(error) => return Err(error),
    };
    conductor
        .record(Record::Monitor(seen))
        .map_err(|_| LinkError::Interrupted)
}

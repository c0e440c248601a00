//! What ends a machine's part of a run.
use super::MachineError;
use crate::link::LinkError;
use crate::model::Environment;

/// Why a machine's part of a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Ctrl-C, or the journal cannot be written.
    #[error("interrupted")]
    Interrupted,
    /// The machine that runs the pilot failed: the numbers of iterations are not known.
    #[error("the pilot did not come to an end")]
    NoPlan,
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] crate::archive::Error),
    /// The board failed.
    #[error("{environment}: {source}")]
    Machine {
        /// Where.
        environment: Environment,
        /// Why.
        source: MachineError,
    },
    /// The link failed.
    #[error("{environment}{}: {source}", start(*invocation))]
    Link {
        /// Where.
        environment: Environment,
        /// In which start of the program.
        invocation: u32,
        /// Why.
        source: LinkError,
    },
    /// The program that answers is not the one that was built.
    #[error(
        "{environment}: the program that answers has build id {found}, the one that was built has {built}; stop whatever else runs on the board"
    )]
    OtherProgram {
        /// Where.
        environment: Environment,
        /// From the Hello.
        found: String,
        /// From the file.
        built: String,
    },
    /// The program keeps ending.
    #[error(
        "{environment}: the program ended {times} times without finishing an operation; last: {last}"
    )]
    KeepsEnding {
        /// Where.
        environment: Environment,
        /// How often.
        times: u32,
        /// What was seen.
        last: String,
    },
}

impl BenchError {
    /// Whether a disk was full: that is no fault of the board.
    #[must_use]
    pub fn no_room(&self) -> bool {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(self);
        while let Some(error) = cause {
            let disk = error.downcast_ref::<std::io::Error>();
            if disk.is_some_and(|e| e.kind() == std::io::ErrorKind::StorageFull) {
                return true;
            }
            cause = error.source();
        }
        false
    }
}

fn start(invocation: u32) -> String {
    match invocation {
        super::pilot::INVOCATION => ", pilot".to_owned(),
        number => format!(", invocation {number}"),
    }
}

//! A board on which programs can be started, as the conductor sees it.
use crate::flash::FlashError;
use crate::launch::{EngineError, LaunchError};
use crate::link::{Port, Watch};
use crate::model::Place;
use std::io;

/// A machine with one link. One program runs at a time.
pub trait Machine {
    /// Starts the program afresh in `place`; its Hello is on its way. The dispatch is the host's to ask for, once the program answers.
    ///
    /// # Errors
    /// Where it cannot be started.
    fn start(&mut self, place: Place, invocation: u32) -> Result<(), MachineError>;

    /// The link, and what tells while waiting that the program or the board has ended; none before the first start.
    fn link(&mut self) -> Option<(&mut dyn Port, &mut dyn Watch)>;

    /// How the board itself ended, if it did: nothing can be started on it any more.
    fn board_ended(&mut self) -> Option<String>;

    /// Waits for the program to end, which was told to if `told`, and else makes it.
    ///
    /// # Errors
    /// Where it does not end.
    fn end(&mut self, told: bool) -> Result<(), MachineError>;

    /// What was learnt since the last call: facts for the manifest.
    fn take_facts(&mut self) -> Vec<(String, String)>;
}

/// Why a program cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The emulator failed.
    #[error(transparent)]
    Flash(#[from] FlashError),
    /// Linux cannot be put together.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// There is no container.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A program cannot be started as a process.
    #[error("{program} cannot be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// There is no program for such a place on this kind of machine.
    #[error("there is no program for {place} on this kind of machine")]
    NoProgram {
        /// Where it was to run.
        place: Place,
    },
    /// A port cannot be opened or broke.
    #[error("{port}: {source}")]
    Port {
        /// The port.
        port: String,
        /// Why.
        source: io::Error,
    },
    /// A working file cannot be written.
    #[error("{path}: {source}")]
    Scratch {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The board's Linux did not answer.
    #[error("the board's Linux did not say `{expected}` within {seconds} s{console}")]
    Silent {
        /// The beginning of the line that was waited for.
        expected: String,
        /// How long.
        seconds: u64,
        /// What its console said last.
        console: String,
    },
    /// The board's Linux declines.
    #[error("the board's Linux refuses: {reason}")]
    Refused {
        /// Why.
        reason: String,
    },
    /// The board ended.
    #[error("the board ended: {reason}")]
    Ended {
        /// How.
        reason: String,
    },
    /// Nothing was started.
    #[error("nothing was started on the board")]
    NotStarted,
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

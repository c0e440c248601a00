//! What can go wrong on a link, with its facts.
use crate::model::Conditions;
use std::io;
use std::time::Duration;
use wire::frame::FrameError;
use wire::hello::HelloError;
use wire::message::Refusal;

/// Why the owner of a session no longer wants to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The program at the other end, or the board under it, is gone; how that was seen.
    Ended(String),
}

/// Looked at while a session waits: says whether waiting still makes sense.
pub trait Watch {
    /// All is well, or the reason to give up.
    ///
    /// # Errors
    /// [`Stop`].
    fn look(&mut self) -> Result<(), Stop>;

    /// What the board tells of the running program: memory in bytes and instants in ticks, by name. Nothing where it cannot tell.
    fn weigh(&mut self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// What the board is like at the moment, where it can tell. Whoever asks fills in when that is, and in which invocation.
    fn conditions(&mut self) -> Option<Conditions> {
        None
    }
}

impl<F: FnMut() -> Result<(), Stop>> Watch for F {
    fn look(&mut self) -> Result<(), Stop> {
        self()
    }
}

/// Why a target cannot be driven any further.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The port broke.
    #[error("{port}: the port failed: {source}; is the board still powered and connected?")]
    Port {
        /// The port.
        port: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// No answer came.
    #[error(
        "{port}: no answer to `{command}`, sent {sent} times, within {} s; does the program run, is the port the right one, and does the baud rate fit?",
        waited.as_secs()
    )]
    Silent {
        /// The port.
        port: String,
        /// The command.
        command: String,
        /// How often it was sent.
        sent: u32,
        /// How long was waited in all.
        waited: Duration,
    },
    /// The answers began and did not go on: the target has the command, and does not come to its end.
    #[error(
        "{port}: `{command}` did not come to an end within {} s",
        waited.as_secs()
    )]
    Hung {
        /// The port.
        port: String,
        /// The command.
        command: String,
        /// How long was waited in all.
        waited: Duration,
    },
    /// Answers cannot be had whole.
    #[error(
        "{port}: the answers to `{command}` stayed incomplete after {asked} requests and {runs} runs (last trouble: {}); check the cable, the ground and the baud rate",
        last.map_or_else(|| "a missing frame".to_owned(), |e| e.to_string())
    )]
    Lossy {
        /// The port.
        port: String,
        /// The command.
        command: String,
        /// How often a frame was asked for again.
        asked: u32,
        /// How often the command was run from scratch.
        runs: u32,
        /// The last broken frame's fault.
        last: Option<FrameError>,
    },
    /// The target began anew in the middle of its work.
    #[error(
        "{port}: the target was reset while it worked on `{command}`; does its power supply hold, and is its watchdog off?"
    )]
    Reset {
        /// The port.
        port: String,
        /// The command.
        command: String,
    },
    /// The target understood and declines.
    #[error("{port}: the target refuses `{command}`: {}", why(*reason))]
    Refused {
        /// The port.
        port: String,
        /// The command.
        command: String,
        /// Why.
        reason: Refusal,
    },
    /// The target's Hello is of no use.
    #[error("{port}: {source}")]
    Hello {
        /// The port.
        port: String,
        /// Why.
        source: HelloError,
    },
    /// Whole frames came whose content is not what the command asked for.
    #[error(
        "{port}: the answers to `{command}` do not fit it: {what}; was the target program built from another version?"
    )]
    Unfit {
        /// The port.
        port: String,
        /// The command.
        command: String,
        /// What does not fit.
        what: String,
    },
    /// The program or the board is gone.
    #[error("{port}: {reason}, while it was asked for `{command}`")]
    Ended {
        /// The port.
        port: String,
        /// The command.
        command: String,
        /// How that was seen.
        reason: String,
    },
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

impl LinkError {
    /// Whether a fresh start of the program may help: it ended or began anew, and the board under it may be well.
    #[must_use]
    pub fn is_restartable(&self) -> bool {
        matches!(self, Self::Reset { .. } | Self::Ended { .. })
    }
}

fn why(reason: Refusal) -> &'static str {
    match reason {
        Refusal::BrokenFrame => "the command arrived broken",
        Refusal::NotUnderstood => {
            "the command is none that it knows; rebuild the target program with this host"
        }
        Refusal::NotIdentified => "it was not told which run it belongs to",
        Refusal::DispatchFixed => "its providers have already looked at the CPU; start it anew",
        Refusal::UnknownAlgorithm => "its program does not hold this algorithm from this provider",
        Refusal::UnknownOperation => "the algorithm has no such operation",
        Refusal::OutOfRange => "no iterations, keys or inputs, or more than it can hold",
        Refusal::Gone => "the frame asked for is no longer held",
        Refusal::NoInstructionCounter => {
            "it finds no counter of instructions that it may read; measure without `--clock instructions`"
        }
    }
}

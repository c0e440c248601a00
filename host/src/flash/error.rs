//! What can go wrong with an emulator.
use std::io;
use std::path::PathBuf;

/// Why an emulated board does not run.
#[derive(Debug, thiserror::Error)]
pub enum FlashError {
    /// The board file has no section for the emulator.
    #[error("board {board} is not emulated: its file has no [qemu]{}", if *linux { " with `linux_memory_mib`" } else { "" })]
    NotEmulated {
        /// The board.
        board: String,
        /// Whether Linux was to run on it.
        linux: bool,
    },
    /// The program cannot be started.
    #[error("{program} cannot be started: {source}; `host setup` installs it")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// A file of the emulator's cannot be made.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The image cannot be made into what the board loads.
    #[error("{} cannot be made a raw image: {source}", .image.display())]
    Raw {
        /// The ELF file.
        image: PathBuf,
        /// Why.
        source: super::RawError,
    },
    /// It ended.
    #[error("{reason}")]
    Ended {
        /// How, and what it said last.
        reason: String,
    },
    /// It does not answer.
    #[error("{program} did not answer `{command}` within {seconds} s")]
    Silent {
        /// The program.
        program: String,
        /// The command of its control protocol.
        command: String,
        /// How long was waited.
        seconds: u64,
    },
    /// It declines.
    #[error("{program} refuses `{command}`: {message}")]
    Refused {
        /// The program.
        program: String,
        /// The command of its control protocol.
        command: String,
        /// What it says.
        message: String,
    },
    /// A port that should be there is not.
    #[error("{program} has no port `{label}`")]
    NoPort {
        /// The program.
        program: String,
        /// The port's name.
        label: String,
    },
}

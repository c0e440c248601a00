//! Exit statuses, and how an error gets one.
use std::process::ExitCode;

/// What the exit status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, perhaps with warnings.
    Done = 0,
    /// Done or stopped, but a check failed: regression, damage, refusal, digests that differ, no room on the disk.
    CheckFailed = 1,
    /// The call is wrong: unknown board, algorithm, environment, run, plan or field.
    BadCall = 2,
    /// Something needed is missing or does not build.
    Missing = 3,
    /// Board, link or meter failed.
    BoardFailed = 4,
    /// Ctrl-C; what was measured is archived.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error with the exit status that it leads to.
#[derive(Debug)]
pub struct Failure {
    /// The status.
    pub exit: Exit,
    /// What failed, on what, and what to do.
    pub error: anyhow::Error,
}

impl Failure {
    /// A failure from anything that is an error or a message.
    pub fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self {
            exit,
            error: error.into(),
        }
    }
}

/// An error and its causes on one line, each said once: some messages quote their cause already.
#[must_use]
pub fn told(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Gives the error of a result its exit status.
pub trait OrExit<T> {
    /// The error, if any, leads to `exit`.
    ///
    /// # Errors
    /// Where `self` is one.
    fn or_exit(self, exit: Exit) -> Result<T, Failure>;
}

impl<T, E: Into<anyhow::Error>> OrExit<T> for Result<T, E> {
    fn or_exit(self, exit: Exit) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(exit, error))
    }
}

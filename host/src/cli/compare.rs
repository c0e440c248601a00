//! `host compare`.
use super::{Global, Outcome};
use crate::exit::{Exit, Failure};

/// Ratios between environments or runs.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Runs the command.
///
/// # Errors
/// With the exit status of what failed.
pub fn run(_global: &Global, _arguments: Arguments) -> Outcome {
    Err(Failure::new(
        Exit::Missing,
        anyhow::anyhow!("not there yet"),
    ))
}

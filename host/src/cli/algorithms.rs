//! `host algorithms`.
use super::output::Output;
use super::{Global, Outcome};
use crate::report::algorithms::{entries, flat, table};

/// Lists the catalogue.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

/// Runs the command.
///
/// # Errors
/// Where standard output cannot be written.
pub fn run(global: &Global, _arguments: Arguments) -> Outcome {
    let entries = entries();
    let around = (String::new(), format!("{} algorithms\n", entries.len()));
    Output {
        json: &entries,
        table: table(&entries),
        csv: Some(flat(&entries)),
        around,
    }
    .print(global)
}

//! The run archive: journal, Parquet tables, manifest, verification.
//!
//! While a run goes on, [`Journal`] appends its records to `RUN.partial/journal.bin`. [`finish`] makes the tables and the
//! manifest from it and gives the folder its final name. Every figure is made from the journal's whole entries, so a run
//! that was cut is read like any other. The pure `stats` say which samples count and what their clocks are called. `docs/archive.md` describes the files byte by byte.

mod carry;
mod columns;
mod error;
mod frame;
mod journal;
mod log;
mod manifest;
mod operations;
mod run;
mod samples;
mod sums;
mod verify;
mod write;

pub use carry::{export, import};
pub use error::Error;
pub use frame::{Broken, Damage, Defect};
pub use journal::{JOURNAL, Journal};
pub use manifest::{FileEntry, Harness, Manifest, SCHEMA};
pub use run::{Listed, Run, list, open, open_folder, resolve, status_name};
pub use verify::{Finding, Verdict, repair, verify};
pub use write::finish;

/// Suffix of the folder of a run that has not been finished.
pub const PARTIAL: &str = ".partial";

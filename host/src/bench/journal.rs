//! The one thread that writes the journal.
use super::{BenchError, Interrupt};
use crate::archive::{Error, Journal};
use crate::model::Record;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// What records go to: the archive's journal, or a list in tests.
pub trait Journaled: Send {
    /// Appends a record.
    ///
    /// # Errors
    /// Where the disk refuses.
    fn append(&mut self, record: &Record) -> Result<(), Error>;

    /// Sees all records onto the disk.
    ///
    /// # Errors
    /// Where the disk refuses.
    fn sync(&mut self) -> Result<(), Error>;
}

impl Journaled for Journal {
    fn append(&mut self, record: &Record) -> Result<(), Error> {
        Self::append(self, record)
    }

    fn sync(&mut self) -> Result<(), Error> {
        Self::sync(self)
    }
}

/// How much of a run a power cut may cost.
const SYNC_EVERY: Duration = Duration::from_secs(2);

/// Writes records until all senders are gone. Where the disk refuses, the run is halted.
pub fn write(
    journal: &mut dyn Journaled,
    records: &Receiver<Record>,
    interrupt: &Interrupt,
) -> Result<(), BenchError> {
    let mut synced = Instant::now();
    let mut write = || -> Result<(), Error> {
        loop {
            match records.recv_timeout(SYNC_EVERY) {
                Ok(record) => journal.append(&record)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return journal.sync(),
            }
            if synced.elapsed() >= SYNC_EVERY {
                journal.sync()?;
                synced = Instant::now();
            }
        }
    };
    write().map_err(|error| {
        interrupt.halt();
        error.into()
    })
}

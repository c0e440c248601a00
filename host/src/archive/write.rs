//! Makes a finished archive of a journal.
use super::columns::{Batch, Field, Writer};
use super::frame::Damage;
use super::journal::{finished_name, sync_folder};
use super::manifest::{FileEntry, Manifest};
use super::{Error, JOURNAL, Journal, manifest, operations, samples, sums};
use crate::model::{Record, Status};
use crate::stats::Evidence;
use parquet::errors::ParquetError;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The log's name within a run's folder.
pub const LOG: &str = "log.txt";

/// The files that are made from the journal, in the order in which they are made.
pub const DERIVED: [&str; 3] = [samples::FILE, operations::FILE, LOG];

/// Finishes the run in `partial`, which ended with `status`: makes the tables and the manifest from its journal, sees them
/// onto the disk and renames `RUN.partial` to `RUN`, which it returns. A [`Journal`] that is still held must be dropped first.
///
/// Where the journal's last record is no `End`, one with `status` is appended, unless that is [`Status::Cut`].
///
/// # Errors
/// Where the journal is in use or unreadable, `RUN` exists, or the disk refuses; the journal is never harmed.
pub fn finish(partial: &Path, status: Status) -> Result<PathBuf, Error> {
    let finished = finished_name(partial);
    if finished != partial && finished.exists() {
        return Err(Error::Exists(finished));
    }
    let mut journal = Journal::reopen(partial)?;
    let (records, _) = Journal::read(&partial.join(JOURNAL))?;
    if status != Status::Cut && !matches!(records.last(), Some(Record::End { .. })) {
        let milliseconds = span_milliseconds(&records);
        journal.append(&Record::End {
            status,
            milliseconds,
        })?;
    }
    drop(records);
    journal.sync()?;
    write_derived(partial)?;
    drop(journal);
    if finished != partial {
        fs::rename(partial, &finished).map_err(|e| Error::io("renaming", partial, 0, e))?;
        sync_folder(finished.parent().unwrap_or(Path::new(".")))?;
    }
    Ok(finished)
}

/// Milliseconds from the first to the last thing that the journal gives a time to.
fn span_milliseconds(records: &[Record]) -> u64 {
    let times = || {
        records.iter().filter_map(|record| match record {
            Record::Invocation(i) => Some(i.at_ns),
            Record::Measured(m) => Some(m.at_ns),
            _ => None,
        })
    };
    let (first, last) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    (last - first) / 1_000_000
}

/// The records of the journal in `folder`, sorted out, and its damage. A manifest stands in for a first record that was lost.
pub fn evidence(folder: &Path) -> Result<(Evidence, Damage), Error> {
    let path = folder.join(JOURNAL);
    let (records, damage) = Journal::read(&path)?;
    let known = Manifest::read(&folder.join(manifest::FILE))
        .ok()
        .map(|m| m.run);
    let evidence = Evidence::from_records(records, known)
        .map_err(|source| Error::NoProvenance { path, source })?;
    Ok((evidence, damage))
}

/// Makes every derived file anew from the journal. Each takes its name once it is whole, the manifest and the sums last.
pub fn write_derived(folder: &Path) -> Result<(), Error> {
    let (evidence, damage) = evidence(folder)?;
    let kept = damage.next_sequence;
    let mut rows = 0;
    write_file(folder, samples::FILE, kept, |output| {
        let mut writer = Writer::new(output, "samples", samples::FIELDS)?;
        let mut readings = evidence.all_readings();
        loop {
            let (batch, taken) = samples::batch(&evidence, readings.by_ref(), samples::GROUP);
            if taken == 0 {
                return writer.close();
            }
            rows += taken as u64;
            writer.write(&batch, samples::FIELDS)?;
        }
    })?;
    write_file(folder, operations::FILE, kept, |output| {
        one_group(
            output,
            "operations",
            operations::FIELDS,
            &operations::batch(&evidence),
        )
    })?;
    write_file(folder, LOG, kept, |mut output| {
        output.write_all(super::log::text(&evidence, &damage).as_bytes())?;
        Ok(output)
    })?;
    let mut manifest = Manifest::new(&evidence, &damage, rows);
    for name in [JOURNAL].into_iter().chain(DERIVED) {
        let (bytes, sha256) = sums::of_file(&folder.join(name))?;
        manifest.files.push(FileEntry {
            name: name.to_owned(),
            bytes,
            sha256,
        });
    }
    write_file(folder, manifest::FILE, kept, |mut output| {
        serde_json::to_writer_pretty(&mut output, &manifest).map_err(io::Error::from)?;
        output.write_all(b"\n")?;
        Ok(output)
    })?;
    let mut all: Vec<(String, String)> = manifest
        .files
        .into_iter()
        .map(|f| (f.name, f.sha256))
        .collect();
    all.push((
        manifest::FILE.to_owned(),
        sums::of_file(&folder.join(manifest::FILE))?.1,
    ));
    write_file(folder, sums::FILE, kept, |mut output| {
        output.write_all(sums::text(&all).as_bytes())?;
        Ok(output)
    })?;
    sync_folder(folder)
}

fn one_group(
    output: BufWriter<File>,
    name: &str,
    fields: &[Field],
    batch: &Batch,
) -> Result<BufWriter<File>, ParquetError> {
    let mut writer = Writer::new(output, name, fields)?;
    writer.write(batch, fields)?;
    writer.close()
}

/// Writes `name` under a passing name, sees it onto the disk, and gives it its name.
fn write_file(
    folder: &Path,
    name: &str,
    kept: u32,
    fill: impl FnOnce(BufWriter<File>) -> Result<BufWriter<File>, ParquetError>,
) -> Result<(), Error> {
    let path = folder.join(name);
    let passing = folder.join(format!("{name}.new"));
    let written = (|| {
        let output = fill(BufWriter::new(File::create(&passing)?))?;
        let file = output
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(&passing, &path)?;
        Ok(())
    })();
    written.map_err(|error: ParquetError| {
        // What is half-written helps nobody, and on a full disk it is in the way.
        let _ = fs::remove_file(&passing);
        parquet_error(&path, kept, error)
    })
}

/// An error of the Parquet library; one that is really the disk's keeps that name.
pub fn parquet_error(path: &Path, kept: u32, error: ParquetError) -> Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(disk) => Error::io("writing", path, kept, *disk),
            Err(inner) => Error::Parquet {
                path: path.to_owned(),
                source: ParquetError::External(inner),
            },
        },
        source => Error::Parquet {
            path: path.to_owned(),
            source,
        },
    }
}

//! Looks for damage, and makes anew what can be made from the journal.
use super::columns::{Field, Reader};
use super::frame::Damage;
use super::manifest::{KnownDamage, Manifest};
use super::run::is_partial;
use super::write::{DERIVED, evidence, write_derived};
use super::{Error, JOURNAL, Journal, manifest, operations, samples, sums, write};
use crate::model::Status;
use crate::stats::Evidence;
use parquet::errors::ParquetError;
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, by its name within the run's folder.
    pub file: String,
    /// Where in the file, in bytes, where that is known.
    pub offset: Option<u64>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub cure: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file, what, cure, ..
        } = self;
        match self.offset {
            Some(offset) => write!(f, "{file}: offset {offset}: {what}; {cure}"),
            None => write!(f, "{file}: {what}; {cure}"),
        }
    }
}

/// What was looked at, and found.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Damage, and other things that should not be.
    pub findings: Vec<Finding>,
    /// What is no damage and should be known: losses that the manifest owns up to, records that contradict each other.
    pub notes: Vec<String>,
    /// Whole entries of the journal.
    pub entries: u32,
    /// Samples that were compared.
    pub samples: u64,
}

const REBUILD: &str = "`archive verify --repair` makes it anew from the journal";
const LOST: &str = "what it held is lost unless there is a copy of the file; `archive verify --repair` makes an archive of the rest";

const GONE: &str = "nothing can be made of this run unless there is a copy of the file: put that in its place; tables that are still there hold \
                    the samples";
const UNREADABLE: &str =
    "move it away; then `archive verify --repair` makes it anew from the journal";

fn found(file: &str, what: impl Into<String>, cure: &str) -> Finding {
    Finding {
        file: file.to_owned(),
        offset: None,
        what: what.into(),
        cure: cure.to_owned(),
    }
}

fn unreadable(file: &str, error: &std::io::Error) -> Finding {
    found(file, format!("cannot be read: {error}"), UNREADABLE)
}

/// Checks every digest, every entry of the journal, and that the tables hold what the journal gives.
///
/// # Errors
/// None at present: a file that cannot be read is a finding like others.
pub fn verify(folder: &Path) -> Result<Verdict, Error> {
    let mut verdict = Verdict::default();
    if Journal::is_in_use(folder) {
        verdict.findings.push(found(
            JOURNAL,
            "is being written by another program",
            "wait until it has ended",
        ));
        return Ok(verdict);
    }
    let (evidence, damage) = match evidence(folder) {
        Ok(read) => read,
        Err(error) => {
            verdict
                .findings
                .push(found(JOURNAL, error.to_string(), GONE));
            return Ok(verdict);
        }
    };
    verdict.entries = damage.next_sequence;
    verdict.notes.extend(evidence.problems.iter().cloned());
    if is_partial(folder) {
        verdict.findings.extend(journal_findings(&damage, &[]));
        verdict.findings.push(found(
            "tables",
            "the run was not finished",
            "`flash-and-bench --resume` goes on with it, `archive verify --repair` makes an archive of what there is",
        ));
        return Ok(verdict);
    }
    verdict.findings.extend(files(folder, &damage));
    let known = Manifest::read(&folder.join(manifest::FILE));
    if let Ok(manifest) = &known {
        let lost = manifest.journal_damage.iter();
        verdict.notes.extend(lost.map(|d| {
            format!(
                "lost before the tables were made: {JOURNAL}: offset {}, {} bytes: {}",
                d.offset, d.bytes, d.defect
            )
        }));
        let expected = Manifest::new(&evidence, &damage, manifest.samples);
        if (&expected.run, expected.status, expected.rows)
            != (&manifest.run, manifest.status, manifest.rows)
        {
            verdict.findings.push(found(
                manifest::FILE,
                "does not say what the journal says",
                REBUILD,
            ));
        }
    }
    let mut readings = evidence.all_readings();
    let mut samples = 0;
    let compared = table(folder, samples::FILE, samples::FIELDS, |rows| {
        let (batch, taken) = samples::batch(&evidence, readings.by_ref(), rows);
        samples += taken as u64;
        batch
    });
    verdict.findings.extend(compared);
    if readings.next().is_some() {
        verdict.findings.push(found(
            samples::FILE,
            "holds fewer samples than the journal",
            REBUILD,
        ));
    }
    verdict.samples = samples;
    verdict.findings.extend(operations_table(folder, &evidence));
    Ok(verdict)
}

fn operations_table(folder: &Path, evidence: &Evidence) -> Option<Finding> {
    table(folder, operations::FILE, operations::FIELDS, |_| {
        operations::batch(evidence)
    })
}

/// Compares a table's row groups with what `expected` gives for as many rows.
fn table(
    folder: &Path,
    name: &str,
    fields: &[Field],
    mut expected: impl FnMut(usize) -> super::columns::Batch,
) -> Option<Finding> {
    let path = folder.join(name);
    let file = match File::open(&path) {
        Ok(file) => file,
        // Named already by the check of digests.
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return None,
        Err(e) => return Some(unreadable(name, &e)),
    };
    let compare = || -> Result<Option<String>, ParquetError> {
        let reader = Reader::new(file, fields)?;
        let mut before = 0;
        for (group, rows) in reader.groups().into_iter().enumerate() {
            let there = reader.read(group, fields)?;
            if let Some((column, row)) = there.difference(&expected(rows), fields) {
                return Ok(Some(format!(
                    "row {}, column {column}: not what the journal holds",
                    before + row
                )));
            }
            before += rows;
        }
        Ok(None)
    };
    match compare() {
        Ok(difference) => difference.map(|what| found(name, what, REBUILD)),
        // A page that does not unpack comes as an error of input, though the disk is well.
        Err(error) => Some(found(
            name,
            format!("cannot be read as Parquet: {error}"),
            REBUILD,
        )),
    }
}

/// Damage of the journal that `known` does not list.
fn journal_findings(damage: &Damage, known: &[KnownDamage]) -> Vec<Finding> {
    let now = KnownDamage::list(damage);
    now.into_iter()
        .filter(|d| !known.contains(d))
        .map(|d| Finding {
            file: JOURNAL.to_owned(),
            offset: Some(d.offset),
            what: format!("{} bytes: {}", d.bytes, d.defect),
            cure: LOST.to_owned(),
        })
        .collect()
}

/// Checks the files of a finished run against the sums and the manifest, and the journal's entries.
pub(super) fn files(folder: &Path, damage: &Damage) -> Vec<Finding> {
    let mut findings = Vec::new();
    let manifest = Manifest::read(&folder.join(manifest::FILE));
    let known = manifest
        .as_ref()
        .map(|m| m.journal_damage.clone())
        .unwrap_or_default();
    findings.extend(journal_findings(damage, &known));
    match &manifest {
        Ok(manifest) => {
            for entry in &manifest.files {
                findings.extend(check_sum(
                    folder,
                    &entry.name,
                    &entry.sha256,
                    Some(entry.bytes),
                    manifest::FILE,
                ));
            }
        }
        Err(error) => findings.push(found(manifest::FILE, error.to_string(), REBUILD)),
    }
    let path = folder.join(sums::FILE);
    match fs::read(&path) {
        Ok(bytes) => {
            let (listed, bad) = sums::parse(&String::from_utf8_lossy(&bytes));
            for line in bad {
                findings.push(found(
                    sums::FILE,
                    format!("line {line} is no line of a digest and a name"),
                    REBUILD,
                ));
            }
            for expected in [JOURNAL].into_iter().chain(DERIVED).chain([manifest::FILE]) {
                match listed.iter().find(|(name, _)| name == expected) {
                    None => findings.push(found(
                        sums::FILE,
                        format!("has no line for {expected}"),
                        REBUILD,
                    )),
                    // One line a file: what the manifest said already is not said again.
                    Some(_) if findings.iter().any(|f| f.file == expected) => {}
                    Some((name, sum)) => {
                        findings.extend(check_sum(folder, name, sum, None, sums::FILE));
                    }
                }
            }
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            findings.push(found(sums::FILE, "is missing", REBUILD));
        }
        Err(e) => findings.push(unreadable(sums::FILE, &e)),
    }
    findings
}

fn check_sum(
    folder: &Path,
    name: &str,
    sum: &str,
    bytes: Option<u64>,
    source: &str,
) -> Option<Finding> {
    let cure = if name == JOURNAL { LOST } else { REBUILD };
    let (length, actual) = match sums::of_file(&folder.join(name)) {
        Ok(read) => read,
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Some(found(name, "is missing", cure));
        }
        Err(Error::Io { source, .. }) => return Some(unreadable(name, &source)),
        Err(error) => return Some(found(name, error.to_string(), cure)),
    };
    match bytes {
        Some(bytes) if bytes != length => Some(found(
            name,
            format!("is {length} bytes long; {source} says {bytes}"),
            cure,
        )),
        _ => (actual != sum).then(|| {
            found(
                name,
                format!("its SHA-256 is not the one in {source}"),
                cure,
            )
        }),
    }
}

/// Makes tables, log, manifest and sums anew from the journal's whole entries, and finishes a run that was cut. The journal is
/// left as it is, but for an unfinished last entry. Where the journal has lost entries, the old tables and manifest may hold
/// what it lost: they stay, with the suffix `.before-repair`. Returns the run's folder.
///
/// # Errors
/// Where the run is being written, its journal says nothing, or the disk refuses.
pub fn repair(folder: &Path) -> Result<PathBuf, Error> {
    if is_partial(folder) {
        return write::finish(folder, Status::Cut);
    }
    if Journal::is_in_use(folder) {
        return Err(Error::InUse(folder.join(JOURNAL)));
    }
    let (_, damage) = evidence(folder)?;
    if !damage.is_none() {
        keep_tables(folder)?;
    }
    write_derived(folder)?;
    Ok(folder.to_owned())
}

/// Copies what was made before the journal lost entries: nothing else may hold them.
fn keep_tables(folder: &Path) -> Result<(), Error> {
    let before = Manifest::read(&folder.join(manifest::FILE));
    if before.is_ok_and(|m| !m.journal_damage.is_empty()) {
        // The tables were made after the loss.
        return Ok(());
    }
    for name in DERIVED.into_iter().chain([manifest::FILE]) {
        let path = folder.join(name);
        let kept = folder.join(format!("{name}.before-repair"));
        if path.exists() && !kept.exists() {
            fs::copy(&path, &kept).map_err(|e| Error::io("copying", &path, 0, e))?;
        }
    }
    Ok(())
}

//! Finds runs and opens them.
use super::frame::Damage;
use super::manifest::Manifest;
use super::{Error, JOURNAL, Journal, PARTIAL, manifest, verify, write};
use crate::model::{Environment, Status};
use crate::stats::figures::count;
use crate::stats::{Evidence, Row, rows};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// A run that was opened.
#[derive(Debug)]
pub struct Run {
    /// Its folder.
    pub folder: PathBuf,
    /// What was recorded.
    pub evidence: Evidence,
    /// What is damaged of the journal.
    pub damage: Damage,
    /// What the reader has to know about the state of the archive, in sentences.
    pub warnings: Vec<String>,
}

impl Run {
    /// The run's rows, made from every whole entry of its journal.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        rows(&self.evidence)
    }

    /// The run's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.evidence.provenance.run
    }

    /// What the run was, as its manifest says it.
    #[must_use]
    pub fn manifest(&self) -> Manifest {
        // The number of samples is the writer's to know, and no reader of an opened run asks.
        Manifest::new(&self.evidence, &self.damage, 0)
    }
}

/// Opens the run that `spec` names: an id, the beginning of one id, a folder, or `latest`.
///
/// # Errors
/// Where there is none, or its journal cannot be read.
pub fn open(archive_dir: &Path, spec: &str) -> Result<Run, Error> {
    open_folder(&resolve(archive_dir, spec)?)
}

/// Opens the run in `folder`.
///
/// # Errors
/// Where its journal cannot be read.
pub fn open_folder(folder: &Path) -> Result<Run, Error> {
    let (evidence, damage) = write::evidence(folder)?;
    let mut warnings = Vec::new();
    if is_partial(folder) {
        warnings.push(format!(
            "run {} was not finished: these are the figures of what its journal holds",
            evidence.provenance.run
        ));
        warnings.extend(damage.broken.iter().map(|b| format!("{JOURNAL}: {b}")));
    } else {
        let findings = verify::files(folder, &damage);
        if !findings.is_empty() {
            warnings.push(format!(
                "run {} is damaged; figures are made from the whole entries of its journal; see `archive verify {0}`",
                evidence.provenance.run
            ));
            warnings.extend(findings.iter().map(ToString::to_string));
        } else if !damage.is_none() {
            warnings.push(format!(
                "run {} has lost part of its journal: figures are made from what is left",
                evidence.provenance.run
            ));
        }
    }
    warnings.extend(evidence.problems.iter().cloned());
    Ok(Run {
        folder: folder.to_owned(),
        evidence,
        damage,
        warnings,
    })
}

/// Whether the run in `folder` has not been finished.
pub(super) fn is_partial(folder: &Path) -> bool {
    folder
        .file_name()
        .is_some_and(|name| name.to_string_lossy().ends_with(PARTIAL))
}

/// A run in a list.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// Its id.
    pub run: String,
    /// When it began, RFC 3339; empty where that is lost.
    pub started: String,
    /// The board.
    pub board: String,
    /// The environments asked for.
    pub environments: Vec<Environment>,
    /// `complete`, `interrupted`, `failed` or `cut`; `running` while a program writes it; `damaged` where nothing can be read.
    pub status: String,
    /// Whether its tables have been made.
    pub finished: bool,
    /// Rows of `archive show`.
    pub rows: usize,
    /// Bytes of all its files.
    pub bytes: u64,
    /// Its folder.
    pub folder: PathBuf,
}

/// All runs of the archive, the oldest first.
///
/// # Errors
/// Where the folder cannot be read; a folder that is not there holds no runs.
pub fn list(archive_dir: &Path) -> Result<Vec<Listed>, Error> {
    let mut listed: Vec<Listed> = folders(archive_dir)?
        .iter()
        .map(|folder| list_one(folder))
        .collect();
    listed.sort_by_key(|l| (instant(&l.started), l.run.clone()));
    Ok(listed)
}

/// When a run began, for ordering; a time that cannot be read is before all others.
fn instant(started: &str) -> Option<jiff::Timestamp> {
    started.parse().ok()
}

fn list_one(folder: &Path) -> Listed {
    let mut listed = Listed {
        run: id_of(folder),
        started: String::new(),
        board: String::new(),
        environments: Vec::new(),
        status: "damaged".to_owned(),
        finished: !is_partial(folder),
        rows: 0,
        bytes: size(folder),
        folder: folder.to_owned(),
    };
    let (provenance, status, rows) = match Manifest::read(&folder.join(manifest::FILE)) {
        Ok(manifest) if listed.finished => (manifest.run, manifest.status, manifest.rows),
        _ => match write::evidence(folder) {
            Ok((evidence, _)) => {
                let rows = count(&evidence);
                (evidence.provenance, evidence.status, rows)
            }
            Err(_) => return listed,
        },
    };
    listed.started = provenance.started;
    listed.board = provenance.board;
    listed.environments = provenance.environments;
    listed.rows = rows;
    listed.status = if Journal::is_in_use(folder) {
        "running"
    } else {
        status_name(status)
    }
    .to_owned();
    listed
}

/// The status in tables, JSON and files.
#[must_use]
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::Complete => "complete",
        Status::Interrupted => "interrupted",
        Status::Failed => "failed",
        Status::Cut => "cut",
    }
}

fn id_of(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(PARTIAL).unwrap_or(&name).to_owned()
}

fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.metadata().ok())
        .map(|m| m.len())
        .sum()
}

fn is_run(folder: &Path) -> bool {
    folder.join(JOURNAL).is_file() || folder.join(manifest::FILE).is_file()
}

/// The folders of runs in the archive, by name.
fn folders(archive_dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs::read_dir(archive_dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io("listing", archive_dir, 0, e)),
    };
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| is_run(path))
        .collect();
    folders.sort();
    Ok(folders)
}

/// The folder of the run that `spec` names: an id, the beginning of one id, a folder, or `latest`.
///
/// # Errors
/// Where it names none, or more than one.
pub fn resolve(archive_dir: &Path, spec: &str) -> Result<PathBuf, Error> {
    let folders = folders(archive_dir)?;
    if let Some(folder) = folders
        .iter()
        .find(|f| id_of(f) == spec || f.file_name().is_some_and(|n| n == spec))
    {
        return Ok(folder.clone());
    }
    if is_run(Path::new(spec)) {
        // Without a trailing slash, so that the name can be taken apart.
        return Ok(Path::new(spec).components().collect());
    }
    if spec == "latest"
        && let Some(newest) = list(archive_dir)?.pop()
    {
        return Ok(newest.folder);
    }
    let beginning: Vec<&PathBuf> = folders
        .iter()
        .filter(|f| !spec.is_empty() && id_of(f).starts_with(spec))
        .collect();
    match beginning.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Error::UnknownRun {
            spec: spec.to_owned(),
            archive: archive_dir.to_owned(),
            hint: nearest(spec, &folders),
        }),
        several => Err(Error::Ambiguous {
            spec: spec.to_owned(),
            runs: several.iter().map(|f| id_of(f)).collect(),
        }),
    }
}

fn nearest(spec: &str, folders: &[PathBuf]) -> String {
    let mut ids: Vec<(f64, String)> = folders
        .iter()
        .map(|f| id_of(f))
        .map(|id| (strsim::jaro_winkler(spec, &id), id))
        .collect();
    ids.sort_by(|a, b| b.0.total_cmp(&a.0));
    let nearest: Vec<String> = ids.into_iter().take(3).map(|(_, id)| id).collect();
    if nearest.is_empty() {
        return ": it holds no runs; `flash-and-bench` makes one, `--archive DIR` names another folder".to_owned();
    }
    format!(
        "; the nearest: {}; `archive list` shows all",
        nearest.join(", ")
    )
}

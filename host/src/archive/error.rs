//! What can go wrong with an archive.
use crate::exit::Exit;
use std::io;
use std::path::{Path, PathBuf};

/// Why an archive cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk, or the user's share of it, is full.
    #[error(
        "no room left on the disk for {path}: the {kept} journal entries written before are kept in {folder}; \
         make room, then resume the run, or `archive verify --repair` it to keep what there is",
        path = path.display(), folder = folder.display()
    )]
    NoRoom {
        /// The file that could not be written.
        path: PathBuf,
        /// The folder that holds what is kept.
        folder: PathBuf,
        /// Entries of the journal that are whole.
        kept: u32,
    },
    /// A file or folder cannot be read or written.
    #[error("{doing} {path}: {source}", path = path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// There is a run of that id.
    #[error("{path} is there already: a run's id must be new", path = .0.display())]
    Exists(PathBuf),
    /// There is a file of that name.
    #[error("{path} is there already: name another file", path = .0.display())]
    FileExists(PathBuf),
    /// A run that was not finished is not carried elsewhere.
    #[error(
        "{path} was not finished: `flash-and-bench --resume` goes on with it, `archive verify --repair` makes an archive of what there is",
        path = .0.display()
    )]
    Unfinished(PathBuf),
    /// A damaged run is not carried elsewhere.
    #[error("{run} is damaged and stays where it is:\n  {findings}")]
    Damaged {
        /// The run.
        run: String,
        /// What is wrong, line by line.
        findings: String,
    },
    /// A file that holds no run.
    #[error("{path} is no run that `archive export` wrote: {reason}", path = path.display())]
    NotARun {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Another program is writing the run.
    #[error("{path} is being written by another program: wait until it has ended", path = .0.display())]
    InUse(PathBuf),
    /// No journal, or one of a version that is not known here.
    #[error("{path} is no journal that this version reads: it begins with {found:?}, not {expected:?}", path = path.display())]
    NotAJournal {
        /// The file.
        path: PathBuf,
        /// The text of its first entry, or what came instead.
        found: String,
        /// What is read here.
        expected: &'static str,
    },
    /// The journal does not say what the run is.
    #[error("{path}: {source}, and no manifest stands in for it; nothing can be made of this run", path = path.display())]
    NoProvenance {
        /// The journal.
        path: PathBuf,
        /// What is missing.
        source: crate::stats::evidence::NoProvenance,
    },
    /// A complete run is not resumed.
    #[error(
        "{0} is complete: there is nothing to resume; if its tables are missing, `archive verify --repair` makes them"
    )]
    Complete(String),
    /// No run of that name.
    #[error("no run {spec:?} in {archive}{hint}", archive = archive.display())]
    UnknownRun {
        /// What was asked for.
        spec: String,
        /// Where it was looked for.
        archive: PathBuf,
        /// The nearest runs, as the end of a sentence.
        hint: String,
    },
    /// Several runs begin so.
    #[error("{spec:?} is the beginning of several runs: {}", .runs.join(", "))]
    Ambiguous {
        /// What was asked for.
        spec: String,
        /// The runs.
        runs: Vec<String>,
    },
    /// A Parquet file cannot be written or read.
    #[error("{path}: {source}", path = path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// Why.
        source: parquet::errors::ParquetError,
    },
    /// A record cannot be encoded.
    #[error("a record cannot be encoded for the journal: {0}")]
    Encode(postcard::Error),
    /// The manifest cannot be read.
    #[error("{path}: {reason}", path = path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl Error {
    /// The exit status that it leads to.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::UnknownRun { .. } | Self::Ambiguous { .. } | Self::Complete(_) => Exit::BadCall,
            _ => Exit::CheckFailed,
        }
    }

    /// An error of input or output on `path`; a full disk keeps its own name. `kept` is what the journal holds.
    pub(super) fn io(doing: &'static str, path: &Path, kept: u32, source: io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let path = path.to_owned();
        match source.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => Self::NoRoom {
                folder: path.parent().map(Path::to_owned).unwrap_or_default(),
                path,
                kept,
            },
            _ => Self::Io {
                doing,
                path,
                source,
            },
        }
    }
}

//! The journal: an append-only file of a run's records, and the evidence that everything else is made from.
use super::frame::{self, Damage};
use super::{Error, PARTIAL, manifest, sums};
use crate::model::{Provenance, Record, Status};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

/// The journal's name within a run's folder.
pub const JOURNAL: &str = "journal.bin";

/// Body of the first entry: what the file is, and the version of its records.
const TITLE: &str = "pq-bench journal 1\n";

/// A journal that is being written. It holds a lock on its file until it is dropped.
#[derive(Debug)]
pub struct Journal {
    file: File,
    folder: PathBuf,
    length: u64,
    sequence: u32,
}

impl Journal {
    /// Makes `archive_dir/RUN.partial/` with a journal that begins with `provenance`, and sees it onto the disk.
    ///
    /// # Errors
    /// Where a run of that id exists, or the disk refuses.
    pub fn create(archive_dir: &Path, provenance: &Provenance) -> Result<Self, Error> {
        let finished = archive_dir.join(&provenance.run);
        let folder = archive_dir.join(format!("{}{PARTIAL}", provenance.run));
        for taken in [&finished, &folder] {
            if taken.exists() {
                return Err(Error::Exists(taken.clone()));
            }
        }
        fs::create_dir_all(&folder).map_err(|e| Error::io("making", &folder, 0, e))?;
        let path = folder.join(JOURNAL);
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(&path)
            .map_err(|e| Error::io("making", &path, 0, e))?;
        lock(&file, &path)?;
        let mut journal = Self {
            file,
            folder,
            length: 0,
            sequence: 0,
        };
        journal.append_body(TITLE.as_bytes())?;
        let provenance = serde_json::to_string(provenance).map_err(|e| Error::Manifest {
            path,
            reason: e.to_string(),
        })?;
        journal.append(&Record::Begin { provenance })?;
        journal.sync()?;
        // The names too must outlive a power cut.
        for folder in [journal.folder.as_path(), archive_dir] {
            sync_folder(folder)?;
        }
        Ok(journal)
    }

    /// Goes on with a run that was cut, interrupted or failed. `path` is its folder, finished or partial. An unfinished last
    /// entry is cut off; a finished folder becomes `RUN.partial` again, and what was made from its journal is removed.
    ///
    /// # Errors
    /// Where the run is complete or in use, or there is no journal.
    pub fn resume(path: &Path) -> Result<Self, Error> {
        let (file, records, damage) = Self::open_locked(path)?;
        if let Some(Record::End {
            status: Status::Complete,
            ..
        }) = records.last()
        {
            return Err(Error::Complete(path.display().to_string()));
        }
        let folder = partial_name(path);
        if folder != path {
            if folder.exists() {
                return Err(Error::Exists(folder));
            }
            fs::rename(path, &folder)
                .map_err(|e| Error::io("renaming", path, damage.next_sequence, e))?;
        }
        for derived in [manifest::FILE, sums::FILE] {
            remove_if_there(&folder.join(derived))?;
        }
        let journal = Self {
            file,
            folder,
            length: damage.whole_bytes,
            sequence: damage.next_sequence,
        };
        journal.cut_to_length()?;
        Ok(journal)
    }

    /// Opens the journal of a run as it stands, complete or not, to finish the run.
    pub(super) fn reopen(folder: &Path) -> Result<Self, Error> {
        let (file, _, damage) = Self::open_locked(folder)?;
        let journal = Self {
            file,
            folder: folder.to_owned(),
            length: damage.whole_bytes,
            sequence: damage.next_sequence,
        };
        journal.cut_to_length()?;
        Ok(journal)
    }

    /// The file, opened for writing at its end and locked, with what it holds.
    fn open_locked(folder: &Path) -> Result<(File, Vec<Record>, Damage), Error> {
        let path = folder.join(JOURNAL);
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(|e| Error::io("opening", &path, 0, e))?;
        lock(&file, &path)?;
        let (records, damage) = Self::read(&path)?;
        Ok((file, records, damage))
    }

    /// Appends a record. It is in the operating system's hands when this returns, and on the disk after [`Self::sync`].
    ///
    /// # Errors
    /// Where the disk refuses: nothing half-written is left.
    pub fn append(&mut self, record: &Record) -> Result<(), Error> {
        let body = postcard::to_allocvec(record).map_err(Error::Encode)?;
        self.append_body(&body)
    }

    fn append_body(&mut self, body: &[u8]) -> Result<(), Error> {
        let entry = frame::encode(self.sequence, body);
        if let Err(error) = self.file.write_all(&entry) {
            // Best effort: if it fails too, the unfinished entry is found and cut off when the journal is next read.
            let _ = self.cut_to_length();
            return Err(Error::io(
                "appending to",
                &self.path(),
                self.sequence,
                error,
            ));
        }
        self.length += entry.len() as u64;
        self.sequence += 1;
        Ok(())
    }

    fn cut_to_length(&self) -> Result<(), Error> {
        self.file
            .set_len(self.length)
            .map_err(|e| Error::io("cutting", &self.path(), self.sequence, e))
    }

    /// Waits until all that was appended is on the disk.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn sync(&self) -> Result<(), Error> {
        self.file
            .sync_data()
            .map_err(|e| Error::io("writing", &self.path(), self.sequence, e))
    }

    /// The run's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self) -> PathBuf {
        self.folder.join(JOURNAL)
    }

    /// Reads a journal file: its whole records, and what is damaged.
    ///
    /// # Errors
    /// Where the file cannot be read, or its first entry is whole and that of another kind or version.
    pub fn read(path: &Path) -> Result<(Vec<Record>, Damage), Error> {
        let file = File::open(path).map_err(|e| Error::io("opening", path, 0, e))?;
        let mut records = Vec::new();
        let mut foreign = None;
        let mut titled = false;
        let damage = frame::read(BufReader::with_capacity(1 << 16, file), |body| {
            if let Some(version) = body.strip_prefix(b"pq-bench journal") {
                if body != TITLE.as_bytes() {
                    foreign = Some(String::from_utf8_lossy(version).trim().to_owned());
                }
                titled = true;
                return true;
            }
            match postcard::take_from_bytes(&body) {
                Ok((record, [])) => {
                    records.push(record);
                    true
                }
                _ => false,
            }
        })
        .map_err(|e| Error::io("reading", path, 0, e))?;
        let not_a_journal = |found| Error::NotAJournal {
            path: path.to_owned(),
            found,
            expected: TITLE.trim_end(),
        };
        if let Some(version) = foreign {
            return Err(not_a_journal(format!("pq-bench journal {version}")));
        }
        if !titled && records.is_empty() {
            return Err(not_a_journal(String::new()));
        }
        Ok((records, damage))
    }

    /// Whether a program is writing the journal of the run in `folder` at this moment.
    #[must_use]
    pub fn is_in_use(folder: &Path) -> bool {
        let Ok(file) = File::open(folder.join(JOURNAL)) else {
            return false;
        };
        let in_use = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        let _ = file.unlock();
        in_use
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Closing alone may be too late: a child that is just being started holds a copy of the file until it runs its program.
        let _ = self.file.unlock();
    }
}

/// The name of a run's folder while it is not finished.
pub(super) fn partial_name(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    if !name.to_string_lossy().ends_with(PARTIAL) {
        name.push(PARTIAL);
    }
    folder.with_file_name(name)
}

/// The name of a run's folder once it is finished.
pub(super) fn finished_name(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(name.strip_suffix(PARTIAL).unwrap_or(&name))
}

fn lock(file: &File, path: &Path) -> Result<(), Error> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Error::InUse(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(Error::io("locking", path, 0, error)),
    }
}

/// Sees a folder's names onto the disk.
pub(super) fn sync_folder(folder: &Path) -> Result<(), Error> {
    // An empty path is the current folder.
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    File::open(folder)
        .and_then(|f| f.sync_all())
        .map_err(|e| Error::io("writing", folder, 0, e))
}

fn remove_if_there(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("removing", path, 0, e))
        }
        _ => Ok(()),
    }
}

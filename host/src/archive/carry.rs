//! Carries a run to another archive: one tar file that any tar reads, `RUN/` with the run's files in it.
use super::run::is_partial;
use super::{Error, Finding, verify};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::{Component, Path, PathBuf};
use tar::{Builder, EntryType, Header};

/// Writes the finished run in `folder` to `file`, which appears whole or not at all. Equal runs make equal files.
///
/// # Errors
/// Where the run is unfinished or damaged, `file` is there already, or the disk refuses.
pub fn export(folder: &Path, file: &Path) -> Result<(), Error> {
    if is_partial(folder) {
        return Err(Error::Unfinished(folder.to_owned()));
    }
    whole(folder)?;
    if file.symlink_metadata().is_ok() {
        return Err(Error::FileExists(file.to_owned()));
    }
    let passing = passing_name(file);
    let written = write(folder, &passing)
        .and_then(|()| fs::rename(&passing, file).map_err(|e| trouble("writing", file, e)));
    if written.is_err() {
        // What failed is said; what is left of the file is of no use.
        let _ = fs::remove_file(&passing);
    }
    written
}

/// Brings the run in `file` into `archive_dir`, once it is found whole; gives its folder.
///
/// # Errors
/// Where `file` holds no run or a damaged one, the archive has a run of that id, or the disk refuses.
pub fn import(archive_dir: &Path, file: &Path) -> Result<PathBuf, Error> {
    let made = !archive_dir.exists();
    fs::create_dir_all(archive_dir).map_err(|e| trouble("making the folder", archive_dir, e))?;
    // Within the archive, so that the last step is a change of name; deeper than the runs that it lists.
    let waiting = archive_dir.join(format!(".import-{}", std::process::id()));
    let imported = unpack(file, &waiting).and_then(|run| {
        whole(&waiting.join(&run))?;
        let folder = archive_dir.join(&run);
        if folder.exists() {
            return Err(Error::Exists(folder));
        }
        fs::rename(waiting.join(&run), &folder).map_err(|e| trouble("renaming", &folder, e))?;
        super::journal::sync_folder(archive_dir)?;
        Ok(folder)
    });
    // It may not have been made.
    let _ = fs::remove_dir_all(&waiting);
    if made && imported.is_err() {
        // Only if it is empty.
        let _ = fs::remove_dir(archive_dir);
    }
    imported
}

/// That nothing is found wrong with the run in `folder`.
fn whole(folder: &Path) -> Result<(), Error> {
    let findings = verify(folder)?.findings;
    if findings.is_empty() {
        return Ok(());
    }
    Err(Error::Damaged {
        run: folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        findings: findings
            .iter()
            .map(Finding::to_string)
            .collect::<Vec<_>>()
            .join("\n  "),
    })
}

/// An error of the disk. What [`Error::io`] says of a full one is about a run that goes on.
fn trouble(doing: &'static str, path: &Path, source: io::Error) -> Error {
    Error::Io {
        doing,
        path: path.to_owned(),
        source,
    }
}

/// What a file is called until it is whole.
fn passing_name(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    file.with_file_name(name)
}

fn write(folder: &Path, file: &Path) -> Result<(), Error> {
    let fail = |e| trouble("writing", file, e);
    let run = folder.file_name().unwrap_or_default();
    let mut tar = Builder::new(BufWriter::new(File::create(file).map_err(fail)?));
    for name in names(folder)? {
        let path = folder.join(&name);
        let opened = File::open(&path).map_err(|e| trouble("reading", &path, e))?;
        let length = opened
            .metadata()
            .map_err(|e| trouble("reading", &path, e))?
            .len();
        // Nothing of the machine that wrote it: times and owners stay behind.
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(length);
        header.set_mode(0o644);
        tar.append_data(
            &mut header,
            Path::new(run).join(name),
            BufReader::new(opened),
        )
        .map_err(fail)?;
    }
    let mut output = tar.into_inner().map_err(fail)?;
    output.flush().map_err(fail)?;
    output.get_ref().sync_all().map_err(fail)
}

/// The names of the files of a run, in order.
fn names(folder: &Path) -> Result<Vec<std::ffi::OsString>, Error> {
    let fail = |e| trouble("listing", folder, e);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        if entry.file_type().map_err(fail)?.is_file() {
            names.push(entry.file_name());
        }
    }
    names.sort();
    Ok(names)
}

/// Unpacks `file` into `into`, a new folder; gives the run's id.
fn unpack(file: &Path, into: &Path) -> Result<String, Error> {
    let no_run = |reason: String| Error::NotARun {
        path: file.to_owned(),
        reason,
    };
    let opened = File::open(file).map_err(|e| trouble("reading", file, e))?;
    fs::create_dir(into).map_err(|e| trouble("making the folder", into, e))?;
    let mut tar = tar::Archive::new(BufReader::new(opened));
    let mut id: Option<String> = None;
    for entry in tar.entries().map_err(|e| no_run(e.to_string()))? {
        let mut entry = entry.map_err(|e| no_run(e.to_string()))?;
        let path = entry
            .path()
            .map_err(|e| no_run(e.to_string()))?
            .into_owned();
        if entry.header().entry_type() == EntryType::Directory {
            continue;
        }
        if entry.header().entry_type() != EntryType::Regular {
            return Err(no_run(format!("{} is no ordinary file", path.display())));
        }
        let Some((run, name)) = run_and_name(&path) else {
            return Err(no_run(format!("{} is not RUN/FILE", path.display())));
        };
        match &id {
            None => {
                let folder = into.join(run);
                fs::create_dir(&folder).map_err(|e| trouble("making the folder", &folder, e))?;
                id = Some(run.to_owned());
            }
            Some(id) if id != run => {
                return Err(no_run(format!("it holds {id} and {run}")));
            }
            Some(_) => {}
        }
        let path = into.join(run).join(name);
        let fail = |e| trouble("writing", &path, e);
        // A name that comes twice is refused, not written over.
        let mut output = File::create_new(&path).map_err(fail)?;
        let wanted = entry.size();
        let copied = io::copy(&mut entry, &mut output).map_err(fail)?;
        if copied != wanted {
            return Err(no_run(format!("it ends within {name}")));
        }
        output.sync_all().map_err(fail)?;
    }
    id.ok_or_else(|| no_run("it holds no file".to_owned()))
}

/// The two parts of `RUN/FILE`; nothing that leads elsewhere, no folder that is not finished or not listed.
fn run_and_name(path: &Path) -> Option<(&str, &str)> {
    let mut parts = path.components().filter(|part| *part != Component::CurDir);
    let (Some(Component::Normal(run)), Some(Component::Normal(name)), None) =
        (parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    let plain = |part: &OsStr| part.to_str().is_some_and(|text| !text.starts_with('.'));
    (plain(run) && plain(name) && !is_partial(Path::new(run)))
        .then(|| Some((run.to_str()?, name.to_str()?)))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere_but_into_one_run() {
        let ok = |path: &'static str| run_and_name(Path::new(path));
        assert_eq!(ok("a/journal.bin"), Some(("a", "journal.bin")));
        assert_eq!(ok("./a/journal.bin"), Some(("a", "journal.bin")));
        for bad in [
            "journal.bin",
            "/a/b",
            "../a",
            "a/../b",
            "a/b/c",
            ".a/b",
            "a/.b",
            "a.partial/b",
            "",
        ] {
            assert_eq!(ok(bad), None, "{bad}");
        }
    }
}

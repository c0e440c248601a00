//! The folder that holds what set-up made: the guest's files and the record of what was installed.
use super::SetupError;
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The folder: PQ_BENCH_CACHE, else `pq-bench` in XDG_CACHE_HOME or ~/.cache.
///
/// # Errors
/// If none of the variables is set.
pub fn folder() -> Result<PathBuf, SetupError> {
    let named = |name| {
        env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    if let Some(folder) = named("PQ_BENCH_CACHE") {
        return Ok(folder);
    }
    named("XDG_CACHE_HOME")
        .or_else(|| named("HOME").map(|home| home.join(".cache")))
        .map(|parent| parent.join("pq-bench"))
        .ok_or(SetupError::NoCacheFolder)
}

/// Bytes in a folder and below; 0 if it is not there.
#[must_use]
pub fn size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => size(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}

/// Makes the folder and keeps other set-ups out until the file is dropped.
///
/// # Errors
/// If the folder cannot be made or locked.
pub fn lock(cache: &Path) -> Result<File, SetupError> {
    let path = cache.join("lock");
    fs::create_dir_all(cache)
        .and_then(|()| File::create(&path))
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|source| SetupError::io("lock", &path, source))
}

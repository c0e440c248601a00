//! A folder for the emulators' working files, gone when the run is over.
use std::io;
use std::path::{Path, PathBuf};

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one in the system's folder for temporary files.
    ///
    /// # Errors
    /// Where that is not possible.
    pub fn new() -> io::Result<Self> {
        let name = format!("pq-bench-{}-{:016x}", std::process::id(), super::random());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path)?;
        Ok(Self(path))
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

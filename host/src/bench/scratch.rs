//! A folder for the emulators' working files, gone when the run is over.
use anyhow::Context;
use std::path::{Path, PathBuf};

/// What the names of such folders begin with; a process id and a number follow.
const PREFIX: &str = "pq-bench-";

/// Removes the folders of programs that were killed and could not do it themselves.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| {
            name.strip_prefix(PREFIX)?
                .split_once('-')?
                .0
                .parse::<u32>()
                .ok()
        });
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            // Somebody else's cannot be removed, and need not be.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one in the system's folder for temporary files.
    ///
    /// # Errors
    /// Where that is not possible.
    pub fn new() -> anyhow::Result<Self> {
        let folder = std::env::temp_dir();
        sweep(&folder);
        let name = format!("{PREFIX}{}-{:016x}", std::process::id(), super::random());
        let path = folder.join(name);
        std::fs::create_dir(&path).with_context(|| {
            format!(
                "no working files can be kept in {}; TMPDIR names another folder",
                folder.display()
            )
        })?;
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

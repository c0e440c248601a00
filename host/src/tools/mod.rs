//! The programs of this machine that others of our rooms call: where they are, and which Rust toolchain can build for the board.
use std::env;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

pub mod cross;
pub mod run;
pub mod rust;
mod target;
mod tied;

pub use target::Target;
pub use tied::tied_to_this_thread;

/// The target of the programs of every board but `local`, whose machine may be another: [`Target`].
pub const TARGET: &str = "aarch64-unknown-linux-gnu";

/// Where programs are looked for. A test gives its own.
#[derive(Clone, Debug)]
pub struct Search {
    /// Folders separated by colons.
    pub path: OsString,
}

impl Search {
    /// PATH of this process.
    #[must_use]
    pub fn from_env() -> Self {
        Self {
            path: env::var_os("PATH").unwrap_or_default(),
        }
    }

    /// The first program of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        self.all(name).next()
    }

    /// All programs of that name, in the order of the folders.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
        env::split_paths(&self.path)
            .map(move |folder| folder.join(name))
            .filter(|program| {
                program
                    .metadata()
                    .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
            })
    }
}

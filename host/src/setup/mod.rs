//! Installs what a board needs: tools, and the packages of the emulated Linux board.
use crate::tools::run;
use std::path::{Path, PathBuf};

mod apt;
pub mod cache;
pub mod distribution;
pub mod guest;
mod install;
mod needs;

pub use install::{Plan, install, uninstall};
pub use needs::{Need, Package, needs};

/// Why set-up stopped.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// No variable says where the cache is.
    #[error("no folder for the cache: set PQ_BENCH_CACHE, XDG_CACHE_HOME or HOME")]
    NoCacheFolder,
    /// A file of ours.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// What was to be done.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A program that was called.
    #[error(transparent)]
    Command(run::Failed),
    /// apt cannot get the guest's packages.
    #[error(
        "the packages of the emulated Linux board cannot be downloaded; check the network and /etc/apt, then run `host setup` again:\n{detail}"
    )]
    GuestPackages {
        /// What apt said.
        detail: String,
    },
    /// A package that does not hold what it should.
    #[error(
        "none of the downloaded packages holds {what}; this release of Debian may be too new for this program"
    )]
    NotInPackages {
        /// What was looked for.
        what: String,
    },
    /// A program or module of the guest that would not work.
    #[error(transparent)]
    Closure(#[from] guest::closure::ClosureError),
    /// Somebody removed it while it was made.
    #[error("{} was made, and is not whole; run `host setup` again", .folder.display())]
    GuestVanished {
        /// Where it should be.
        folder: PathBuf,
    },
    /// Packages can be installed on some systems only.
    #[error(
        "set-up installs packages on Debian 12 and 13 only, and this is {system}; install these yourself:\n{list}"
    )]
    Unsupported {
        /// What this is.
        system: String,
        /// What to install, one a line.
        list: String,
    },
    /// Packages can be installed by root only.
    #[error("installing packages needs root; run this once, then `host setup` again:\n  {command}")]
    NotRoot {
        /// The one command.
        command: String,
    },
    /// Nobody agreed.
    #[error("nothing was changed; `host setup --yes` installs without asking")]
    Declined,
    /// Installed, and still not there.
    #[error("installed, but still missing: {what}")]
    StillMissing {
        /// Names, with commas.
        what: String,
    },
    /// Packages that others need by now.
    #[error(
        "packages that set-up installed are needed by others ({others}); nothing was removed. To remove all: {command}"
    )]
    NeededByOthers {
        /// The others.
        others: String,
        /// The command.
        command: String,
    },
}

impl SetupError {
    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// Whether the disk was full: that is no lack of a tool, and setting up again does not help.
    #[must_use]
    pub fn no_room(&self) -> bool {
        match self {
            Self::Io { source, .. } => source.kind() == std::io::ErrorKind::StorageFull,
            Self::Command(run::Failed::Status { tail, .. }) => {
                tail.contains("No space left on device")
            }
            Self::GuestPackages { detail } => detail.contains("No space left on device"),
            _ => false,
        }
    }
}

//! Starts the program in an environment of a Linux board.
//!
//! On the emulated board this is done by the first process of its Linux, `init.sh`, which obeys the host on a virtio port called
//! [`CONTROL_PORT`], one line at a time, each ended by `\n`, words separated by one space:
//!
//! | host says | board answers |
//! |---|---|
//! | (nothing) | `ready KERNEL key=value ..` once, when it obeys: release of the kernel, then versions |
//! | `facts` | lines `fact KEY=VALUE`, then `end facts` |
//! | `memory`, after `started` | lines `memory KEY=BYTES`, then `end memory` |
//! | `start ENVIRONMENT NUMBER STACK` | `started ENVIRONMENT NUMBER PID TICKS`, the clock of ticks when it was asked to; when the program ends, `exited ENVIRONMENT NUMBER STATUS` (as a shell counts: 128 + signal) |
//! | `kill`, after `started` | nothing by itself: what runs is killed, and its `exited` line comes; nothing at all if nothing runs |
//! | `stop` | `stopped`, then the power goes off and QEMU ends |
//! | anything wrong | `error REASON`; nothing has changed |
//!
//! STACK is what lies under the provider, `shared` or `stock`; what the board has no program for is an error. Environments are `native`,
//! `container`, `unikernel` and, where the user gave a kernel for it, `unikraft`; one runs at a time, as there is one link: the virtio port called [`LINK_PORT`]. What the host sends while no program has the link open waits in the pty; what a program left unread is gone. The programs'
//! own output and the kernel's go to the board's console (`console=ttyAMA0`).
use crate::cpio::Archive;
use crate::model::Stack;
use boards::{Board, Environment};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

mod conditions;
mod container;
mod engine;
mod processor;
mod seccomp;

pub use conditions::conditions;
pub use engine::{Container, Engine, EngineError};
pub use processor::processor;

/// Name of the virtio port that carries the control lines.
pub const CONTROL_PORT: &str = "org.pqbench.control";
/// Name of the virtio port that carries frames between host and program.
pub const LINK_PORT: &str = "org.pqbench.link";
/// Stack of the Linux program, native and in the container, bytes. The hungriest algorithm takes 1.9 MB.
pub const STACK_BYTES: u64 = 64 << 20;
/// What the kernel of the emulated board is told.
pub const KERNEL_ARGUMENTS: &str = "console=ttyAMA0 quiet panic=-1";

const INIT: &str = include_str!("init.sh");

/// Why the emulated board's Linux cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// A program or the guest's archive cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The archive cannot be written.
    #[error("cannot write {}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What the emulated board's Linux carries, by the files' paths on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Carried<'a> {
    /// The Linux program.
    pub linux: &'a Path,
    /// The one on the environment's own C library.
    pub stock: &'a Path,
    /// The freestanding image.
    pub bare: &'a Path,
    /// What the environment `unikraft` is made of, where the user gave a kernel.
    pub unikraft: Option<Unikraft<'a>>,
}

/// A kernel of the user's and what it loads.
#[derive(Clone, Copy, Debug)]
pub struct Unikraft<'a> {
    /// The kernel.
    pub kernel: &'a Path,
    /// The program.
    pub program: &'a Path,
}

/// Memory of a guest with Unikraft, MiB: it holds the program twice, as a file and loaded, and the program has 70 MiB of its own.
#[must_use]
pub fn unikraft_memory_mib(board: &Board) -> Option<u64> {
    const LEAST: u64 = 256;
    Some(board.guest.as_ref()?.memory_mib.max(LEAST))
}

/// What is laid over the guest's first root file system: the programs, the container's bundle, and the first process. Equal input gives
/// equal bytes.
///
/// # Errors
/// [`LaunchError::Read`].
pub fn overlay(carried: &Carried<'_>, board: &Board) -> Result<Vec<u8>, LaunchError> {
    let read = |path: &Path| {
        fs::read(path).map_err(|source| LaunchError::Read {
            path: path.to_owned(),
            source,
        })
    };
    let unikraft = match carried.unikraft {
        None => None,
        Some(unikraft) => Some((read(unikraft.kernel)?, read(unikraft.program)?)),
    };
    let content = Content {
        linux: &read(carried.linux)?,
        stock: &read(carried.stock)?,
        bare: &read(carried.bare)?,
        unikraft: unikraft.as_ref().map(|(k, p)| (&k[..], &p[..])),
        config: &format!("{:#}\n", container::config(Stack::Shared)),
        stock_config: &format!("{:#}\n", container::config(Stack::Stock)),
        board: &board_conf(board, unikraft.is_some()),
    };
    content.archive().map_err(|source| LaunchError::Write {
        path: "the overlay".into(),
        source,
    })
}

/// Writes the archive that QEMU gives to the kernel: `base`, then `overlay`.
///
/// # Errors
/// [`LaunchError::Read`] or [`LaunchError::Write`].
pub fn write_initrd(base: &Path, overlay: &[u8], to: &Path) -> Result<(), LaunchError> {
    let write = |source| LaunchError::Write {
        path: to.to_owned(),
        source,
    };
    let mut input = File::open(base).map_err(|source| LaunchError::Read {
        path: base.to_owned(),
        source,
    })?;
    let mut out = File::create(to).map_err(write)?;
    io::copy(&mut input, &mut out).map_err(write)?;
    out.write_all(overlay).map_err(write)
}

struct Content<'a> {
    linux: &'a [u8],
    stock: &'a [u8],
    bare: &'a [u8],
    unikraft: Option<(&'a [u8], &'a [u8])>,
    config: &'a str,
    stock_config: &'a str,
    board: &'a str,
}

impl Content<'_> {
    fn archive(&self) -> io::Result<Vec<u8>> {
        let mut archive = Archive::new(Vec::new());
        archive.file("init", 0o755, INIT.as_bytes())?;
        archive.file("bench/board.conf", 0o644, self.board.as_bytes())?;
        archive.file("bench/config.json", 0o644, self.config.as_bytes())?;
        archive.file(
            "bench/config.stock.json",
            0o644,
            self.stock_config.as_bytes(),
        )?;
        archive.file("bench/bare", 0o644, self.bare)?;
        if let Some((kernel, program)) = self.unikraft {
            archive.file("bench/unikraft.kernel", 0o644, kernel)?;
            archive.file("bench/unikraft.program", 0o644, program)?;
        }
        // One file for both: natively and in the container the very same pages run.
        archive.file("bench/rootfs/bench/linux", 0o755, self.linux)?;
        archive.symlink("bench/linux", "rootfs/bench/linux")?;
        archive.file("bench/rootfs/bench/stock", 0o755, self.stock)?;
        archive.symlink("bench/stock", "rootfs/bench/stock")?;
        // A root that cannot be written to must have the places for mounts.
        for place in ["dev", "lib", "proc", "sys"] {
            archive.directory(&format!("bench/rootfs/{place}"))?;
        }
        archive.finish()
    }
}

/// What the first process must know of the board, as a shell reads it.
fn board_conf(board: &Board, unikraft: bool) -> String {
    let environments: Vec<&str> = board
        .environments
        .iter()
        .filter(|environment| match environment {
            Environment::Native | Environment::Container | Environment::Unikernel => true,
            Environment::Unikraft => unikraft,
            Environment::BareMetal => false,
        })
        .map(|environment| environment.name())
        .collect();
    let mut values = vec![
        ("ENVIRONMENTS", environments.join(" ")),
        ("CONTROL_PORT", CONTROL_PORT.to_owned()),
        ("LINK_PORT", LINK_PORT.to_owned()),
        ("STACK_KIB", (STACK_BYTES >> 10).to_string()),
    ];
    if let Some(guest) = &board.guest {
        values.extend([
            ("GUEST_MACHINE", guest.machine.clone()),
            ("GUEST_CPU", guest.cpu.clone()),
            ("GUEST_MEMORY_MIB", guest.memory_mib.to_string()),
        ]);
    }
    if let Some(mib) = unikraft_memory_mib(board) {
        values.push(("UNIKRAFT_MEMORY_MIB", mib.to_string()));
    }
    values
        .into_iter()
        .map(|(key, value)| format!("{key}='{}'\n", value.replace('\'', r"'\''")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_process_learns_what_the_board_file_says() {
        let mut board = boards::load("qemu-virt").unwrap();
        board.guest.as_mut().unwrap().cpu = "it's".to_owned();
        assert_eq!(
            board_conf(&board, false),
            "ENVIRONMENTS='native container unikernel'\n\
             CONTROL_PORT='org.pqbench.control'\n\
             LINK_PORT='org.pqbench.link'\n\
             STACK_KIB='65536'\n\
             GUEST_MACHINE='virt,gic-version=host'\n\
             GUEST_CPU='it'\\''s'\n\
             GUEST_MEMORY_MIB='128'\n\
             UNIKRAFT_MEMORY_MIB='256'\n"
        );
        assert!(
            board_conf(&board, true)
                .starts_with("ENVIRONMENTS='native container unikernel unikraft'")
        );
    }

    #[test]
    fn the_overlay_holds_what_the_first_process_looks_for() {
        let content = Content {
            linux: b"linux",
            stock: b"stock",
            bare: b"bare",
            unikraft: Some((b"kernel", b"elf")),
            config: "{}",
            stock_config: "{}",
            board: "A='b'\n",
        };
        let entries = crate::cpio::entries(&content.archive().unwrap());
        let listing: Vec<String> = entries
            .iter()
            .map(|(path, mode, content)| format!("{mode:06o} {} {path}", content.len()))
            .collect();
        let init = format!("100755 {} init", INIT.len());
        assert_eq!(
            listing,
            [
                init.as_str(),
                "040755 0 bench",
                "100644 6 bench/board.conf",
                "100644 2 bench/config.json",
                "100644 2 bench/config.stock.json",
                "100644 4 bench/bare",
                "100644 6 bench/unikraft.kernel",
                "100644 3 bench/unikraft.program",
                "040755 0 bench/rootfs",
                "040755 0 bench/rootfs/bench",
                "100755 5 bench/rootfs/bench/linux",
                "120777 18 bench/linux",
                "100755 5 bench/rootfs/bench/stock",
                "120777 18 bench/stock",
                "040755 0 bench/rootfs/dev",
                "040755 0 bench/rootfs/lib",
                "040755 0 bench/rootfs/proc",
                "040755 0 bench/rootfs/sys",
            ]
        );
    }

    /// The script replaces tokens of the configuration: both sides must spell them alike.
    #[test]
    fn the_script_replaces_every_token_of_the_configuration() {
        let config = format!("{:#}", container::config(Stack::Stock));
        for token in config.split('@').skip(1).step_by(2) {
            assert!(INIT.contains(&format!("@{token}@")), "{token}");
        }
        assert_eq!(config.matches('@').count(), 8, "two numbers in two places");
    }

    #[test]
    fn equal_programs_give_equal_overlays() {
        let content = Content {
            linux: b"linux",
            stock: b"stock",
            bare: b"bare",
            unikraft: None,
            config: "{}",
            stock_config: "{}",
            board: "A='b'\n",
        };
        let bytes = content.archive().unwrap();
        assert_eq!(bytes, content.archive().unwrap());
        assert_eq!(bytes.len() % 512, 0);
    }

    /// Every name that the script takes from the board's values is one that is there.
    #[test]
    fn the_script_reads_no_value_that_is_not_written() {
        let conf = board_conf(&boards::load("qemu-virt").unwrap(), true);
        for word in INIT.split(['$', '{']).skip(1) {
            let name: String = word
                .chars()
                .take_while(|c| c.is_ascii_uppercase() || *c == '_')
                .collect();
            if name.len() > 1 {
                assert!(conf.contains(&format!("{name}=")), "{name} is in no value");
            }
        }
    }
}

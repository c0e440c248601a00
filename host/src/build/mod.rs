//! Builds the target programs: toolchain choice, cargo call, what the image is.

use crate::model::{Environment, Place, Stack};
use crate::progress::Progress;
use crate::tools::run::{self, Event};
use crate::tools::rust::{self, NoRust, Rust};
use crate::tools::{Search, Target};
use boards::Board;
use liboqs::Prepared;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

mod facts;
pub mod footprint;
mod liboqs;
mod possible;
mod program;
mod readable;
pub mod same_code;

pub use liboqs::{FROM as LIBOQS_FROM, Liboqs, OwnError};
pub use possible::impossible;
pub use program::ProgramError;
pub use readable::Readable;

/// What builds for the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// What it builds for.
    pub target: Target,
    /// Rust compiler and cargo.
    pub rust: Rust,
    /// Compiler for C.
    pub cc: PathBuf,
    /// cmake.
    pub cmake: PathBuf,
}

/// A program that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Its file.
    pub path: PathBuf,
    /// Its build id: what its Hello says.
    pub build_id: [u8; 20],
    /// sha256 of its file, hexadecimal.
    pub sha256: String,
}

/// The programs, built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// The Linux program.
    pub linux: Built,
    /// The Linux program on the environment's own C library, where there is one for this kind of machine.
    pub stock: Option<Built>,
    /// The freestanding image, where there is one for this kind of machine.
    pub bare: Option<Built>,
    /// The Linux program as Unikraft loads it, where there is one for this kind of machine.
    pub unikraft: Option<Built>,
    /// What they were built with and from: `rustc.target`, `cargo`, `cc.target`, `cmake`, `flags.rust`, `flags.c`, `liboqs`,
    /// `liboqs.from`, `git.revision`, `git.dirty`.
    pub facts: BTreeMap<String, String>,
}

impl Programs {
    /// The program that runs in `place`, if that is a place: [`impossible`] says why it is none.
    #[must_use]
    pub fn of(&self, place: Place) -> Option<&Built> {
        match (place.environment, place.stack) {
            (Environment::BareMetal | Environment::Unikernel, _) => self.bare.as_ref(),
            (Environment::Unikraft, _) => self.unikraft.as_ref(),
            (Environment::Native | Environment::Container, Stack::Shared) => Some(&self.linux),
            (Environment::Native | Environment::Container, Stack::Stock) => self.stock.as_ref(),
        }
    }
}

/// Why there are no programs.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// No Rust compiler will do.
    #[error(
        "{missing}; install it with `rustup target add {}`, or on Debian with `cargo run -p host -- setup`", .target.triple()
    )]
    Rust {
        /// What is missing.
        missing: NoRust,
        /// What is to be built for.
        target: Target,
    },
    /// A tool is missing.
    #[error(
        "{name} was not found on PATH; install it with `{install}`, or all that is needed with `cargo run -p host -- setup`"
    )]
    Tool {
        /// Its name.
        name: &'static str,
        /// The command that installs it.
        install: &'static str,
    },
    /// The sources are not where they were when this program was built.
    #[error("the sources of the target programs are not in {}; run from the project's folder with `cargo run -p host`", .workspace.display())]
    Sources {
        /// Where they should be.
        workspace: PathBuf,
    },
    /// cargo failed.
    #[error("the target programs do not build")]
    Cargo(#[from] run::Failed),
    /// cargo did not say where a program is.
    #[error("cargo built no program called `{name}`")]
    NoProgram {
        /// Its name.
        name: &'static str,
    },
    /// A liboqs of the user's that is of no use.
    #[error(transparent)]
    Liboqs(#[from] OwnError),
    /// A program that is not what it should be.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

impl Toolchain {
    /// Picks the tools for every board but the machine itself.
    ///
    /// # Errors
    /// [`BuildError::Rust`] or [`BuildError::Tool`] names what is missing.
    pub fn choose(search: &Search) -> Result<Self, BuildError> {
        Self::choose_for(search, Target::Aarch64)
    }

    /// Picks the tools that build for `target`.
    ///
    /// # Errors
    /// [`BuildError::Rust`] or [`BuildError::Tool`] names what is missing.
    pub fn choose_for(search: &Search, target: Target) -> Result<Self, BuildError> {
        let tool = |name, install| search.find(name).ok_or(BuildError::Tool { name, install });
        Ok(Self {
            target,
            cc: tool(target.gcc(), target.gcc_install())?,
            cmake: tool("cmake", "apt-get install cmake")?,
            rust: rust::choose(search, target)
                .map_err(|missing| BuildError::Rust { missing, target })?,
        })
    }
}

/// Builds the programs for `board` with `liboqs`, within the project's own target folder; next to nothing is done if nothing changed.
///
/// # Errors
/// [`BuildError`].
pub fn build(
    toolchain: &Toolchain,
    board: &Board,
    liboqs: &Liboqs,
    progress: Progress,
) -> Result<Programs, BuildError> {
    let workspace = workspace();
    if !workspace.join("target-bench/Cargo.toml").is_file() {
        return Err(BuildError::Sources { workspace });
    }
    let locked = facts::locked_liboqs(&workspace);
    let version = locked.as_ref().map(|(liboqs, _)| liboqs.as_str());
    let prepared = liboqs::prepare(liboqs, &workspace, toolchain.target, version)?;
    let (built, folder) = cargo(toolchain, board, &prepared, &workspace, progress)?;
    let program = |name| {
        let path = built.get(name).cloned();
        let path = path.ok_or(BuildError::NoProgram { name })?;
        let (build_id, sha256) = program::identify(&path)?;
        Ok::<_, BuildError>(Built {
            path,
            build_id,
            sha256,
        })
    };
    let linux = program("linux")?;
    let on_arm = |name| match toolchain.target {
        Target::Aarch64 => program(name).map(Some),
        Target::X86_64 => Ok(None),
    };
    let (stock, bare, unikraft) = (on_arm("stock")?, on_arm("bare")?, on_arm("unikraft")?);
    let mut facts = facts::collect(toolchain, &workspace);
    facts.extend(facts::liboqs(liboqs, &prepared.version, locked));
    let images = [
        ("linux", Some(&linux)),
        ("stock", stock.as_ref()),
        ("bare", bare.as_ref()),
        ("unikraft", unikraft.as_ref()),
    ];
    facts.extend(facts::images(&images));
    if let Some(bare) = &bare {
        facts.extend(facts::memory(bare, board));
    }
    let library = prepared.library;
    let library = library.or_else(|| Some(folder?.join("lib/liboqs.a")));
    facts.extend(
        library
            .map(|library| facts::footprints(&library))
            .unwrap_or_default(),
    );
    Ok(Programs {
        linux,
        stock,
        bare,
        unikraft,
        facts,
    })
}

/// The project's folder: cargo says it when it runs us, else it is where we were built.
fn workspace() -> PathBuf {
    let host = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    host.parent().map_or(host.clone(), Path::to_owned)
}

/// Messages of a full build. Only the bar depends on it.
const STEPS: u64 = 170;
/// liboqs is one message, and most of the time.
const LIBOQS_STEPS: u64 = 300;

/// A line of cargo's message format.
#[derive(Debug, Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    package_id: String,
    out_dir: Option<PathBuf>,
    target: Option<Product>,
    executable: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Product {
    name: String,
}

/// Calls cargo; gives programs by name, and the folder in which liboqs was built.
fn cargo(
    toolchain: &Toolchain,
    board: &Board,
    liboqs: &Prepared,
    workspace: &Path,
    progress: Progress,
) -> Result<(BTreeMap<String, PathBuf>, Option<PathBuf>), BuildError> {
    let mut command = Command::new(&toolchain.rust.cargo);
    command
        .current_dir(workspace)
        .args(["build", "--profile", "firmware"])
        .args(["--target", toolchain.target.triple(), "-p", "target-bench"])
        .args(match toolchain.target {
            Target::Aarch64 => &["--bins"][..],
            Target::X86_64 => &["--bin", "linux", "--features", "local"],
        })
        .args(&liboqs.arguments)
        .envs(liboqs.variables.iter().map(|(name, value)| (name, value)))
        .args(["--message-format", "json-render-diagnostics"])
        .env("RUSTC", &toolchain.rust.rustc)
        .env("PQ_BENCH_BOARD", board.reference())
        // Ours name another toolchain's libraries and our own package.
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("CARGO_MANIFEST_DIR");
    let task = progress.task("build target programs", STEPS + LIBOQS_STEPS);
    let mut steps = 0;
    let mut programs = BTreeMap::new();
    let mut folder = None;
    let result = run::lines(&mut command, |event| {
        let mut for_people = false;
        if let Event::Line(line) = event {
            match serde_json::from_str::<Message>(line) {
                Ok(message) => {
                    steps += weight(&message);
                    if message.package_id.contains("oqs-sys") && message.out_dir.is_some() {
                        folder = message.out_dir;
                    }
                    if let (Some(target), Some(executable)) = (message.target, message.executable) {
                        programs.insert(target.name, executable);
                    }
                }
                Err(_) => {
                    for_people = true;
                    if let Some(what) = line.trim_start().strip_prefix("Compiling ") {
                        task.message(what.split(' ').next().unwrap_or_default());
                    }
                }
            }
        }
        task.at(steps);
        for_people
    });
    task.done();
    result?;
    Ok((programs, folder))
}

fn weight(message: &Message) -> u64 {
    match message.reason.as_str() {
        "build-script-executed" if message.package_id.contains("oqs-sys") => LIBOQS_STEPS,
        "compiler-artifact" | "build-script-executed" => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_cross_compiler_is_named_before_anything_runs() {
        let search = Search {
            path: "/no/such/folder".into(),
        };
        let error = Toolchain::choose(&search).unwrap_err().to_string();
        assert!(
            error.contains("aarch64-linux-gnu-gcc")
                && error.contains("apt-get install gcc-aarch64-linux-gnu"),
            "{error}"
        );
    }

    #[test]
    fn cargos_messages_are_read() {
        let line = r#"{"reason":"compiler-artifact","package_id":"path+file:///x#target-bench@0.1.0",
            "target":{"name":"bare","kind":["bin"]},"executable":"/t/bare","fresh":true}"#;
        let message: Message = serde_json::from_str(line).unwrap();
        assert_eq!(message.executable, Some("/t/bare".into()));
        assert_eq!(weight(&message), 1);
        let line = r#"{"reason":"build-script-executed","package_id":"registry+https://x#oqs-sys@0.11.0+liboqs-0.13.0"}"#;
        assert_eq!(weight(&serde_json::from_str(line).unwrap()), LIBOQS_STEPS);
    }
}

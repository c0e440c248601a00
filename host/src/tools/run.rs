//! Calls a program and keeps what it said.
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Standard output of `program arguments..`, if it ran and succeeded.
///
/// Cargo puts the libraries of its own toolchain before all others; another toolchain's compiler must not see them.
#[must_use]
pub fn output(program: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .env_remove("LD_LIBRARY_PATH")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// First line of what `program --version` says.
#[must_use]
pub fn version(program: &Path) -> Option<String> {
    let text = output(program, &["--version"])?;
    text.lines().next().map(str::to_owned)
}

/// How many of the last lines a failed program is quoted with.
const TAIL: usize = 15;

/// A program that could not be run, or failed.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// It could not be started.
    #[error("{program} cannot be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// It ended with an error.
    #[error("{program} failed ({status}); it said last:\n{tail}")]
    Status {
        /// The program.
        program: String,
        /// How it ended.
        status: std::process::ExitStatus,
        /// Its last lines.
        tail: String,
    },
}

/// Runs a command to its end and hands each line of its two outputs to `each`, which says whether the line is news for
/// people: the last of those are quoted if the command fails.
///
/// # Errors
/// [`Failed`].
pub fn lines(command: &mut Command, mut each: impl FnMut(&str) -> bool) -> Result<(), Failed> {
    let program = command.get_program().to_string_lossy().into_owned();
    let start = |source| Failed::Start {
        program: program.clone(),
        source,
    };
    let (output, input) = std::io::pipe().map_err(start)?;
    command
        .stdin(Stdio::null())
        .stdout(input.try_clone().map_err(start)?)
        .stderr(input);
    let mut child = command.spawn().map_err(start)?;
    // The command holds the pipe's other ends; as long as it lives, so would the reading below.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut tail = std::collections::VecDeque::new();
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).map_err(start)? > 0 {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if each(text) && !text.is_empty() {
            tail.push_back(text.to_owned());
            if tail.len() > TAIL {
                tail.pop_front();
            }
        }
        line.clear();
    }
    let status = child.wait().map_err(start)?;
    if status.success() {
        return Ok(());
    }
    let tail: Vec<String> = tail.into();
    Err(Failed::Status {
        program,
        status,
        tail: tail.join("\n"),
    })
}

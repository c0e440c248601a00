//! Calls a program and keeps what it said.
use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

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
const TAIL: usize = 25;

/// A program that could not be run, or failed.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// It could not be started.
    #[error("{program} cannot be started")]
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

/// What a running command's watcher is told.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// It said a line.
    Line(&'a str),
    /// It said nothing for a second.
    Silence,
}

/// Runs a command to its end. `watch` is told of each line of its two outputs, and of silence; it says whether a line is
/// for people: the last of those are quoted if the command fails.
///
/// # Errors
/// [`Failed`].
pub fn lines(
    command: &mut Command,
    mut watch: impl FnMut(Event<'_>) -> bool,
) -> Result<(), Failed> {
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
    let (sender, receiver) = mpsc::channel();
    let reader = thread::spawn(move || {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let mut tail = VecDeque::new();
    loop {
        match receiver.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => {
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end();
                if watch(Event::Line(text)) && !text.is_empty() {
                    tail.push_back(text.to_owned());
                    if tail.len() > TAIL {
                        tail.pop_front();
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                watch(Event::Silence);
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.wait().map_err(start)?;
    // It has ended already: it dropped the sender.
    let _ = reader.join();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_outputs_arrive_and_the_last_are_quoted() {
        let mut seen = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo '{json}'; echo two >&2; exit 3"]);
        let failed = lines(&mut command, |event| match event {
            Event::Line(line) => {
                seen.push(line.to_owned());
                !line.starts_with('{')
            }
            Event::Silence => false,
        })
        .unwrap_err();
        assert_eq!(seen, ["one", "{json}", "two"]);
        match failed {
            Failed::Status { status, tail, .. } => {
                assert_eq!(status.code(), Some(3));
                assert_eq!(tail, "one\ntwo");
            }
            Failed::Start { .. } => panic!("it did start"),
        }
        assert!(lines(&mut Command::new("true"), |_| true).is_ok());
        let absent = lines(&mut Command::new("/no/such/program"), |_| true);
        assert!(matches!(absent, Err(Failed::Start { .. })));
    }
}

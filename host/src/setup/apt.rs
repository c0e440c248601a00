//! apt-get, never asking, with its progress on ours.
use crate::progress::Task;
use crate::tools::run::{self, Event, Failed};
use std::path::Path;
use std::process::Command;

/// An apt-get that waits for others to finish, never asks, and speaks English.
#[must_use]
pub fn command(configuration: Option<&Path>) -> Command {
    let mut command = Command::new("apt-get");
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("LC_ALL", "C")
        .env_remove("LD_LIBRARY_PATH")
        .args(["-q", "-y"])
        .args(["-o", "DPkg::Lock::Timeout=300"])
        .args(["-o", "Acquire::Retries=3"])
        .args(["-o", "APT::Status-Fd=1"]);
    if let Some(file) = configuration {
        command.env("APT_CONFIG", file);
    }
    command
}

/// Runs it and moves `task`, of 200 steps: downloading is one half, installing the other.
///
/// # Errors
/// [`Failed`].
pub fn run(command: &mut Command, task: &Task) -> Result<(), Failed> {
    task.set_total(200);
    let mut done = 0;
    run::lines(command, |event| {
        let said = match event {
            Event::Line(line) => status(line),
            Event::Silence => None,
        };
        if let Some((steps, what)) = said {
            done = steps;
            task.message(what);
        }
        task.at(done);
        said.is_none()
    })
}

/// A status line of apt: `dlstatus:1:20.5:Retrieving` or `pmstatus:PACKAGE:55.3:Installing`.
fn status(line: &str) -> Option<(u64, &str)> {
    let (done, rest) = match line.split_once(':')? {
        ("dlstatus", rest) => (0.0, rest),
        ("pmstatus", rest) => (100.0, rest),
        _ => return None,
    };
    // An architecture adds a colon to a package's name, so the percentage is the first field that is a number with a dot.
    let mut from = 0;
    for field in rest.split(':') {
        let next = from + field.len() + 1;
        if field.contains('.')
            && let Ok(percent) = field.parse::<f64>()
        {
            let steps = (done + percent.clamp(0.0, 100.0)) as u64;
            return Some((steps, rest.get(next..).unwrap_or_default()));
        }
        from = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines_are_read() {
        assert_eq!(
            status("dlstatus:1:20.5083:Retrieving file 1 of 3"),
            Some((20, "Retrieving file 1 of 3"))
        );
        assert_eq!(
            status("pmstatus:cmake:55.3:Installing cmake (amd64)"),
            Some((155, "Installing cmake (amd64)"))
        );
        assert_eq!(
            status("pmstatus:libc6:arm64:10.0:Unpacking"),
            Some((110, "Unpacking"))
        );
        assert_eq!(status("E: Unable to locate package x"), None);
        assert_eq!(status("Setting up cmake (3.25.1-1) ..."), None);
    }
}

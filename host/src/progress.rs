//! Progress on standard error: bars with time left on a terminal, plain lines elsewhere, nothing when asked to be quiet.
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::cell::{Cell, RefCell};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Between two plain lines of one task.
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);
/// A task that takes less says nothing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Says a line on standard error. A reader that is gone, or a log on a full disk, is no reason to end a run.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Where progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Bars.
    Terminal,
    /// Lines.
    Plain,
    /// Nothing.
    Quiet,
}

impl Progress {
    /// Bars if standard error is a terminal.
    #[must_use]
    pub fn new(quiet: bool) -> Self {
        if quiet {
            Self::Quiet
        } else if std::io::stderr().is_terminal() {
            Self::Terminal
        } else {
            Self::Plain
        }
    }

    /// Says one line.
    pub fn note(self, line: &str) {
        if self != Self::Quiet {
            tell(line);
        }
    }

    /// Begins a task of `total` steps; 0 if their number is not known yet.
    #[must_use]
    pub fn task(self, what: &str, total: u64) -> Task {
        let bar = if self == Self::Terminal {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let template = "{prefix:28} {bar:30} {percent:>3}% {left:>12}  {wide_msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                // Not the library's own estimate: it follows the latest steps, and says centuries while a long one lasts.
                let left = |state: &ProgressState, line: &mut dyn std::fmt::Write| {
                    let total = state.len().unwrap_or(0);
                    let _ = line.write_str(&remaining(state.pos(), total, state.elapsed()));
                };
                bar.set_style(style.with_key("left", left).progress_chars("━╸ "));
            }
            bar.set_prefix(what.to_owned());
            bar.enable_steady_tick(Duration::from_millis(200));
            Some(bar)
        } else {
            None
        };
        let now = Instant::now();
        Task {
            plain: self == Self::Plain,
            bar,
            what: what.to_owned(),
            total: Cell::new(total),
            began: now,
            said: Cell::new(now),
            message: RefCell::default(),
        }
    }
}

/// Something that takes a while.
#[derive(Debug)]
pub struct Task {
    plain: bool,
    bar: Option<ProgressBar>,
    what: String,
    total: Cell<u64>,
    began: Instant,
    said: Cell<Instant>,
    message: RefCell<String>,
}

impl Task {
    /// Changes the number of steps.
    pub fn set_total(&self, total: u64) {
        self.total.set(total);
        if let Some(bar) = &self.bar {
            bar.set_length(total);
        }
    }

    /// What is being done at the moment.
    pub fn message(&self, message: &str) {
        message.clone_into(&mut self.message.borrow_mut());
        if let Some(bar) = &self.bar {
            bar.set_message(message.to_owned());
        }
    }

    /// `done` steps are done.
    pub fn at(&self, done: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
        if self.plain
            && self.began.elapsed() >= PATIENCE
            && (self.said.get() == self.began || self.said.get().elapsed() >= PLAIN_INTERVAL)
        {
            self.said.set(Instant::now());
            let line = plain_line(&self.what, done, self.total.get(), self.began.elapsed());
            tell(&format!("{line}  {}", self.message.borrow()));
        }
    }

    /// Ends it; says how long it took if that was noticeable.
    pub fn done(self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if (self.plain || self.bar.is_some()) && self.began.elapsed() >= PATIENCE {
            let took = clock(self.began.elapsed());
            tell(&format!("{}: done in {took}", self.what));
        }
    }
}

fn plain_line(what: &str, done: u64, total: u64, elapsed: Duration) -> String {
    let remaining = remaining(done, total, elapsed);
    match (100 * done.min(total)).checked_div(total) {
        None | Some(0) => format!("{what}: {remaining}"),
        Some(percent) => format!("{what}: {percent}%, {remaining}"),
    }
}

/// Time left in proportion to what is done; time taken so far where that says too little.
fn remaining(done: u64, total: u64, elapsed: Duration) -> String {
    const TELLING: f64 = 0.01;
    let part = done.min(total) as f64 / total.max(1) as f64;
    if part < TELLING {
        return format!("{} so far", clock(elapsed));
    }
    format!("{} left", clock(elapsed.mul_f64((1.0 - part) / part)))
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_in_proportion() {
        let line = plain_line("build", 30, 120, Duration::from_secs(20));
        assert_eq!(line, "build: 25%, 1:00 left");
        assert_eq!(
            plain_line("build", 9, 0, Duration::from_secs(75)),
            "build: 1:15 so far"
        );
        assert_eq!(
            plain_line("build", 9, 3, Duration::from_secs(75)),
            "build: 100%, 0:00 left"
        );
    }
}

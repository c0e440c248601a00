//! How far the run is, over all its threads.
use crate::progress::{Progress, Task};
use std::sync::{Mutex, PoisonError};

/// Counts are shown in millions: what is left is what matters.
const UNIT: u64 = 1_000_000;

#[derive(Debug, Default)]
struct State {
    task: Option<Task>,
    total: u64,
    done: u64,
    warnings: Vec<String>,
}

/// Shared progress.
#[derive(Debug)]
pub struct Meter {
    progress: Progress,
    state: Mutex<State>,
}

impl Meter {
    /// Shows progress by `progress`.
    #[must_use]
    pub fn new(progress: Progress) -> Self {
        Self {
            progress,
            state: Mutex::default(),
        }
    }

    fn with<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins a stretch of work that counts `total` in all.
    pub fn begin(&self, what: &str, total: u64) {
        self.done();
        self.with(|state| {
            state.total = total.max(1);
            state.done = 0;
            state.task = Some(self.progress.task(what, state.total.div_ceil(UNIT)));
        });
    }

    /// What is being done, and where.
    pub fn at(&self, what: &str) {
        self.with(|state| {
            if let Some(task) = &state.task {
                task.message(what);
                task.at(state.done / UNIT);
            }
        });
    }

    /// `count` more is done.
    pub fn add(&self, count: u64) {
        self.with(|state| {
            state.done = state.done.saturating_add(count).min(state.total);
            if let Some(task) = &state.task {
                task.at(state.done / UNIT);
            }
        });
    }

    /// Says a line.
    pub fn note(&self, line: &str) {
        self.progress.note(line);
    }

    /// Says a line that belongs at the end, too.
    pub fn warn(&self, line: String) {
        self.progress.note(&format!("warning: {line}"));
        self.with(|state| state.warnings.push(line));
    }

    /// The warnings so far.
    pub fn warnings(&self) -> Vec<String> {
        self.with(|state| state.warnings.clone())
    }

    /// The stretch of work is over.
    pub fn done(&self) {
        if let Some(task) = self.with(|state| state.task.take()) {
            task.done();
        }
    }
}

//! How the numbers that the pilot led to reach the threads that wait for them.
use super::{BenchError, Interrupt};
use crate::model::Planned;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

#[derive(Debug)]
enum State {
    Awaited,
    Known(Arc<Vec<Planned>>),
    GivenUp,
}

/// The plan, or the wait for it.
#[derive(Debug)]
pub struct Handover {
    state: Mutex<State>,
    changed: Condvar,
}

impl Handover {
    /// Known already, where a run is resumed.
    pub fn new(known: Option<Vec<Planned>>) -> Self {
        let state = known.map_or(State::Awaited, |plan| State::Known(Arc::new(plan)));
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn set(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        self.changed.notify_all();
    }

    /// The plan is known.
    pub fn publish(&self, plan: Vec<Planned>) {
        self.set(State::Known(Arc::new(plan)));
    }

    /// There will be no plan, unless there is one already.
    pub fn give_up(&self) {
        if self.known().is_none() {
            self.set(State::GivenUp);
        }
    }

    /// The plan, where it is known.
    pub fn known(&self) -> Option<Arc<Vec<Planned>>> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Known(plan) => Some(plan.clone()),
            _ => None,
        }
    }

    /// Waits for the plan.
    pub fn wait(&self, interrupt: &Interrupt) -> Result<Arc<Vec<Planned>>, BenchError> {
        const SLICE: Duration = Duration::from_millis(100);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*state {
                State::Known(plan) => return Ok(plan.clone()),
                State::GivenUp => return Err(BenchError::NoPlan),
                State::Awaited if interrupt.ends() => return Err(BenchError::Interrupted),
                State::Awaited => {}
            }
            let waited = self.changed.wait_timeout(state, SLICE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

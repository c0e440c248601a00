//! Ctrl-C, as a flag that every wait looks at.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the run shall end early.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    pressed: Arc<AtomicBool>,
    halted: Arc<AtomicBool>,
}

impl Interrupt {
    /// The user wants it to end.
    pub fn press(&self) {
        self.pressed.store(true, Ordering::Relaxed);
    }

    /// It must end for a reason of our own, which is reported elsewhere.
    pub fn halt(&self) {
        self.halted.store(true, Ordering::Relaxed);
    }

    /// Whether the user wants it to end.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.pressed.load(Ordering::Relaxed)
    }

    /// Whether to end, for whatever reason.
    #[must_use]
    pub fn ends(&self) -> bool {
        self.is_set() || self.halted.load(Ordering::Relaxed)
    }
}

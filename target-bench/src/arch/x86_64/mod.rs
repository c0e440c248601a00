//! x86-64: the machine that runs the host program, as the board `local`, and the one that runs the unit tests.
use core::arch::global_asm;

pub mod counter;
pub mod features;
pub mod start;

pub use counter::{ticks, wait_for_tick};
pub use features::CAPABILITY_NAMES;

global_asm!(include_str!("stack.s"));

unsafe extern "C" {
    /// Calls `function(argument)` with the stack pointer at `top`, which must be a multiple of 16.
    ///
    /// # Safety
    /// Below `top` there must be enough writable memory that nothing else uses; `function` must be safe to call with `argument`
    /// and must return.
    pub fn call_on_stack(argument: *mut u8, function: unsafe extern "C" fn(*mut u8), top: *mut u8);
}

/// Calls are not told from other instructions here: they have no fixed length.
#[must_use]
pub fn follows_call(_address: u64, _code: &core::ops::Range<u64>) -> bool {
    false
}

/// There is no such register here.
#[must_use]
pub fn midr() -> u64 {
    0
}

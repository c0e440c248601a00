//! AArch64.
use core::arch::global_asm;

pub mod cores;
pub mod counter;
pub mod exceptions;
pub mod mmu;
pub mod pmu;
pub mod registers;
pub mod semihosting;
pub mod start;

pub use counter::{ticks, wait_for_tick};
pub use registers::{CAPABILITY_NAMES, midr};

global_asm!(include_str!("stack.s"));

unsafe extern "C" {
    /// Calls `function(argument)` with the stack pointer at `top`, which must be a multiple of 16.
    ///
    /// # Safety
    /// Below `top` there must be enough writable memory that nothing else uses; `function` must be safe to call with `argument`
    /// and must return.
    pub fn call_on_stack(argument: *mut u8, function: unsafe extern "C" fn(*mut u8), top: *mut u8);
}

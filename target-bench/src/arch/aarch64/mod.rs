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

use core::ops::Range;

pub use counter::{ticks, wait_for_tick};
pub use registers::{CAPABILITY_NAMES, midr};

global_asm!(include_str!("stack.s"));

/// Whether the instruction before `address`, which lies in `code`, is a call (BL or BLR): the address may have been stored to return to.
#[must_use]
pub fn follows_call(address: u64, code: &Range<u64>) -> bool {
    const INSTRUCTION: u64 = 4;
    if !address.is_multiple_of(INSTRUCTION) || address < code.start + INSTRUCTION {
        return false;
    }
    // SAFETY: an aligned word of the program's own code.
    let instruction = unsafe { ((address - INSTRUCTION) as *const u32).read() };
    let bl = instruction >> 26 == 0b10_0101;
    let blr = instruction & 0xffff_fc1f == 0xd63f_0000;
    bl || blr
}

unsafe extern "C" {
    /// Calls `function(argument)` with the stack pointer at `top`, which must be a multiple of 16.
    ///
    /// # Safety
    /// Below `top` there must be enough writable memory that nothing else uses; `function` must be safe to call with `argument`
    /// and must return.
    pub fn call_on_stack(argument: *mut u8, function: unsafe extern "C" fn(*mut u8), top: *mut u8);
}

//! The performance monitor, as far as the image that owns the CPU sets it up.
use super::registers;
use core::arch::asm;

/// Whether there is a PMU with a standard interface.
#[must_use]
pub fn present() -> bool {
    !matches!((registers::dfr0() >> 8) & 15, 0 | 15)
}

/// Starts PMCCNTR_EL0 from zero, 64 bits wide, counting at EL0 and EL1 without a divider.
///
/// # Safety
/// At EL1, with a PMU present and not trapped.
pub unsafe fn start_cycle_counter() {
    const ENABLE: u64 = 1;
    const RESET_CYCLES: u64 = 1 << 2;
    const LONG: u64 = 1 << 6;
    // SAFETY: as the caller promises.
    unsafe {
        asm!("msr pmccfiltr_el0, xzr", "msr pmcntenset_el0, {cycles}", "msr pmcr_el0, {control}", "isb",
            cycles = in(reg) 1u64 << 31, control = in(reg) ENABLE | RESET_CYCLES | LONG, options(nostack));
    }
}

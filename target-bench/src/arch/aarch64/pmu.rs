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

/// Event 8 of the architecture: an instruction that was executed.
const INST_RETIRED: u32 = 8;

/// Whether the PMU counts instructions, which its version alone does not say, and has a counter for them.
///
/// # Safety
/// At EL1, with a PMU present and not trapped.
#[must_use]
pub unsafe fn counts_instructions() -> bool {
    let (control, events): (u64, u64);
    // SAFETY: as the caller promises.
    unsafe {
        asm!("mrs {control}, pmcr_el0", "mrs {events}, pmceid0_el0",
            control = out(reg) control, events = out(reg) events, options(nomem, nostack, preserves_flags));
    }
    let counters = control >> 11 & 31;
    events >> INST_RETIRED & 1 == 1 && counters > 0
}

/// Counts instructions at EL0 and EL1 in event counter 0, which has 32 bits.
///
/// # Safety
/// At EL1, with a PMU present and not trapped, of which [`counts_instructions`] said yes.
pub unsafe fn start_instruction_counter() {
    const ENABLE: u64 = 1;
    // SAFETY: as the caller promises.
    unsafe {
        asm!("msr pmevtyper0_el0, {event}", "msr pmcntenset_el0, {counter}", "mrs {control}, pmcr_el0", "orr {control}, {control}, {enable}",
            "msr pmcr_el0, {control}", "isb",
            event = in(reg) u64::from(INST_RETIRED), counter = in(reg) 1u64, control = out(reg) _, enable = in(reg) ENABLE, options(nostack));
    }
}

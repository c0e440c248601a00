//! CNTVCT_EL0 and PMCCNTR_EL0. An ISB comes first: without it the read may be done before the code in front of it is.
use core::arch::asm;

macro_rules! counter {
    ($(#[$doc:meta])* $name:ident, $register:literal) => {
        $(#[$doc])*
        #[must_use]
        #[inline(always)]
        pub fn $name() -> u64 {
            let value: u64;
            // SAFETY: reading the register has no side effect. No `nomem`: memory accesses must not be moved across it.
            unsafe { asm!("isb", concat!("mrs {}, ", $register), out(reg) value, options(nostack, preserves_flags)) };
            value
        }
    };
}

counter!(
    /// CNTVCT_EL0, readable at every exception level.
    ticks, "cntvct_el0");
counter!(
    /// PMCCNTR_EL0. At EL0 only where the operating system has opened it.
    pmccntr, "pmccntr_el0");

counter!(
    /// PMEVCNTR0_EL0, which [`super::pmu::start_instruction_counter`] has set up. 32 bits.
    inst_retired, "pmevcntr0_el0");

/// The generic event counter with this index (0 to 30), through PMSELR_EL0 and PMXEVCNTR_EL0. At EL0 only where the
/// operating system has opened it.
#[must_use]
#[inline(always)]
pub fn event_counter(index: u64) -> u64 {
    let value: u64;
    // SAFETY: selects a counter and reads it; nothing else relies on the selection.
    unsafe {
        asm!("msr pmselr_el0, {i}", "isb", "mrs {v}, pmxevcntr_el0", i = in(reg) index, v = out(reg) value,
            options(nostack, preserves_flags));
    }
    value
}

/// Waits for an edge of CNTVCT_EL0, so that what follows begins at a known place within a tick and its count of ticks is off by
/// the end alone.
///
/// The wait ends with the first round that spans more ticks than the round before it. Where a round is shorter than a tick, that
/// is the round in which the counter moves. Where a tick is a fixed number of instructions (deterministic emulation), the
/// round of 17 instructions, which shares no factor with a power of two, looks one instruction later within the tick each
/// time, and the wait ends at the very same place every time. At most 64 rounds.
#[inline(always)]
pub fn wait_for_tick() {
    // SAFETY: reads a counter and changes the registers named.
    unsafe {
        asm!(
            "2:",
            "isb",
            "mrs {now}, cntvct_el0",
            "sub {span}, {now}, {last}",
            "mov {last}, {now}",
            "cmp {span}, {before}",
            "mov {before}, {span}",
            "b.hi 3f",
            "subs {rounds}, {rounds}, #1",
            "b.eq 3f",
            "nop", "nop", "nop", "nop", "nop", "nop", "nop",
            "b 2b",
            "3:",
            now = out(reg) _,
            span = out(reg) _,
            last = inout(reg) 0u64 => _,
            before = inout(reg) u64::MAX => _,
            rounds = inout(reg) 64u64 => _,
            options(nostack)
        );
    }
}

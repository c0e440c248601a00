//! Linux on AArch64.
use super::super::{Auxiliary, signals};
use crate::arch::{counter, pmu, registers};
use crate::platform::Source;
use alloc::string::String;
use wire::units::{Clock, Counter, Hertz, Scope};

/// In `ucontext_t`: 176 bytes in front of the machine's context; there the fault's address, 31 registers, SP, then PC.
pub const CONTEXT_PROGRAM_COUNTER: usize = 176 + 8 + 31 * 8 + 8;

/// `config1` of perf_event: the 64-bit counter (arch/arm64 perf documentation).
pub const PERF_LONG: u64 = 1;
/// `config1`: to be read as a register.
pub const PERF_READABLE: u64 = 2;

/// The clock of ticks.
pub fn tick_clock() -> Clock {
    Clock {
        counter: Counter::Cntvct,
        rate: Some(Hertz(registers::cntfrq())),
        scope: Scope::All,
    }
}

/// The CPU's features, as the kernel reports them.
pub fn features(auxiliary: &Auxiliary) -> u64 {
    auxiliary.hardware_capabilities
}

/// Nothing at EL0 tells.
pub fn hypervisor() -> Option<String> {
    None
}

/// A counter that the kernel has mapped to this process, by its index in the mapped page: one more than its number.
///
/// # Safety
/// The mapped page must say that this counter can be read; the index is not 0.
#[inline(always)]
pub unsafe fn performance_counter(index: u32) -> u64 {
    const CYCLE_COUNTER: u32 = 32;
    match index {
        CYCLE_COUNTER => counter::pmccntr(),
        other => counter::event_counter(u64::from(other) - 1),
    }
}

/// The exception level, tried out: what calls itself Linux may run its programs at its own.
pub fn exception_level() -> u8 {
    let mut level = 0;
    signals::try_instruction(|| level = registers::exception_level());
    level as u8
}

/// The cycle counter as the program's own, where it runs at EL1 and there is a PMU.
pub fn own_counter(exception_level: u8) -> Option<Source> {
    if exception_level != 1 || !pmu::present() {
        return None;
    }
    // SAFETY: at EL1 with a PMU; whoever runs programs there has no use for it.
    unsafe { pmu::start_cycle_counter() };
    Some(Source::Pmccntr)
}

/// A counter of instructions as the program's own, likewise.
pub fn own_instruction_counter(exception_level: u8) -> Option<Source> {
    // SAFETY: at EL1 with a PMU, both of which are looked at first.
    unsafe {
        if exception_level != 1 || !pmu::present() || !pmu::counts_instructions() {
            return None;
        }
        pmu::start_instruction_counter();
    }
    Some(Source::InstRetired)
}

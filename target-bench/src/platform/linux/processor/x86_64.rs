//! Linux on x86-64.
use super::super::{Auxiliary, sys};
use crate::arch::{counter, features as cpu};
use crate::platform::Source;
use alloc::string::String;
use wire::units::{Clock, Counter, Hertz, Scope};

/// In `ucontext_t`: flags, link and the alternative stack, 40 bytes; then 16 general registers, then RIP.
pub const CONTEXT_PROGRAM_COUNTER: usize = 40 + 16 * 8;

/// Counters are 64 bits wide here without being asked for it.
pub const PERF_LONG: u64 = 0;
/// And readable where the kernel allows it at all.
pub const PERF_READABLE: u64 = 0;

/// How long the time stamp counter is held against the system's clock, ns. The two readings at either end are some 100 ns apart,
/// which makes the rate good to a few parts in a million.
const MEASURED_FOR: u64 = 100_000_000;

/// The time stamp counter. Its rate is what the CPU says it is, else measured; none where it does not run at one rate.
pub fn tick_clock() -> Clock {
    let rate = if cpu::invariant_tsc() {
        cpu::tsc_rate().or_else(measured_rate)
    } else {
        None
    };
    Clock {
        counter: Counter::Tsc,
        rate: rate.map(Hertz),
        scope: Scope::All,
    }
}

/// A moment on both clocks, (ticks, ns): of some readings the one in which the two were closest.
fn moment() -> Option<(u64, u64)> {
    let reading = || {
        let before = counter::ticks();
        let time = sys::monotonic().ok()?;
        let after = counter::ticks();
        Some((
            after.wrapping_sub(before),
            before + after.wrapping_sub(before) / 2,
            time,
        ))
    };
    let closest = (0..16)
        .filter_map(|_| reading())
        .min_by_key(|(span, ..)| *span);
    closest.map(|(_, ticks, time)| (ticks, time))
}

fn measured_rate() -> Option<u64> {
    let (first_ticks, first_time) = moment()?;
    sys::sleep(MEASURED_FOR);
    let (ticks, time) = moment()?;
    let ticks = u128::from(ticks.checked_sub(first_ticks)?);
    let time = u128::from(time.checked_sub(first_time)?);
    let rate = (ticks * 1_000_000_000).checked_div(time)?;
    u64::try_from(rate).ok().filter(|rate| *rate != 0)
}

/// The CPU's features, as CPUID reports them: AT_HWCAP holds only a part of them here.
pub fn features(_: &Auxiliary) -> u64 {
    cpu::hardware_capabilities()
}

/// The hypervisor underneath, as CPUID names it.
pub fn hypervisor() -> Option<String> {
    let name = cpu::hypervisor()?;
    let name = String::from_utf8_lossy(&name);
    Some(String::from(name.trim_end_matches('\0')))
}

/// A counter that the kernel has mapped to this process, by its index in the mapped page: one more than its number.
///
/// # Safety
/// The mapped page must say that this counter can be read; the index is not 0.
#[inline(always)]
pub unsafe fn performance_counter(index: u32) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { counter::performance_counter(index - 1) }
}

/// Makes `block` the thread's own.
///
/// # Safety
/// Once, before anything thread-local is used; `block` must stay, and be laid out as the ABI says.
pub unsafe fn set_thread_pointer(block: *mut u8) {
    if let Err(errno) = sys::set_fs(block as usize) {
        super::super::give_up("cannot set FS", errno);
    }
}

/// Programs run unprivileged.
pub fn exception_level() -> u8 {
    0
}

/// There is none.
pub fn own_counter(_: u8) -> Option<Source> {
    None
}

/// Nor one of instructions.
pub fn own_instruction_counter(_: u8) -> Option<Source> {
    None
}

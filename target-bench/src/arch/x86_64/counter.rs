//! The time stamp counter and the counters of the performance monitor. LFENCE on both sides keeps a read in its place: neither is
//! the code in front of it still under way, nor has the code behind it begun.
use core::arch::asm;

/// Reads the time stamp counter.
#[must_use]
#[inline(always)]
pub fn ticks() -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: reading the counter has no side effect. No `nomem`: memory accesses must not be moved across it.
    unsafe {
        asm!("lfence", "rdtsc", "lfence", out("eax") low, out("edx") high, options(nostack, preserves_flags));
    }
    u64::from(high) << 32 | u64::from(low)
}

/// Waits for the time stamp counter to move: it does so with every cycle or so, and there is no edge to wait for.
#[inline(always)]
pub fn wait_for_tick() {
    let now = ticks();
    while ticks() == now {}
}

/// The performance counter with this index, by RDPMC.
///
/// # Safety
/// The operating system must have opened this counter to user code; the instruction faults otherwise.
#[must_use]
#[inline(always)]
pub unsafe fn performance_counter(index: u32) -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: as the caller promises.
    unsafe {
        asm!("lfence", "rdpmc", "lfence", in("ecx") index, out("eax") low, out("edx") high,
            options(nostack, preserves_flags));
    }
    u64::from(high) << 32 | u64::from(low)
}

//! A machine other than aarch64, where the tests of the workload run: the time stamp counter, and no stack of its own.

/// Reads the counter of ticks.
#[must_use]
#[inline(always)]
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: RDTSC has no side effect.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// Waits for the counter of ticks to move.
pub fn wait_for_tick() {
    let now = ticks();
    while ticks() == now {}
}

/// Calls `function(argument)`; the stack stays as it is.
///
/// # Safety
/// `function` must be safe to call with `argument`.
pub unsafe fn call_on_stack(
    argument: *mut u8,
    function: unsafe extern "C" fn(*mut u8),
    _top: *mut u8,
) {
    // SAFETY: as the caller promises.
    unsafe { function(argument) }
}

/// Calls are not told from other instructions here.
#[must_use]
pub fn follows_call(_address: u64, _code: &core::ops::Range<u64>) -> bool {
    false
}

/// No identification register.
#[must_use]
pub fn midr() -> u64 {
    0
}

/// No names for feature bits.
pub const CAPABILITY_NAMES: &[(u32, &str)] = &[];

//! Thread-local variables of the one thread on AArch64.
use core::cell::UnsafeCell;

/// The ABI has the thread pointer 16 bytes in front of the variables; all start as zero, which the linker script checks.
#[repr(C, align(64))]
struct ThreadLocal(UnsafeCell<[u8; 16 + 1024]>);
// SAFETY: one thread.
unsafe impl Sync for ThreadLocal {}
static THREAD_LOCAL: ThreadLocal = ThreadLocal(UnsafeCell::new([0; 16 + 1024]));

pub fn start() {
    // SAFETY: TPIDR_EL0 belongs to the program; nothing has read it yet.
    unsafe {
        core::arch::asm!("msr tpidr_el0, {}", in(reg) THREAD_LOCAL.0.get(), options(nostack, preserves_flags));
    }
}

//! The other cores: one works, the rest sleep.
use core::arch::{asm, global_asm};

// Where they are sent: entered at any exception level, with interrupts masked, so that nothing wakes them for good. WFI rather than
// WFE: an emulator may take WFE for a moment's pause, and its instruction clock then counts the waiting.
global_asm!(
    ".section .text.sleep_for_ever,\"ax\"",
    "sleep_for_ever:",
    "wfi",
    "b sleep_for_ever",
    ".text"
);

unsafe extern "C" {
    fn sleep_for_ever();
}

/// Gives the cores that wait in firmware's spin table an address to go to, where they sleep.
///
/// # Safety
/// Caches off, so that cores without caches see what is written; each entry must be a word that a waiting core reads, and nothing
/// else's.
pub unsafe fn send_to_sleep(spin_table: &[u64]) {
    for entry in spin_table {
        // SAFETY: as the caller promises.
        unsafe { (*entry as *mut u64).write_volatile(sleep_for_ever as *const () as u64) };
    }
    if !spin_table.is_empty() {
        // SAFETY: waits for the writes, then wakes whoever waits for an event.
        unsafe { asm!("dsb sy", "sev", options(nostack, preserves_flags)) };
    }
}

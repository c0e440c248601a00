//! What a program without a C library must bring: memory routines, the allocator's C interface and the few routines that
//! liboqs calls.
//!
//! Both programs include this module as their own, and the library never does: in a program that has a C library these names
//! would clash with its. That the same routines stand under the providers in every environment is what makes counts comparable.

mod libc;
mod log;

use core::arch::global_asm;
use target_bench::memory::RustHeap;
use target_bench::memory::layout::{self, Layout};

/// One thread and no interrupts: every section is critical.
struct OneThread;
critical_section::set_impl!(OneThread);
// SAFETY: nothing can run in between.
unsafe impl critical_section::Impl for OneThread {
    unsafe fn acquire() -> critical_section::RawRestoreState {}
    unsafe fn release(_: critical_section::RawRestoreState) {}
}

global_asm!(include_str!("memory.s"));

/// Thread-local variables of the one thread. The ABI has the thread pointer 16 bytes in front of them; all start as zero,
/// which the linker script checks.
#[repr(C, align(64))]
struct ThreadLocal(core::cell::UnsafeCell<[u8; 16 + 1024]>);
// SAFETY: one thread.
unsafe impl Sync for ThreadLocal {}
static THREAD_LOCAL: ThreadLocal = ThreadLocal(core::cell::UnsafeCell::new([0; 16 + 1024]));

unsafe extern "C" {
    static __code_start: u8;
    static __code_end: u8;
    static __read_only_start: u8;
    static __read_only_end: u8;
    static __writable_start: u8;
    static __writable_end: u8;
}

/// Makes thread-local variables usable, and says where the program lies. First thing in each program.
pub fn start() {
    // SAFETY: TPIDR_EL0 belongs to the program; nothing has read it yet.
    unsafe {
        core::arch::asm!("msr tpidr_el0, {}", in(reg) THREAD_LOCAL.0.get(), options(nostack, preserves_flags));
    }
    // Symbols of the linker scripts: their addresses are what they say.
    let at = |symbol: *const u8| symbol as u64;
    layout::set(Layout {
        code: at(&raw const __code_start)..at(&raw const __code_end),
        read_only: at(&raw const __read_only_end) - at(&raw const __read_only_start),
        writable: at(&raw const __writable_end) - at(&raw const __writable_start),
        bias: 0,
    });
}

#[global_allocator]
static HEAP: RustHeap = RustHeap;

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    target_bench::fault::panicked(info)
}

/// Named by the prebuilt core's unwind tables, never called: a panic aborts.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// As above.
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    target_bench::fault::aborted("_Unwind_Resume", 0)
}

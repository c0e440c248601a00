//! What a program without a C library must bring: memory routines, the allocator's C interface and the few routines that
//! liboqs calls.
//!
//! Both programs include this module as their own, and the library never does: in a program that has a C library these names
//! would clash with its. That the same routines stand under the providers in every environment is what makes counts comparable.

#[cfg(target_arch = "x86_64")]
mod dispatch;
mod libc;
#[cfg(target_arch = "aarch64")]
mod log;
mod section;
#[cfg_attr(target_arch = "aarch64", path = "thread-aarch64.rs")]
#[cfg_attr(target_arch = "x86_64", path = "thread-x86_64.rs")]
mod thread;

use core::arch::global_asm;
use target_bench::memory::RustHeap;
use target_bench::memory::layout::{self, Layout};

#[cfg(target_arch = "aarch64")]
global_asm!(include_str!("memory-aarch64.s"));
#[cfg(target_arch = "x86_64")]
global_asm!(
    ".macro routine name\n .global \\name\n .type \\name, @function\n .balign 16\n \\name:\n .endm",
    include_str!("memory-x86_64.s")
);

unsafe extern "C" {
    static __code_start: u8;
    static __code_end: u8;
    static __read_only_start: u8;
    static __read_only_end: u8;
    static __writable_start: u8;
    static __writable_end: u8;
}

/// Makes thread-local variables usable, and says where the program lies, which is `bias` above the addresses in its file. First thing
/// in each program.
pub fn start(bias: u64) {
    thread::start();
    // Symbols of the linker scripts: their addresses are what they say.
    let at = |symbol: *const u8| symbol as u64;
    layout::set(Layout {
        code: at(&raw const __code_start)..at(&raw const __code_end),
        read_only: at(&raw const __read_only_end) - at(&raw const __read_only_start),
        writable: at(&raw const __writable_end) - at(&raw const __writable_start),
        bias,
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

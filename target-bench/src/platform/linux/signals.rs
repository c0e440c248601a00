//! Fatal signals: reported on the link instead of a silent death.
use super::{processor, signalled, sys};
use core::cell::UnsafeCell;

const STACK: usize = 64 << 10;

#[repr(C, align(16))]
struct Stack(UnsafeCell<[u8; STACK]>);
// SAFETY: only the kernel uses it, for one handler at a time.
unsafe impl Sync for Stack {}
static HANDLER_STACK: Stack = Stack(UnsafeCell::new([0; STACK]));

const FATAL: [(usize, &str); 6] = [
    (4, "illegal instruction"),
    (5, "breakpoint"),
    (6, "abort"),
    (7, "bus error"),
    (8, "arithmetic error"),
    (11, "segmentation fault"),
];

/// Installs the handlers.
pub fn install() {
    const INFORMATION: usize = 4;
    // Where the kernel asks for code that returns from a handler; ours never do.
    const RESTORER: usize = 0x0400_0000;
    let restorer = if cfg!(target_arch = "x86_64") {
        RESTORER
    } else {
        0
    };
    const ON_STACK: usize = 0x0800_0000;
    const NOT_DEFERRED: usize = 0x4000_0000;
    sys::signal_stack(HANDLER_STACK.0.get().cast(), STACK);
    for (signal, _) in FATAL {
        let handler = handle as extern "C" fn(i32, *const u8, *const u8);
        sys::signal_action(
            signal,
            &[
                handler as usize,
                INFORMATION | ON_STACK | NOT_DEFERRED | restorer,
                0,
                0,
            ],
        );
    }
}

/// The kernel calls this with `siginfo_t` and `ucontext_t`.
extern "C" fn handle(signal: i32, information: *const u8, context: *const u8) {
    const ADDRESS: usize = 16;
    // SAFETY: the kernel's structures, at least this long.
    let (accessed, address) = unsafe {
        (
            information.add(ADDRESS).cast::<u64>().read_unaligned(),
            context
                .add(processor::CONTEXT_PROGRAM_COUNTER)
                .cast::<u64>()
                .read_unaligned(),
        )
    };
    let name = FATAL
        .iter()
        .find(|(number, _)| *number == signal as usize)
        .map_or("signal", |(_, name)| *name);
    signalled(name, signal as u64, address, accessed)
}

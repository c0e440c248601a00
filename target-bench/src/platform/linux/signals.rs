//! Fatal signals: reported on the link instead of a silent death; and trying an instruction that may be illegal.
use super::{processor, signalled, sys};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

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

/// An instruction is being tried, and was refused.
static TRYING: AtomicBool = AtomicBool::new(false);
static REFUSED: AtomicBool = AtomicBool::new(false);

/// Runs `instruction`, which may be an illegal one here: it is stepped over then. Whether it was legal.
#[cfg(target_arch = "aarch64")]
pub fn try_instruction(instruction: impl FnOnce()) -> bool {
    REFUSED.store(false, Relaxed);
    TRYING.store(true, Relaxed);
    instruction();
    TRYING.store(false, Relaxed);
    !REFUSED.load(Relaxed)
}

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
        let handler = handle as extern "C" fn(i32, *const u8, *mut u8);
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
extern "C" fn handle(signal: i32, information: *const u8, context: *mut u8) {
    const ADDRESS: usize = 16;
    const ILLEGAL_INSTRUCTION: i32 = 4;
    const INSTRUCTION: u64 = 4;
    if signal == ILLEGAL_INSTRUCTION && TRYING.load(Relaxed) {
        REFUSED.store(true, Relaxed);
        // SAFETY: as below; the kernel goes on from there.
        unsafe {
            let counter = context
                .add(processor::CONTEXT_PROGRAM_COUNTER)
                .cast::<u64>();
            counter.write_unaligned(counter.read_unaligned() + INSTRUCTION);
        }
        return;
    }
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

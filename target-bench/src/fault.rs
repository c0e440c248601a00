//! Faults that end the program: each is reported on the link first, where that still works.
use crate::memory::{measured, stack};
use alloc::format;
use alloc::string::String;
use core::cell::UnsafeCell;
use wire::message::{Fault, FaultKind};

/// Sends a fault and ends the program.
pub type Reporter = unsafe fn(context: *mut (), fault: Fault) -> !;

struct Installed(UnsafeCell<Option<(Reporter, *mut ())>>);
// SAFETY: one thread; an exception or signal handler runs in its stead and does not return.
unsafe impl Sync for Installed {}
static REPORTER: Installed = Installed(UnsafeCell::new(None));

/// Names who reports faults from now on.
///
/// # Safety
/// `reporter` must be callable with `context` at any moment until the program ends.
pub unsafe fn install(reporter: Reporter, context: *mut ()) {
    // SAFETY: one thread.
    unsafe { *REPORTER.0.get() = Some((reporter, context)) };
}

fn report(kind: FaultKind, code: u64, address: u64, text: String) -> ! {
    // SAFETY: one thread; taken, so that a fault while reporting does not report again.
    if let Some((reporter, context)) = unsafe { (*REPORTER.0.get()).take() } {
        // SAFETY: as `install`'s caller promised.
        unsafe {
            reporter(
                context,
                Fault {
                    kind,
                    iteration: 0,
                    code,
                    address,
                    text,
                },
            )
        }
    }
    loop {
        core::hint::spin_loop();
    }
}

/// A panic.
pub fn panicked(info: &impl core::fmt::Display) -> ! {
    report(FaultKind::Panic, 0, 0, format!("{info}"))
}

/// A provider called a routine that ends the program. After a failed allocation that is the allocation's fault.
pub fn aborted(routine: &str, code: u64) -> ! {
    if measured::usage().exhausted {
        report(
            FaultKind::HeapExhausted,
            code,
            0,
            format!("out of heap; the provider called {routine}"),
        );
    }
    report(
        FaultKind::Aborted,
        code,
        0,
        format!("the provider called {routine}"),
    )
}

/// A processor exception or a fatal signal at `address`, caused by an access to `accessed`.
pub fn exception(name: &str, code: u64, address: u64, accessed: u64) -> ! {
    if stack::is_guard(accessed) {
        report(
            FaultKind::StackExhausted,
            code,
            address,
            format!(
                "the operation's stack of {} bytes ran out",
                crate::memory::STACK_BYTES
            ),
        );
    }
    report(
        FaultKind::Exception,
        code,
        address,
        format!("{name} at {address:#x}, address {accessed:#x}"),
    )
}

//! Thread-local variables of the one thread on x86-64.
use core::cell::UnsafeCell;
use core::ptr;
use target_bench::platform::linux::set_thread_pointer;

/// The ABI has the variables below the thread pointer; all start as zero, which the linker script checks. At the pointer itself
/// lies its own address, and 40 bytes further what stack protectors compare.
#[repr(C, align(64))]
struct ThreadLocal {
    variables: UnsafeCell<[u8; 1024]>,
    control: UnsafeCell<[usize; 8]>,
}
// SAFETY: one thread.
unsafe impl Sync for ThreadLocal {}
static THREAD_LOCAL: ThreadLocal = ThreadLocal {
    variables: UnsafeCell::new([0; 1024]),
    control: UnsafeCell::new([0; 8]),
};

/// Word of the control block that stack protectors compare.
const GUARD: usize = 5;

pub fn start() {
    let control = THREAD_LOCAL.control.get();
    // SAFETY: one thread, which has used nothing thread-local yet; the block is a static, laid out as the ABI says.
    unsafe {
        (*control)[0] = control as usize;
        (*control)[GUARD] = super::libc::GUARD;
        // The variables are reached through FS alone: the compiler must not believe that nobody writes them.
        core::hint::black_box(ptr::from_ref(&THREAD_LOCAL.variables));
        set_thread_pointer(control.cast());
    }
}

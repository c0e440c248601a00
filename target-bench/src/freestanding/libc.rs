//! The C library routines that liboqs calls. A provider that needs another one fails to link, and the linker names it.
use core::ffi::{c_char, c_int, c_void};
use core::ptr;
use target_bench::memory::measured;
#[cfg(target_arch = "aarch64")]
use target_bench::platform;
use target_bench::{fault, tape};

/// glibc's minimum alignment.
const ALIGNMENT: usize = 16;

#[unsafe(no_mangle)]
extern "C" fn malloc(size: usize) -> *mut u8 {
    measured::allocate(ALIGNMENT, size)
}

#[unsafe(no_mangle)]
extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut u8 {
    measured::allocate(alignment.max(ALIGNMENT), size)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_memalign(out: *mut *mut u8, alignment: usize, size: usize) -> c_int {
    const ENOMEM: c_int = 12;
    let block = aligned_alloc(alignment, size);
    if block.is_null() {
        return ENOMEM;
    }
    // SAFETY: the caller gives a place for the result.
    unsafe { out.write(block) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn calloc(count: usize, size: usize) -> *mut u8 {
    let Some(bytes) = count.checked_mul(size) else {
        return ptr::null_mut();
    };
    let block = malloc(bytes);
    if !block.is_null() {
        // SAFETY: the block has this many bytes.
        unsafe { block.write_bytes(0, bytes) };
    }
    block
}

#[unsafe(no_mangle)]
unsafe extern "C" fn free(block: *mut u8) {
    // SAFETY: C code frees only what it got from here.
    unsafe { measured::free(block) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn strlen(text: *const c_char) -> usize {
    let mut length = 0;
    // Volatile: otherwise the compiler may recognise strlen and call it. SAFETY: the caller's string ends in a zero.
    while unsafe { text.add(length).read_volatile() } != 0 {
        length += 1;
    }
    length
}

#[unsafe(no_mangle)]
unsafe extern "C" fn strdup(text: *const c_char) -> *mut u8 {
    // SAFETY: the caller's string ends in a zero, which is copied too.
    unsafe {
        let size = strlen(text) + 1;
        let copy = malloc(size);
        if !copy.is_null() {
            ptr::copy_nonoverlapping(text.cast(), copy, size);
        }
        copy
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn strcasecmp(mut left: *const u8, mut right: *const u8) -> c_int {
    loop {
        // SAFETY: both strings end in a zero, and the loop ends at the first.
        let (a, b) = unsafe { ((*left).to_ascii_lowercase(), (*right).to_ascii_lowercase()) };
        if a != b || a == 0 {
            return c_int::from(a) - c_int::from(b);
        }
        // SAFETY: neither was at its end.
        (left, right) = unsafe { (left.add(1), right.add(1)) };
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn explicit_bzero(block: *mut u8, size: usize) {
    // SAFETY: the caller's block has this many bytes. The empty assembly makes the zeros observable, so the store stays.
    unsafe {
        block.write_bytes(0, size);
        core::arch::asm!("/* {0} */", in(reg) block, options(nostack, preserves_flags));
    }
}

/// One thread, so a flag is enough.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_once(once: *mut c_int, initialise: extern "C" fn()) -> c_int {
    // SAFETY: the caller's control block, initialised to PTHREAD_ONCE_INIT = 0.
    unsafe {
        if *once == 0 {
            *once = 1;
            initialise();
        }
    }
    0
}

/// The features that the providers shall see. Nothing but AT_HWCAP is answered.
#[cfg(target_arch = "aarch64")]
#[unsafe(no_mangle)]
extern "C" fn getauxval(kind: u64) -> u64 {
    const AT_HWCAP: u64 = 16;
    if kind == AT_HWCAP {
        platform::features_used()
    } else {
        0
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn getentropy(out: *mut u8, size: usize) -> c_int {
    // SAFETY: the caller's buffer has this many bytes.
    unsafe { tape::draw_raw(out, size) };
    0
}

/// What PQClean's code draws by. The crate that it belongs to has one of its own, which the linker leaves out: this one comes first.
#[unsafe(no_mangle)]
unsafe extern "C" fn PQCRYPTO_RUST_randombytes(out: *mut u8, size: usize) -> c_int {
    // SAFETY: the caller's buffer has this many bytes.
    unsafe { tape::draw_raw(out, size) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn exit(status: c_int) -> ! {
    fault::aborted("exit", status as u64)
}

#[unsafe(no_mangle)]
extern "C" fn abort() -> ! {
    fault::aborted("abort", 0)
}

#[unsafe(no_mangle)]
extern "C" fn __stack_chk_fail() -> ! {
    fault::aborted("__stack_chk_fail", 0)
}

/// What stack protectors compare.
pub const GUARD: usize = 0x0a0d_ff00_5b1c_e97d;

/// Where they look for it on AArch64; on x86-64 it lies in the thread's block.
#[cfg(target_arch = "aarch64")]
#[unsafe(no_mangle)]
static __stack_chk_guard: usize = GUARD;

/// liboqs prints only before it gives up; the text is dropped, the `exit` that follows is reported.
#[unsafe(no_mangle)]
extern "C" fn fprintf(_file: *mut c_void, _format: *const c_char) -> c_int {
    0
}

#[unsafe(no_mangle)]
extern "C" fn fwrite(
    _data: *const c_void,
    _size: usize,
    count: usize,
    _file: *mut c_void,
) -> usize {
    count
}

#[unsafe(no_mangle)]
static mut stderr: *mut c_void = ptr::null_mut();

static mut ERRNO: c_int = 0;

#[unsafe(no_mangle)]
extern "C" fn __errno_location() -> *mut c_int {
    ptr::addr_of_mut!(ERRNO)
}

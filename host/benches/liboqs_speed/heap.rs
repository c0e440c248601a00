//! The bench's allocator behind C's names, and its `pthread_once`, by which liboqs asks for CPU features again and again, for programs that
//! have a C library otherwise. The machine code is that of the target programs: it comes from their library.
#![no_std]

use core::ffi::c_int;
use target_bench::memory::{RustHeap, measured};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// The library wants one; it is not used.
#[global_allocator]
static HEAP: RustHeap = RustHeap;

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
    // SAFETY: the caller gives a place for the result.
    unsafe { out.write(aligned_alloc(alignment, size)) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn calloc(count: usize, size: usize) -> *mut u8 {
    let block = malloc(count * size);
    if !block.is_null() {
        // SAFETY: the block has this many bytes.
        unsafe { block.write_bytes(0, count * size) };
    }
    block
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(block: *mut u8, size: usize) -> *mut u8 {
    let new = malloc(size);
    if !new.is_null() && !block.is_null() {
        // SAFETY: no block is shorter than the header says, and what lies behind it is the heap's own memory.
        unsafe {
            block.copy_to_nonoverlapping(new, size);
            measured::free(block);
        }
    }
    new
}

#[unsafe(no_mangle)]
unsafe extern "C" fn free(block: *mut u8) {
    // SAFETY: C code frees only what it got from here.
    unsafe { measured::free(block) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn explicit_bzero(block: *mut u8, size: usize) {
    // SAFETY: the caller's block has this many bytes.
    unsafe {
        block.write_bytes(0, size);
        core::arch::asm!("/* {0} */", in(reg) block, options(nostack, preserves_flags));
    }
}

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

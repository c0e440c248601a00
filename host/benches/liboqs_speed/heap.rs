//! The bench's allocator behind C's names, for programs that have a C library otherwise.
#![no_std]
#![allow(dead_code, missing_docs)]

#[path = "../../../target-bench/src/memory/mod.rs"]
mod memory;

use core::ffi::c_int;
use memory::measured;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

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

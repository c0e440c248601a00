//! What a library without Rust's own brings on the boards' architecture.
use target_bench::memory::RustHeap;

#[global_allocator]
static HEAP: RustHeap = RustHeap;

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    target_bench::fault::panicked(info)
}

#[path = "../src/freestanding/section.rs"]
mod section;

/// What PQClean's code draws by: the bench's randomness, as in every other program.
#[unsafe(no_mangle)]
unsafe extern "C" fn PQCRYPTO_RUST_randombytes(out: *mut u8, size: usize) -> core::ffi::c_int {
    // SAFETY: the caller's buffer has this many bytes.
    unsafe { target_bench::tape::draw_raw(out, size) };
    0
}

// The log has no time of its own. Elsewhere defmt's linker script says so, which a carrier need not have.
defmt::timestamp!("");

/// Named by the prebuilt core's unwind tables, never called: a panic aborts.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

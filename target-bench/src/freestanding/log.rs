//! defmt's way out of the program.
use target_bench::log;

#[defmt::global_logger]
struct Logger;

// SAFETY: one thread, so frames do not nest.
unsafe impl defmt::Logger for Logger {
    fn acquire() {
        log::begin();
    }
    unsafe fn flush() {}
    unsafe fn release() {
        log::end();
    }
    unsafe fn write(bytes: &[u8]) {
        log::write(bytes);
    }
}

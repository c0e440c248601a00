//! The log. Remarks are encoded by defmt, so that the program holds numbers where it would hold sentences; they wait here until the
//! link is free, between the answers of commands, and never travel while something is timed.
use alloc::vec::Vec;
use core::cell::UnsafeCell;

/// Most bytes that wait.
const WAITING: usize = 4 << 10;

struct Queue {
    bytes: Vec<u8>,
    /// Where the present frame begins: its length comes first.
    frame: usize,
}

struct Shared(UnsafeCell<Queue>);
// SAFETY: one thread; a handler that interrupts it never returns.
unsafe impl Sync for Shared {}
static QUEUE: Shared = Shared(UnsafeCell::new(Queue {
    bytes: Vec::new(),
    frame: 0,
}));

fn queue() -> &'static mut Queue {
    // SAFETY: one thread, and no caller keeps the reference.
    unsafe { &mut *QUEUE.0.get() }
}

/// What waits, each frame with its length in front as u16, little-endian; it waits no longer.
#[must_use]
pub fn take() -> Vec<u8> {
    core::mem::take(&mut queue().bytes)
}

/// Begins a frame.
pub fn begin() {
    let queue = queue();
    queue.frame = queue.bytes.len();
    queue.bytes.extend([0; 2]);
}

/// More of the frame.
pub fn write(bytes: &[u8]) {
    queue().bytes.extend_from_slice(bytes);
}

/// Ends a frame. One for which there is no room is dropped.
pub fn end() {
    let queue = queue();
    let length = queue.bytes.len() - queue.frame - 2;
    match u16::try_from(length) {
        Ok(length) if queue.bytes.len() <= WAITING => {
            queue.bytes[queue.frame..queue.frame + 2].copy_from_slice(&length.to_le_bytes());
        }
        _ => queue.bytes.truncate(queue.frame),
    }
}

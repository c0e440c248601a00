//! The tape of randomness that a measured operation draws from.
//!
//! The stream is expanded before the timer starts. An operation that draws past the tape gets more of the same stream, and the
//! sample is flagged, since expanding it is then counted too.
use core::cell::UnsafeCell;
use wire::seed::{Purpose, Stream};

/// Bytes expanded beforehand: several times what any provider draws in one operation.
pub const TAPE_BYTES: usize = 8 << 10;

struct Tape {
    bytes: [u8; TAPE_BYTES],
    drawn: usize,
    stream: Option<Stream>,
}

struct Shared(UnsafeCell<Tape>);
// SAFETY: the programs have one thread.
unsafe impl Sync for Shared {}
static TAPE: Shared = Shared(UnsafeCell::new(Tape {
    bytes: [0; TAPE_BYTES],
    drawn: 0,
    stream: None,
}));

fn tape() -> &'static mut Tape {
    // SAFETY: one thread, and no caller in this module keeps the reference across a call.
    unsafe { &mut *TAPE.0.get() }
}

/// Puts the stream of (`seed`, `algorithm`, `purpose`, `index`) on the tape.
pub fn prepare(seed: u64, algorithm: &str, purpose: Purpose, index: u32) {
    let tape = tape();
    let mut stream = Stream::new(seed, algorithm, purpose, index);
    stream.fill(&mut tape.bytes);
    tape.stream = Some(stream);
    tape.drawn = 0;
}

/// Draws the next bytes.
pub fn draw(out: &mut [u8]) {
    let tape = tape();
    let from = tape.drawn.min(TAPE_BYTES);
    let ready = out.len().min(TAPE_BYTES - from);
    let (head, tail) = out.split_at_mut(ready);
    head.copy_from_slice(&tape.bytes[from..from + ready]);
    if !tail.is_empty() {
        match &mut tape.stream {
            Some(stream) => stream.fill(tail),
            None => tail.fill(0),
        }
    }
    tape.drawn += out.len();
}

/// [`draw`] for C.
///
/// # Safety
/// `out` must be valid for `size` bytes of writes.
pub unsafe extern "C" fn draw_raw(out: *mut u8, size: usize) {
    if size != 0 {
        // SAFETY: as the caller promises.
        draw(unsafe { core::slice::from_raw_parts_mut(out, size) });
    }
}

/// Bytes drawn since [`prepare`].
#[must_use]
pub fn drawn() -> usize {
    tape().drawn
}

/// Whether more was drawn than had been expanded.
#[must_use]
pub fn overdrawn() -> bool {
    drawn() > TAPE_BYTES
}

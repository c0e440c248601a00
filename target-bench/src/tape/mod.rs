//! The tape of randomness that a measured operation draws from.
//!
//! The stream is expanded before the timer starts. An operation that draws past the tape gets more of the same stream, and the
//! sample is flagged, since expanding it is then counted too. For known answers, which nobody times, the tape is empty and every
//! byte comes from another source.
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use wire::seed::{Purpose, Stream};

mod drbg;
pub use drbg::{Drbg, SEED_BYTES};

/// Bytes expanded beforehand: several times what any provider draws in one operation.
pub const TAPE_BYTES: usize = 8 << 10;

/// Where bytes come from that are not on the tape.
enum Source {
    Nothing,
    Stream(Stream),
    /// Bytes, and how many of them are drawn.
    Given(Vec<u8>, usize),
    Nist(Drbg),
    System(fn(&mut [u8])),
}

struct Tape {
    bytes: [u8; TAPE_BYTES],
    drawn: usize,
    source: Source,
    exhausted: bool,
    system: Option<fn(&mut [u8])>,
}

struct Shared(UnsafeCell<Tape>);
// SAFETY: the programs have one thread.
unsafe impl Sync for Shared {}
static TAPE: Shared = Shared(UnsafeCell::new(Tape {
    bytes: [0; TAPE_BYTES],
    drawn: 0,
    source: Source::Nothing,
    exhausted: false,
    system: None,
}));

fn tape() -> &'static mut Tape {
    // SAFETY: one thread, and no caller in this module keeps the reference across a call.
    unsafe { &mut *TAPE.0.get() }
}

/// Puts the stream of (`seed`, `algorithm`, `purpose`, `index`) on the tape.
pub fn prepare(seed: u64, algorithm: &str, purpose: Purpose, index: u32) {
    let tape = tape();
    if let Some(fill) = tape.system {
        tape.source = Source::System(fill);
        tape.drawn = TAPE_BYTES;
        return;
    }
    let mut stream = Stream::new(seed, algorithm, purpose, index);
    stream.fill(&mut tape.bytes);
    tape.source = Source::Stream(stream);
    tape.drawn = 0;
}

/// Goes back to the beginning of the tape, so that what draws next draws the same. What the environment brings cannot be rewound.
pub fn rewind() {
    let tape = tape();
    if tape.system.is_none() {
        tape.drawn = 0;
    }
}

/// Takes all randomness from `fill`, now and after each [`prepare`]: what the environment brings.
pub fn use_system(fill: fn(&mut [u8])) {
    tape().system = Some(fill);
}

/// Whether all randomness is the environment's.
#[must_use]
pub fn is_system() -> bool {
    tape().system.is_some()
}

/// Takes randomness from `bytes` alone.
pub fn give(bytes: Vec<u8>) {
    without_tape(Source::Given(bytes, 0));
}

/// Takes randomness from NIST's generator.
pub fn give_nist(drbg: Drbg) {
    without_tape(Source::Nist(drbg));
}

fn without_tape(source: Source) {
    let tape = tape();
    tape.source = source;
    tape.exhausted = false;
    tape.drawn = TAPE_BYTES;
}

/// Whether more was drawn than was [given](give).
#[must_use]
pub fn exhausted() -> bool {
    tape().exhausted
}

/// Draws the next bytes.
pub fn draw(out: &mut [u8]) {
    let tape = tape();
    let from = tape.drawn.min(TAPE_BYTES);
    let ready = out.len().min(TAPE_BYTES - from);
    let (head, tail) = out.split_at_mut(ready);
    head.copy_from_slice(&tape.bytes[from..from + ready]);
    if !tail.is_empty() {
        match &mut tape.source {
            Source::Stream(stream) => stream.fill(tail),
            Source::Nist(drbg) => drbg.fill(tail),
            Source::Given(bytes, drawn) => {
                if let Some(next) = bytes.get(*drawn..*drawn + tail.len()) {
                    tail.copy_from_slice(next);
                    *drawn += tail.len();
                } else {
                    tail.fill(0);
                    tape.exhausted = true;
                }
            }
            Source::System(fill) => fill(tail),
            Source::Nothing => tail.fill(0),
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
    !is_system() && drawn() > TAPE_BYTES
}

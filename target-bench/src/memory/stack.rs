//! The stack of a measured operation: painted before, scanned after.
use super::STACK_BYTES;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

const PAINT: u8 = 0xa5;
const PAINTED: u64 = u64::from_ne_bytes([PAINT; 8]);
const WORDS: usize = STACK_BYTES / 8;
/// Words looked at together: the compiler compares them side by side, and every Run looks at the whole stack.
const CHUNK: usize = 64;
/// Below the stack proper: a platform makes it unreadable, so that running out is a fault at once.
pub const GUARD_BYTES: usize = 2 << 20;

#[repr(C, align(0x20_0000))]
struct Region {
    guard: UnsafeCell<[MaybeUninit<u8>; GUARD_BYTES]>,
    words: UnsafeCell<[MaybeUninit<u64>; WORDS]>,
}
// SAFETY: one thread, and no operation runs while the region is painted or scanned.
unsafe impl Sync for Region {}
static REGION: Region = Region {
    guard: UnsafeCell::new([MaybeUninit::uninit(); GUARD_BYTES]),
    words: UnsafeCell::new([MaybeUninit::uninit(); WORDS]),
};

fn bottom() -> *mut u64 {
    REGION.words.get().cast()
}

/// Where an operation's stack begins; it grows down from here.
#[must_use]
pub fn top() -> *mut u8 {
    // SAFETY: one past the end of the region.
    unsafe { bottom().add(WORDS).cast() }
}

/// First byte of the guard, [`GUARD_BYTES`] long and aligned to as much.
#[must_use]
pub fn guard() -> *mut u8 {
    REGION.guard.get().cast()
}

/// Whether an address lies in the guard: the stack ran out.
#[must_use]
pub fn is_guard(address: u64) -> bool {
    (guard() as u64..bottom() as u64).contains(&address)
}

/// Fills the whole stack with a pattern.
pub fn paint() {
    // SAFETY: the region; no operation runs.
    unsafe { bottom().write_bytes(PAINT, WORDS) };
}

/// Bytes from the top to the deepest word that no longer holds the pattern.
#[must_use]
pub fn depth() -> usize {
    // SAFETY: the region, which `paint` has written; no operation runs.
    let words = unsafe { core::slice::from_raw_parts(bottom(), WORDS) };
    let untouched = |chunk: &&[u64]| chunk.iter().fold(0, |sum, word| sum | (word ^ PAINTED)) == 0;
    let whole = words.chunks(CHUNK).take_while(untouched).count() * CHUNK;
    let rest = words[whole..]
        .iter()
        .take_while(|word| **word == PAINTED)
        .count();
    (WORDS - whole - rest) * 8
}

/// The words that an operation left, from the top down to `depth` bytes below it.
pub fn residue(depth: usize) -> impl Iterator<Item = u64> {
    let used = (depth / 8).min(WORDS);
    // SAFETY: the region, which `paint` has written; no operation runs while the caller looks.
    let words = unsafe { core::slice::from_raw_parts(bottom().add(WORDS - used), used) };
    words.iter().rev().copied()
}

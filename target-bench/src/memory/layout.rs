//! Where the program lies in memory, as its linker script says. Told at the start by the program, since only programs have a script.
use core::cell::UnsafeCell;
use core::ops::Range;

/// The program's parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Code.
    pub code: Range<u64>,
    /// Bytes of code and read-only data.
    pub read_only: u64,
    /// Bytes of data that is written to, zeroed memory included.
    pub writable: u64,
    /// What to take from an address to have the one in the program's file.
    pub bias: u64,
}

struct Shared(UnsafeCell<Layout>);
// SAFETY: one thread.
unsafe impl Sync for Shared {}
static LAYOUT: Shared = Shared(UnsafeCell::new(Layout {
    code: 0..0,
    read_only: 0,
    writable: 0,
    bias: 0,
}));

/// Says where the program lies.
pub fn set(layout: Layout) {
    // SAFETY: one thread, and nobody keeps a reference.
    unsafe { *LAYOUT.0.get() = layout };
}

/// Where the program lies; all zero where nobody said.
#[must_use]
pub fn layout() -> Layout {
    // SAFETY: one thread.
    unsafe { (*LAYOUT.0.get()).clone() }
}

//! The heap of the providers' `malloc`, with its statistics.
use super::{Layout, MEASURED, NonNull, UnsafeCell, ptr};

/// What the measured heap has seen since it was restarted or marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Bytes asked for and not yet freed.
    pub held: usize,
    /// Most bytes held at once.
    pub peak: usize,
    /// Number of allocations.
    pub allocations: u32,
    /// Whether a request could not be met.
    pub exhausted: bool,
}

struct Statistics(UnsafeCell<Use>);
// SAFETY: one thread.
unsafe impl Sync for Statistics {}
static USE: Statistics = Statistics(UnsafeCell::new(Use {
    held: 0,
    peak: 0,
    allocations: 0,
    exhausted: false,
}));

/// In front of each block: what is needed to give it back.
#[repr(C)]
struct Header {
    size: usize,
    alignment: usize,
}
const HEADER: usize = size_of::<Header>();

/// Forgets every block and all statistics.
///
/// # Safety
/// No provider may hold a block.
pub unsafe fn restart() {
    // SAFETY: as the caller promises.
    unsafe {
        MEASURED.restart();
        *USE.0.get() = Use::default();
    }
}

/// Counts from here: peak from what is held now, allocations from zero.
pub fn mark() {
    // SAFETY: one thread.
    let usage = unsafe { &mut *USE.0.get() };
    usage.peak = usage.held;
    usage.allocations = 0;
}

/// The statistics.
#[must_use]
pub fn usage() -> Use {
    // SAFETY: one thread.
    unsafe { *USE.0.get() }
}

/// First byte and length of the heap's memory.
#[must_use]
pub fn range() -> (*mut u8, usize) {
    MEASURED.range()
}

/// Counts an allocation.
pub(super) fn count(size: usize) {
    // SAFETY: one thread.
    let usage = unsafe { &mut *USE.0.get() };
    usage.held += size;
    usage.peak = usage.peak.max(usage.held);
    usage.allocations += 1;
}

/// Counts that a block was given back.
pub(super) fn count_back(size: usize) {
    // SAFETY: one thread.
    let usage = unsafe { &mut *USE.0.get() };
    usage.held = usage.held.saturating_sub(size);
}

/// A block of `size` bytes at a multiple of `alignment` (a power of two, at least 16), or null.
#[must_use]
pub fn allocate(alignment: usize, size: usize) -> *mut u8 {
    let layout = size
        .checked_add(alignment)
        .and_then(|total| Layout::from_size_align(total, alignment).ok());
    let Some(base) = layout.and_then(|layout| MEASURED.allocator().allocate(layout)) else {
        // SAFETY: one thread.
        unsafe { (*USE.0.get()).exhausted = true };
        return ptr::null_mut();
    };
    count(size);
    // SAFETY: the header fits between `base` and `base + alignment`, since alignment is at least its size.
    unsafe {
        let block = base.as_ptr().add(alignment);
        block
            .sub(HEADER)
            .cast::<Header>()
            .write(Header { size, alignment });
        block
    }
}

/// Gives a block back; null is nothing.
///
/// # Safety
/// `block` must come from [`allocate`] and not have been given back.
pub unsafe fn free(block: *mut u8) {
    if block.is_null() {
        return;
    }
    // SAFETY: `allocate` wrote the header.
    unsafe {
        let header = block.sub(HEADER).cast::<Header>().read();
        count_back(header.size);
        MEASURED.allocator().deallocate(
            NonNull::new_unchecked(block.sub(header.alignment)),
            header.alignment,
        );
    }
}

//! Memory: two heaps, and the stack of a measured operation.
//!
//! The *measured* heap serves the providers' `malloc`; it starts afresh with each Run, so that what it costs does not depend on
//! what ran before. The *support* heap serves everything else: frames, key pools, device queues. Both are TLSF allocators:
//! their cost does not depend on how many blocks are held.
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use rlsf::Tlsf;

type Allocator = Tlsf<'static, u32, u32, 26, 16>;

/// Bytes of the measured heap. UOV-V expands keys to 5 MB; nothing else comes near.
pub const MEASURED_BYTES: usize = 16 << 20;
/// Bytes of the support heap: a pool of a few of the largest keys.
pub const SUPPORT_BYTES: usize = 32 << 20;
/// Bytes of stack of a measured operation. McEliece-8192128f needs 1.9 MB.
pub const STACK_BYTES: usize = 4 << 20;

struct Heap<const BYTES: usize> {
    allocator: UnsafeCell<Allocator>,
    arena: UnsafeCell<Arena<BYTES>>,
    started: UnsafeCell<bool>,
}

#[repr(C, align(4096))]
struct Arena<const BYTES: usize>([MaybeUninit<u8>; BYTES]);

// SAFETY: the programs have one thread, and no signal or exception handler allocates.
unsafe impl<const BYTES: usize> Sync for Heap<BYTES> {}

impl<const BYTES: usize> Heap<BYTES> {
    const fn new() -> Self {
        Self {
            allocator: UnsafeCell::new(Tlsf::new()),
            arena: UnsafeCell::new(Arena([MaybeUninit::uninit(); BYTES])),
            started: UnsafeCell::new(false),
        }
    }

    /// Forgets every block.
    ///
    /// # Safety
    /// No block may be in use.
    unsafe fn restart(&self) {
        // SAFETY: one thread; nothing points into the arena.
        unsafe {
            let allocator = &mut *self.allocator.get();
            *allocator = Tlsf::new();
            let arena = NonNull::slice_from_raw_parts(
                NonNull::new_unchecked(self.arena.get().cast::<u8>()),
                BYTES,
            );
            allocator.insert_free_block_ptr(arena);
            *self.started.get() = true;
        }
    }

    #[allow(
        clippy::mut_from_ref,
        reason = "one thread, and no caller keeps the reference"
    )]
    fn allocator(&self) -> &mut Allocator {
        // SAFETY: one thread, and no caller keeps the reference.
        unsafe {
            if !*self.started.get() {
                self.restart();
            }
            &mut *self.allocator.get()
        }
    }

    fn range(&self) -> (*mut u8, usize) {
        (self.arena.get().cast(), BYTES)
    }
}

static MEASURED: Heap<MEASURED_BYTES> = Heap::new();
static SUPPORT: Heap<SUPPORT_BYTES> = Heap::new();

/// Rust's allocator: the support heap. Providers written in Rust do not allocate in their operations; one that did would show
/// in the count of support allocations, which the tests hold at zero.
pub struct RustHeap;

// SAFETY: TLSF gives blocks as the layout asks, once each.
unsafe impl GlobalAlloc for RustHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        SUPPORT
            .allocator()
            .allocate(layout)
            .map_or(ptr::null_mut(), NonNull::as_ptr)
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `alloc` with this layout.
        unsafe {
            SUPPORT
                .allocator()
                .deallocate(NonNull::new_unchecked(block), layout.align());
        }
    }
}

/// The heap of the providers' `malloc`, with its statistics.
pub mod measured {
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

    /// A block of `size` bytes at a multiple of `alignment` (a power of two, at least 16), or null.
    #[must_use]
    pub fn allocate(alignment: usize, size: usize) -> *mut u8 {
        // SAFETY: one thread.
        let usage = unsafe { &mut *USE.0.get() };
        let layout = size
            .checked_add(alignment)
            .and_then(|total| Layout::from_size_align(total, alignment).ok());
        let Some(base) = layout.and_then(|layout| MEASURED.allocator().allocate(layout)) else {
            usage.exhausted = true;
            return ptr::null_mut();
        };
        usage.held += size;
        usage.peak = usage.peak.max(usage.held);
        usage.allocations += 1;
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
            (*USE.0.get()).held -= header.size;
            MEASURED.allocator().deallocate(
                NonNull::new_unchecked(block.sub(header.alignment)),
                header.alignment,
            );
        }
    }
}

/// The stack of a measured operation: painted before, scanned after.
pub mod stack {
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
        let untouched =
            |chunk: &&[u64]| chunk.iter().fold(0, |sum, word| sum | (word ^ PAINTED)) == 0;
        let whole = words.chunks(CHUNK).take_while(untouched).count() * CHUNK;
        let rest = words[whole..]
            .iter()
            .take_while(|word| **word == PAINTED)
            .count();
        (WORDS - whole - rest) * 8
    }
}

//! Memory: two heaps, and the stack of a measured operation.
//!
//! The *measured* heap serves the providers' `malloc`; it starts afresh with each Run, so that what it costs does not depend on
//! what ran before. The *support* heap serves everything else: frames, key pools, device queues. Both are TLSF allocators:
//! their cost does not depend on how many blocks are held.
pub mod layout;
pub mod measured;
pub mod stack;

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use rlsf::Tlsf;

type Allocator = Tlsf<'static, u32, u32, 26, 16>;

/// Bytes of the measured heap. UOV-V expands keys to 5 MB; nothing else comes near.
pub const MEASURED_BYTES: usize = 16 << 20;
/// Bytes of the support heap: a pool of a few of the largest keys.
pub const SUPPORT_BYTES: usize = 48 << 20;
/// Bytes of stack of a measured operation. McEliece-8192128f needs 1.9 MB.
pub const STACK_BYTES: usize = 4 << 20;

struct Heap<const BYTES: usize> {
    allocator: UnsafeCell<Allocator>,
    arena: UnsafeCell<Arena<BYTES>>,
    started: UnsafeCell<bool>,
}

#[repr(C, align(4096))]
struct Arena<const BYTES: usize>([MaybeUninit<u8>; BYTES]);

// SAFETY: the programs have one thread. The handlers of faults allocate too, and never return to what they interrupted.
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

/// Rust's allocator: the support heap. What a provider written in Rust takes of it inside an operation is counted with what
/// the others take by `malloc`.
pub struct RustHeap;

static IN_OPERATION: AtomicBool = AtomicBool::new(false);

/// Says whether an operation is under way.
pub fn set_in_operation(yes: bool) {
    IN_OPERATION.store(yes, Relaxed);
}

// SAFETY: TLSF gives blocks as the layout asks, once each.
unsafe impl GlobalAlloc for RustHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = SUPPORT.allocator().allocate(layout);
        if IN_OPERATION.load(Relaxed) {
            measured::count(layout.size());
        }
        block.map_or(ptr::null_mut(), NonNull::as_ptr)
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if IN_OPERATION.load(Relaxed) {
            measured::count_back(layout.size());
        }
        // SAFETY: the block came from `alloc` with this layout.
        unsafe {
            SUPPORT
                .allocator()
                .deallocate(NonNull::new_unchecked(block), layout.align());
        }
    }
}

//! A counter of perf_event, read as a register through its mapped page: no system call lies in a timed section.
use super::{processor, sys};
use core::sync::atomic::{Ordering, compiler_fence};

/// Whose work is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// User code.
    User,
    /// User code and the kernel while this process runs.
    UserKernel,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Cycles.
    Cycles,
    /// Instructions.
    Instructions,
}

/// Beginning of the kernel's `struct perf_event_mmap_page`.
#[repr(C)]
struct Mapped {
    version: u32,
    compatible: u32,
    lock: u32,
    index: u32,
    offset: i64,
    enabled: u64,
    running: u64,
    capabilities: u64,
    width: u16,
}

/// A mapped counter.
#[derive(Clone, Copy, Debug)]
pub struct Page(*const u8);

/// The kernel maps no register to this process: access is off (`kernel.perf_user_access`, `rdpmc`), or the counter is shared.
const NOT_MAPPED: i32 = -1;

impl Page {
    /// Opens and maps a counter of this process.
    ///
    /// # Errors
    /// The system's error number, or -1 where the counter cannot be read as a register.
    pub fn open(event: Event, scope: Scope) -> Result<Self, i32> {
        const HARDWARE: u64 = 0;
        const PINNED: u64 = 1 << 2;
        const EXCLUDE_KERNEL: u64 = 1 << 5;
        const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
        use processor::{PERF_LONG as LONG, PERF_READABLE as READABLE};
        const SIZE: u64 = 72;
        // User code takes the 64-bit cycle counter; the other one then gets a 32-bit counter whose overflows the kernel adds up.
        let exclude = match scope {
            Scope::User => EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
            Scope::UserKernel => 0,
        };
        let configuration = match (event, scope) {
            (Event::Cycles, Scope::User) => LONG | READABLE,
            _ => READABLE,
        };
        let event = match event {
            Event::Cycles => 0,
            Event::Instructions => 1,
        };
        // type and size, config, period, sample type, read format, flags, wake-up and breakpoint type, config1, config2
        let attribute = [
            HARDWARE | SIZE << 32,
            event,
            0,
            0,
            0,
            PINNED | exclude,
            0,
            configuration,
            0,
        ];
        let file = sys::perf_event_open(&attribute)?;
        let page = Self(sys::map_page(file)?);
        const USER_READ: u64 = 1 << 2;
        // SAFETY: the kernel keeps the page as long as the file is open, which is for ever.
        let mapped = unsafe { &*page.mapped() };
        if mapped.capabilities & USER_READ == 0 || mapped.index == 0 {
            Err(NOT_MAPPED)
        } else {
            Ok(page)
        }
    }

    fn mapped(self) -> *const Mapped {
        self.0.cast()
    }

    /// The count, by the protocol of the mapped page: again if the kernel changed it meanwhile.
    #[inline(always)]
    #[must_use]
    pub fn read(self) -> u64 {
        let mapped = self.mapped();
        // SAFETY: see `open`. Volatile, since the kernel writes the page.
        unsafe {
            loop {
                let lock = (&raw const (*mapped).lock).read_volatile();
                compiler_fence(Ordering::SeqCst);
                let index = (&raw const (*mapped).index).read_volatile();
                let offset = (&raw const (*mapped).offset).read_volatile();
                let width = (&raw const (*mapped).width).read_volatile();
                let raw = match index {
                    0 => 0,
                    index => processor::performance_counter(index),
                };
                compiler_fence(Ordering::SeqCst);
                if (&raw const (*mapped).lock).read_volatile() == lock {
                    let unused = 64 - u32::from(width.clamp(1, 64));
                    let signed = ((raw << unused) as i64) >> unused;
                    return if index == 0 {
                        0
                    } else {
                        offset.wrapping_add(signed) as u64
                    };
                }
            }
        }
    }
}

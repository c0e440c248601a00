//! How the kernel starts a process: the stack holds arguments, environment and the auxiliary vector.
use super::sys;
use crate::memory::layout::{self, Layout};
use core::ffi::CStr;
use core::slice;

/// What the program uses of the auxiliary vector.
#[derive(Clone, Copy, Debug, Default)]
pub struct Auxiliary {
    /// AT_HWCAP.
    pub hardware_capabilities: u64,
    /// AT_PAGESZ, in bytes.
    pub page_size: u32,
    headers: usize,
    header_size: usize,
    header_count: usize,
}

/// A program header of a 64-bit ELF file.
#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    kind: u32,
    flags: u32,
    offset: usize,
    address: usize,
    physical: usize,
    file_size: usize,
    memory_size: usize,
    alignment: usize,
}
// Kinds of entries of the auxiliary vector.
const HEADERS: usize = 3;
const HEADER_SIZE: usize = 4;
const HEADER_COUNT: usize = 5;
const PAGE_SIZE: usize = 6;
const CAPABILITIES: usize = 16;

const LOAD: u32 = 1;
const NOTE: u32 = 4;
const WRITABLE: u32 = 2;

/// Reads arguments and auxiliary vector from the initial stack pointer.
///
/// # Safety
/// `stack` must be the stack pointer as the kernel set it at the program's entry.
pub unsafe fn entry(stack: *const usize) -> (Option<&'static CStr>, Auxiliary) {
    // SAFETY: the layout that the kernel promises: count, arguments, null, environment, null, pairs ended by a zero key.
    unsafe {
        let count = stack.read();
        let arguments = slice::from_raw_parts(stack.add(1), count);
        let mut place = stack.add(1 + count + 1);
        while place.read() != 0 {
            place = place.add(1);
        }
        let pairs = place.add(1);
        let auxiliary = Auxiliary::from_values(|kind| {
            let mut pair = pairs;
            while pair.read() != kind && pair.read() != 0 {
                pair = pair.add(2);
            }
            // A kind that is not there ends at the zero key, whose value is zero, too.
            pair.add(1).read()
        });
        let argument = arguments
            .get(1)
            .map(|text| CStr::from_ptr(*text as *const _));
        (argument, auxiliary)
    }
}

/// Brings a page in by reading it, and by writing what it holds already.
///
/// # Safety
/// It must be readable, and writable if `write`; nothing else may write it meanwhile.
unsafe fn touch(place: *mut u8, write: bool) {
    // SAFETY: as the caller promises.
    unsafe {
        let byte = place.read_volatile();
        if write {
            place.write_volatile(byte);
        }
    }
}

impl Auxiliary {
    /// By what `value` answers for each kind of entry, as getauxval does.
    pub fn from_values(value: impl Fn(usize) -> usize) -> Self {
        Self {
            hardware_capabilities: value(CAPABILITIES) as u64,
            page_size: value(PAGE_SIZE) as u32,
            headers: value(HEADERS),
            header_size: value(HEADER_SIZE),
            header_count: value(HEADER_COUNT),
        }
    }

    /// What the kernel added to the addresses in the file.
    fn bias(&self) -> usize {
        const HEADERS_THEMSELVES: u32 = 6;
        let headers = self.headers();
        let own = headers.iter().find(|h| h.kind == HEADERS_THEMSELVES);
        own.map_or(0, |own| self.headers - own.address)
    }

    /// Says where the program lies, by its headers: for one without a linker script of ours.
    pub fn set_layout(&self) {
        const EXECUTABLE: u32 = 1;
        let bias = self.bias();
        let loaded = || self.headers().iter().filter(|h| h.kind == LOAD);
        let bytes = |writable: bool| -> usize {
            let of_kind = loaded().filter(|h| (h.flags & WRITABLE != 0) == writable);
            of_kind.map(|h| h.memory_size).sum()
        };
        let code = loaded().find(|h| h.flags & EXECUTABLE != 0);
        let code = code.map_or(0..0, |h| {
            let start = h.address + bias;
            start as u64..(start + h.memory_size) as u64
        });
        layout::set(Layout {
            code,
            read_only: bytes(false) as u64,
            writable: bytes(true) as u64,
            bias: bias as u64,
        });
    }

    fn headers(&self) -> &'static [Header] {
        if self.headers == 0 || self.header_size != size_of::<Header>() {
            return &[];
        }
        // SAFETY: the kernel says where it mapped the program's own headers.
        unsafe { slice::from_raw_parts(self.headers as *const Header, self.header_count) }
    }

    /// Brings all of the program into memory and keeps it there.
    pub fn populate(&self) {
        let page = self.page_size.max(4096) as usize;
        for header in self.headers().iter().filter(|h| h.kind == LOAD) {
            let address = header.address + self.bias();
            let start = address / page * page;
            let end = (address + header.memory_size).next_multiple_of(page);
            let writable = header.flags & WRITABLE != 0;
            // Kernels before 5.14 refuse, and others than Linux.
            if sys::populate(start, end - start, writable).is_err() {
                for place in (start..end).step_by(page) {
                    // SAFETY: a page of this program's own, which writes it if it is writable; one thread.
                    unsafe { touch(place as *mut u8, writable) };
                }
            }
        }
        sys::lock_memory();
    }

    /// The GNU build id: the note of type 3 by `GNU`.
    pub fn build_id(&self) -> Option<[u8; 20]> {
        self.headers()
            .iter()
            .filter(|h| h.kind == NOTE)
            .find_map(|header| {
                // SAFETY: a note segment of this program, loaded where it says.
                let note = unsafe {
                    slice::from_raw_parts(
                        (header.address + self.bias()) as *const u8,
                        header.memory_size,
                    )
                };
                let is_build_id = note.get(8..16)? == [3, 0, 0, 0, b'G', b'N', b'U', 0];
                is_build_id.then(|| note.get(16..36)?.try_into().ok())?
            })
    }
}

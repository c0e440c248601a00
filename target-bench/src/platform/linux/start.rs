//! How the kernel starts a process: the stack holds arguments, environment and the auxiliary vector.
use super::sys;
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
const LOAD: u32 = 1;
const NOTE: u32 = 4;
const WRITABLE: u32 = 2;

/// Reads arguments and auxiliary vector from the initial stack pointer.
///
/// # Safety
/// `stack` must be the stack pointer as the kernel set it at the program's entry.
pub unsafe fn entry(stack: *const usize) -> (Option<&'static CStr>, Auxiliary) {
    const HEADERS: usize = 3;
    const HEADER_SIZE: usize = 4;
    const HEADER_COUNT: usize = 5;
    const PAGE_SIZE: usize = 6;
    const CAPABILITIES: usize = 16;
    // SAFETY: the layout that the kernel promises: count, arguments, null, environment, null, pairs ended by a zero key.
    unsafe {
        let count = stack.read();
        let arguments = slice::from_raw_parts(stack.add(1), count);
        let mut place = stack.add(1 + count + 1);
        while place.read() != 0 {
            place = place.add(1);
        }
        place = place.add(1);
        let mut auxiliary = Auxiliary::default();
        while place.read() != 0 {
            let value = place.add(1).read();
            match place.read() {
                HEADERS => auxiliary.headers = value,
                HEADER_SIZE => auxiliary.header_size = value,
                HEADER_COUNT => auxiliary.header_count = value,
                PAGE_SIZE => auxiliary.page_size = value as u32,
                CAPABILITIES => auxiliary.hardware_capabilities = value as u64,
                _ => {}
            }
            place = place.add(2);
        }
        let argument = arguments
            .get(1)
            .map(|text| CStr::from_ptr(*text as *const _));
        (argument, auxiliary)
    }
}

impl Auxiliary {
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
            let start = header.address / page * page;
            let end = (header.address + header.memory_size).next_multiple_of(page);
            // Kernels before 5.14 refuse; first iterations then touch memory, and are left out of figures anyway.
            let _ = sys::populate(start, end - start, header.flags & WRITABLE != 0);
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
                    slice::from_raw_parts(header.address as *const u8, header.memory_size)
                };
                let is_build_id = note.get(8..16)? == [3, 0, 0, 0, b'G', b'N', b'U', 0];
                is_build_id.then(|| note.get(16..36)?.try_into().ok())?
            })
    }
}

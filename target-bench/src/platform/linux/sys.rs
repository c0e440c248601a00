//! The system calls that the program makes, one function each.
use core::ffi::CStr;
use syscalls::{Sysno, syscall};

const AT_FDCWD: isize = -100;
/// Flags of `open`: O_RDONLY | O_CLOEXEC.
pub const READ_ONLY: usize = 0o2_000_000;
/// Flags of `open`: O_RDWR | O_NOCTTY | O_CLOEXEC.
pub const READ_WRITE: usize = 0o2_000_402;

/// Any system call; the error is the errno.
macro_rules! call {
    ($($argument:expr),+) => {
        // SAFETY: the functions of this module pass pointers to what they borrowed, with its length.
        unsafe { syscall!($($argument),+) }.map_err(|errno| errno.into_raw())
    };
}

/// Opens a file.
pub fn open(path: &CStr, flags: usize) -> Result<usize, i32> {
    call!(Sysno::openat, AT_FDCWD, path.as_ptr(), flags, 0)
}

/// Closes a file.
pub fn close(file: usize) {
    let _: Result<usize, i32> = call!(Sysno::close, file);
}

/// Reads.
pub fn read(file: usize, buffer: &mut [u8]) -> Result<usize, i32> {
    call!(Sysno::read, file, buffer.as_mut_ptr(), buffer.len())
}

/// Writes.
pub fn write(file: usize, bytes: &[u8]) -> Result<usize, i32> {
    call!(Sysno::write, file, bytes.as_ptr(), bytes.len())
}

/// The target of a symbolic link.
pub fn read_link<'a>(path: &CStr, buffer: &'a mut [u8]) -> Result<&'a [u8], i32> {
    let length: usize = call!(
        Sysno::readlinkat,
        AT_FDCWD,
        path.as_ptr(),
        buffer.as_mut_ptr(),
        buffer.len()
    )?;
    Ok(&buffer[..length.min(buffer.len())])
}

/// `ioctl` with a buffer of `N` bytes that the request reads or writes.
pub fn ioctl<const N: usize>(
    file: usize,
    request: usize,
    argument: &mut [u8; N],
) -> Result<usize, i32> {
    call!(Sysno::ioctl, file, request, argument.as_mut_ptr())
}

/// `ioctl` with a number.
pub fn ioctl_number(file: usize, request: usize, argument: usize) -> Result<usize, i32> {
    call!(Sysno::ioctl, file, request, argument)
}

/// Sleeps.
pub fn sleep(nanoseconds: u64) {
    let time = [0u64, nanoseconds];
    let _: Result<usize, i32> = call!(Sysno::nanosleep, time.as_ptr(), 0);
}

/// `perf_event_open` for this process on any CPU, with an attribute of which the second word holds its size.
pub fn perf_event_open<const N: usize>(attribute: &[u64; N]) -> Result<usize, i32> {
    const THIS_PROCESS: usize = 0;
    const ANY_CPU: isize = -1;
    const NO_GROUP: isize = -1;
    const CLOSE_ON_EXEC: usize = 8;
    call!(
        Sysno::perf_event_open,
        attribute.as_ptr(),
        THIS_PROCESS,
        ANY_CPU,
        NO_GROUP,
        CLOSE_ON_EXEC
    )
}

/// Maps the first page of a file for reading, shared.
pub fn map_page(file: usize) -> Result<*const u8, i32> {
    const PAGE: usize = 4096;
    const PROT_READ: usize = 1;
    const MAP_SHARED: usize = 1;
    let address: usize = call!(Sysno::mmap, 0, PAGE, PROT_READ, MAP_SHARED, file, 0)?;
    Ok(address as *const u8)
}

/// Makes memory inaccessible.
pub fn forbid(start: *mut u8, length: usize) {
    let _: Result<usize, i32> = call!(Sysno::mprotect, start, length, 0);
}

/// Brings pages in, as if each had been read or written.
pub fn populate(start: usize, length: usize, write: bool) -> Result<usize, i32> {
    const MADV_POPULATE_READ: usize = 22;
    const MADV_POPULATE_WRITE: usize = 23;
    call!(
        Sysno::madvise,
        start,
        length,
        if write {
            MADV_POPULATE_WRITE
        } else {
            MADV_POPULATE_READ
        }
    )
}

/// Keeps all memory in place, as far as that is allowed.
pub fn lock_memory() {
    const MCL_CURRENT: usize = 1;
    let _: Result<usize, i32> = call!(Sysno::mlockall, MCL_CURRENT);
}

/// Sets the handler of a signal; `action` is the kernel's structure: handler, flags, restorer, mask.
pub fn signal_action(signal: usize, action: &[usize; 4]) {
    let _: Result<usize, i32> = call!(Sysno::rt_sigaction, signal, action.as_ptr(), 0, 8);
}

/// Sets the stack of signal handlers.
pub fn signal_stack(start: *mut u8, length: usize) {
    let stack = [start as usize, 0, length];
    let _: Result<usize, i32> = call!(Sysno::sigaltstack, stack.as_ptr(), 0);
}

/// Names of the kernel: sysname, nodename, release, version, machine, domain; 65 bytes each, ended by zeros.
pub fn kernel_names() -> Option<[[u8; 65]; 6]> {
    let mut names = [[0u8; 65]; 6];
    let result: Result<usize, i32> = call!(Sysno::uname, names.as_mut_ptr());
    result.ok().map(|_| names)
}

/// CLOCK_MONOTONIC_RAW, in nanoseconds: no correction bends it.
#[cfg(target_arch = "x86_64")]
pub fn monotonic() -> Result<u64, i32> {
    const CLOCK_MONOTONIC_RAW: usize = 4;
    let mut time = [0u64; 2];
    let _: usize = call!(Sysno::clock_gettime, CLOCK_MONOTONIC_RAW, time.as_mut_ptr())?;
    Ok(time[0] * 1_000_000_000 + time[1])
}

/// Sets the base address of FS.
#[cfg(target_arch = "x86_64")]
pub fn set_fs(base: usize) -> Result<usize, i32> {
    const ARCH_SET_FS: usize = 0x1002;
    call!(Sysno::arch_prctl, ARCH_SET_FS, base)
}

/// Ends the process.
pub fn exit(status: u8) -> ! {
    loop {
        let _: Result<usize, i32> = call!(Sysno::exit_group, usize::from(status));
    }
}

//! The Linux program on what the environment brings: glibc as a shared library, its memory routines and malloc, and the system's
//! random numbers. The workload and the providers' objects are those of the other programs.
//! Usage: `stock PORT`, where PORT is a device or `-` for standard input and output.

#[cfg(target_arch = "aarch64")]
#[path = "../freestanding/log.rs"]
mod log;
#[cfg(target_arch = "aarch64")]
#[path = "../freestanding/section.rs"]
mod section;

#[cfg(target_arch = "aarch64")]
mod program {
    use std::ffi::{CString, c_ulong};
    use target_bench::fault;
    use target_bench::platform::linux::{Auxiliary, Linux};
    use target_bench::report::Agent;
    use target_bench::tape;

    unsafe extern "C" {
        fn getauxval(kind: c_ulong) -> c_ulong;
        fn getentropy(out: *mut u8, size: usize) -> i32;
    }

    /// The system's random numbers.
    fn system(out: &mut [u8]) {
        // More than this at once is an error by its definition.
        for piece in out.chunks_mut(256) {
            // SAFETY: the buffer has this many bytes.
            let status = unsafe { getentropy(piece.as_mut_ptr(), piece.len()) };
            assert_eq!(status, 0, "getentropy failed");
        }
    }

    pub fn run() -> ! {
        std::panic::set_hook(Box::new(|info| fault::panicked(info)));
        tape::use_system(system);
        let port = std::env::args().nth(1).unwrap_or_else(|| "-".to_owned());
        let port = CString::new(port).unwrap_or_default();
        // SAFETY: glibc answers for any number.
        let auxiliary =
            Auxiliary::from_values(|kind| unsafe { getauxval(kind as c_ulong) } as usize);
        auxiliary.set_layout();
        match Linux::start(&port, auxiliary, "stock") {
            Ok(platform) => Agent::new(platform).serve(),
            Err(errno) => target_bench::platform::linux::give_up("cannot open the port", errno),
        }
    }
}

fn main() {
    #[cfg(target_arch = "aarch64")]
    program::run();
    #[cfg(not(target_arch = "aarch64"))]
    eprintln!("this program runs on aarch64 only");
}

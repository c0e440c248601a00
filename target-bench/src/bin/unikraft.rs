//! The Linux program as Unikraft's ELF loader takes it: a static file that may lie anywhere.
//!
//! It is the program `linux` to the last object; what differs is how it is linked, that it moves its own pointers as it starts, and that the
//! link is the console. It needs of such a kernel what `docs/boards.md` says: `read`, `write` and `exit_group`; other calls may fail.
#![cfg_attr(target_arch = "aarch64", no_std, no_main)]

#[cfg(target_arch = "aarch64")]
#[path = "../freestanding/mod.rs"]
mod freestanding;

#[cfg(target_arch = "aarch64")]
mod program {
    use target_bench::platform::linux::{Linux, entry, give_up};
    use target_bench::report::Agent;

    target_bench::movable_start!();

    unsafe extern "C" {
        /// Address 0 of the file, as the linker script has it.
        static __image_start: u8;
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn linux_main(stack: *const usize) -> ! {
        super::freestanding::start(&raw const __image_start as u64);
        // SAFETY: `_start` passes the stack pointer as the loader set it.
        let (_, auxiliary) = unsafe { entry(stack) };
        // What stands after the program's name is the kernel's affair.
        match Linux::start(c"console", auxiliary, "unikraft") {
            Ok(platform) => Agent::new(platform).serve(),
            Err(errno) => give_up("cannot open the port", errno),
        }
    }
}

#[cfg(not(target_arch = "aarch64"))]
fn main() {
    eprintln!("this program runs on aarch64 only");
}

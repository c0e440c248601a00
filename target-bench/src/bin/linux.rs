//! The Linux program: native, in a container, or under whatever else starts a static ELF file.
//! Usage: `linux PORT`, where PORT is a device or `-` for standard input and output.
#![cfg_attr(target_arch = "aarch64", no_std, no_main)]

#[cfg(target_arch = "aarch64")]
#[path = "../freestanding/mod.rs"]
mod freestanding;

#[cfg(target_arch = "aarch64")]
mod program {
    use target_bench::platform::linux::{Linux, entry};
    use target_bench::report::Agent;

    target_bench::linux_start!();

    #[unsafe(no_mangle)]
    unsafe extern "C" fn linux_main(stack: *const usize) -> ! {
        super::freestanding::start();
        // SAFETY: `_start` passes the stack pointer as the kernel set it.
        let (port, auxiliary) = unsafe { entry(stack) };
        match Linux::start(port.unwrap_or(c"-"), auxiliary, "linux") {
            Ok(platform) => Agent::new(platform).serve(),
            Err(errno) => target_bench::platform::linux::give_up("cannot open the port", errno),
        }
    }
}

#[cfg(not(target_arch = "aarch64"))]
fn main() {
    eprintln!("this program runs on aarch64 only");
}

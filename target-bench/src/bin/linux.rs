//! The Linux program: native, in a container, or under whatever else starts a static ELF file.
//! Usage: `linux PORT`, where PORT is a device, `-` for standard input and output, or `console` for the same in letters; or `linux --ticks`, which prints the clock of ticks.
#![cfg_attr(freestanding, no_std, no_main)]

#[cfg(freestanding)]
#[path = "../freestanding/mod.rs"]
mod freestanding;

#[cfg(freestanding)]
mod program {
    use target_bench::platform::linux::{Linux, entry};
    use target_bench::report::Agent;

    target_bench::linux_start!();

    #[unsafe(no_mangle)]
    unsafe extern "C" fn linux_main(stack: *const usize) -> ! {
        super::freestanding::start(0);
        // SAFETY: `_start` passes the stack pointer as the kernel set it.
        let (port, auxiliary) = unsafe { entry(stack) };
        if port == Some(c"--ticks") {
            target_bench::platform::linux::print_ticks();
        }
        match Linux::start(port.unwrap_or(c"-"), auxiliary, "linux") {
            Ok(platform) => Agent::new(platform).serve(),
            Err(errno) => target_bench::platform::linux::give_up("cannot open the port", errno),
        }
    }
}

#[cfg(not(freestanding))]
fn main() {
    eprintln!("this is no bench: for x86-64 it is built with `--features local`");
    std::process::exit(1);
}

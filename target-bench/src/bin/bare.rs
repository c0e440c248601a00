//! The freestanding image: on the metal, or as a guest of a hypervisor.
#![cfg_attr(target_arch = "aarch64", no_std, no_main)]

#[cfg(target_arch = "aarch64")]
#[path = "../freestanding/mod.rs"]
mod freestanding;

#[cfg(target_arch = "aarch64")]
mod program {
    use target_bench::platform::bare::{Bare, exception};
    use target_bench::report::Agent;

    target_bench::bare_start!();

    #[unsafe(no_mangle)]
    unsafe extern "C" fn bare_main(entry_level: u64) -> ! {
        super::freestanding::start(0);
        // SAFETY: `_start` comes here once, on one core, at EL1 with the MMU off.
        let platform = unsafe { Bare::start(entry_level) };
        Agent::new(platform).serve()
    }

    #[unsafe(no_mangle)]
    extern "C" fn bare_exception(syndrome: u64, address: u64, accessed: u64) -> ! {
        exception(syndrome, address, accessed)
    }
}

#[cfg(not(target_arch = "aarch64"))]
fn main() {
    eprintln!("this program runs on aarch64 only");
}

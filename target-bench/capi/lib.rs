//! The bench as a static library: `pq_bench.h` is its interface, [`Carried`] joins it to the workload and the providers.
//!
//! Nothing here knows what carries it. On the boards' architecture it needs no Rust library but core and alloc.
#![cfg_attr(target_arch = "aarch64", no_std)]

extern crate alloc;

#[cfg(target_arch = "aarch64")]
#[path = "../src/freestanding/log.rs"]
mod log;
#[cfg(target_arch = "aarch64")]
mod own;

// Links the critical sections of a machine with threads.
#[cfg(not(target_arch = "aarch64"))]
use critical_section as _;

use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::c_void;
use target_bench::platform::{Counters, Platform, Source};
use target_bench::report::Agent;
use wire::hello::{Clocks, Surroundings};
use wire::message::Footprint;
use wire::units::{Clock, Counter, Hertz, Scope};

/// `struct pq_bench_platform` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// Bytes of this structure as the carrier knows it.
    pub size: u32,
    /// Whether PMCCNTR_EL0 may be read.
    pub pmccntr_readable: u32,
    /// Handed to every function.
    pub context: *mut c_void,
    /// Waits for bytes.
    pub read: Option<unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> usize>,
    /// Sends bytes.
    pub write: Option<unsafe extern "C" fn(*mut c_void, *const u8, usize)>,
    /// Ends the program.
    pub stop: Option<unsafe extern "C" fn(*mut c_void, u8)>,
    /// Starts afresh.
    pub restart: Option<unsafe extern "C" fn(*mut c_void)>,
    /// Hertz of the clock of ticks.
    pub ticks_hz: u64,
    /// AT_HWCAP.
    pub features: u64,
    /// Bytes of a page.
    pub page_size: u32,
}

/// What a program ends with that cannot start itself afresh: a launcher may do it.
const AGAIN: u8 = 75;

/// A runtime of somebody else's.
struct Carried(Given);

impl Carried {
    fn ticks(&self) -> Clock {
        let counter = match cfg!(target_arch = "aarch64") {
            true => Counter::Cntvct,
            false => Counter::Tsc,
        };
        let told = Some(self.0.ticks_hz).filter(|hz| *hz > 0);
        #[cfg(target_arch = "aarch64")]
        let told = told.or_else(|| Some(target_bench::arch::registers::cntfrq()));
        Clock {
            counter,
            rate: told.map(Hertz),
            scope: Scope::All,
        }
    }
}

impl Platform for Carried {
    fn read(&mut self, buffer: &mut [u8]) -> usize {
        loop {
            // SAFETY: the carrier's function, with a buffer of this many bytes.
            let read = self.0.read.map_or(0, |read| unsafe {
                read(self.0.context, buffer.as_mut_ptr(), buffer.len())
            });
            if (1..=buffer.len()).contains(&read) {
                return read;
            }
            if read == 0 {
                // Nobody is at the other end any more.
                self.stop(0);
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(write) = self.0.write {
            // SAFETY: as above.
            unsafe { write(self.0.context, bytes.as_ptr(), bytes.len()) };
        }
    }

    fn counters(&self) -> Counters {
        #[cfg(target_arch = "aarch64")]
        if self.0.pmccntr_readable != 0 {
            return Counters {
                count: Source::Pmccntr,
                total: Source::None,
            };
        }
        Counters {
            count: Source::Ticks,
            total: Source::None,
        }
    }

    fn count_instructions(&mut self) -> bool {
        // The interface has no word for it.
        false
    }

    fn clocks(&self) -> Clocks {
        let ticks = self.ticks();
        let has_cycles = cfg!(target_arch = "aarch64") && self.0.pmccntr_readable != 0;
        let none = Clock {
            counter: Counter::None,
            rate: None,
            scope: Scope::All,
        };
        Clocks {
            count: match has_cycles {
                true => Clock {
                    counter: Counter::Pmccntr,
                    ..none
                },
                false => ticks,
            },
            total: none,
            ticks,
            denied: String::new(),
        }
    }

    fn surroundings(&self) -> Surroundings {
        // What carries the library does not say what it is.
        Surroundings {
            exception_level: 0,
            entry_level: 0,
            hypervisor: None,
            kernel: None,
            machine: None,
            namespaces: Vec::new(),
            cgroup: None,
            seccomp: None,
            capabilities: None,
            page_size: self.0.page_size,
        }
    }

    fn features(&self) -> u64 {
        self.0.features
    }

    fn boot(&self) -> Option<[u8; 16]> {
        None
    }

    fn build_id(&self) -> [u8; 20] {
        // The carrier's program has one; the library in it does not know it.
        [0; 20]
    }

    fn footprint(&self) -> Footprint {
        Footprint::default()
    }

    fn program(&self) -> &'static str {
        "library"
    }

    fn stop(&mut self, status: u8) -> ! {
        if let Some(stop) = self.0.stop {
            // SAFETY: the carrier's function, which does not return.
            unsafe { stop(self.0.context, status) };
        }
        // It did, or there is none: there is nothing left to do.
        loop {
            core::hint::spin_loop();
        }
    }

    fn restart(&mut self) -> ! {
        if let Some(restart) = self.0.restart {
            // SAFETY: as above.
            unsafe { restart(self.0.context) };
        }
        self.stop(AGAIN)
    }
}

/// Says Hello and obeys the host until it says stop.
///
/// # Safety
/// `platform` must point to a structure as `pq_bench.h` has it, whose functions keep what it promises. Called once, from one thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pq_bench_run(platform: *const Given) -> ! {
    // SAFETY: as the caller promises.
    let given = unsafe { platform.read() };
    let mut carried = Carried(given);
    // A carrier that was compiled with another header cannot be understood.
    if given.size as usize != size_of::<Given>() {
        carried.stop(64);
    }
    Agent::new(carried).serve()
}

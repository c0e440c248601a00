//! A Linux process without a C library: system calls only.
use super::{Counters, Platform, Source};
use crate::{fault, memory};
use alloc::format;
use alloc::string::String;
use wire::hello::{Clocks, Surroundings};
use wire::message::Footprint;
use wire::units::{Clock, Counter, Scope, Ticks};

mod facts;
mod footprint;
pub mod perf;
mod port;
mod processor;
mod signals;
mod start;
mod sys;

#[cfg(target_arch = "x86_64")]
pub use processor::set_thread_pointer;
pub use start::{Auxiliary, entry};

/// The process.
pub struct Linux {
    port: port::Port,
    auxiliary: Auxiliary,
    exception_level: u8,
    counters: Counters,
    /// Whether these count instructions rather than the best that there is.
    instructions: bool,
    ticks: Clock,
    denied: String,
    entered: Ticks,
    program: &'static str,
}

impl Linux {
    /// Opens `port` and the counters, and touches all memory once, so that no iteration is the first to do so.
    ///
    /// # Errors
    /// The number of the system's error where the port cannot be opened.
    pub fn start(
        port: &core::ffi::CStr,
        auxiliary: Auxiliary,
        program: &'static str,
    ) -> Result<Self, i32> {
        let entered = Ticks(crate::arch::ticks());
        auxiliary.populate();
        // The operations' stack ends in pages that fault.
        sys::forbid(memory::stack::guard(), memory::stack::GUARD_BYTES);
        signals::install();
        let port = port::Port::open(port)?;
        let ticks = processor::tick_clock();
        let exception_level = processor::exception_level();
        let (count, denied) = match opened(perf::Event::Cycles, perf::Scope::User) {
            Ok(source) => (source, String::new()),
            Err(why) => {
                let own = processor::own_counter(exception_level);
                let own = own.filter(|source| source.runs());
                (own.unwrap_or(Source::Ticks), why)
            }
        };
        let (total, denied) = match opened(perf::Event::Cycles, perf::Scope::UserKernel) {
            Ok(source) => (source, denied),
            Err(why) => (Source::None, format!("{denied} {why}")),
        };
        Ok(Self {
            port,
            auxiliary,
            exception_level,
            counters: Counters { count, total },
            instructions: false,
            ticks,
            denied,
            entered,
            program,
        })
    }
}

/// A counter of perf_event that runs; else why there is none.
fn opened(event: perf::Event, scope: perf::Scope) -> Result<Source, String> {
    let of = match scope {
        perf::Scope::User => "for user code",
        perf::Scope::UserKernel => "with the kernel",
    };
    match perf::Page::open(event, scope).map(Source::Perf) {
        Ok(source) if source.runs() => Ok(source),
        Ok(_) => Err(format!(
            "perf_event_open {of}: it does not run with the clock of ticks"
        )),
        Err(errno) => Err(format!("perf_event_open {of}: error {errno}")),
    }
}

/// Prints the clock of ticks on standard output, and exits: for a launcher that wants to know when it starts something.
pub fn print_ticks() -> ! {
    let line = format!("{}\n", crate::arch::ticks());
    let written = sys::write(1, line.as_bytes());
    sys::exit(u8::from(written != Ok(line.len())))
}

impl Platform for Linux {
    fn read(&mut self, buffer: &mut [u8]) -> usize {
        self.port.read(buffer)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.port.write(bytes);
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn count_instructions(&mut self) -> bool {
        // The host says it again where an answer was lost.
        if self.instructions {
            return true;
        }
        let count = opened(perf::Event::Instructions, perf::Scope::User).ok();
        let own = || processor::own_instruction_counter(self.exception_level);
        let Some(count) = count.or_else(|| own().filter(|source| source.runs())) else {
            return false;
        };
        let total = opened(perf::Event::Instructions, perf::Scope::UserKernel);
        self.counters = Counters {
            count,
            total: total.unwrap_or(Source::None),
        };
        self.instructions = true;
        true
    }

    fn clocks(&self) -> Clocks {
        let ticks = self.ticks;
        let counted = |counter, scope| Clock {
            counter,
            rate: None,
            scope,
        };
        let clock = |source, scope| match source {
            Source::None => counted(Counter::None, scope),
            Source::Ticks => ticks,
            Source::Perf(_) if self.instructions => counted(Counter::PerfInstructionsMapped, scope),
            Source::Perf(_) => counted(Counter::PerfCyclesMapped, scope),
            // At EL1, beside a kernel that is a library: all that happens in this machine, nothing of one around it.
            #[cfg(target_arch = "aarch64")]
            Source::Pmccntr => counted(Counter::Pmccntr, Scope::Guest),
            #[cfg(target_arch = "aarch64")]
            Source::InstRetired => counted(Counter::InstRetired, Scope::Guest),
        };
        Clocks {
            count: clock(self.counters.count, Scope::User),
            total: clock(self.counters.total, Scope::UserKernel),
            ticks,
            denied: self.denied.clone(),
        }
    }

    fn surroundings(&self) -> Surroundings {
        facts::surroundings(self.exception_level, self.auxiliary.page_size)
    }

    fn features(&self) -> u64 {
        processor::features(&self.auxiliary)
    }

    fn boot(&self) -> Option<[u8; 16]> {
        facts::boot()
    }

    fn build_id(&self) -> [u8; 20] {
        self.auxiliary.build_id().unwrap_or_default()
    }

    fn footprint(&self) -> Footprint {
        Footprint {
            entered: Some(self.entered),
            ..footprint::of_process()
        }
    }

    fn program(&self) -> &'static str {
        self.program
    }

    fn stop(&mut self, status: u8) -> ! {
        self.port.drain();
        sys::exit(status)
    }

    fn restart(&mut self) -> ! {
        // EX_TEMPFAIL: the launcher starts the program again.
        self.stop(75)
    }
}

/// The text of a small file of /proc or /sys, without what ends it; what does not fit is left out.
fn text(path: &core::ffi::CStr) -> Option<String> {
    let mut buffer = [0u8; 4096];
    let file = sys::open(path, sys::READ_ONLY).ok()?;
    let mut length = 0;
    while length < buffer.len() {
        match sys::read(file, &mut buffer[length..]) {
            Ok(0) | Err(_) => break,
            Ok(read) => length += read,
        }
    }
    sys::close(file);
    let text = String::from_utf8_lossy(&buffer[..length]);
    Some(String::from(text.trim_end_matches(['\0', '\n'])))
}

/// Where fatal signals lead.
fn signalled(name: &str, number: u64, address: u64, accessed: u64) -> ! {
    fault::exception(name, number, address, accessed)
}

/// Says on standard error what failed, with the system's error number, and ends the process.
pub fn give_up(what: &str, errno: i32) -> ! {
    let _ = sys::write(2, format!("{what}: error {errno}\n").as_bytes());
    sys::exit(1)
}

//! The image that owns the CPU: on the metal, or as a guest of a hypervisor.
use super::{Conduit, Counters, Platform, Source};
use crate::arch::mmu::{self, Content};
use crate::arch::{cores, exceptions, pmu, registers};
use crate::{board, fault, memory};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use wire::hello::{Clocks, Surroundings};
use wire::message::Footprint;
use wire::units::{Clock, Counter, Hertz, Scope, Ticks};

mod firmware;
mod uart;
mod virtio;

/// The way to the host.
enum Link {
    Uart(uart::Pl011),
    Virtio(Box<virtio::Console>),
}

/// The machine without an operating system.
pub struct Bare {
    link: Link,
    entry_level: u8,
    hypervisor: Option<&'static str>,
    has_pmu: bool,
    count: Source,
    entered: Ticks,
}

impl Bare {
    /// Turns on MMU, caches and PMU, and looks for the way to the host: a virtio console where there is one (a guest's UART
    /// costs an exit a byte), else the UART.
    ///
    /// # Safety
    /// Once, at EL1 with the MMU off, on the only core, from an image laid out by `linker/image.ld`.
    pub unsafe fn start(entry_level: u64) -> Self {
        let entered = Ticks(crate::arch::ticks());
        let inside = |ranges: &[(u64, u64)], address: u64| {
            ranges
                .iter()
                .any(|(base, size)| (*base..base + size).contains(&address))
        };
        // SAFETY: the board file says that the firmware's cores wait there; caches are still off.
        unsafe { cores::send_to_sleep(board::SPIN_TABLE) };
        // SAFETY: as the caller promises; the image and its stacks lie in the board's memory, as the linker has checked.
        unsafe {
            mmu::turn_on(|block| {
                if memory::stack::is_guard(block) {
                    Content::Nothing
                } else if inside(board::DEVICES, block) {
                    Content::Device
                } else if inside(board::MEMORY, block) {
                    Content::Memory
                } else {
                    Content::Nothing
                }
            });
        }
        let has_pmu = pmu::present();
        if has_pmu {
            // SAFETY: at EL1 with a PMU; at EL2 the start-up code has opened it.
            unsafe { pmu::start_cycle_counter() };
        }
        let count = match has_pmu && Source::Pmccntr.runs() {
            true => Source::Pmccntr,
            false => Source::Ticks,
        };
        let entry_level = entry_level as u8;
        let link = virtio::Console::find()
            .map(Box::new)
            .map_or_else(|| Link::Uart(uart::Pl011::start()), Link::Virtio);
        // Whoever entered us at EL2 left no hypervisor underneath.
        let hypervisor = if entry_level >= 2 {
            None
        } else {
            firmware::hypervisor()
        };
        Self {
            link,
            entry_level,
            hypervisor,
            has_pmu,
            count,
            entered,
        }
    }

    /// A guest calls its hypervisor, whatever the board's own firmware wants.
    fn conduit(&self) -> Conduit {
        if self.entry_level >= 2 {
            board::CONDUIT
        } else {
            Conduit::Hvc
        }
    }
}

impl Platform for Bare {
    fn read(&mut self, buffer: &mut [u8]) -> usize {
        loop {
            let read = match &mut self.link {
                Link::Uart(uart) => uart.read(buffer),
                Link::Virtio(console) => console.read(buffer),
            };
            if read != 0 {
                return read;
            }
            core::hint::spin_loop();
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        match &mut self.link {
            Link::Uart(uart) => uart.write(bytes),
            Link::Virtio(console) => console.write(bytes),
        }
    }

    fn counters(&self) -> Counters {
        Counters {
            count: self.count,
            total: Source::None,
        }
    }

    fn count_instructions(&mut self) -> bool {
        // SAFETY: at EL1, with a PMU.
        if !self.has_pmu || !unsafe { pmu::counts_instructions() } {
            return false;
        }
        // SAFETY: as above, and it has just said so.
        unsafe { pmu::start_instruction_counter() };
        let runs = Source::InstRetired.runs();
        if runs {
            self.count = Source::InstRetired;
        }
        runs
    }

    fn clocks(&self) -> Clocks {
        let rate = Some(Hertz(registers::cntfrq()));
        let scope = if self.hypervisor.is_some() {
            Scope::Guest
        } else {
            Scope::All
        };
        let ticks = Clock {
            counter: Counter::Cntvct,
            rate,
            scope: Scope::All,
        };
        let counted = |counter| Clock {
            counter,
            rate: None,
            scope,
        };
        let count = match self.count {
            Source::Pmccntr => counted(Counter::Pmccntr),
            Source::InstRetired => counted(Counter::InstRetired),
            _ => ticks,
        };
        // A guest does not see its host: only the ticks include it.
        let total = if self.hypervisor.is_some() {
            Clock {
                counter: Counter::None,
                ..count
            }
        } else {
            count
        };
        let denied = match (self.has_pmu, self.count) {
            (false, _) => "the CPU shows no PMU",
            (true, Source::Ticks) => "PMCCNTR_EL0 does not run with the clock of ticks",
            _ => "",
        }
        .to_string();
        Clocks {
            count,
            total,
            ticks,
            denied,
        }
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings {
            exception_level: 1,
            entry_level: self.entry_level,
            hypervisor: self.hypervisor.map(String::from),
            kernel: None,
            machine: None,
            namespaces: Vec::new(),
            cgroup: None,
            seccomp: None,
            capabilities: None,
            page_size: 4096,
        }
    }

    fn features(&self) -> u64 {
        registers::hardware_capabilities()
    }

    fn boot(&self) -> Option<[u8; 16]> {
        None
    }

    fn build_id(&self) -> [u8; 20] {
        unsafe extern "C" {
            static __build_id_note: [u8; 36];
        }
        // SAFETY: the linker script puts the note there: a header of 16 bytes, then the id.
        let note = unsafe { &__build_id_note };
        note.last_chunk::<20>().copied().unwrap_or_default()
    }

    fn footprint(&self) -> Footprint {
        Footprint {
            entered: Some(self.entered),
            ..Footprint::default()
        }
    }

    fn program(&self) -> &'static str {
        "bare"
    }

    fn stop(&mut self, status: u8) -> ! {
        firmware::power_off(self.conduit(), status)
    }

    fn restart(&mut self) -> ! {
        firmware::reset(self.conduit())
    }
}

/// Where the exception vectors lead.
pub fn exception(syndrome: u64, address: u64, accessed: u64) -> ! {
    fault::exception(
        exceptions::class_name(syndrome),
        syndrome,
        address,
        accessed,
    )
}

//! What an environment gives to the programs.
use crate::{arch, board};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use wire::hello::{Clocks, Surroundings};
use wire::message::Footprint;

#[cfg(target_arch = "aarch64")]
pub mod bare;
pub mod linux;

/// How the freestanding image switches its machine off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conduit {
    /// PSCI by secure monitor call.
    Smc,
    /// PSCI by hypervisor call.
    Hvc,
    /// A semihosting call that ends the emulator.
    Semihosting,
    /// Not at all: it waits for ever.
    None,
}

/// An environment, as the programs use it.
pub trait Platform {
    /// Waits for bytes from the host; the number read, at least one.
    fn read(&mut self, buffer: &mut [u8]) -> usize;
    /// Sends bytes to the host.
    fn write(&mut self, bytes: &[u8]);
    /// The counters to time with.
    fn counters(&self) -> Counters;
    /// Takes a counter of instructions for the main clock from now on; `false` where there is none that works.
    fn count_instructions(&mut self) -> bool;
    /// Which clocks those are.
    fn clocks(&self) -> Clocks;
    /// What the program found itself in.
    fn surroundings(&self) -> Surroundings;
    /// The CPU's features: AT_HWCAP, or what stands for it; [`arch::CAPABILITY_NAMES`] has the bits' names.
    fn features(&self) -> u64;
    /// A number that changes with each boot, where the platform has one.
    fn boot(&self) -> Option<[u8; 16]>;
    /// The program's GNU build id.
    fn build_id(&self) -> [u8; 20];
    /// What the program takes to be there.
    fn footprint(&self) -> Footprint;
    /// Which program this is.
    fn program(&self) -> &'static str;
    /// Powers off, or ends the process with this status.
    fn stop(&mut self, status: u8) -> !;
    /// Starts afresh, or ends the process so that its launcher does.
    fn restart(&mut self) -> !;
}

static FEATURES_USED: AtomicU64 = AtomicU64::new(0);

/// The features that providers are told of, as AT_HWCAP.
#[must_use]
pub fn features_used() -> u64 {
    FEATURES_USED.load(Relaxed)
}

/// Sets what [`features_used`] answers. Providers look once: only before the first of them is opened.
pub fn set_features_used(features: u64) {
    FEATURES_USED.store(features, Relaxed);
}

/// Where a count is read from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Always zero.
    None,
    /// CNTVCT_EL0, or what stands for it.
    Ticks,
    /// PMCCNTR_EL0.
    #[cfg(target_arch = "aarch64")]
    Pmccntr,
    /// A counter of perf_event, through its mapped page.
    Perf(linux::perf::Page),
    /// INST_RETIRED in event counter 0 of the PMU, of which only 32 bits are there.
    #[cfg(target_arch = "aarch64")]
    InstRetired,
}

impl Source {
    /// The present count.
    #[inline(always)]
    #[must_use]
    pub fn read(self) -> u64 {
        match self {
            Self::None => 0,
            Self::Ticks => arch::ticks(),
            #[cfg(target_arch = "aarch64")]
            Self::Pmccntr => arch::counter::pmccntr(),
            Self::Perf(page) => page.read(),
            #[cfg(target_arch = "aarch64")]
            Self::InstRetired => arch::counter::inst_retired(),
        }
    }

    /// What was counted between two readings that are `ticks` apart; `None` where the counter went back or may have wrapped unseen.
    #[must_use]
    pub fn between(self, before: u64, after: u64, ticks: u64) -> Option<u64> {
        #[cfg(target_arch = "aarch64")]
        if matches!(self, Self::InstRetired) {
            // It may come round once, but not twice.
            let is_short = ticks.saturating_mul(MOST_A_TICK) >> 32 == 0;
            return is_short.then(|| u64::from((after as u32).wrapping_sub(before as u32)));
        }
        let _ = ticks;
        after
            .checked_sub(before)
            .filter(|difference| i64::try_from(*difference).is_ok())
    }

    /// Whether it runs as a counter does: in every one of several stretches of ticks it goes up, and by no more than a CPU can do.
    /// A hypervisor or a kernel may show a register that never moves.
    #[must_use]
    pub fn runs(self) -> bool {
        const STRETCHES: usize = 8;
        const TICKS: u64 = 64;
        const LOOKS: usize = 1 << 20;
        (0..STRETCHES).all(|_| {
            let (begin, before) = (arch::ticks(), self.read());
            let end = (0..LOOKS).find_map(|_| {
                let now = arch::ticks();
                (now.wrapping_sub(begin) >= TICKS).then_some(now)
            });
            let Some(end) = end else {
                return false;
            };
            let ticks = end.wrapping_sub(begin);
            self.between(before, self.read(), ticks)
                .is_some_and(|count| (1..=(ticks + 1) * MOST_A_TICK).contains(&count))
        })
    }
}

/// No CPU counts more in a tick: what the board ties its clocks to, else 4 instructions a cycle at 3 GHz against the slowest usual clock
/// of ticks, 19.2 MHz.
const MOST_A_TICK: u64 = match board::COUNTS_PER_TICK {
    Some(counts) => counts,
    None => 640,
};

/// The counters that a sample is made from.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    /// The main clock.
    pub count: Source,
    /// All exception levels that can be seen; [`Source::None`] where `count` is that already.
    pub total: Source,
}

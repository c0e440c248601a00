//! What an environment gives to the programs.
use crate::arch;
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
        }
    }
}

/// The counters that a sample is made from.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    /// The main clock.
    pub count: Source,
    /// All exception levels that can be seen; [`Source::None`] where `count` is that already.
    pub total: Source,
}

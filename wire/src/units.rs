//! Units and the small vocabulary of measurement. Each is a type of its own, so that ticks are never added to cycles.
use core::fmt;
use serde::{Deserialize, Serialize};

/// Ticks of CNTVCT_EL0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Ticks(pub u64);

/// A frequency in hertz.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Hertz(pub u64);

/// The register or interface that a count was read from. Append-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Counter {
    /// Nothing counted: the value is always zero.
    None,
    /// PMCCNTR_EL0, read as a register.
    Pmccntr,
    /// PMU event 8, INST_RETIRED, read as a register.
    InstRetired,
    /// CNTVCT_EL0.
    Cntvct,
    /// A cycle counter of Linux perf_event, read as a register through its mapped page.
    PerfCyclesMapped,
    /// An instruction counter of Linux perf_event, read as a register through its mapped page.
    PerfInstructionsMapped,
    /// The time stamp counter of x86-64.
    Tsc,
    /// A monotonic clock of the operating system, in nanoseconds.
    Monotonic,
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Pmccntr => "PMCCNTR_EL0",
            Self::InstRetired => "INST_RETIRED",
            Self::Cntvct => "CNTVCT_EL0",
            Self::PerfCyclesMapped => "perf cycles (mapped)",
            Self::PerfInstructionsMapped => "perf instructions (mapped)",
            Self::Tsc => "TSC",
            Self::Monotonic => "CLOCK_MONOTONIC",
        })
    }
}

/// Whose work a count includes. Append-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// User code alone.
    User,
    /// User code and the kernel that works for it.
    UserKernel,
    /// Everything inside a guest, nothing of its host.
    Guest,
    /// Everything that the processor does.
    All,
}

impl Scope {
    /// The scope's name in tables, JSON and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::UserKernel => "user+kernel",
            Self::Guest => "guest",
            Self::All => "all",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A counter as the target uses it: what is read, how fast it runs if that is fixed, and whose work it includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// Where the value comes from.
    pub counter: Counter,
    /// Its rate, where it has one.
    pub rate: Option<Hertz>,
    /// Whose work it includes.
    pub scope: Scope,
}

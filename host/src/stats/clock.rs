//! What a count is called, from the counter it was read from and the board it was read on.
use crate::model::{Environment, Provenance};
use serde::Serialize;
use wire::samples::Sample;
use wire::units::{Clock, Counter};

/// What counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockName {
    /// Instructions executed: PMCCNTR_EL0 under deterministic emulation, or a PMU event.
    Instructions,
    /// Cycles of the processor.
    Cycles,
    /// Ticks of a constant-rate counter.
    Ticks,
    /// Nanoseconds of an operating system's clock.
    Wall,
}

impl ClockName {
    /// The name in tables, JSON and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Cycles => "cycles",
            Self::Ticks => "ticks",
            Self::Wall => "wall",
        }
    }
}

/// The name of what `counter` counts on the run's board.
#[must_use]
pub fn name(counter: Counter, provenance: &Provenance) -> ClockName {
    match counter {
        Counter::Pmccntr | Counter::PerfCyclesMapped
            if provenance.pmccntr_counts == "instructions" =>
        {
            ClockName::Instructions
        }
        Counter::Pmccntr | Counter::PerfCyclesMapped => ClockName::Cycles,
        Counter::InstRetired | Counter::PerfInstructionsMapped => ClockName::Instructions,
        // A target that counts nothing still gives ticks, and they stand in for its count.
        Counter::Cntvct | Counter::Tsc | Counter::None => ClockName::Ticks,
        Counter::Monotonic => ClockName::Wall,
    }
}

/// The count of the main clock.
#[must_use]
pub fn count(sample: &Sample, clock: &Clock) -> u64 {
    if clock.counter == Counter::None {
        sample.ticks
    } else {
        sample.count
    }
}

/// Where a total over all exception levels comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TotalSource {
    /// A counter of the target that counts at all exception levels.
    Counter,
    /// Ticks times the emulation's instructions per tick: what the whole emulated machine executed meanwhile.
    Ticks,
    /// Nothing: there is no total.
    None,
}

/// Where the total comes from in `environment`, whose clock of totals is `total`.
///
/// A guest cannot see its host, whatever its counters say; the emulated machine's ticks count both.
#[must_use]
pub fn total_source(
    total: &Clock,
    environment: Environment,
    provenance: &Provenance,
) -> TotalSource {
    let tied = provenance.emulated && provenance.instructions_per_tick.is_some();
    let blind = total.counter == Counter::None;
    match (tied, blind, environment) {
        (true, true, _) => TotalSource::Ticks,
        (true, _, environment) if environment.is_guest() => TotalSource::Ticks,
        (false, true, _) => TotalSource::None,
        _ => TotalSource::Counter,
    }
}

/// The total of one sample over all exception levels. Ticks are whole: where rounding leaves them behind what was counted itself, that
/// count is the better bound.
#[must_use]
pub fn total(sample: &Sample, source: TotalSource, provenance: &Provenance) -> Option<u64> {
    match source {
        TotalSource::Counter => Some(sample.total),
        TotalSource::Ticks => sample
            .ticks
            .checked_mul(u64::from(provenance.instructions_per_tick?))
            .map(|total| total.max(sample.count)),
        TotalSource::None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::units::Scope;

    fn board(emulated: bool) -> Provenance {
        Provenance {
            run: "r".to_owned(),
            started: String::new(),
            board: "b".to_owned(),
            emulated,
            pmccntr_counts: if emulated { "instructions" } else { "cycles" }.to_owned(),
            instructions_per_tick: emulated.then_some(16),
            plan: "quick".to_owned(),
            seed: 1,
            environments: Vec::new(),
            facts: std::collections::BTreeMap::new(),
        }
    }

    fn clock(counter: Counter) -> Clock {
        Clock {
            counter,
            rate: None,
            scope: Scope::All,
        }
    }

    #[test]
    fn a_cycle_counter_that_counts_instructions_is_called_so() {
        for counter in [Counter::Pmccntr, Counter::PerfCyclesMapped] {
            assert_eq!(name(counter, &board(true)), ClockName::Instructions);
            assert_eq!(name(counter, &board(false)), ClockName::Cycles);
        }
        assert_eq!(
            name(Counter::InstRetired, &board(false)),
            ClockName::Instructions
        );
        assert_eq!(name(Counter::Cntvct, &board(true)), ClockName::Ticks);
        assert_eq!(name(Counter::Monotonic, &board(false)), ClockName::Wall);
    }

    #[test]
    fn totals_are_never_what_a_guest_believes_on_an_emulated_board() {
        let sample = Sample {
            count: 1000,
            total: 1010,
            ticks: 70,
            flags: 0,
        };
        let of = |counter, environment, emulated| {
            let source = total_source(&clock(counter), environment, &board(emulated));
            total(&sample, source, &board(emulated))
        };
        assert_eq!(
            of(Counter::Pmccntr, Environment::BareMetal, true),
            Some(1010)
        );
        assert_eq!(
            of(Counter::Pmccntr, Environment::Unikernel, true),
            Some(1120)
        );
        assert_eq!(of(Counter::None, Environment::Native, true), Some(1120));
        assert_eq!(of(Counter::None, Environment::Native, false), None);
        assert_eq!(
            of(Counter::Pmccntr, Environment::Unikernel, false),
            Some(1010)
        );
        let overflow = Sample {
            ticks: u64::MAX,
            ..sample
        };
        assert_eq!(total(&overflow, TotalSource::Ticks, &board(true)), None);
    }

    #[test]
    fn ticks_stand_in_where_nothing_is_counted() {
        let sample = Sample {
            ticks: 9,
            ..Sample::default()
        };
        assert_eq!(count(&sample, &clock(Counter::None)), 9);
    }
}

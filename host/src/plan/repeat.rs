//! Operations that are too short for the clock of ticks: how often each sample executes them.
use super::{Item, Plan, step_down};
use crate::model::Planned;
use crate::stats::figures::COARSE;
use std::collections::BTreeMap;
use wire::catalog::Provider;

/// Ticks that a sample of repeated executions shall take: one step is then 0.1 % of them.
const FINE: u64 = 1000;

impl Plan {
    /// Lets each sample of what took fewer than [`COARSE`] ticks in the pilot count as many executions as take [`FINE`] ticks, and
    /// takes as many iterations away as the budget asks for. `ticks` holds what the pilot's iteration took. The empty operation stays as it
    /// is: it says what one sample's timer costs.
    pub fn repeat(&self, operations: &mut [Planned], ticks: &BTreeMap<Item, u64>) {
        for planned in operations {
            let item = (planned.algorithm, planned.provider, planned.operation);
            let Some(ticks) = ticks.get(&item).filter(|ticks| (**ticks as f64) < COARSE) else {
                continue;
            };
            if planned.provider == Provider::Null {
                continue;
            }
            planned.executions = FINE.div_ceil((*ticks).max(1)) as u32;
            let sample = planned
                .pilot_count
                .saturating_mul(planned.executions.into())
                .max(1);
            let affordable = step_down(self.budget / sample).max(self.min_iterations.into());
            let most = u32::try_from(affordable).unwrap_or(u32::MAX);
            planned.iterations = planned.iterations.min(most.saturating_add(planned.warm_up));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::catalog::{Algorithm, Operation};

    #[test]
    fn only_what_is_near_the_resolution_is_repeated() {
        let plan = Plan::load("quick").unwrap();
        let x25519 = Algorithm::by_name("X25519").unwrap().id;
        let items = [
            (x25519, Provider::Classical, Operation::Keygen),
            (x25519, Provider::Classical, Operation::Derive),
        ];
        let counts = BTreeMap::from([(items[0], 2_000), (items[1], 100_000)]);
        let ticks = BTreeMap::from([(items[0], 40), (items[1], COARSE as u64)]);
        let fixed = plan.fix(&items, &counts, None).operations;
        let mut repeated = fixed.clone();
        plan.repeat(&mut repeated, &ticks);
        assert_eq!(repeated[0].executions, 25);
        assert!(repeated[0].executions * 40 >= FINE as u32);
        assert!(super::super::work(&repeated[..1]) <= plan.budget * 11 / 10);
        assert_eq!(repeated[1], fixed[1]);
    }
}

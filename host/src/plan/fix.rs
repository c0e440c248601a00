//! How many iterations each operation gets, from what the pilot counted.
use super::{Item, Plan, estimate};
use crate::model::Planned;
use std::collections::BTreeMap;
use wire::catalog::Operation;

/// The plan with its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The operations, in the order in which they run.
    pub operations: Vec<Planned>,
    /// What the numbers were divided by, where a limit of time asked for it; 1 otherwise.
    pub reduced_by: u64,
}

/// The largest of 1, 2, 5, 10, 20, 50, .. that is not above `n`; 0 for 0. Small differences of a pilot's count, from another
/// environment or seed, seldom change the result.
#[must_use]
pub fn step_down(n: u64) -> u64 {
    let mut step = 1;
    let mut best = 0;
    for factor in [2, 5, 10].iter().cycle() {
        if step > n {
            break;
        }
        best = step;
        step = match best.checked_mul(2) {
            None => break,
            // 1 -> 2 -> 5 -> 10
            Some(double) if *factor == 5 => double + best / 2,
            Some(double) => double,
        };
    }
    best
}

impl Plan {
    /// Gives each of `items` its numbers. `pilot` holds what one iteration counted; an operation whose pilot failed is missing
    /// there, and gets the one iteration that shows the fault. Where `limit` is given, one invocation shall count no more.
    #[must_use]
    pub fn fix(&self, items: &[Item], pilot: &BTreeMap<Item, u64>, limit: Option<u64>) -> Fixed {
        let mut reduced_by = 1;
        loop {
            let operations = self.numbers(items, pilot, self.budget / reduced_by);
            let smallest = reduced_by > self.budget;
            if smallest || limit.is_none_or(|limit| work(&operations) <= limit) {
                return Fixed {
                    operations,
                    reduced_by,
                };
            }
            reduced_by *= 2;
        }
    }

    fn numbers(&self, items: &[Item], pilot: &BTreeMap<Item, u64>, budget: u64) -> Vec<Planned> {
        let is_dear = |item: Item| {
            pilot
                .get(&item)
                .copied()
                .unwrap_or_else(|| estimate::count(item))
                > self.once_above
        };
        let number = |item: &Item| {
            let (algorithm, provider, operation) = *item;
            let (iterations, warm_up) = match pilot.get(item) {
                None => (1, 0),
                Some(count) if *count > self.once_above => (1, 0),
                Some(count) => {
                    let fitting = step_down(budget / (*count).max(1));
                    let fewest = match budget == self.budget {
                        true => self.min_iterations,
                        false => 1,
                    };
                    let n = fitting.clamp(fewest.into(), self.max_iterations.into());
                    (n as u32 + self.warm_up, self.warm_up)
                }
            };
            // The pools are made before the timer starts, and take as long as the operations that make them.
            let keys = match is_dear((algorithm, provider, Operation::Keygen)) {
                true => 1,
                false => self.keys,
            };
            let makes_input = [Operation::Encaps, Operation::Sign];
            let inputs = match makes_input
                .iter()
                .any(|o| is_dear((algorithm, provider, *o)))
            {
                true => 1,
                false => self.inputs,
            };
            Planned {
                provider,
                algorithm,
                operation,
                iterations,
                warm_up,
                keys,
                inputs,
                pilot_count: pilot.get(item).copied().unwrap_or(0),
            }
        };
        items.iter().map(number).collect()
    }
}

/// What one invocation counts in all, the pools included.
#[must_use]
pub fn work(operations: &[Planned]) -> u64 {
    operations.iter().map(|p| cost(p, operations)).sum()
}

/// What one operation counts in one invocation, with the pool that it needs: where the pilot has no count, an estimate.
#[must_use]
pub fn cost(planned: &Planned, all: &[Planned]) -> u64 {
    let once = |operation| {
        all.iter()
            .find(|p| {
                (p.algorithm, p.provider, p.operation)
                    == (planned.algorithm, planned.provider, operation)
            })
            .map_or_else(
                || estimate::count((planned.algorithm, planned.provider, operation)),
                |p| p.pilot_count,
            )
    };
    let keys = u64::from(planned.keys) * once(Operation::Keygen);
    let inputs = u64::from(planned.inputs);
    let pool = match planned.operation {
        Operation::Nothing | Operation::Keygen => 0,
        Operation::Encaps | Operation::Sign => keys,
        Operation::Derive => keys + inputs * once(Operation::Keygen),
        Operation::Decaps => keys + inputs * once(Operation::Encaps),
        Operation::Verify => keys + inputs * once(Operation::Sign),
    };
    pool + u64::from(planned.iterations) * planned.pilot_count
}

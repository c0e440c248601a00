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

/// What one operation counts in one invocation, after those before it in `all`: the target keeps the keys and inputs that they
/// made, and makes what its pools still lack.
#[must_use]
pub fn cost(planned: &Planned, all: &[Planned]) -> u64 {
    let made = |operation| find(planned, operation, all).map_or(0, |p| p.iterations);
    own(planned) + pools(planned, all, made)
}

/// The same where nothing was kept: the first operation of a fresh start.
#[must_use]
pub fn cost_alone(planned: &Planned, all: &[Planned]) -> u64 {
    own(planned) + pools(planned, all, |_| 0)
}

fn own(planned: &Planned) -> u64 {
    u64::from(planned.iterations) * planned.pilot_count
}

/// The operation of the same algorithm and provider.
fn find<'a>(planned: &Planned, operation: Operation, all: &'a [Planned]) -> Option<&'a Planned> {
    let wanted = (planned.algorithm, planned.provider, operation);
    all.iter()
        .find(|p| (p.algorithm, p.provider, p.operation) == wanted)
}

/// What it counts to fill the pools of `planned`, where so many outputs of other operations are there as `made` says.
fn pools(planned: &Planned, all: &[Planned], made: impl Fn(Operation) -> u32) -> u64 {
    let fill = |operation, size: u32, made: u32| {
        let once = find(planned, operation, all).map_or_else(
            || estimate::count((planned.algorithm, planned.provider, operation)),
            |p| p.pilot_count,
        );
        u64::from(size.saturating_sub(made)) * once
    };
    let keys = || fill(Operation::Keygen, planned.keys, made(Operation::Keygen));
    let inputs = |operation| fill(operation, planned.inputs, made(operation));
    match planned.operation {
        Operation::Nothing | Operation::Keygen => 0,
        Operation::Encaps | Operation::Sign => keys(),
        // The other sides' key pairs are none of the pool's.
        Operation::Derive => keys() + fill(Operation::Keygen, planned.inputs, 0),
        Operation::Decaps => keys() + inputs(Operation::Encaps),
        Operation::Verify => keys() + inputs(Operation::Sign),
    }
}

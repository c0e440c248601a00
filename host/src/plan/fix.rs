//! How many iterations each operation gets, from what the pilot counted.
use super::{Item, Plan, estimate};
use crate::model::Planned;
use std::collections::BTreeMap;
use wire::catalog::{Algorithm, Operation, Sizes};

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
        let number = |item: &Item| {
            let (algorithm, provider, operation) = *item;
            let count = pilot.get(item).copied();
            let (mut iterations, warm_up) = self.iterations(count, budget);
            if let Some(count) = count.filter(|count| *count <= self.once_above) {
                iterations = iterations.max(self.random_draws(item, count, budget) + warm_up);
            }
            Planned {
                provider,
                algorithm,
                operation,
                iterations,
                warm_up,
                keys: 1,
                inputs: 1,
                pilot_count: pilot.get(item).copied().unwrap_or(0),
                executions: 1,
            }
        };
        let mut operations: Vec<Planned> = items.iter().map(number).collect();
        let drafts = operations.clone();
        for planned in &mut operations {
            let pools = self.pools(planned, &drafts, budget);
            planned.keys = pools.keys;
            planned.inputs = pools.inputs;
            // A second look at the same ciphertext or signature would count the same work again and be no new draw.
            if input_of(planned.operation).is_some() {
                let fewest = planned.warm_up + 1;
                planned.iterations = planned.iterations.min(pools.inputs.max(fewest));
            }
        }
        operations
    }

    /// Fewest iterations, warm-up left out, that an operation of random time needs to say something; 0 where its time does not
    /// depend on what it draws, or so many cost more than [`RANDOM_BUDGETS`] budgets.
    fn random_draws(&self, (algorithm, _, operation): &Item, count: u64, budget: u64) -> u32 {
        let random = Algorithm::by_id(*algorithm).is_some_and(|a| a.has_random_time(*operation));
        let cost = count.saturating_mul(self.random_draws.into());
        let affordable = cost <= budget.saturating_mul(RANDOM_BUDGETS);
        if random && affordable {
            self.random_draws
        } else {
            0
        }
    }

    /// Iterations and warm-up of an operation that counted so much in the pilot.
    fn iterations(&self, pilot: Option<u64>, budget: u64) -> (u32, u32) {
        match pilot {
            None => (1, 0),
            Some(count) if count > self.once_above => (1, 0),
            Some(count) => {
                let fitting = step_down(budget / count.max(1));
                let fewest = match budget == self.budget {
                    true => self.min_iterations,
                    false => 1,
                };
                let n = fitting.clamp(fewest.into(), self.max_iterations.into());
                (n as u32 + self.warm_up, self.warm_up)
            }
        }
    }

    /// How many key pairs and inputs the operations of one algorithm share: one for each iteration, so that each is a draw of its
    /// own, as far as the budget has room to make them and the target to hold them.
    fn pools(&self, of: &Planned, drafts: &[Planned], budget: u64) -> Pools {
        if of.operation == Operation::Nothing {
            return Pools { keys: 1, inputs: 1 };
        }
        let same = |p: &&Planned| (p.algorithm, p.provider) == (of.algorithm, of.provider);
        let size = |producer: Operation, wanted: u32, most: u32, bytes: u64| {
            let item = (of.algorithm, of.provider, producer);
            let draft = drafts.iter().filter(same).find(|p| p.operation == producer);
            let once = draft.map_or_else(|| estimate::count(item), |p| p.pilot_count);
            let (affordable, _) = self.iterations(Some(once), budget);
            let held = u32::try_from(POOL_BYTES / bytes.max(1)).unwrap_or(u32::MAX);
            wanted.min(affordable).min(held).clamp(1, most)
        };
        let sizes = Algorithm::by_id(of.algorithm).map_or_else(Sizes::default, |a| a.sizes);
        let most_iterations = |wanted: &dyn Fn(Operation) -> bool| {
            let iterations = drafts.iter().filter(same).filter(|p| wanted(p.operation));
            iterations.map(|p| p.iterations).max().unwrap_or(1)
        };
        let key_bytes = u64::from(sizes.public_key) + u64::from(sizes.secret_key);
        let keys = size(
            Operation::Keygen,
            most_iterations(&|_| true),
            self.keys,
            key_bytes,
        );
        let consumer = drafts
            .iter()
            .filter(same)
            .find_map(|p| Some((p.operation, input_of(p.operation)?)));
        let inputs = consumer.map_or(1, |(consumer, producer)| {
            let wanted = most_iterations(&|operation| operation == consumer);
            let bytes = u64::from(sizes.ciphertext) + u64::from(sizes.signature);
            size(
                producer,
                wanted,
                self.inputs,
                bytes + u64::from(sizes.shared_secret),
            )
        });
        Pools { keys, inputs }
    }
}

/// What the draws of a random-time operation may cost, in budgets: 20. With a budget of 100 M and 200 draws that is 10 M a draw, which
/// holds for signing with ML-DSA, Falcon and MAYO, and for Classic McEliece's encapsulation.
pub const RANDOM_BUDGETS: u64 = 20;

/// Bytes that a pool may take on the target, a quarter of what is there.
const POOL_BYTES: u64 = 12 << 20;

struct Pools {
    keys: u32,
    inputs: u32,
}

/// The operation that makes what this one works on.
fn input_of(operation: Operation) -> Option<Operation> {
    match operation {
        Operation::Decaps => Some(Operation::Encaps),
        Operation::Verify => Some(Operation::Sign),
        // The other side's key pair.
        Operation::Derive => Some(Operation::Keygen),
        Operation::Nothing | Operation::Keygen | Operation::Encaps | Operation::Sign => None,
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
    u64::from(planned.iterations) * u64::from(planned.executions) * planned.pilot_count
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

//! Which iterations of an operation are draws of their own.
use super::interval;
use crate::model::Planned;
use wire::catalog::Operation;

/// How the iterations of one operation share key pairs. Iteration `i` works with key pair `i mod keys`: where there are fewer key
/// pairs than iterations, those of one key pair are alike, and an interval that took them for independent draws would be too narrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Draws {
    keys: Option<u32>,
}

impl Draws {
    /// As `planned` says; each iteration is a draw of its own where no plan is known.
    #[must_use]
    pub fn of(planned: Option<&Planned>) -> Self {
        let shares = |p: &&Planned| {
            let uses_keys = !matches!(p.operation, Operation::Keygen | Operation::Nothing);
            uses_keys && p.keys < p.iterations
        };
        let keys = planned.filter(shares).map(|p| p.keys.max(1));
        Self { keys }
    }

    /// The key pairs, where iterations share them.
    #[must_use]
    pub fn shared(self) -> Option<u32> {
        self.keys
    }

    /// The key pairs, where iterations share them and there are enough to resample.
    #[must_use]
    pub fn resampled(self) -> Option<u32> {
        self.keys.filter(|keys| *keys as usize >= interval::FEWEST)
    }

    /// The draw that `iteration` belongs to: its key pair where key pairs are resampled, else the iteration itself.
    #[must_use]
    pub fn of_iteration(self, iteration: u32) -> u32 {
        self.resampled().map_or(iteration, |keys| iteration % keys)
    }

    /// What the interval speaks of, where that is less than the operation in general.
    #[must_use]
    pub fn note(self) -> Option<String> {
        let keys = self.keys?;
        let plural = if keys == 1 { "pair" } else { "pairs" };
        Some(match self.resampled() {
            Some(_) => {
                format!("iterations share {keys} key {plural}, which the interval resamples")
            }
            None => format!(
                "iterations share {keys} key {plural}: figures and interval speak of draws under these alone"
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::catalog::{AlgorithmId, Provider};

    fn draws(operation: Operation, iterations: u32, keys: u32) -> Draws {
        Draws::of(Some(&Planned {
            provider: Provider::Liboqs,
            algorithm: AlgorithmId(1),
            operation,
            iterations,
            warm_up: 1,
            keys,
            inputs: iterations,
            pilot_count: 1,
            executions: 1,
        }))
    }

    #[test]
    fn iterations_are_draws_unless_they_share_key_pairs() {
        for own in [
            Draws::of(None),
            draws(Operation::Sign, 21, 21),
            draws(Operation::Keygen, 21, 1),
            draws(Operation::Nothing, 101, 1),
        ] {
            assert_eq!(
                (own.shared(), own.of_iteration(17), own.note()),
                (None, 17, None)
            );
        }
        let few = draws(Operation::Sign, 201, 3);
        assert_eq!(
            (few.shared(), few.resampled(), few.of_iteration(17)),
            (Some(3), None, 17)
        );
        let enough = draws(Operation::Sign, 201, 10);
        assert_eq!((enough.resampled(), enough.of_iteration(17)), (Some(10), 7));
        assert!(few.note().unwrap().contains("these alone"));
    }
}

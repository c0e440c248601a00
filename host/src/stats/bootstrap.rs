//! Intervals where several invocations were measured.
//!
//! Iteration `i` does the same work in every invocation, so samples lie in a table of invocations by iterations and share
//! two causes of variation: where the program happened to lie (invocation), and which work was drawn (iteration). Resampling
//! one of them alone, or iterations afresh within each invocation, takes the shared work for independent draws. So rows and
//! columns of the table are resampled independently: Owen, "The pigeonhole bootstrap", Annals of Applied Statistics 1(2),
//! 2007, which is conservative. The interval is the percentile interval of Davison and Hinkley, "Bootstrap Methods and their
//! Application", 1997, section 5.3.1. The generator is seeded from the run, so that a figure never changes.
use super::quantile::quantile;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Fewest invocations that a resampling of invocations says anything with.
pub const FEWEST: usize = 5;

/// SplitMix64 of Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014: ten lines in any
/// language, so that intervals can be recomputed elsewhere.
#[derive(Clone, Debug)]
pub struct Generator(u64);

impl Generator {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// From a run's seed and the name of the figure: the first eight bytes, little-endian, of SHA-256 of `seed/name`.
    #[must_use]
    pub fn named(seed: u64, name: &str) -> Self {
        let hash = Sha256::digest(format!("{seed}/{name}"));
        Self(
            hash.iter()
                .take(8)
                .rev()
                .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        )
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`: the high half of a product, whose bias is below `bound / 2^64`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// How often each of `n` things is drawn in `n` draws with replacement.
    fn draws(&mut self, n: usize) -> Vec<u64> {
        let mut times = vec![0; n];
        for _ in 0..n {
            times[self.below(n)] += 1;
        }
        times
    }
}

/// One value of the table: which invocation, which iteration (both as positions from 0), and what was counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Position of the invocation.
    pub invocation: usize,
    /// Position of the iteration.
    pub iteration: usize,
    /// The value.
    pub value: f64,
}

/// Number of resamples: 2000, fewer for large tables so that a figure costs at most some twenty million steps, at least 200.
#[must_use]
pub fn resamples(cells: usize) -> usize {
    (20_000_000 / cells.max(1)).clamp(200, 2000)
}

/// The 95 % interval of the median of a table; `None` where it is empty.
#[must_use]
pub fn of_median(cells: &[Cell], mut generator: Generator) -> Option<(f64, f64)> {
    let table = Table::new(cells)?;
    let mut medians: Vec<f64> = (0..resamples(cells.len()))
        .filter_map(|_| table.resampled_median(&mut generator))
        .collect();
    percentile_interval(&mut medians)
}

/// The 95 % interval of the ratio of two tables' medians, resampled independently: for things that do not pair.
#[must_use]
pub fn of_ratio(
    candidate: &[Cell],
    baseline: &[Cell],
    mut generator: Generator,
) -> Option<(f64, f64)> {
    let (above, below) = (Table::new(candidate)?, Table::new(baseline)?);
    let mut ratios: Vec<f64> = (0..resamples(candidate.len() + baseline.len()))
        .filter_map(|_| {
            let ratio =
                above.resampled_median(&mut generator)? / below.resampled_median(&mut generator)?;
            ratio.is_finite().then_some(ratio)
        })
        .collect();
    percentile_interval(&mut ratios)
}

/// The 95 % interval of the median, over iterations, of candidate over baseline, each iteration's value being its median over
/// invocations. Both are (invocation, iteration, value); iterations are resampled together, as they did the same work, and
/// invocations apart.
#[must_use]
pub fn of_paired_ratio(
    candidate: &[(u32, u32, f64)],
    baseline: &[(u32, u32, f64)],
    mut generator: Generator,
) -> Option<(f64, f64)> {
    let (above, below) = (ByIteration::new(candidate), ByIteration::new(baseline));
    let shared: Vec<u32> = above
        .values
        .keys()
        .filter(|i| below.values.contains_key(i))
        .copied()
        .collect();
    let mut medians: Vec<f64> = (0..resamples(candidate.len() + baseline.len()))
        .filter_map(|_| {
            let of_above = generator.draws(above.invocations.len());
            let of_below = generator.draws(below.invocations.len());
            let iterations = generator.draws(shared.len());
            let mut ratios: Vec<f64> = Vec::with_capacity(shared.len());
            for (iteration, times) in shared.iter().zip(iterations) {
                if times == 0 {
                    continue;
                }
                let ratio =
                    above.median(*iteration, &of_above)? / below.median(*iteration, &of_below)?;
                ratios.extend((0..times).map(|_| ratio));
            }
            ratios.retain(|ratio| ratio.is_finite());
            ratios.sort_unstable_by(f64::total_cmp);
            quantile(&ratios, 0.5)
        })
        .collect();
    percentile_interval(&mut medians)
}

/// Values by iteration, each with the position of its invocation, in ascending order.
struct ByIteration {
    invocations: Vec<u32>,
    values: BTreeMap<u32, Vec<(f64, usize)>>,
}

impl ByIteration {
    fn new(values: &[(u32, u32, f64)]) -> Self {
        let mut invocations: Vec<u32> = values.iter().map(|v| v.0).collect();
        invocations.sort_unstable();
        invocations.dedup();
        let mut by_iteration: BTreeMap<u32, Vec<(f64, usize)>> = BTreeMap::new();
        for (invocation, iteration, value) in values {
            let at = invocations.partition_point(|i| i < invocation);
            by_iteration
                .entry(*iteration)
                .or_default()
                .push((*value, at));
        }
        for values in by_iteration.values_mut() {
            values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        }
        Self {
            invocations,
            values: by_iteration,
        }
    }

    /// Median of an iteration over invocations that were drawn `times`; over all where none of its own was drawn.
    fn median(&self, iteration: u32, times: &[u64]) -> Option<f64> {
        let values = self.values.get(&iteration)?;
        let mut drawn: Vec<f64> = Vec::with_capacity(values.len());
        for (value, at) in values {
            drawn.extend((0..times[*at]).map(|_| *value));
        }
        if drawn.is_empty() {
            drawn.extend(values.iter().map(|v| v.0));
        }
        quantile(&drawn, 0.5)
    }
}

fn percentile_interval(values: &mut [f64]) -> Option<(f64, f64)> {
    values.sort_unstable_by(f64::total_cmp);
    Some((quantile(values, 0.025)?, quantile(values, 0.975)?))
}

struct Table {
    sorted: Vec<Cell>,
    invocations: usize,
    iterations: usize,
}

impl Table {
    fn new(cells: &[Cell]) -> Option<Self> {
        let invocations = cells.iter().map(|c| c.invocation).max()? + 1;
        let iterations = cells.iter().map(|c| c.iteration).max()? + 1;
        let mut sorted = cells.to_vec();
        sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
        Some(Self {
            sorted,
            invocations,
            iterations,
        })
    }

    /// The median of one resample; `None` where the draw hit only holes of the table.
    fn resampled_median(&self, generator: &mut Generator) -> Option<f64> {
        let invocations = generator.draws(self.invocations);
        let iterations = generator.draws(self.iterations);
        let weight = |cell: &Cell| invocations[cell.invocation] * iterations[cell.iteration];
        let all: u64 = self.sorted.iter().map(weight).sum();
        if all == 0 {
            return None;
        }
        // The values at ranks ceil(all / 2) and floor(all / 2) + 1 of the weighted list.
        let (first, second) = (all.div_ceil(2), all / 2 + 1);
        let mut low = None;
        let mut passed = 0;
        for cell in &self.sorted {
            passed += weight(cell);
            if low.is_none() && passed >= first {
                low = Some(cell.value);
            }
            if passed >= second {
                return low.map(|low| low + 0.5 * (cell.value - low));
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(
        invocations: usize,
        iterations: usize,
        value: impl Fn(usize, usize) -> f64,
    ) -> Vec<Cell> {
        (0..invocations)
            .flat_map(|invocation| (0..iterations).map(move |iteration| (invocation, iteration)))
            .map(|(invocation, iteration)| Cell {
                invocation,
                iteration,
                value: value(invocation, iteration),
            })
            .collect()
    }

    #[test]
    fn the_generator_is_splitmix64() {
        // First outputs for seed 1234567, as the reference implementation prints them.
        let mut g = Generator::new(1_234_567);
        assert_eq!(
            [g.next_u64(), g.next_u64()],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }

    #[test]
    fn one_constant_gives_a_point_and_the_same_seed_the_same_figure() {
        let cells = table(5, 20, |_, _| 7.0);
        assert_eq!(of_median(&cells, Generator::new(1)), Some((7.0, 7.0)));
        let cells = table(5, 20, |a, b| (a * 31 + b * 17 % 23) as f64);
        assert_eq!(
            of_median(&cells, Generator::new(1)),
            of_median(&cells, Generator::new(1))
        );
        assert_eq!(of_median(&[], Generator::new(1)), None);
    }

    #[test]
    fn shared_work_is_not_taken_for_independent_draws() {
        // All of the variation lies between iterations: ten invocations say no more than one.
        let one = of_median(&table(1, 30, |_, i| (i * i) as f64), Generator::new(3)).unwrap();
        let ten = of_median(&table(10, 30, |_, i| (i * i) as f64), Generator::new(3)).unwrap();
        assert!((ten.1 - ten.0) > 0.8 * (one.1 - one.0), "{one:?} {ten:?}");
    }

    #[test]
    fn a_simulation_covers_the_true_median() {
        let mut draws = Generator::new(99);
        let mut uniform = move || draws.next_u64() as f64 / 2f64.powi(64) - 0.5;
        let covered = (0..200)
            .filter(|seed| {
                let invocation: Vec<f64> = (0..8).map(|_| uniform()).collect();
                let iteration: Vec<f64> = (0..12).map(|_| uniform()).collect();
                let cells = table(8, 12, |a, b| invocation[a] + iteration[b]);
                let cells: Vec<Cell> = cells
                    .into_iter()
                    .map(|c| Cell {
                        value: c.value + 0.2 * uniform(),
                        ..c
                    })
                    .collect();
                let (low, high) = of_median(&cells, Generator::new(*seed)).unwrap();
                low <= 0.0 && 0.0 <= high
            })
            .count();
        // Resampling eight invocations covers a little less than it says; far less would be a mistake.
        assert!(covered >= 176, "{covered} of 200");
    }

    #[test]
    fn pairs_take_the_shared_work_out_of_a_ratio() {
        let cells = |factor: f64| -> Vec<(u32, u32, f64)> {
            (0..6)
                .flat_map(|a| {
                    (0..20).map(move |i| {
                        (
                            a,
                            i,
                            factor * f64::from(i * i + 1) * (1.0 + f64::from(a) * 1e-4),
                        )
                    })
                })
                .collect()
        };
        let (low, high) = of_paired_ratio(&cells(3.0), &cells(1.0), Generator::new(5)).unwrap();
        assert!(
            low <= 3.0 && 3.0 <= high && high - low < 0.003,
            "{low} {high}"
        );
    }

    #[test]
    fn a_ratio_of_unpaired_tables_encloses_the_ratio() {
        let base = table(6, 40, |a, i| 1000.0 + (a * 3 + i * 7 % 11) as f64);
        let twice = table(6, 40, |a, i| 2000.0 + 2.0 * (a * 3 + i * 5 % 11) as f64);
        let (low, high) = of_ratio(&twice, &base, Generator::new(1)).unwrap();
        assert!(low < 2.0 && 1.98 < low && high < 2.02 && high >= low);
    }
}

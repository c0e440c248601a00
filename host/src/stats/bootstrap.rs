//! Intervals where several invocations were measured, or several iterations share a key pair.
//!
//! Iteration `i` does the same work in every invocation, so samples lie in a table of invocations by draws of work (iterations, or the
//! key pairs that they share), with two causes of variation: where the program happened to lie, and which work was drawn. Each is
//! resampled by itself, whole rows or whole columns of the table, as in Owen, "The pigeonhole bootstrap", Annals of Applied
//! Statistics 1(2), 2007: iterations resampled afresh within each invocation would take the shared work for independent draws.
//! How far the percentiles of Davison and Hinkley, "Bootstrap Methods and their Application", 1997, section 5.3.1, lie below and above
//! the estimate is widened for few rows or columns ([`student::widening`]), and the two causes are added as independent errors are, by
//! squares: Zou and Donner, "Construction of confidence limits about effect measures", Statistics in Medicine 27, 2008. What is
//! neither of rows nor of columns shows in both, which errs on the wide side. The generator is seeded from the run, so that a figure
//! never changes.
use super::quantile::quantile;
use super::student;
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

/// One value of the table: which invocation, which draw of work (both as positions from 0), and what was counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Position of the invocation.
    pub invocation: usize,
    /// Position of the draw: the iteration, or the key pair that several iterations share.
    pub draw: usize,
    /// The value.
    pub value: f64,
}

/// Number of resamples for each cause of variation: 2000, fewer for large tables so that a figure costs at most some twenty million
/// steps, at least 200.
#[must_use]
pub fn resamples(cells: usize) -> usize {
    (20_000_000 / cells.max(1)).clamp(200, 2000)
}

/// How far an estimate may lie above and below what it estimates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Spread {
    below: f64,
    above: f64,
}

impl Spread {
    /// From what resampling `units` things gave in place of `estimate`; none of a single one, which cannot be resampled.
    fn of(mut resampled: Vec<f64>, estimate: f64, units: usize) -> Option<Self> {
        if units < 2 {
            return Some(Self::default());
        }
        resampled.sort_unstable_by(f64::total_cmp);
        let widening = student::widening(units);
        let low = quantile(&resampled, 1.0 - student::UPPER)?;
        let high = quantile(&resampled, student::UPPER)?;
        Some(Self {
            below: widening * (estimate - low).max(0.0),
            above: widening * (high - estimate).max(0.0),
        })
    }

    /// Independent causes add by squares.
    fn and(self, other: Self) -> Self {
        Self {
            below: self.below.hypot(other.below),
            above: self.above.hypot(other.above),
        }
    }

    /// The same of the negative.
    fn mirrored(self) -> Self {
        Self {
            below: self.above,
            above: self.below,
        }
    }
}

/// The 95 % interval of the median of a table; `None` where it is empty.
#[must_use]
pub fn of_median(cells: &[Cell], mut generator: Generator) -> Option<(f64, f64)> {
    let table = Table::new(cells)?;
    let (estimate, spread) = table.spread(&mut generator, resamples(cells.len()))?;
    // No count is below nothing.
    Some(((estimate - spread.below).max(0.0), estimate + spread.above))
}

/// The 95 % interval of the ratio of two tables' medians, for things that do not pair: the spreads of both logarithms together.
/// `None` where a value is 0.
#[must_use]
pub fn of_ratio(
    candidate: &[Cell],
    baseline: &[Cell],
    mut generator: Generator,
) -> Option<(f64, f64)> {
    let rounds = resamples(candidate.len() + baseline.len());
    let mut side = |cells: &[Cell]| {
        let logarithms: Vec<Cell> = cells
            .iter()
            .map(|cell| Cell {
                value: cell.value.ln(),
                ..*cell
            })
            .collect();
        let positive = cells.iter().all(|cell| cell.value > 0.0);
        let table = Table::new(&logarithms).filter(|_| positive)?;
        table.spread(&mut generator, rounds)
    };
    let (above, of_above) = side(candidate)?;
    let (below, of_below) = side(baseline)?;
    let spread = of_above.and(of_below.mirrored());
    let estimate = above - below;
    Some((
        (estimate - spread.below).exp(),
        (estimate + spread.above).exp(),
    ))
}

/// One value of a side of a paired ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedCell {
    /// What is resampled: the invocation, or the block that it belongs to.
    pub unit: u32,
    /// The iteration, which does the same work on both sides.
    pub iteration: u32,
    /// The value.
    pub value: f64,
}

/// The 95 % interval of the median, over iterations, of candidate over baseline, each iteration's value being its median over
/// invocations. Iterations are resampled together, as they did the same work; `draw` names the key pair that an iteration shares
/// with others. Units are resampled apart, or, where they are blocks that hold both sides (`in_blocks`), together: what changed from
/// block to block met both sides.
#[must_use]
pub fn of_paired_ratio(
    candidate: &[PairedCell],
    baseline: &[PairedCell],
    draw: impl Fn(u32) -> u32,
    in_blocks: bool,
    mut generator: Generator,
) -> Option<(f64, f64)> {
    let pairs = Pairs::new(candidate, baseline, draw);
    let (of_above, of_below) = (pairs.above.all(), pairs.below.all());
    let ratios = pairs.ratios(&of_above, &of_below);
    let draws = vec![1; pairs.draws];
    let estimate = pairs.median(&ratios, &draws)?;
    let rounds = resamples(candidate.len() + baseline.len());
    let mut spread = {
        let resampled = (0..rounds).filter_map(|_| {
            let draws = generator.draws(pairs.draws);
            pairs.median(&ratios, &draws)
        });
        Spread::of(resampled.collect(), estimate, pairs.draws)?
    };
    let mut add = |sides: (bool, bool), units: usize| {
        let resampled = (0..rounds).filter_map(|_| {
            let times = generator.draws(units);
            let side =
                |wanted: bool, all: &Vec<u64>| if wanted { times.clone() } else { all.clone() };
            let ratios = pairs.ratios(&side(sides.0, &of_above), &side(sides.1, &of_below));
            pairs.median(&ratios, &draws)
        });
        let of_side = Spread::of(resampled.collect(), estimate, units)?;
        spread = spread.and(of_side);
        Some(())
    };
    if in_blocks {
        add((true, true), pairs.above.units.len())?;
    } else {
        add((true, false), pairs.above.units.len())?;
        add((false, true), pairs.below.units.len())?;
    }
    Some(((estimate - spread.below).max(0.0), estimate + spread.above))
}

/// Two sides, by the iterations that both have.
struct Pairs {
    above: Side,
    below: Side,
    /// For each iteration its draw of work, as a position from 0.
    draw_of: Vec<usize>,
    draws: usize,
}

/// Values of one side.
struct Side {
    units: Vec<u32>,
    /// By iteration: values in ascending order, each with the position of its unit.
    values: Vec<Vec<(f64, usize)>>,
}

impl Pairs {
    fn new(candidate: &[PairedCell], baseline: &[PairedCell], draw: impl Fn(u32) -> u32) -> Self {
        let by_iteration = |cells: &[PairedCell]| {
            let mut map: BTreeMap<u32, Vec<PairedCell>> = BTreeMap::new();
            for cell in cells {
                map.entry(cell.iteration).or_default().push(*cell);
            }
            map
        };
        let (above, below) = (by_iteration(candidate), by_iteration(baseline));
        let shared: Vec<u32> = above
            .keys()
            .filter(|i| below.contains_key(i))
            .copied()
            .collect();
        let named: Vec<u32> = shared.iter().map(|i| draw(*i)).collect();
        let mut names = named.clone();
        names.sort_unstable();
        names.dedup();
        Self {
            above: Side::new(&above, &shared),
            below: Side::new(&below, &shared),
            draw_of: named
                .iter()
                .map(|n| names.partition_point(|m| m < n))
                .collect(),
            draws: names.len(),
        }
    }

    /// The ratio of each iteration, where units were drawn so often; `None` where it has none.
    fn ratios(&self, above: &[u64], below: &[u64]) -> Vec<Option<f64>> {
        (0..self.draw_of.len())
            .map(|at| {
                let ratio = self.above.median(at, above)? / self.below.median(at, below)?;
                ratio.is_finite().then_some(ratio)
            })
            .collect()
    }

    /// The median of `ratios`, each as often as its draw was drawn.
    fn median(&self, ratios: &[Option<f64>], draws: &[u64]) -> Option<f64> {
        let mut list: Vec<f64> = Vec::with_capacity(ratios.len());
        for (ratio, draw) in ratios.iter().zip(&self.draw_of) {
            list.extend((0..draws[*draw]).filter_map(|_| *ratio));
        }
        list.sort_unstable_by(f64::total_cmp);
        quantile(&list, 0.5)
    }
}

impl Side {
    fn new(by_iteration: &BTreeMap<u32, Vec<PairedCell>>, shared: &[u32]) -> Self {
        let mut units: Vec<u32> = by_iteration.values().flatten().map(|c| c.unit).collect();
        units.sort_unstable();
        units.dedup();
        let values = shared
            .iter()
            .filter_map(|iteration| by_iteration.get(iteration))
            .map(|cells| {
                let mut values: Vec<(f64, usize)> = cells
                    .iter()
                    .map(|c| (c.value, units.partition_point(|u| *u < c.unit)))
                    .collect();
                values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
                values
            })
            .collect();
        Self { units, values }
    }

    fn all(&self) -> Vec<u64> {
        vec![1; self.units.len()]
    }

    /// Median of an iteration over units that were drawn `times`; over all where none of its own was drawn.
    fn median(&self, at: usize, times: &[u64]) -> Option<f64> {
        let values = self.values.get(at)?;
        let mut drawn: Vec<f64> = Vec::with_capacity(values.len());
        for (value, unit) in values {
            drawn.extend((0..times[*unit]).map(|_| *value));
        }
        if drawn.is_empty() {
            drawn.extend(values.iter().map(|v| v.0));
        }
        quantile(&drawn, 0.5)
    }
}

struct Table {
    sorted: Vec<Cell>,
    invocations: usize,
    draws: usize,
}

impl Table {
    fn new(cells: &[Cell]) -> Option<Self> {
        let invocations = cells.iter().map(|c| c.invocation).max()? + 1;
        let draws = cells.iter().map(|c| c.draw).max()? + 1;
        let mut sorted = cells.to_vec();
        sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
        Some(Self {
            sorted,
            invocations,
            draws,
        })
    }

    /// The median, and how far it may be off: rows resampled, columns resampled, and both together.
    fn spread(&self, generator: &mut Generator, rounds: usize) -> Option<(f64, Spread)> {
        let (rows, columns) = (vec![1; self.invocations], vec![1; self.draws]);
        let estimate = self.median(&rows, &columns)?;
        let mut of_rows = Vec::new();
        if self.invocations > 1 {
            of_rows.extend((0..rounds).filter_map(|_| {
                let drawn = generator.draws(self.invocations);
                self.median(&drawn, &columns)
            }));
        }
        let mut of_columns = Vec::new();
        if self.draws > 1 {
            of_columns.extend((0..rounds).filter_map(|_| {
                let drawn = generator.draws(self.draws);
                self.median(&rows, &drawn)
            }));
        }
        let of_rows = Spread::of(of_rows, estimate, self.invocations)?;
        let of_columns = Spread::of(of_columns, estimate, self.draws)?;
        Some((estimate, of_rows.and(of_columns)))
    }

    /// The median where rows and columns count so often; `None` where only holes of the table do.
    fn median(&self, rows: &[u64], columns: &[u64]) -> Option<f64> {
        let weight = |cell: &Cell| rows[cell.invocation] * columns[cell.draw];
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

    fn table(invocations: usize, draws: usize, value: impl Fn(usize, usize) -> f64) -> Vec<Cell> {
        (0..invocations)
            .flat_map(|invocation| (0..draws).map(move |draw| (invocation, draw)))
            .map(|(invocation, draw)| Cell {
                invocation,
                draw,
                value: value(invocation, draw),
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

    fn cells(factor: f64, drift: f64) -> Vec<PairedCell> {
        (0..6)
            .flat_map(|unit| {
                (0..20u32).map(move |iteration| PairedCell {
                    unit,
                    iteration,
                    value: factor
                        * f64::from(iteration * iteration + 1)
                        * (1.0 + f64::from(unit) * drift),
                })
            })
            .collect()
    }

    #[test]
    fn pairs_take_the_shared_work_out_of_a_ratio() {
        let (above, below) = (cells(3.0, 1e-4), cells(1.0, 1e-4));
        let (low, high) = of_paired_ratio(&above, &below, |i| i, false, Generator::new(5)).unwrap();
        assert!(
            low <= 3.0 && 3.0 <= high && high - low < 0.005,
            "{low} {high}"
        );
    }

    #[test]
    fn blocks_take_the_drift_out_of_a_ratio() {
        let (above, below) = (cells(3.0, 0.1), cells(1.0, 0.1));
        let apart = of_paired_ratio(&above, &below, |i| i, false, Generator::new(5)).unwrap();
        let (low, high) = of_paired_ratio(&above, &below, |i| i, true, Generator::new(5)).unwrap();
        assert!(apart.1 - apart.0 > 0.2, "{apart:?}");
        assert!(
            high - low < 1e-9 && (low - 3.0).abs() < 1e-9,
            "{low} {high}"
        );
    }

    #[test]
    fn a_ratio_of_unpaired_tables_encloses_the_ratio() {
        let base = table(6, 40, |a, i| 1000.0 + (a * 3 + i * 7 % 11) as f64);
        let twice = table(6, 40, |a, i| 2000.0 + 2.0 * (a * 3 + i * 5 % 11) as f64);
        let (low, high) = of_ratio(&twice, &base, Generator::new(1)).unwrap();
        assert!(
            low < 2.0 && 1.97 < low && high < 2.03 && high >= low,
            "{low} {high}"
        );
        assert_eq!(
            of_ratio(&twice, &table(6, 40, |_, _| 0.0), Generator::new(1)),
            None
        );
    }
}

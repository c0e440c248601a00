//! Intervals tried on data whose truth is known: made-up boards with layouts, work, noise, drift and throttling. How often an interval
//! holds the truth is the one thing that says whether it deserves its name.
use host::stats::bootstrap::{Cell, Generator, PairedCell, of_median, of_paired_ratio, of_ratio};

/// Least share of intervals that must hold the truth. A simulation of so many runs is itself uncertain: [`allowance`].
const PROMISED: f64 = 0.95;

/// Three standard errors of a share of 95 % of `times`: some thirty shares are looked at, and by two errors one of them would be off by
/// chance.
fn allowance(times: u32) -> f64 {
    3.0 * (PROMISED * (1.0 - PROMISED) / f64::from(times)).sqrt()
}

/// Made-up randomness.
struct Chance(Generator);

impl Chance {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() as f64 + 0.5) / 2f64.powi(64)
    }

    /// Normal, of mean 0 and deviation 1 (Box and Muller).
    fn normal(&mut self) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    /// Skewed to the right: exponential, moved so that its median is 0.
    fn skewed(&mut self) -> f64 {
        -self.uniform().ln() - std::f64::consts::LN_2
    }
}

/// How large the effects are, as shares, and whether they are skewed.
#[derive(Clone, Copy, Debug)]
struct Board {
    layout: f64,
    work: f64,
    noise: f64,
    skewed: bool,
}

impl Board {
    fn effect(self, size: f64, chance: &mut Chance) -> f64 {
        size * if self.skewed {
            chance.skewed()
        } else {
            chance.normal()
        }
    }

    fn table(self, invocations: usize, draws: usize, chance: &mut Chance) -> Vec<Cell> {
        let layouts: Vec<f64> = (0..invocations)
            .map(|_| self.effect(self.layout, chance))
            .collect();
        let works: Vec<f64> = (0..draws).map(|_| self.effect(self.work, chance)).collect();
        let mut cells = Vec::new();
        for (invocation, layout) in layouts.iter().enumerate() {
            for (draw, work) in works.iter().enumerate() {
                let noise = self.effect(self.noise, chance);
                cells.push(Cell {
                    invocation,
                    draw,
                    value: 1e6 * (1.0 + layout + work + noise),
                });
            }
        }
        cells
    }

    /// The true median: of a normal board it is known, of a skewed one it is that of very many draws.
    fn median(self) -> f64 {
        if !self.skewed {
            return 1e6;
        }
        let mut chance = Chance(Generator::new(1));
        let mut values: Vec<f64> = (0..200_001)
            .map(|_| {
                let effects = [self.layout, self.work, self.noise];
                1e6 * (1.0
                    + effects
                        .map(|size| self.effect(size, &mut chance))
                        .iter()
                        .sum::<f64>())
            })
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        values[100_000]
    }
}

/// The share of `times` runs in which `holds` is true.
fn share(times: u32, mut holds: impl FnMut(&mut Chance, u64) -> bool) -> f64 {
    let mut chance = Chance(Generator::new(77));
    let held = (0..times)
        .filter(|run| holds(&mut chance, u64::from(*run)))
        .count();
    held as f64 / f64::from(times)
}

const BOARDS: [Board; 6] = [
    // What varies is where the program lies ..
    Board {
        layout: 0.02,
        work: 0.0,
        noise: 0.001,
        skewed: false,
    },
    // .. which work was drawn ..
    Board {
        layout: 0.001,
        work: 0.1,
        noise: 0.001,
        skewed: false,
    },
    // .. the machine's noise ..
    Board {
        layout: 0.001,
        work: 0.001,
        noise: 0.02,
        skewed: false,
    },
    // .. or all of them, evenly and skewed; and the first, skewed.
    Board {
        layout: 0.02,
        work: 0.02,
        noise: 0.02,
        skewed: false,
    },
    Board {
        layout: 0.02,
        work: 0.02,
        noise: 0.02,
        skewed: true,
    },
    Board {
        layout: 0.02,
        work: 0.0,
        noise: 0.001,
        skewed: true,
    },
];

fn medians(boards: &[Board], times: u32) {
    for board in boards {
        let truth = board.median();
        for (invocations, draws) in [(5, 12), (8, 12), (20, 8)] {
            let covered = share(times, |chance, run| {
                let cells = board.table(invocations, draws, chance);
                let (low, high) = of_median(&cells, Generator::new(run)).expect("not empty");
                low <= truth && truth <= high
            });
            println!("median, {invocations} invocations of {draws} on {board:?}: {covered:.3}");
            assert!(
                covered >= PROMISED - allowance(times),
                "{invocations} invocations on {board:?}: {covered}"
            );
        }
    }
}

/// Key pairs that iterations share, in one invocation: the draws are the key pairs.
fn shared_keys(times: u32) {
    for (keys, each) in [(6, 10), (10, 10), (30, 4)] {
        let covered = share(times, |chance, run| {
            let mut cells = Vec::new();
            for draw in 0..keys {
                let key = 0.1 * chance.normal();
                for _ in 0..each {
                    let value = 1e6 * (1.0 + key + 0.02 * chance.normal());
                    cells.push(Cell {
                        invocation: 0,
                        draw,
                        value,
                    });
                }
            }
            let (low, high) = of_median(&cells, Generator::new(run)).expect("not empty");
            low <= 1e6 && 1e6 <= high
        });
        println!("median, {keys} key pairs of {each} iterations: {covered:.3}");
        assert!(
            covered >= PROMISED - allowance(times),
            "{keys} keys: {covered}"
        );
    }
}

/// A machine that gets slower through the run, and throttles in some blocks for all, and now and then for one start alone.
fn paired(times: u32) {
    const RATIO: f64 = 1.02;
    for (blocks, draws, one_alone) in [
        (5, 12, false),
        (8, 12, false),
        (20, 8, false),
        (8, 12, true),
    ] {
        for in_blocks in [true, false] {
            let covered = share(times, |chance, run| {
                let works: Vec<f64> = (0..draws).map(|_| 1.0 + 0.2 * chance.uniform()).collect();
                let (mut above, mut below) = (Vec::new(), Vec::new());
                for unit in 0..blocks {
                    let drift = 1.0 + 0.05 * f64::from(unit) / f64::from(blocks);
                    let throttled = if chance.uniform() < 0.2 { 1.3 } else { 1.0 };
                    for (side, factor) in [(&mut above, RATIO), (&mut below, 1.0)] {
                        let layout = 1.0 + 0.005 * chance.normal();
                        let alone = if one_alone && chance.uniform() < 0.05 {
                            1.3
                        } else {
                            1.0
                        };
                        for (iteration, work) in (0..).zip(&works) {
                            let noise = 1.0 + 0.002 * chance.normal();
                            let value =
                                1e6 * factor * drift * throttled * layout * alone * work * noise;
                            side.push(PairedCell {
                                unit,
                                iteration,
                                value,
                            });
                        }
                    }
                }
                let (low, high) =
                    of_paired_ratio(&above, &below, |i| i, in_blocks, Generator::new(run))
                        .expect("not empty");
                low <= RATIO && RATIO <= high
            });
            println!(
                "paired, {blocks} blocks, in blocks {in_blocks}, one alone {one_alone}: {covered:.3}"
            );
            assert!(
                covered >= PROMISED - allowance(times),
                "{blocks} blocks, in blocks {in_blocks}: {covered}"
            );
        }
    }
}

fn unpaired(times: u32) {
    let board = BOARDS[3];
    for invocations in [5, 8, 20] {
        let covered = share(times, |chance, run| {
            let (above, below) = (
                board.table(invocations, 10, chance),
                board.table(invocations, 10, chance),
            );
            let (low, high) = of_ratio(&above, &below, Generator::new(run)).expect("positive");
            low <= 1.0 && 1.0 <= high
        });
        println!("unpaired ratio, {invocations} invocations: {covered:.3}");
        assert!(
            covered >= PROMISED - allowance(times),
            "{invocations}: {covered}"
        );
    }
}

/// Quick: a mistake that halves an interval shows in so few runs, a percent more or less does not.
#[test]
fn intervals_hold_the_truth_often_enough() {
    medians(&BOARDS[3..4], 20);
    shared_keys(20);
    paired(4);
}

/// `PQ_BENCH_SIMULATIONS=1000 cargo test --release -p host --test stats_simulation -- --ignored --nocapture` prints the table of docs/method.md.
#[test]
#[ignore = "slow: two minutes of simulated runs"]
fn intervals_hold_the_truth_as_often_as_promised() {
    let times = std::env::var("PQ_BENCH_SIMULATIONS")
        .map_or(120, |times| times.parse().expect("a number of runs"));
    medians(&BOARDS, times);
    shared_keys(times);
    unpaired(times);
    paired(times / 2);
}

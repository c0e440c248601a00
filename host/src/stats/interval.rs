//! A distribution-free interval of the median.
//!
//! For independent draws from any continuous distribution, the number of draws below the median is binomial (n, 1/2), so the
//! order statistics `X(l)` and `X(n+1-l)` enclose the median with probability `1 - 2 P(B <= l-1)`; for a distribution with
//! ties it is at least that. David and Nagaraja, "Order Statistics", 3rd ed. 2003, section 7.1; Hahn and Meeker,
//! "Statistical Intervals", 1991, section 5.2.
//!
//! Ranks are whole, so the confidence jumps: 97.99 % for 32 draws. Where the draws are many and no two are equal, as of a
//! continuous distribution, the bounds are moved inwards between two order statistics until it is about 96 %: Hettmansperger
//! and Sheather, "Confidence intervals based on interpolated order statistics", Statistics & Probability Letters 4, 1986.
use super::quantile::Number;

/// Least confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;

/// Confidence that interpolation aims at: it is an approximation, and has this much room above [`CONFIDENCE`].
pub const INTERPOLATED: f64 = 0.96;

/// Fewest draws between whose order statistics is interpolated.
pub const MANY: usize = 30;

/// Fewest draws for which such an interval exists at [`CONFIDENCE`]: `1 - 2 / 2^6` is 96.9 %, `1 - 2 / 2^5` is 93.8 %.
pub const FEWEST: usize = 6;

/// The ranks `l` and `n + 1 - l`, counted from 1, of the narrowest symmetric interval of the median of `n` draws that holds
/// it with probability [`CONFIDENCE`] at least. `None` for `n` below [`FEWEST`].
#[must_use]
pub fn ranks(n: usize) -> Option<(usize, usize)> {
    let narrowest = narrowest(n)?;
    Some((narrowest.rank, n + 1 - narrowest.rank))
}

/// The narrowest symmetric pair of ranks with enough confidence.
struct Narrowest {
    /// The lower rank, from 1.
    rank: usize,
    /// Its confidence.
    confidence: f64,
    /// That of the next rank, which is too small.
    next: f64,
}

fn narrowest(n: usize) -> Option<Narrowest> {
    // Weights of the binomial distribution relative to its mode, from the mode down: no power of two can underflow, and the
    // walk ends where nothing is left to add, after about 6 sqrt(n) steps.
    let middle = n / 2;
    let mut weights = vec![1.0f64];
    let mut weight = 1.0;
    for k in (1..=middle).rev() {
        weight *= k as f64 / (n - k + 1) as f64;
        if weight < 1e-30 {
            break;
        }
        weights.push(weight);
    }
    let below: f64 = weights[1..].iter().rev().sum();
    let all = if n.is_multiple_of(2) {
        1.0 + 2.0 * below
    } else {
        2.0 * (1.0 + below)
    };
    let lowest = middle + 1 - weights.len();
    let mut tail = 0.0;
    let mut found = None;
    let mut rank = 0;
    let mut confidence = 1.0;
    for (k, weight) in (lowest..=middle).zip(weights.iter().rev()) {
        tail += weight;
        let next = 1.0 - 2.0 * tail / all;
        if next < CONFIDENCE {
            found = Some(next);
            break;
        }
        rank = k + 1;
        confidence = next;
    }
    (rank > 0).then(|| Narrowest {
        rank,
        confidence,
        next: found.unwrap_or(0.0),
    })
}

/// The interval of the median of `sorted`, which must be in ascending order; `None` where there are too few values.
#[must_use]
pub fn of_median<T: Copy + PartialEq + Into<Number>>(sorted: &[T]) -> Option<(f64, f64)> {
    let n = sorted.len();
    let Narrowest {
        rank,
        confidence,
        next,
    } = narrowest(n)?;
    let value = |rank: usize| -> f64 { sorted[rank - 1].into().value() };
    let (low, high) = (value(rank), value(n + 1 - rank));
    let distinct = sorted.windows(2).all(|pair| pair[0] != pair[1]);
    if n < MANY || !distinct || confidence <= INTERPOLATED {
        return Some((low, high));
    }
    let share = (confidence - INTERPOLATED) / (confidence - next);
    let (n, l) = (n as f64, rank as f64);
    let inwards = (n - l) * share / (l + (n - 2.0 * l) * share);
    Some((
        low + inwards * (value(rank + 1) - low),
        high - inwards * (high - value(sorted.len() - rank)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::bootstrap::Generator;
    use proptest::prelude::*;

    /// P(l <= B < n + 1 - l) by adding up Pascal's triangle in whole numbers.
    fn coverage(n: usize, low: usize) -> f64 {
        let mut line = vec![1u128];
        for _ in 0..n {
            let mut next = vec![1u128; line.len() + 1];
            for k in 1..line.len() {
                next[k] = line[k - 1] + line[k];
            }
            line = next;
        }
        let tail: u128 = line[..low].iter().sum();
        1.0 - 2.0 * tail as f64 / 2f64.powi(n as i32)
    }

    #[test]
    fn known_ranks() {
        assert_eq!((0..FEWEST).filter_map(ranks).count(), 0);
        assert_eq!(ranks(6), Some((1, 6)));
        assert_eq!(ranks(7), Some((1, 7)));
        assert_eq!(ranks(10), Some((2, 9)));
        // Table 5.2 of practice: for n = 100 the ranks are 40 and 61.
        assert_eq!(ranks(100), Some((40, 61)));
    }

    proptest! {
        #[test]
        fn ranks_are_the_narrowest_that_cover(n in FEWEST..120) {
            let (low, high) = ranks(n).unwrap();
            prop_assert_eq!(low + high, n + 1);
            prop_assert!(coverage(n, low) >= CONFIDENCE);
            prop_assert!(low == n.div_ceil(2) || coverage(n, low + 1) < CONFIDENCE);
        }

        #[test]
        fn large_samples_follow_the_normal_approximation(n in 1_000usize..5_000_000) {
            let (low, _) = ranks(n).unwrap();
            let expected = n as f64 / 2.0 - 1.959_964 * (n as f64).sqrt() / 2.0;
            prop_assert!((low as f64 - expected).abs() <= 1.5, "{low} {expected}");
        }
    }

    /// A skewed distribution with median 1, as rejection sampling gives: uniform below, and with a long tail above.
    fn skewed(draws: &mut Generator) -> f64 {
        let x = draws.next_u64() as f64 / 2f64.powi(64);
        if x < 0.5 { 2.0 * x } else { 0.5 / (1.0 - x) }
    }

    fn covered(n: usize, times: u32) -> f64 {
        let mut draws = Generator::new(2024);
        let covered = (0..times)
            .filter(|_| {
                let mut values: Vec<f64> = (0..n).map(|_| skewed(&mut draws)).collect();
                values.sort_unstable_by(f64::total_cmp);
                let (low, high) = of_median(&values).unwrap();
                low <= 1.0 && 1.0 <= high
            })
            .count();
        covered as f64 / f64::from(times)
    }

    #[test]
    fn a_simulation_covers_the_true_median_as_often_as_promised() {
        for n in [6, 11, 29] {
            let (promised, observed) = (coverage(n, ranks(n).unwrap().0), covered(n, 4000));
            assert!(
                (observed - promised).abs() < 0.015,
                "n {n}: {observed} {promised}"
            );
        }
    }

    /// 95 to 97 % for the sizes at which whole ranks jump most, and for others; 0.4 % is two standard errors of the simulation.
    #[test]
    fn many_continuous_draws_are_covered_neither_too_seldom_nor_too_often() {
        for n in [30, 31, 32, 34, 39, 60, 100, 200] {
            let observed = covered(n, 10_000);
            assert!(
                (0.95 - 0.004..=0.97 + 0.004).contains(&observed),
                "n {n}: {observed}"
            );
        }
    }

    #[test]
    fn nothing_is_interpolated_between_values_that_repeat() {
        let mut values: Vec<u64> = (0..32).collect();
        let (low, high) = of_median(&values).unwrap();
        assert!(
            9.0 < low && low < 10.0 && 21.0 < high && high < 22.0,
            "{low} {high}"
        );
        values[31] = 30;
        assert_eq!(of_median(&values), Some((9.0, 22.0)));
    }
}

//! A distribution-free interval of the median.
//!
//! For independent draws from any continuous distribution, the number of draws below the median is binomial (n, 1/2), so the
//! order statistics `X(l)` and `X(n+1-l)` enclose the median with probability `1 - 2 P(B <= l-1)`; for a distribution with
//! ties it is at least that. David and Nagaraja, "Order Statistics", 3rd ed. 2003, section 7.1; Hahn and Meeker,
//! "Statistical Intervals", 1991, section 5.2.

/// Least confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;

/// Fewest draws for which such an interval exists at [`CONFIDENCE`]: `1 - 2 / 2^6` is 96.9 %, `1 - 2 / 2^5` is 93.8 %.
pub const FEWEST: usize = 6;

/// The ranks `l` and `n + 1 - l`, counted from 1, of the narrowest symmetric interval of the median of `n` draws that holds
/// it with probability [`CONFIDENCE`] at least. `None` for `n` below [`FEWEST`].
#[must_use]
pub fn ranks(n: usize) -> Option<(usize, usize)> {
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
    let mut rank = 0;
    for (k, weight) in (lowest..=middle).zip(weights.iter().rev()) {
        tail += weight;
        if 2.0 * tail / all > 1.0 - CONFIDENCE {
            break;
        }
        rank = k + 1;
    }
    (rank > 0).then_some((rank, n + 1 - rank))
}

/// The interval of the median of `sorted`, which must be in ascending order; `None` where there are too few values.
#[must_use]
pub fn of_median<T: Copy>(sorted: &[T]) -> Option<(T, T)> {
    let (low, high) = ranks(sorted.len())?;
    Some((sorted[low - 1], sorted[high - 1]))
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

    #[test]
    fn a_simulation_covers_the_true_median_as_often_as_promised() {
        let mut draws = Generator::new(2024);
        for n in [6, 11, 40] {
            let covered = (0..4000)
                .filter(|_| {
                    // A skewed distribution with median 2^62, as rejection sampling gives.
                    let mut values: Vec<u64> = (0..n)
                        .map(|_| {
                            let x = draws.next_u64() >> 1;
                            if x < 1 << 62 {
                                x
                            } else {
                                (x - (1 << 62)) / 2 * 4 + (1 << 62)
                            }
                        })
                        .collect();
                    values.sort_unstable();
                    let (low, high) = of_median(&values).unwrap();
                    low <= 1 << 62 && 1 << 62 <= high
                })
                .count();
            let promised = coverage(n, ranks(n).unwrap().0);
            let observed = covered as f64 / 4000.0;
            assert!(
                (observed - promised).abs() < 0.015,
                "n {n}: {observed} {promised}"
            );
        }
    }
}

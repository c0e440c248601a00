//! Quantiles and means of whole counts.
//!
//! The quantile is type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50(4),
//! 1996: the default of R, NumPy and Julia, so that figures can be recomputed with what readers have at hand.

/// Quantile `p` (0 to 1) of `sorted`, which must be in ascending order: linear between the order statistics around
/// `(n - 1) p`. `None` where there are no values.
#[must_use]
pub fn quantile<T: Copy + Into<Number>>(sorted: &[T], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = last as f64 * p.clamp(0.0, 1.0);
    let below = at.floor() as usize;
    let low = value(sorted[below]);
    let high = value(sorted[(below + 1).min(last)]);
    Some(low + (at - below as f64) * (high - low))
}

/// The median of `sorted`, which must be in ascending order: the middle value, or half-way between the middle two.
#[must_use]
pub fn median<T: Copy + Into<Number>>(sorted: &[T]) -> Option<f64> {
    quantile(sorted, 0.5)
}

/// Arithmetic mean. The sum of whole numbers is exact up to 2^53.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A count or a ratio, as a quantile takes it.
#[derive(Clone, Copy, Debug)]
pub struct Number(f64);

impl Number {
    /// The value.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }
}

impl From<u64> for Number {
    fn from(count: u64) -> Self {
        // Exact up to 2^53, which is 2 600 hours of a 1 GHz clock.
        Self(count as f64)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

fn value<T: Into<Number>>(value: T) -> f64 {
    value.into().value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_values_worked_out_by_hand() {
        let sorted = [1u64, 2, 4, 8, 16];
        assert_eq!(median(&sorted), Some(4.0));
        assert_eq!(quantile(&sorted, 0.05), Some(1.2));
        assert!((quantile(&sorted, 0.95).unwrap() - 14.4).abs() < 1e-12);
        assert_eq!(median(&[3u64, 4]), Some(3.5));
        assert_eq!(median::<u64>(&[]), None);
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
        assert_eq!(mean(&[]), None);
    }

    proptest! {
        #[test]
        fn stays_within_the_values_and_grows_with_p(
            mut values in prop::collection::vec(0u64..1 << 50, 1..200), p in 0.0..1.0f64, q in 0.0..1.0f64,
        ) {
            values.sort_unstable();
            let (low, high) = (p.min(q), p.max(q));
            let (a, b) = (quantile(&values, low).unwrap(), quantile(&values, high).unwrap());
            prop_assert!(a <= b);
            prop_assert!(values[0] as f64 <= a && b <= *values.last().unwrap() as f64);
        }

        #[test]
        fn moves_and_stretches_with_the_values(
            mut values in prop::collection::vec(0u64..1 << 30, 1..100), add in 0u64..1 << 20, p in 0.0..1.0f64,
        ) {
            values.sort_unstable();
            let moved: Vec<u64> = values.iter().map(|v| 2 * v + add).collect();
            let expected = 2.0 * quantile(&values, p).unwrap() + add as f64;
            prop_assert!((quantile(&moved, p).unwrap() - expected).abs() < 1e-3);
        }
    }
}

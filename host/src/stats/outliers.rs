//! Values that lie far out: counted, never dropped.
use super::quantile::quantile;

/// How many interquartile ranges beyond the quartiles is far out: Tukey, "Exploratory Data Analysis", 1977, section 2D.
pub const FENCE: f64 = 3.0;

/// How many of `sorted`, which must be in ascending order, lie more than [`FENCE`] interquartile ranges below the lower or above the
/// upper quartile. Where more than half are equal there is no such range, and every other value is one.
#[must_use]
pub fn count(sorted: &[f64]) -> usize {
    let (Some(low), Some(high)) = (quantile(sorted, 0.25), quantile(sorted, 0.75)) else {
        return 0;
    };
    let reach = FENCE * (high - low);
    let is_far = |value: &&f64| **value < low - reach || **value > high + reach;
    sorted.iter().filter(is_far).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_far_out_is_counted() {
        let mut values: Vec<f64> = (100..=120).map(f64::from).collect();
        assert_eq!(count(&values), 0);
        // Quartiles 105.75 and 117.25: the fences are 71.25 and 151.75.
        values.extend([150.0, 151.0, 10_000.0]);
        assert_eq!(count(&values), 1);
        values.insert(0, 60.0);
        assert_eq!(count(&values), 2);
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&[7.0, 7.0, 7.0, 7.0, 8.0]), 1);
        assert_eq!(count(&[7.0; 9]), 0);
    }
}

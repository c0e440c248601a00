//! Student's t, as far as intervals need it.

/// How much of a distribution lies below the upper bound of an interval: 96 % within, since resampling only comes near what it aims at,
/// and an interval shall hold 95 % at least.
pub const UPPER: f64 = 0.98;

/// The 98 % quantile of the standard normal distribution.
pub const NORMAL: f64 = 2.053_748_911;

/// 98 % quantiles of Student's t with 1 to 9 degrees of freedom.
const SMALL: [f64; 9] = [
    15.894_545, 4.848_732, 3.481_909, 2.998_528, 2.756_509, 2.612_242, 2.516_752, 2.448_985,
    2.398_441,
];

/// The 98 % quantile of Student's t with `freedom` degrees of freedom: from a table below ten, by the expansion in powers of
/// `1 / freedom` from there on (Abramowitz and Stegun, "Handbook of Mathematical Functions", 1964, 26.7.5), which is right to four
/// digits. Infinite for none.
#[must_use]
pub fn quantile(freedom: usize) -> f64 {
    let Some(at) = freedom.checked_sub(1) else {
        return f64::INFINITY;
    };
    if let Some(value) = SMALL.get(at) {
        return *value;
    }
    let (z, n) = (NORMAL, freedom as f64);
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
    ];
    z + terms[0] / n + terms[1] / n.powi(2) + terms[2] / n.powi(3)
}

/// By how much the spread that a percentile bootstrap of `n` independent units shows is too small: it divides by n where n - 1 is
/// right, and takes the normal distribution for Student's. Hesterberg, "What Teachers Should Know About the Bootstrap", The American
/// Statistician 69(4), 2015, section 4.
#[must_use]
pub fn widening(n: usize) -> f64 {
    if n < 2 {
        return f64::INFINITY;
    }
    let size = n as f64;
    quantile(n - 1) / NORMAL * (size / (size - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_printed_tables() {
        for (freedom, printed) in [
            (1, 15.895),
            (4, 2.999),
            (9, 2.398),
            (10, 2.359),
            (20, 2.197),
            (30, 2.147),
            (120, 2.076),
        ] {
            let value = quantile(freedom);
            assert!((value - printed).abs() < 6e-4, "{freedom}: {value}");
        }
        assert!(quantile(0).is_infinite() && widening(1).is_infinite());
    }

    #[test]
    fn few_units_are_widened_most() {
        assert!((widening(5) - 1.632).abs() < 0.001, "{}", widening(5));
        assert!((widening(8) - 1.310).abs() < 0.001, "{}", widening(8));
        assert!(widening(1000) < 1.002);
    }
}

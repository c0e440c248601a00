//! Numbers for people.

const STEPS: [(f64, &str); 5] = [
    (1.0, ""),
    (1e3, " k"),
    (1e6, " M"),
    (1e9, " G"),
    (1e12, " T"),
];

/// A count with three or four digits: `987`, `1.48 M`, `198.4 k`.
#[must_use]
pub fn count(value: f64) -> String {
    if value < 999.5 {
        return if value.fract() == 0.0 {
            format!("{value:.0}")
        } else {
            format!("{value:.1}")
        };
    }
    let digits = |scaled: f64| if scaled < 9.995 { 2 } else { 1 };
    for (step, suffix) in &STEPS[1..] {
        let scaled = value / step;
        // 999.96 would be shown as 1000.0: it is 1.00 of the next step.
        if scaled < 999.95 {
            return format!("{scaled:.*}{suffix}", digits(scaled));
        }
    }
    format!("{value:.3e}")
}

/// Bytes: `512 B`, `1.5 KiB`.
#[must_use]
pub fn bytes(value: u64) -> String {
    match value {
        0..1024 => format!("{value} B"),
        1024..1_048_576 => format!("{:.1} KiB", value as f64 / 1024.0),
        _ => format!("{:.1} MiB", value as f64 / 1_048_576.0),
    }
}

/// A share as a percentage: `0.12 %`; what would round to nothing and is something is `<0.01 %`.
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = share.abs() * 100.0;
    if percent > 0.0 && percent < 0.005 {
        return "<0.01 %".to_owned();
    }
    format!("{percent:.2} %")
}

/// A deviation with its sign: `+0.12 %`, `-3.40 %`, `=` where there is none.
#[must_use]
pub fn deviation(share: f64) -> String {
    match share {
        0.0 => "=".to_owned(),
        s if s < 0.0 => format!("-{}", percent(s)),
        s => format!("+{}", percent(s)),
    }
}

/// Nanoseconds: `850 ns`, `12.3 us`, `4.56 ms`.
#[must_use]
pub fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 1e6 => format!("{:.1} us", n / 1e3),
        n if n < 1e9 => format!("{:.2} ms", n / 1e6),
        n => format!("{:.2} s", n / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_well() {
        let shown: Vec<String> = [
            0.0, 21.5, 987.0, 999.7, 1480.0, 198_412.0, 999_970.0, 1.48e6, 32.84e6, 6.2e9,
        ]
        .map(count)
        .into();
        assert_eq!(
            shown,
            [
                "0", "21.5", "987", "1.00 k", "1.48 k", "198.4 k", "1.00 M", "1.48 M", "32.8 M",
                "6.20 G"
            ]
        );
    }

    #[test]
    fn shares_keep_their_sign_and_never_round_to_equal() {
        assert_eq!(
            [0.0, 0.0012, -0.034, 1e-6].map(deviation),
            ["=", "+0.12 %", "-3.40 %", "+<0.01 %"]
        );
    }
}

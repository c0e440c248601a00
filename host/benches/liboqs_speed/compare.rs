//! The two side by side.
use super::guest::{Figures, Start};
use super::ours::Ours;
use host::report::Table;

/// How far the two may be apart.
const BOUND: f64 = 0.005;
/// Standard errors within which means of random draws may differ.
const ERRORS: f64 = 3.0;

/// What the starts of one operation come to.
struct Summed {
    iterations: f64,
    mean: f64,
    /// Standard deviation of the iterations of one start.
    deviation: f64,
    /// Standard error of the mean, keys included where there are three starts or more.
    error: f64,
}

fn sum(starts: &[Start]) -> Summed {
    let iterations: f64 = starts.iter().map(|s| s.iterations).sum();
    let weighed = |of: &dyn Fn(&Start) -> f64| {
        starts.iter().map(|s| s.iterations * of(s)).sum::<f64>() / iterations
    };
    let mean = weighed(&|s| s.mean);
    let deviation = weighed(&|s| s.deviation.powi(2)).sqrt();
    let within = deviation / iterations.sqrt();
    let between =
        (weighed(&|s| (s.mean - mean).powi(2)) / (starts.len() as f64 - 1.0).max(1.0)).sqrt();
    Summed {
        iterations,
        mean,
        deviation,
        error: within.max(between),
    }
}

/// The table, and how many operations are off without a reason.
pub fn compare(ours: &[Ours], theirs: &Figures) -> (String, usize) {
    let mut table = Table::new([
        "algorithm",
        "operation",
        ">here",
        ">iterations",
        ">liboqs' program",
        ">iterations",
        ">keys",
        ">here / there",
        "verdict",
    ]);
    let mut out = 0;
    for row in ours {
        let key = (row.native_name().to_owned(), row.operation.clone());
        let Some(starts) = theirs.get(&key) else {
            out += 1;
            table.push([
                row.algorithm.name,
                &row.operation,
                "",
                "",
                "no figure",
                "",
                "",
                "",
                "off",
            ]);
            continue;
        };
        let other = sum(starts);
        let ratio = row.mean / other.mean;
        // Both sides drew by themselves: their means have an error each.
        let own = other.deviation / row.iterations.sqrt();
        let error = own.hypot(other.error) / other.mean;
        let verdict = match (ratio - 1.0).abs() {
            apart if apart <= BOUND => "within 0.5 %".to_owned(),
            apart if row.random && apart <= ERRORS * error => {
                format!("other draws: a standard error is {:.1} %", error * 100.0)
            }
            _ if row.random && (row.iterations < 10.0 || other.iterations < 10.0) => {
                "other draws, and too few to have an error".to_owned()
            }
            _ => {
                out += 1;
                "off".to_owned()
            }
        };
        table.push([
            row.algorithm.name.to_owned(),
            row.operation.clone(),
            format!("{:.0}", row.mean),
            row.iterations.to_string(),
            format!("{:.0}", other.mean),
            other.iterations.to_string(),
            starts.len().to_string(),
            format!("{ratio:.4}"),
            verdict,
        ]);
    }
    (table.text(false), out)
}

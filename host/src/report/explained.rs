//! Overheads and their candidate causes.
use super::number;
use super::table::Table;
use crate::explain::{Assessed, Contrast, Explained, Held, Verdict};

/// Everything for people: a part for each contrast, and what ran beside the operations.
#[must_use]
pub fn text(explained: &Explained, color: bool) -> String {
    let mut parts = vec![head(explained)];
    for contrast in &explained.contrasts {
        parts.push(format!(
            "{}\n\n{}",
            title(contrast),
            overheads(contrast).text(color)
        ));
        parts.push(format!(
            "Candidate causes:\n\n{}",
            causes(contrast).text(color)
        ));
        parts.extend(predictions(contrast, color));
        parts.extend(tests(contrast));
    }
    if !explained.shares.is_empty() {
        parts.push(format!(
            "Beside the operations (kernel, hypervisor, other guests), of all that was counted while they ran:\n\n{}",
            shares(explained).text(color)
        ));
    }
    parts.push(limits(explained).to_owned());
    parts.join("\n") + "\n"
}

/// The same as Markdown.
#[must_use]
pub fn markdown(explained: &Explained) -> String {
    let mut parts = vec![head(explained)];
    for contrast in &explained.contrasts {
        parts.push(format!(
            "## {}\n\n{}",
            title(contrast),
            overheads(contrast).markdown()
        ));
        parts.push(causes(contrast).markdown());
        for assessed in told(contrast) {
            parts.push(format!(
                "### {}\n\n{}",
                assessed.cause,
                predicted(assessed).markdown()
            ));
        }
    }
    parts.push(shares(explained).markdown());
    parts.push(limits(explained).to_owned());
    parts.join("\n") + "\n"
}

/// Columns of the CSV: a line for each overhead.
const COLUMNS: [&str; 13] = [
    "by",
    "within",
    "baseline",
    "candidate",
    "algorithm",
    "operation",
    "provider",
    "ratio",
    "ci_low",
    "ci_high",
    "causes",
    "baseline_path",
    "candidate_path",
];

/// One line for each overhead.
#[must_use]
pub fn flat(explained: &Explained) -> Table {
    let mut table = Table::new(COLUMNS);
    for contrast in &explained.contrasts {
        for o in &contrast.overheads {
            let end = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
            table.push([
                contrast.by.to_owned(),
                contrast.within.clone(),
                contrast.baseline.clone(),
                contrast.candidate.clone(),
                o.algorithm.clone(),
                o.operation.to_owned(),
                o.provider.to_owned(),
                o.ratio.to_string(),
                end(o.ci_low),
                end(o.ci_high),
                o.causes.join(";"),
                o.baseline_path.join(";"),
                o.candidate_path.join(";"),
            ]);
        }
    }
    table
}

fn head(explained: &Explained) -> String {
    let of = if explained.emulated {
        "instructions (emulated: not time, cycles or energy)"
    } else {
        "the main clock"
    };
    let overheads: usize = explained.contrasts.iter().map(|c| c.overheads.len()).sum();
    let found = match overheads {
        0 => "none is an overhead: there is nothing to explain".to_owned(),
        n => format!("{n} ratios are overheads"),
    };
    format!(
        "run {} on {}: ratios of {of}; past {} {found} ({} pairs of places compared)\n",
        explained.run, explained.board, explained.bound, explained.compared
    )
}

fn title(contrast: &Contrast) -> String {
    format!(
        "{} against {}, by {}, within {} ({})",
        contrast.candidate, contrast.baseline, contrast.by, contrast.within, contrast.clock
    )
}

fn overheads(contrast: &Contrast) -> Table {
    let mut table = Table::new([
        "algorithm",
        "operation",
        ">ratio",
        "interval",
        "sufficient causes",
        "the candidate ran",
        "the baseline ran",
    ]);
    for o in &contrast.overheads {
        table.push([
            o.algorithm.clone(),
            o.operation.to_owned(),
            format!("{:.2}", o.ratio),
            match (o.ci_low, o.ci_high) {
                (Some(low), Some(high)) => format!("{low:.2} to {high:.2}"),
                _ => "-".to_owned(),
            },
            match o.causes.is_empty() {
                true => "unexplained".to_owned(),
                false => o.causes.join(", "),
            },
            telling(&o.candidate_path, &o.baseline_path),
            telling(&o.baseline_path, &o.candidate_path),
        ]);
    }
    table
}

/// Of the functions that ran, the first that the other side did not run; else that both ran the same.
fn telling(ran: &[String], other: &[String]) -> String {
    match ran.iter().find(|name| !other.contains(name)) {
        Some(name) => name.clone(),
        None if ran.is_empty() => "-".to_owned(),
        None => "same functions".to_owned(),
    }
}

fn causes(contrast: &Contrast) -> Table {
    let mut table = Table::new(["cause", "verdict", "evidence"]);
    for assessed in &contrast.causes {
        table.push([assessed.cause, assessed.verdict.words(), &assessed.evidence]);
    }
    table
}

/// Causes whose predictions are worth reading.
fn told(contrast: &Contrast) -> impl Iterator<Item = &Assessed> {
    contrast.causes.iter().filter(|a| {
        matches!(a.verdict, Verdict::Fits | Verdict::Contradicted)
            && a.predictions.iter().any(|p| p.low.is_some())
    })
}

fn predictions(contrast: &Contrast, color: bool) -> Vec<String> {
    let part = |assessed: &Assessed| {
        format!(
            "What `{}` predicts ({}):\n\n{}",
            assessed.cause,
            assessed.about,
            predicted(assessed).text(color)
        )
    };
    told(contrast).map(part).collect()
}

fn predicted(assessed: &Assessed) -> Table {
    let mut table = Table::new(["family", "operation", ">predicted", ">seen", "holds"]);
    let range = |low: f64, high: f64| match high - low < 0.005 {
        true => format!("{low:.2}"),
        false => format!("{low:.2} to {high:.2}"),
    };
    for Held {
        family,
        operation,
        low,
        high,
        seen_low,
        seen_high,
        holds,
    } in &assessed.predictions
    {
        table.push([
            family.clone(),
            (*operation).to_owned(),
            match (low, high) {
                (Some(low), Some(high)) => range(*low, *high),
                _ => "nothing".to_owned(),
            },
            range(*seen_low, *seen_high),
            match holds {
                Some(true) => super::table::PASSED,
                Some(false) => super::table::FAILED,
                None => "",
            }
            .to_owned(),
        ]);
    }
    table
}

/// What would put the causes to the test that this run could not judge.
fn tests(contrast: &Contrast) -> Option<String> {
    let unexplained = contrast.overheads.iter().any(|o| o.causes.is_empty());
    let lines: Vec<String> = contrast
        .causes
        .iter()
        .filter(|a| !a.test.is_empty())
        .filter(|a| a.verdict == Verdict::Untested || (unexplained && a.verdict == Verdict::Absent))
        .map(|a| format!("  {}: {}\n", a.cause, a.test))
        .collect();
    (!lines.is_empty()).then(|| format!("To put others to the test:\n{}", lines.concat()))
}

fn shares(explained: &Explained) -> Table {
    let mut table = Table::new(["place", ">operations", ">smallest", ">median", ">largest"]);
    for share in &explained.shares {
        table.push([
            share.place.clone(),
            share.operations.to_string(),
            number::percent(share.low),
            number::percent(share.median),
            number::percent(share.high),
        ]);
    }
    table
}

fn limits(explained: &Explained) -> &'static str {
    match explained.emulated {
        true => {
            "A cause that fits is sufficient for what it predicts, in instructions; it is not shown to be the only one, and says nothing of a ratio of times."
        }
        false => {
            "A cause that fits is sufficient for what it predicts; it is not shown to be the only one."
        }
    }
}

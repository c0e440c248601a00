//! Ratios.
use super::table::Table;
use crate::compare::{By, Compared};
use wire::catalog::{Algorithm, Provider};

const COLUMNS: &[&str] = &[
    "algorithm",
    "operation",
    "baseline",
    "candidate",
    "ratio",
    "ci_low",
    "ci_high",
    "paired",
    "ci_reason",
    "iterations",
    "environment",
    "dispatch",
    "stack",
    "provider",
    "clock",
    "baseline_scope",
    "candidate_scope",
    "same_outputs",
    "emulated",
    "floor",
];

/// All fields of all ratios, for CSV.
#[must_use]
pub fn flat(ratios: &[Compared]) -> Table {
    Table::of_fields(COLUMNS, ratios)
}

/// The ratios as a table.
#[must_use]
pub fn table(ratios: &[Compared], by: By) -> Table {
    let context: Vec<Context> = [
        (
            "environment",
            By::Environment,
            (|c| c.environment) as fn(&Compared) -> &'static str,
        ),
        ("dispatch", By::Dispatch, |c| c.dispatch),
        ("stack", By::Stack, |c| c.stack),
        ("provider", By::Provider, |c| c.provider),
    ]
    .into_iter()
    .filter(|(_, of, value)| *of != by && ratios.iter().any(|c| value(c) != value(&ratios[0])))
    .map(|(name, _, value)| (name, value))
    .collect();
    let mut head = vec!["algorithm".to_owned(), "operation".to_owned()];
    head.extend(context.iter().map(|(name, _)| (*name).to_owned()));
    head.extend(
        [
            by.name(),
            ">ratio",
            "interval",
            "clock",
            ">iterations",
            "how",
        ]
        .map(str::to_owned),
    );
    let measured_twice = ratios.iter().any(|c| c.floor.is_some());
    if measured_twice {
        head.push(">floor".to_owned());
    }
    let mut table = Table::new(head);
    for c in ratios {
        let mut cells = vec![c.algorithm.clone(), c.operation.to_owned()];
        cells.extend(context.iter().map(|(_, value)| value(c).to_owned()));
        cells.push(format!("{} / {}", c.candidate, c.baseline));
        cells.push(format!("{:.4}", c.ratio));
        cells.push(match (c.ci_low, c.ci_high, &c.ci_reason) {
            (Some(low), Some(high), _) => format!("{low:.4} to {high:.4}"),
            (_, _, reason) => reason.clone().unwrap_or_default(),
        });
        cells.push(c.clock.to_owned());
        cells.push(c.iterations.to_string());
        cells.push(if c.paired { "paired" } else { "medians" }.to_owned());
        if measured_twice {
            cells.push(c.floor.map_or("-".to_owned(), |f| {
                format!("±{}", super::number::percent(f))
            }));
        }
        table.push(cells);
    }
    table
}

type Context = (&'static str, fn(&Compared) -> &'static str);

/// What these ratios are not, in a sentence; `None` where they are ratios of time.
#[must_use]
pub fn caveat(ratios: &[Compared], by: By) -> Option<&'static str> {
    if !ratios.iter().any(|c| c.emulated) {
        return None;
    }
    Some(match by {
        By::Environment => {
            "On an emulated board a ratio between environments checks that the same work was done: it is of instructions, \
             not of time, and says nothing of what a container or a hypervisor costs."
        }
        _ => "On an emulated board a ratio is of instructions, not of time, cycles or energy.",
    })
}

/// Which ratios between providers are of two schemes that share a name, in a sentence each.
#[must_use]
pub fn two_schemes(ratios: &[Compared]) -> Vec<String> {
    let mut sentences: Vec<String> = ratios
        .iter()
        .filter_map(|c| {
            let algorithm = Algorithm::by_name(&c.algorithm)?;
            let standard = |name: &str| {
                let provider = Provider::ALL.into_iter().find(|p| p.name() == name)?;
                Some(algorithm.standard_at(provider))
            };
            let (baseline, candidate) = (standard(&c.baseline)?, standard(&c.candidate)?);
            (baseline != candidate).then(|| {
                format!(
                    "{} names two schemes here: that of {} is {baseline}, that of {} is {candidate}; the ratio compares them as well as two libraries.",
                    c.algorithm, c.baseline, c.candidate
                )
            })
        })
        .collect();
    sentences.dedup();
    sentences
}

//! `host compare`.
use super::output::{Output, say};
use super::{Global, Outcome};
use crate::archive::{self, Run};
use crate::compare::{By, Comparison, compare, floor};
use crate::exit::{Exit, Failure};
use crate::report::compared;
use crate::stats::Evidence;
use anyhow::anyhow;

/// Ratios between environments or runs.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// One run, or several, the first of which is the baseline. Id, beginning of an id, folder, or `latest`.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<String>,
    /// What to compare by: the first four within one run, the last three between runs.
    #[arg(long, value_enum)]
    by: Option<ByName>,
    /// Exit with status 1 if a ratio is above this bound.
    #[arg(long, value_name = "RATIO", value_parser = bound, allow_negative_numbers = true)]
    fail_above: Option<f64>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ByName {
    Environment,
    Dispatch,
    Stack,
    Provider,
    Run,
    Board,
    Liboqs,
}

impl From<ByName> for By {
    fn from(name: ByName) -> Self {
        match name {
            ByName::Environment => Self::Environment,
            ByName::Dispatch => Self::Dispatch,
            ByName::Stack => Self::Stack,
            ByName::Provider => Self::Provider,
            ByName::Run => Self::Run,
            ByName::Board => Self::Board,
            ByName::Liboqs => Self::Liboqs,
        }
    }
}

/// A bound of ratios.
pub(super) fn bound(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(bound) if bound.is_finite() && bound > 0.0 => Ok(bound),
        _ => Err("a positive number is needed, such as 1.05".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// With the exit status of what failed.
pub fn run(global: &Global, arguments: Arguments) -> Outcome {
    let by = by(&arguments)?;
    let runs: Vec<Run> = arguments
        .runs
        .iter()
        .map(|spec| archive::open(&global.archive, spec))
        .collect::<Result<_, _>>()?;
    for warning in runs.iter().flat_map(|r| &r.warnings) {
        say(global, &format!("warning: {warning}"));
    }
    let evidence: Vec<&Evidence> = runs.iter().map(|r| &r.evidence).collect();
    check_labels(by, &evidence)?;
    let comparison = compare(&evidence, by);
    let Comparison {
        ratios,
        refused,
        arms,
    } = &comparison;
    if ratios.is_empty() && refused.is_empty() {
        return Err(nothing_to_compare(by));
    }
    let caveat = compared::caveat(ratios, by).map(str::to_owned);
    let floor = floor(arms).map(|floor| format!("{floor}."));
    let after: String = [caveat, floor]
        .into_iter()
        .flatten()
        .chain(compared::two_schemes(ratios))
        .map(|sentence| format!("\n{sentence}\n"))
        .collect();
    let around = (String::new(), after);
    Output {
        json: ratios,
        table: compared::table(ratios, by),
        csv: Some(compared::flat(ratios)),
        around,
    }
    .print(global)?;
    verdict(&comparison, arguments.fail_above)
}

fn by(arguments: &Arguments) -> Result<By, Failure> {
    let several = arguments.runs.len() > 1;
    let by = arguments
        .by
        .map_or(if several { By::Run } else { By::Environment }, By::from);
    match (several, by.takes_runs()) {
        (true, false) => Err(Failure::new(
            Exit::BadCall,
            anyhow!(
                "--by {} compares within one run; several runs are compared --by run, --by board or --by liboqs",
                by.name()
            ),
        )),
        (false, true) => Err(Failure::new(
            Exit::BadCall,
            anyhow!(
                "--by {} needs several runs: `compare BASELINE RUN --by {0}`",
                by.name()
            ),
        )),
        _ => Ok(by),
    }
}

/// Two sides of one name could not be told apart.
fn check_labels(by: By, runs: &[&Evidence]) -> Result<(), Failure> {
    let how = match by {
        By::Board => "on",
        By::Liboqs => "with liboqs",
        _ => return Ok(()),
    };
    let mut labels: Vec<&str> = runs.iter().map(|e| by.of_run(e)).collect();
    labels.sort_unstable();
    match labels.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => Err(Failure::new(
            Exit::BadCall,
            anyhow!(
                "two of the runs were made {how} {}: compare them --by run",
                pair[0]
            ),
        )),
    }
}

fn nothing_to_compare(by: By) -> Failure {
    let what = match by {
        By::Run | By::Board | By::Liboqs => "the runs have no operation in common".to_owned(),
        _ => format!("the run has no operation with more than one {}", by.name()),
    };
    Failure::new(Exit::BadCall, anyhow!("nothing to compare: {what}"))
}

fn verdict(comparison: &Comparison, fail_above: Option<f64>) -> Outcome {
    let mut failed: Vec<String> = comparison
        .refused
        .iter()
        .map(|r| format!("\n  {}: refused: {}", r.what, r.refusal))
        .collect();
    if let Some(bound) = fail_above {
        failed.extend(
            comparison
                .ratios
                .iter()
                .filter(|c| c.ratio > bound)
                .map(|c| {
                    format!(
                        "\n  {} {}: {} is {:.4} times {}, above {bound}",
                        c.algorithm, c.operation, c.candidate, c.ratio, c.baseline
                    )
                }),
        );
    }
    if failed.is_empty() {
        return Ok(Exit::Done);
    }
    Err(Failure::new(
        Exit::CheckFailed,
        anyhow!(
            "{} of {} comparisons failed:{}",
            failed.len(),
            comparison.ratios.len() + comparison.refused.len(),
            failed.concat()
        ),
    ))
}

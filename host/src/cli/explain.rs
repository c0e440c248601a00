//! `host explain`.
use super::output::{color, print, say};
use super::{Format, Global, Outcome};
use crate::archive;
use crate::exit::{Exit, Failure};
use crate::explain::{BOUND, explain};
use crate::report::explained;

/// Overheads with candidate causes: what each predicts for every other family, and the evidence.
///
/// Every ratio within the run that is past a bound is held against causes: CPU features hidden from the providers, another C library, other
/// work, drift, and so on. A cause has to have been at work and to predict the ratios of all families that were measured; where none
/// does, the overhead is unexplained. The more families and places a run has, the more a verdict means:
///
///   flash-and-bench --env native,unikernel --dispatch detected,portable --algorithms 'Falcon-512,ML-KEM-512,BIKE-L1'
///   explain latest
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Id, beginning of an id, folder, or `latest`.
    run: String,
    /// A ratio above this is an overhead.
    #[arg(long, value_name = "RATIO", default_value_t = BOUND, value_parser = super::compare::bound, allow_negative_numbers = true)]
    bound: f64,
}

/// Runs the command.
///
/// # Errors
/// Where there is no such run, or it cannot be read.
pub fn run(global: &Global, arguments: Arguments) -> Outcome {
    let run = archive::open(&global.archive, &arguments.run)?;
    for warning in &run.warnings {
        say(global, &format!("warning: {warning}"));
    }
    let explained = explain(&run.evidence, arguments.bound);
    print(&match global.format {
        Format::Table => explained::text(&explained, color(global)),
        Format::Md => explained::markdown(&explained),
        Format::Csv => explained::flat(&explained).csv(),
        Format::Json => {
            let json = serde_json::to_string_pretty(&explained);
            json.map_err(|e| Failure::new(Exit::CheckFailed, e))? + "\n"
        }
    })
}

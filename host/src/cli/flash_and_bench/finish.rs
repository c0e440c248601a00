//! Archives what was measured, prints the summary, and finds the exit status.
use super::choice::Choice;
use crate::archive;
use crate::bench::{BenchError, Ending};
use crate::cli::output::{color, print, say};
use crate::cli::{Format, Global, Outcome};
use crate::compare::same_work;
use crate::exit::{Exit, Failure, told};
use crate::model::Status;
use crate::report::summary;
use anyhow::anyhow;
use std::path::Path;
use std::time::Duration;

/// What took how long.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Looking for tools, and installing them.
    pub set_up: Duration,
    /// Building the target programs.
    pub built: Duration,
    /// Measuring, boots included.
    pub measured: Duration,
}

/// Finishes the run in `folder`. `closed` is whether its journal's last record could be written.
///
/// # Errors
/// Where the run failed or was interrupted, a digest differs, or the archive cannot be written.
pub fn finish(
    global: &Global,
    choice: &Choice,
    folder: &Path,
    ending: Ending,
    closed: Result<(), archive::Error>,
    times: Times,
) -> Outcome {
    let written = closed.and_then(|()| archive::finish(folder, ending.status));
    let path = written.as_deref().unwrap_or(folder);
    let resume = format!(
        "`cargo run -p host -- flash-and-bench --resume {}` goes on with it",
        choice.run
    );
    let shown = show(global, path);
    let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
    say(
        global,
        &format!(
            "archived in {}; set-up {}, build {}, measuring {}",
            path.display(),
            seconds(times.set_up),
            seconds(times.built),
            seconds(times.measured)
        ),
    );
    if ending.repairs > 0 {
        let times = ending.repairs;
        say(
            global,
            &format!(
                "warning: the links put something right {times} times; log.txt in the archive says what"
            ),
        );
    }
    let failed = ending
        .errors
        .into_iter()
        .reduce(|first, second| match first {
            // The journal comes first; what it caused elsewhere says less.
            BenchError::Journal(_) => first,
            _ if matches!(second, BenchError::Journal(_)) => second,
            first => first,
        });
    match (failed, ending.status) {
        (Some(BenchError::Journal(error)), _) => Err(error.into()),
        (_, Status::Interrupted) => Err(Failure::new(
            Exit::Interrupted,
            anyhow!("interrupted; what was measured is archived, and {resume}"),
        )),
        (Some(error), _) => {
            let exit = match error.no_room() {
                true => Exit::CheckFailed,
                false => Exit::BoardFailed,
            };
            let error = told(&error.into());
            Err(Failure::new(
                exit,
                anyhow!("{error}\nwhat was measured before is archived, and {resume}"),
            ))
        }
        (None, _) => {
            written?;
            let doubts = shown?;
            let problems = [
                (
                    "not all environments did the same work",
                    doubts.disagreements,
                ),
                (
                    "operations failed on the target; the rest was measured",
                    doubts.faults,
                ),
            ];
            let told: Vec<String> = problems
                .into_iter()
                .filter(|(_, list)| !list.is_empty())
                .map(|(what, list)| format!("{what}:\n  {}", list.join("\n  ")))
                .collect();
            match told.is_empty() {
                true => Ok(Exit::Done),
                false => Err(Failure::new(
                    Exit::CheckFailed,
                    anyhow!("{}", told.join("\n")),
                )),
            }
        }
    }
}

/// What speaks against a run that came to its end.
struct Doubts {
    /// What differs between environments.
    disagreements: Vec<String>,
    /// Operations that ended in a fault.
    faults: Vec<String>,
}

/// Prints the summary, or what `archive show` prints.
fn show(global: &Global, path: &Path) -> Result<Doubts, Failure> {
    let run = archive::open_folder(path)?;
    let rows = run.rows();
    let work = same_work(&run.evidence, &rows);
    match global.format {
        Format::Table => {
            print(&summary(&run.evidence, &rows, &work, color(global)))?;
        }
        _ => {
            crate::cli::archive::show(global, &path.display().to_string())?;
        }
    }
    let faults = rows.iter().flat_map(|row| {
        let what = format!(
            "{} {} {}",
            row.subject.place(),
            row.algorithm,
            row.operation
        );
        let faults = row.faults.iter();
        faults.map(move |fault| format!("{what}, iteration {}: {}", fault.iteration, fault.text))
    });
    Ok(Doubts {
        disagreements: work.disagreements(),
        faults: faults.collect(),
    })
}

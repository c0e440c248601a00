//! `host archive`.
use super::output::{Output, color, print, say};
use super::{Format, Global, Outcome};
use crate::archive::{self, Error, Harness, Manifest, Run};
use crate::compare::{Arms, arms, floor};
use crate::exit::{Exit, Failure};
use crate::model::{Provenance, Status};
use crate::report::{Table, rows, runs, shown};
use crate::stats::{Row, drift};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use wire::catalog::Provider;

/// Lists, shows, verifies, exports and imports runs.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Lists the runs, the oldest first.
    List,
    /// Shows a run's figures.
    Show {
        /// Id, beginning of an id, folder, or `latest`.
        run: String,
    },
    /// Looks for damage; exit status 1 if there is any.
    Verify {
        /// Id, beginning of an id, folder, or `latest`.
        run: String,
        /// Make tables and manifest anew from the journal, and finish a run that was cut.
        #[arg(long)]
        repair: bool,
    },
    /// Writes a finished run to one tar file, to be imported elsewhere.
    Export {
        /// Id, beginning of an id, folder, or `latest`.
        run: String,
        /// The file; without it `RUN.tar` in the folder you are in.
        file: Option<PathBuf>,
    },
    /// Brings a run that was exported into this archive, if it is whole.
    Import {
        /// The file that `archive export` wrote.
        file: PathBuf,
    },
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::new(error.exit(), error)
    }
}

/// Runs the command.
///
/// # Errors
/// With the exit status of what failed.
pub fn run(global: &Global, arguments: Arguments) -> Outcome {
    match arguments.command {
        Command::List => list(global),
        Command::Show { run } => show(global, &run),
        Command::Verify { run, repair } => verify(global, &run, repair),
        Command::Export { run, file } => export(global, &run, file),
        Command::Import { file } => import(global, &file),
    }
}

/// Fields of a listed run, for CSV.
const LISTED: &[&str] = &[
    "run",
    "started",
    "board",
    "environments",
    "status",
    "finished",
    "rows",
    "bytes",
    "folder",
];

fn list(global: &Global) -> Outcome {
    let listed = archive::list(&global.archive)?;
    let lines: Vec<runs::Line> = listed
        .iter()
        .map(|l| runs::Line {
            run: l.run.clone(),
            started: l.started.clone(),
            board: l.board.clone(),
            environments: l
                .environments
                .iter()
                .map(|e| e.name())
                .collect::<Vec<_>>()
                .join(" "),
            status: if l.finished {
                l.status.clone()
            } else {
                format!("{}, not finished", l.status)
            },
            rows: l.rows,
            bytes: l.bytes,
        })
        .collect();
    let around = (String::new(), String::new());
    Output {
        json: &listed,
        table: runs::table(&lines),
        csv: Some(Table::of_fields(LISTED, &listed)),
        around,
    }
    .print(global)
}

/// `run` of the JSON of `archive show`.
#[derive(Serialize)]
struct ShownRun {
    #[serde(flatten)]
    provenance: Provenance,
    status: Status,
    milliseconds: u64,
    harness: Vec<Harness>,
    plan: Vec<Value>,
    invocations: Vec<Value>,
    skipped: Vec<Value>,
    link: Vec<Value>,
    problems: Vec<String>,
    warnings: Vec<String>,
    conditions: Vec<Value>,
    void: Vec<Value>,
    drift: Option<drift::Drift>,
    arms: Vec<Arms>,
}

#[derive(Serialize)]
struct Shown {
    run: ShownRun,
    rows: Vec<Row>,
}

impl Shown {
    fn new(run: &Run) -> Self {
        let Manifest {
            run: provenance,
            status,
            milliseconds,
            harness,
            plan,
            invocations,
            skipped,
            link,
            problems,
            conditions,
            void,
            ..
        } = run.manifest();
        let warnings = run.warnings.clone();
        Self {
            run: ShownRun {
                provenance,
                status,
                milliseconds,
                harness,
                plan,
                invocations,
                skipped,
                link,
                problems,
                conditions,
                void,
                warnings,
                drift: drift::drift(&run.evidence),
                arms: arms(&run.evidence),
            },
            rows: run
                .rows()
                .into_iter()
                .filter(|row| is_asked_for(row, run))
                .collect(),
        }
    }
}

/// The empty operation runs in every start, to say what the harness costs; it is a row where the plan has it.
fn is_asked_for(row: &Row, run: &Run) -> bool {
    let provider = row.subject.provider;
    provider != Provider::Null || run.evidence.plan.iter().any(|p| p.provider == provider)
}

/// Prints a run's figures.
///
/// # Errors
/// Where there is no such run, or it cannot be read.
pub(super) fn show(global: &Global, spec: &str) -> Outcome {
    let run = archive::open(&global.archive, spec)?;
    for warning in &run.warnings {
        say(global, &format!("warning: {warning}"));
    }
    let shown_run = Shown::new(&run);
    let p = &shown_run.run.provenance;
    let before = format!(
        "run {} on {}{}, started {}, plan {}, seed {}, {}\n\n",
        p.run,
        p.board,
        if p.emulated {
            " (emulated: counts are no time)"
        } else {
            ""
        },
        p.started,
        p.plan,
        p.seed,
        archive::status_name(shown_run.run.status)
    );
    let table = rows::side_by_side(&shown_run.rows);
    let sections = shown::sections(&shown_run.rows, &p.facts, p.instructions_per_tick);
    match global.format {
        Format::Table => {
            let more = shown::text(&sections, color(global));
            return print(&(before + &table.text(color(global)) + &after(&shown_run.run) + &more));
        }
        Format::Md => return print(&(table.markdown() + &shown::markdown(&sections))),
        Format::Json | Format::Csv => {}
    }
    let csv = (global.format == Format::Csv).then(|| rows::flat(&shown_run.rows));
    Output {
        json: &shown_run,
        table,
        csv,
        around: (before, after(&shown_run.run)),
    }
    .print(global)
}

/// What stands below a run's rows: what the numbers are, and how well the machine held still.
fn after(run: &ShownRun) -> String {
    let floor = floor(&run.arms).map(|floor| format!("{floor}."));
    let drift = run.drift.as_ref().map(drift::Drift::sentence);
    let sentences = [Some(rows::CELLS.to_owned()), floor, drift];
    let lines = sentences.into_iter().flatten();
    lines.fold("\n".to_owned(), |text, line| text + &line + "\n")
}

fn verify(global: &Global, spec: &str, repair: bool) -> Outcome {
    let mut folder = archive::resolve(&global.archive, spec)?;
    if repair {
        folder = archive::repair(&folder)?;
        say(
            global,
            &format!(
                "repaired {}: everything but the journal was made anew from it",
                folder.display()
            ),
        );
    }
    let verdict = archive::verify(&folder)?;
    let whole = verdict.findings.is_empty();
    if global.format == Format::Json {
        let findings: Vec<Value> = verdict
            .findings
            .iter()
            .map(|f| json!({ "file": f.file, "offset": f.offset, "what": f.what, "cure": f.cure }))
            .collect();
        let value = json!({
            "folder": folder,
            "whole": whole,
            "entries": verdict.entries,
            "samples": verdict.samples,
            "notes": verdict.notes,
            "findings": findings,
        });
        print(&format!("{value:#}\n"))?;
    } else if matches!(global.format, Format::Csv | Format::Md) {
        let mut table = Table::new(["file", ">offset", "what", "cure"]);
        for f in &verdict.findings {
            let offset = f.offset.map(|o| o.to_string()).unwrap_or_default();
            table.push([f.file.as_str(), &offset, &f.what, &f.cure]);
        }
        let csv = global.format == Format::Csv;
        print(&if csv { table.csv() } else { table.markdown() })?;
    } else {
        for note in &verdict.notes {
            say(global, &format!("note: {note}"));
        }
        if whole {
            print(&format!(
                "{}: whole: {} journal entries, {} samples, every digest and every table fits\n",
                folder.display(),
                verdict.entries,
                verdict.samples
            ))?;
        }
    }
    if whole {
        return Ok(Exit::Done);
    }
    let list: Vec<String> = verdict
        .findings
        .iter()
        .map(|f| format!("\n  {f}"))
        .collect();
    Err(Failure::new(
        Exit::CheckFailed,
        anyhow::anyhow!("{} is damaged:{}", folder.display(), list.concat()),
    ))
}

fn export(global: &Global, spec: &str, file: Option<PathBuf>) -> Outcome {
    let folder = archive::resolve(&global.archive, spec)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let file = file.unwrap_or_else(|| PathBuf::from(format!("{name}.tar")));
    archive::export(&folder, &file)?;
    carried(global, &name, &file)
}

fn import(global: &Global, file: &Path) -> Outcome {
    let folder = archive::import(&global.archive, file)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    carried(global, &name, &folder)
}

/// Says where a run is now.
fn carried(global: &Global, run: &str, path: &Path) -> Outcome {
    let mut table = Table::new(["run", "path"]);
    table.push([run, &path.display().to_string()]);
    let csv = Some(table.clone());
    let around = (String::new(), String::new());
    Output {
        json: &json!({ "run": run, "path": path }),
        table,
        csv,
        around,
    }
    .print(global)
}

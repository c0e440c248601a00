//! `host flash-and-bench`: checks the call, then the tools, builds, measures, archives, summarises.
mod choice;
mod crews;
mod dry_run;
mod facts;
mod finish;
mod here;
mod tools;

use super::output::say;
use super::{Global, Outcome};
use crate::archive::Journal;
use crate::bench::{self, Interrupt, Job, Meter, Program, Scratch};
use crate::build::{self, Programs, Readable, Toolchain};
use crate::exit::{Exit, Failure, OrExit};
use crate::link::Limits;
use crate::model::{Place, Record};
use crate::progress::{Progress, tell};
use crate::tools::{Search, Target};
use anyhow::{Context, anyhow};
use choice::Choice;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The main job: build, flash or launch, run, stream, archive, summarise.
///
/// The empty operation `null` runs in every start of a program beside what was chosen: it says what the harness costs.
#[derive(Clone, Debug, clap::Args)]
pub struct Arguments {
    /// The board.
    #[arg(long, value_name = "NAME", default_value = "qemu-virt")]
    board: String,
    /// Environments; by default those of the board that can run here.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    env: Vec<String>,
    /// What to measure: `quick`, `paper`, `full`, or the file of another plan.
    #[arg(long, value_name = "NAME|FILE", default_value = "quick")]
    plan: String,
    /// Algorithms by name or pattern, from the whole catalogue; they replace the plan's list.
    #[arg(long, value_name = "GLOB,..", value_delimiter = ',')]
    algorithms: Vec<String>,
    /// Providers; by default each algorithm's own.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    provider: Vec<String>,
    /// Code paths: `detected` as the CPU's features allow, `portable` with the features hidden; by default the plan's.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    dispatch: Vec<String>,
    /// What lies under the provider: `shared` or `stock`; by default the plan's.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    stack: Vec<String>,
    /// What samples are counted by: `best`, which is cycles, else ticks; or `instructions`, by which code is compared on hardware without its noise.
    #[arg(long, value_name = "NAME", default_value = "best")]
    clock: String,
    /// The liboqs: `vendored`; `general-registers`, the same without vectors, floating point and AES instructions, on boards of 64-bit Arm;
    /// or the folder that `cmake --install` filled with one of your own.
    #[arg(long, value_name = "NAME|FOLDER", default_value = "vendored")]
    liboqs: String,
    /// A Unikraft kernel for QEMU on 64-bit Arm with an ELF loader: what the environment `unikraft` runs on. docs/boards.md says what it has
    /// to offer.
    #[arg(long, value_name = "PATH")]
    unikraft_kernel: Option<PathBuf>,
    /// The seed of all randomness; by default a new one, which is printed.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Goes on with a run that was cut, interrupted or failed, with its own plan, seed and environments.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["board", "env", "plan", "algorithms", "provider", "dispatch", "stack", "clock", "liboqs", "unikraft_kernel", "seed", "budget"])]
    resume: Option<String>,
    /// Installs what is missing first.
    #[arg(long)]
    setup: bool,
    /// Says what would run, how long it takes and what it writes; runs nothing.
    #[arg(long)]
    dry_run: bool,
    /// Most time that measuring may take, e.g. `2h` or `90s`: fewer iterations, where it is short.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    budget: Option<String>,
    /// Damages this many of a million bytes on every link: to try the link's repairs.
    #[arg(long, value_name = "PER_MILLION", hide = true, default_value_t = 0)]
    damage_link: u32,
}

/// Runs the command.
///
/// # Errors
/// With the exit status of what failed.
pub fn run(global: &Global, arguments: &Arguments) -> Outcome {
    let begin = Instant::now();
    let progress = Progress::new(global.quiet);
    let interrupt = Interrupt::default();
    let mut choice = choice::choose(global, arguments)?;
    if arguments.dry_run {
        return dry_run::print(global, &choice);
    }
    listen_for_ctrl_c(&interrupt)?;
    let guest = tools::ready(&mut choice, arguments.setup, progress)
        .map_err(|failure| unless_interrupted(failure, &interrupt))?;
    let set_up = begin.elapsed();
    let programs = Toolchain::choose_for(&Search::from_env(), Target::of(&choice.board))
        .and_then(|toolchain| build::build(&toolchain, &choice.board, &choice.liboqs, progress))
        .or_exit(Exit::Missing)
        .map_err(|failure| unless_interrupted(failure, &interrupt))?;
    let built = begin.elapsed() - set_up;

    // Before there is a run: it would be left with nothing in it.
    let scratch = Scratch::new().or_exit(Exit::Missing)?;
    let (mut journal, folder) = open_journal(global, &choice, &programs)?;
    for (environment, reason) in &choice.skipped {
        let record = Record::Skipped {
            environment: *environment,
            operation: None,
            reason: reason.clone(),
        };
        journal.append(&record)?;
        say(
            global,
            &format!("warning: {environment} is skipped: {reason}"),
        );
    }
    for (place, reason) in &choice.skipped_places {
        let place = place.place;
        journal.append(&Record::Fact {
            key: format!("skipped.{place}"),
            value: reason.clone(),
        })?;
        say(global, &format!("warning: {place} is skipped: {reason}"));
    }
    say(global, &format!("run {}, seed {}", choice.run, choice.seed));
    let job = job(&choice, &programs);
    let meter = Meter::new(progress);
    let crews = crews::crews(
        &choice,
        &programs,
        guest.as_ref(),
        &scratch,
        &interrupt,
        arguments.damage_link,
    );
    let history = choice.history.clone().unwrap_or_default();
    let ending = bench::conduct(&job, &history, &mut journal, crews, &interrupt, &meter);
    let end = Record::End {
        status: ending.status,
        milliseconds: u64::try_from(ending.elapsed.as_millis()).unwrap_or(u64::MAX),
    };
    // A disk that is full has been reported already.
    let closed = journal.append(&end).and_then(|()| journal.sync());
    drop(journal);
    let times = finish::Times {
        set_up,
        built,
        measured: ending.elapsed,
    };
    finish::finish(global, &choice, &folder, ending, closed, times)
}

/// The first Ctrl-C ends the run in order; the second at once.
fn listen_for_ctrl_c(interrupt: &Interrupt) -> Result<(), Failure> {
    let interrupt = interrupt.clone();
    ctrlc::set_handler(move || {
        if interrupt.is_set() {
            // Emulators die with the threads that started them.
            std::process::exit(Exit::Interrupted as i32);
        }
        tell("interrupted: ending in order, and archiving what was measured; press again to stop at once");
        interrupt.press();
    })
    .context("listening for Ctrl-C")
    .or_exit(Exit::BoardFailed)
}

/// What fails because Ctrl-C ended a tool is an interruption.
fn unless_interrupted(failure: Failure, interrupt: &Interrupt) -> Failure {
    match interrupt.is_set() {
        true => Failure::new(
            Exit::Interrupted,
            anyhow!("interrupted before anything was measured"),
        ),
        false => failure,
    }
}

fn open_journal(
    global: &Global,
    choice: &Choice,
    programs: &Programs,
) -> Result<(Journal, PathBuf), Failure> {
    let journal = match &choice.resumed {
        Some(folder) => {
            facts::same_programs(choice, programs)?;
            Journal::resume(folder)?
        }
        None => {
            let provenance = facts::provenance(choice, programs);
            Journal::create(&global.archive, &provenance)?
        }
    };
    let folder = journal.folder().to_owned();
    Ok((journal, folder))
}

fn job(choice: &Choice, programs: &Programs) -> Job {
    // Symbols and log texts of the programs that run, each file read once.
    let mut read: BTreeMap<&Path, Program> = BTreeMap::new();
    let mut program = |place: Place| {
        let built = programs.of(place)?;
        let program = || Program {
            sha256: built.sha256.clone(),
            build_id: built.build_id,
            readable: Readable::of(&built.path).map(Arc::new),
        };
        Some(read.entry(&built.path).or_insert_with(program).clone())
    };
    Job {
        wire_id: bench::wire_id(&choice.run),
        seed: choice.seed,
        clock: choice.clock,
        plan: choice.plan.clone(),
        items: choice.items.clone(),
        places: choice.places(),
        emulated: choice.board.emulated,
        limit: choice.limit,
        programs: choice
            .places()
            .iter()
            .filter_map(|p| Some(((p.place.environment, p.place.stack), program(p.place)?)))
            .collect(),
        boot_patience: Duration::from_secs(60),
        slowest: 20_000_000,
        cooling: Duration::from_secs(20),
        limits: Limits::default(),
    }
}

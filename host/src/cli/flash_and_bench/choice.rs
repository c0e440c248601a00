//! What the call asks for, with every name checked before anything is installed or built.
use super::Arguments;
use crate::archive::{self, JOURNAL, Journal};
use crate::bench::{self, History};
use crate::build::{self, Liboqs, impossible};
use crate::cli::Global;
use crate::exit::{Exit, Failure, OrExit};
use crate::model::{Environment, Place, Record, Stack, Status};
use crate::plan::{Item, Plan, PlannedPlace, words};
use crate::tools::Target;
use anyhow::anyhow;
use boards::Board;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;
use wire::message::MainClock;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The run's id.
    pub run: String,
    /// When it began.
    pub started: jiff::Timestamp,
    /// The board.
    pub board: Board,
    /// The environments, in order.
    pub environments: Vec<Environment>,
    /// Whether the user named them.
    pub named: bool,
    /// Environments of the board that cannot run here, and why.
    pub skipped: Vec<(Environment, String)>,
    /// The plan.
    pub plan: Plan,
    /// The operations.
    pub items: Vec<Item>,
    /// Where to measure, in order; what environments are left out later has no place any more.
    pub places: Vec<PlannedPlace>,
    /// Places of the plan that cannot run here, and why.
    pub skipped_places: Vec<(PlannedPlace, String)>,
    /// The kernel of the environment `unikraft`, if there is one.
    pub unikraft_kernel: Option<PathBuf>,
    /// The liboqs that the programs are to hold.
    pub liboqs: Liboqs,
    /// What samples are counted by.
    pub clock: MainClock,
    /// The seed.
    pub seed: u64,
    /// Most time that measuring may take.
    pub limit: Option<Duration>,
    /// The folder of the run that is gone on with.
    pub resumed: Option<PathBuf>,
    /// What that run holds.
    pub history: Option<History>,
}

/// The part of a choice that no other record of a run says, kept so that the run can be gone on with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// The plan.
    pub plan: Plan,
    /// The operations.
    pub items: Vec<Item>,
    /// Where to measure.
    pub places: Vec<PlannedPlace>,
}

impl Choice {
    /// The places whose environments are still chosen.
    pub fn places(&self) -> Vec<PlannedPlace> {
        let is_chosen = |p: &&PlannedPlace| self.environments.contains(&p.place.environment);
        self.places.iter().filter(is_chosen).copied().collect()
    }

    /// Starts of a program in each place.
    pub fn invocations(&self) -> u32 {
        self.plan.starts(self.board.emulated)
    }
}

/// The fact that holds a [`Kept`], as JSON.
pub const KEPT: &str = "job";

/// The fact that holds the path of the kernel of the environment `unikraft`.
pub const UNIKRAFT_KERNEL: &str = "unikraft.kernel";

/// The fact that holds the clock that was asked for.
pub const CLOCK: &str = "clock";

/// Checks the call.
///
/// # Errors
/// Where a name is unknown: says which, and the nearest valid ones.
pub fn choose(global: &Global, arguments: &Arguments) -> Result<Choice, Failure> {
    if let Some(run) = &arguments.resume {
        return resume(global, run);
    }
    let board = boards::load(&arguments.board).or_exit(Exit::BadCall)?;
    let target = Target::of(&board);
    let own = of_board(&board);
    if own.is_empty() {
        return Err(bad(format!(
            "board {} has no environment that this program can drive; there are: {}",
            board.name,
            Environment::ALL.map(Environment::name).join(", ")
        )));
    }
    let mut environments = words::parse(&arguments.env).map_err(bad)?;
    if let Some(foreign) = environments.iter().find(|e| !own.contains(e)) {
        let has: Vec<_> = own.iter().map(|e| e.name()).collect();
        return Err(bad(format!(
            "board {} has no environment {foreign}; it has {}",
            board.name,
            has.join(", ")
        )));
    }
    let named = !environments.is_empty();
    if !named {
        environments = own;
    }
    environments.sort_unstable();
    let plan = Plan::load(&arguments.plan).or_exit(Exit::BadCall)?;
    let providers = words::parse(&arguments.provider).map_err(bad)?;
    let items = plan
        .resolve(&arguments.algorithms, &providers)
        .or_exit(Exit::BadCall)?;
    let dispatches = words::parse(&arguments.dispatch).map_err(bad)?;
    let stacks = words::parse(&arguments.stack).map_err(bad)?;
    // What this machine has no environment for is seen to when its tools are.
    let cannot = |place: Place| {
        let reason = impossible(&board, target, place)?;
        let absent = impossible(
            &board,
            target,
            Place {
                stack: Stack::Shared,
                ..place
            },
        );
        absent.is_none().then_some(reason)
    };
    let mut places = plan.places_in(&environments, &dispatches, &stacks);
    let skipped_places: Vec<_> = places
        .extract_if(.., |planned| cannot(planned.place).is_some())
        .filter_map(|planned| Some((planned, cannot(planned.place)?.to_owned())))
        .collect();
    let is_absent = |planned: &PlannedPlace| impossible(&board, target, planned.place).is_some();
    if let (true, Some((planned, reason))) = (places.iter().all(is_absent), skipped_places.first())
    {
        return Err(bad(format!(
            "nothing can run in {}: {reason}",
            planned.place
        )));
    }
    let clock = clock(&arguments.clock).ok_or_else(|| {
        bad(format!(
            "there is no clock `{}`; there are best, instructions",
            arguments.clock
        ))
    })?;
    let liboqs = match Liboqs::named(&arguments.liboqs) {
        // A run may be gone on with from another folder.
        Liboqs::Own(folder) => Liboqs::Own(folder.canonicalize().unwrap_or(folder)),
        named => named,
    };
    if let Some(reason) = liboqs.impossible(target) {
        return Err(bad(format!(
            "--liboqs {liboqs} on board {}: {reason}",
            board.name
        )));
    }
    let unikraft_kernel = arguments.unikraft_kernel.as_deref().map(readable);
    let unikraft_kernel = unikraft_kernel.transpose()?;
    let limit = arguments.budget.as_deref().map(time).transpose()?;
    let seed = arguments.seed.unwrap_or_else(bench::random);
    let started = jiff::Timestamp::now();
    Ok(Choice {
        run: bench::run_id(started, &board.name, bench::random()),
        started,
        board,
        environments,
        named,
        skipped: Vec::new(),
        plan,
        items,
        places,
        skipped_places,
        unikraft_kernel,
        liboqs,
        clock,
        seed,
        limit,
        resumed: None,
        history: None,
    })
}

fn resume(global: &Global, run: &str) -> Result<Choice, Failure> {
    let folder = archive::resolve(&global.archive, run)?;
    let (records, _) = Journal::read(&folder.join(JOURNAL))?;
    // Refused now, rather than after a build.
    if Journal::is_in_use(&folder) {
        return Err(archive::Error::InUse(folder.join(JOURNAL)).into());
    }
    if let Some(Record::End {
        status: Status::Complete,
        ..
    }) = records.last()
    {
        return Err(archive::Error::Complete(folder.display().to_string()).into());
    }
    let history = History::from_records(&records);
    let cannot = |what: &str| {
        bad(format!(
            "run {} cannot be gone on with: its journal does not say {what}; start a new one",
            folder.display()
        ))
    };
    let provenance = history
        .provenance
        .clone()
        .ok_or_else(|| cannot("what it is"))?;
    let kept: Kept = provenance
        .facts
        .get(KEPT)
        .and_then(|text| serde_json::from_str(text).ok())
        .ok_or_else(|| cannot("what was to be measured"))?;
    let reference = provenance.facts.get("board.file");
    let liboqs = provenance.facts.get(build::LIBOQS_FROM);
    let liboqs = liboqs.map(|word| Liboqs::named(word));
    let board = boards::load(reference.unwrap_or(&provenance.board)).or_exit(Exit::BadCall)?;
    Ok(Choice {
        run: provenance.run,
        started: jiff::Timestamp::now(),
        board,
        environments: provenance.environments,
        named: true,
        skipped: Vec::new(),
        plan: kept.plan,
        items: kept.items,
        places: kept.places,
        skipped_places: Vec::new(),
        unikraft_kernel: provenance.facts.get(UNIKRAFT_KERNEL).map(PathBuf::from),
        liboqs: liboqs.unwrap_or_default(),
        clock: provenance
            .facts
            .get(CLOCK)
            .and_then(|name| clock(name))
            .unwrap_or_default(),
        seed: provenance.seed,
        limit: None,
        resumed: Some(folder),
        history: Some(history),
    })
}

/// The environments of `board` that this program can drive.
fn of_board(board: &Board) -> Vec<Environment> {
    board
        .environments
        .iter()
        .filter_map(|e| e.name().parse().ok())
        .collect()
}

/// A clock by its name.
fn clock(name: &str) -> Option<MainClock> {
    [MainClock::Best, MainClock::Instructions]
        .into_iter()
        .find(|clock| clock.name() == name)
}

/// The path of a file that can be read, wherever the next call is made from.
fn readable(path: &Path) -> Result<PathBuf, Failure> {
    let file = std::fs::File::open(path).and_then(|_| path.canonicalize());
    file.map_err(|error| bad(format!("{} cannot be read: {error}", path.display())))
}

fn time(text: &str) -> Result<Duration, Failure> {
    let parsed: Option<jiff::SignedDuration> = text.parse().ok();
    parsed
        .and_then(|time| Duration::try_from(time).ok())
        .filter(|time| !time.is_zero())
        .ok_or_else(|| {
            bad(format!(
                "`{text}` is no time; write it like 90s, 15m or 2h 30m"
            ))
        })
}

fn bad(message: String) -> Failure {
    Failure::new(Exit::BadCall, anyhow!(message))
}

//! A run conducted over machines that play their parts: what is recorded, in what order, and what becomes of it when a program, a
//! board or the disk fails.
mod link_support;
use host::archive::Error;
use host::bench::{
    BenchError, Crew, Ending, History, Interrupt, Job, Journaled, Machine, MachineError, Meter,
    Program, conduct,
};
use host::link::{Port, Stop, Watch};
use host::model::{
    Conditions, Environment, Invocation, Measured, Place, Planned, Record, Stack, Status, Subject,
};
use host::plan::Plan;
use host::progress::Progress;
use link_support::{BUILD, InMemory, RUN, Script, Target, limits};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wire::message::{Dispatch, MainClock};

const METAL: &[Environment] = &[Environment::BareMetal];
const LINUX: &[Environment] = &[
    Environment::Native,
    Environment::Container,
    Environment::Unikernel,
];

/// A machine whose programs follow a script that depends on the environment and on how many were started before.
struct Stage {
    script: fn(Environment, u32) -> Script,
    starts: u32,
    port: Option<InMemory>,
    program: Option<Playing>,
    /// The board ends at this start.
    ends_at_start: Option<u32>,
    over: bool,
    /// What the board's firmware says of throttling during each start, if it says anything.
    firmware: fn(u32) -> Option<u32>,
}

struct Playing(Arc<Mutex<Target>>, Option<u32>);

impl Watch for Playing {
    fn look(&mut self) -> Result<(), Stop> {
        match self.0.lock().expect("no panic").over {
            true => Err(Stop::Ended("the program is over".into())),
            false => Ok(()),
        }
    }

    fn conditions(&mut self) -> Option<Conditions> {
        Some(Conditions {
            firmware: Some(self.1?),
            ..Conditions::default()
        })
    }
}

impl Machine for Stage {
    fn start(&mut self, place: Place, _: u32) -> Result<(), MachineError> {
        if self.ends_at_start == Some(self.starts) {
            self.over = true;
            return Err(MachineError::Ended {
                reason: "as planned".into(),
            });
        }
        let port = InMemory::new((self.script)(place.environment, self.starts));
        let firmware = (self.firmware)(self.starts);
        self.starts += 1;
        self.program = Some(Playing(port.target.clone(), firmware));
        self.port = Some(port);
        Ok(())
    }

    fn link(&mut self) -> Option<(&mut dyn Port, &mut dyn Watch)> {
        Some((self.port.as_mut()?, self.program.as_mut()?))
    }

    fn board_ended(&mut self) -> Option<String> {
        self.over.then(|| "as planned".to_owned())
    }

    fn end(&mut self, _: bool) -> Result<(), MachineError> {
        self.port = None;
        self.program = None;
        Ok(())
    }

    fn take_facts(&mut self) -> Vec<(String, String)> {
        vec![("stage".into(), "set".into())]
    }
}

fn crew(
    environments: &[Environment],
    script: fn(Environment, u32) -> Script,
    ends_at_start: Option<u32>,
) -> Crew<'static> {
    crew_on(environments, script, ends_at_start, |_| None)
}

fn crew_on(
    environments: &[Environment],
    script: fn(Environment, u32) -> Script,
    ends_at_start: Option<u32>,
    firmware: fn(u32) -> Option<u32>,
) -> Crew<'static> {
    Crew {
        environments: environments.to_vec(),
        machine: Box::new(move || {
            Ok(Box::new(Stage {
                script,
                starts: 0,
                port: None,
                program: None,
                ends_at_start,
                over: false,
                firmware,
            }))
        }),
    }
}

fn well(_: Environment, _: u32) -> Script {
    Script::default()
}

/// A journal in memory that can press Ctrl-C, or run full, after so many measurements.
#[derive(Default)]
struct List {
    records: Vec<Record>,
    press_after: Option<(usize, Interrupt)>,
    full_after: Option<usize>,
}

impl Journaled for List {
    fn append(&mut self, record: &Record) -> Result<(), Error> {
        self.records.push(record.clone());
        let measured = measured(&self.records).len();
        if self.full_after.is_some_and(|most| measured > most) {
            return Err(Error::NoRoom {
                path: "journal".into(),
                folder: "run".into(),
                kept: measured as u32,
            });
        }
        if let Some((after, interrupt)) = &self.press_after
            && measured >= *after
        {
            interrupt.press();
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

fn job(dispatches: &[Dispatch]) -> Job {
    let plan = Plan::load("quick").expect("comes with the program");
    let patterns = ["ML-KEM-768".to_owned(), "Falcon-512".to_owned()];
    let items = plan.resolve(&patterns, &[]).expect("known");
    let environments: Vec<_> = METAL.iter().chain(LINUX).copied().collect();
    let places = plan.places_in(&environments, dispatches, &[]);
    let program = Program {
        readable: None,
        sha256: "5a".repeat(32),
        build_id: BUILD,
    };
    Job {
        wire_id: RUN,
        seed: 7,
        clock: MainClock::Best,
        plan,
        items,
        programs: environments
            .iter()
            .map(|e| ((*e, Stack::Shared), program.clone()))
            .collect(),
        places,
        emulated: true,
        limit: None,
        boot_patience: Duration::from_secs(5),
        slowest: 1 << 40,
        cooling: Duration::ZERO,
        limits: limits(),
    }
}

fn run(job: &Job, history: &History, list: &mut List, crews: Vec<Crew<'_>>) -> Ending {
    let interrupt = match &list.press_after {
        Some((_, interrupt)) => interrupt.clone(),
        None => Interrupt::default(),
    };
    let meter = Meter::new(Progress::Quiet);
    conduct(job, history, list, crews, &interrupt, &meter)
}

fn both(job: &Job, list: &mut List) -> Ending {
    let crews = vec![crew(METAL, well, None), crew(LINUX, well, None)];
    run(job, &History::default(), list, crews)
}

fn measured(records: &[Record]) -> Vec<&Measured> {
    let of_interest = |m: &&Measured| m.subject.provider != wire::catalog::Provider::Null;
    let measured = records.iter().filter_map(|r| match r {
        Record::Measured(m) => Some(m),
        _ => None,
    });
    measured.filter(of_interest).collect()
}

fn invocations(records: &[Record]) -> Vec<&Invocation> {
    let invocation = |r: &'_ Record| matches!(r, Record::Invocation(_));
    records
        .iter()
        .filter(|r| invocation(r))
        .filter_map(|r| match r {
            Record::Invocation(i) => Some(i),
            _ => None,
        })
        .collect()
}

fn plan_of(records: &[Record]) -> Vec<Planned> {
    let plans: Vec<_> = records
        .iter()
        .filter_map(|r| match r {
            Record::Plan(plan) => Some(plan.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(plans.len(), 1, "one plan a run");
    plans[0].clone()
}

/// How often each subject was measured.
fn times(records: &[Record]) -> BTreeMap<Subject, u32> {
    let mut times = BTreeMap::new();
    for m in measured(records) {
        *times.entry(m.subject).or_default() += 1;
    }
    times
}

#[test]
fn everything_is_measured_once_with_the_same_numbers_everywhere() {
    let job = job(&[Dispatch::Detected]);
    let mut list = List::default();
    let ending = both(&job, &mut list);
    assert_eq!(ending.status, Status::Complete, "{:?}", ending.errors);
    assert!(ending.errors.is_empty());
    let plan = plan_of(&list.records);
    assert_eq!(plan.len(), 6);
    let times = times(&list.records);
    assert_eq!(times.len(), 6 * 4);
    assert!(times.values().all(|n| *n == 1));
    for m in measured(&list.records) {
        let planned = plan
            .iter()
            .find(|p| (p.algorithm, p.operation) == (m.subject.algorithm, m.subject.operation));
        assert_eq!(planned.expect("planned").iterations, m.iterations);
        let samples: u32 = m.samples.iter().map(|b| b.samples).sum();
        assert_eq!(samples, m.iterations);
        assert!(m.digest.is_some() && m.memory.is_some());
    }
    let ids: BTreeSet<_> = invocations(&list.records).iter().map(|i| i.id).collect();
    assert_eq!(ids, BTreeSet::from([0, 1, 2, 3]), "the pilot is none");
    let at = |is: fn(&Record) -> bool| list.records.iter().position(is);
    let plan_at = at(|r| matches!(r, Record::Plan(_)));
    assert!(plan_at < at(|r| matches!(r, Record::Measured(_))));
    let references = list.records.iter().filter(
        |r| matches!(r, Record::Measured(m) if m.subject.provider == wire::catalog::Provider::Null),
    );
    assert_eq!(
        references.count(),
        4,
        "the harness is measured in each start"
    );
}

#[test]
fn each_dispatch_is_an_invocation() {
    let job = job(&[Dispatch::Detected, Dispatch::Portable]);
    let mut list = List::default();
    let ending = both(&job, &mut list);
    assert_eq!(ending.status, Status::Complete, "{:?}", ending.errors);
    assert_eq!(invocations(&list.records).len(), 8);
    for m in measured(&list.records) {
        let same: BTreeSet<_> = measured(&list.records)
            .iter()
            .filter(|other| other.invocation == m.invocation)
            .map(|other| (other.subject.environment, other.subject.dispatch))
            .collect();
        assert_eq!(same.len(), 1);
    }
}

/// Ctrl-C after some measurements; what follows completes the run, and nothing is measured twice.
#[test]
fn an_interrupted_run_is_gone_on_with() {
    let job = job(&[Dispatch::Detected]);
    for after in [1, 5, 11, 20] {
        let mut list = List {
            press_after: Some((after, Interrupt::default())),
            ..List::default()
        };
        let ending = both(&job, &mut list);
        assert_eq!(ending.status, Status::Interrupted);
        assert!(ending.errors.is_empty(), "{:?}", ending.errors);
        let before = measured(&list.records).len();
        // Under load what is under way may come to its end before the interruption is seen.
        assert!((after..=24).contains(&before), "{before} after {after}");

        let history = History::from_records(&list.records);
        assert_eq!(history.plan.as_deref(), Some(&*plan_of(&list.records)));
        list.press_after = None;
        let crews = vec![crew(METAL, well, None), crew(LINUX, well, None)];
        let ending = run(&job, &history, &mut list, crews);
        assert_eq!(ending.status, Status::Complete, "{:?}", ending.errors);
        let times = times(&list.records);
        assert_eq!(times.len(), 24);
        assert!(times.values().all(|n| *n == 1), "{times:?}");
        plan_of(&list.records);
        let ids: Vec<_> = invocations(&list.records).iter().map(|i| i.id).collect();
        let distinct: BTreeSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "invocation numbers repeat");
    }
}

/// A program that an operation ends is started anew for the rest.
#[test]
fn a_fatal_fault_costs_one_operation() {
    fn faulty(environment: Environment, starts: u32) -> Script {
        Script {
            // The reference is the first Run of a start.
            fault_in_run: (environment == Environment::Container && starts == 1).then_some(3),
            fatal: true,
            ..Script::default()
        }
    }
    let job = job(&[Dispatch::Detected]);
    let mut list = List::default();
    let crews = vec![crew(METAL, well, None), crew(LINUX, faulty, None)];
    let ending = run(&job, &History::default(), &mut list, crews);
    assert_eq!(ending.status, Status::Complete, "{:?}", ending.errors);
    let faults: Vec<_> = measured(&list.records)
        .into_iter()
        .filter(|m| m.fault.is_some())
        .collect();
    assert_eq!(faults.len(), 1);
    assert_eq!(times(&list.records).len(), 24);
    let containers: Vec<_> = invocations(&list.records)
        .into_iter()
        .filter(|i| i.environment == Environment::Container)
        .collect();
    assert_eq!(containers.len(), 2);
    assert_eq!(ending.warnings.len(), 1, "{:?}", ending.warnings);
}

/// An operation that resets the target every time is given up, with the reason; the rest goes on.
#[test]
fn an_operation_that_resets_the_target_is_given_up() {
    fn resets(environment: Environment, starts: u32) -> Script {
        let run = match (environment, starts) {
            (Environment::Native, 0) => Some(4),
            // The operation comes first in the next start, after the reference.
            (Environment::Native, 1) => Some(2),
            _ => None,
        };
        Script {
            reset_in_run: run,
            ..Script::default()
        }
    }
    let job = job(&[Dispatch::Detected]);
    let mut list = List::default();
    let crews = vec![crew(METAL, well, None), crew(LINUX, resets, None)];
    let ending = run(&job, &History::default(), &mut list, crews);
    assert_eq!(ending.status, Status::Complete, "{:?}", ending.errors);
    assert_eq!(times(&list.records).len(), 23);
    let skipped: Vec<_> = list
        .records
        .iter()
        .filter_map(|r| match r {
            Record::Skipped {
                environment,
                operation,
                reason,
            } => Some((*environment, operation.is_some(), reason.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(skipped.len(), 1);
    assert!(skipped[0].0 == Environment::Native && skipped[0].1);
    assert!(skipped[0].2.contains("was reset"), "{}", skipped[0].2);
    // What was given up is not tried again when the run is resumed.
    let history = History::from_records(&list.records);
    let mut more = List::default();
    let crews = vec![crew(METAL, well, None), crew(LINUX, well, None)];
    run(&job, &history, &mut more, crews);
    assert!(measured(&more.records).is_empty());
}

#[test]
fn a_program_that_always_ends_is_no_endless_loop() {
    fn ends(_: Environment, _: u32) -> Script {
        Script {
            ends_in_run: Some(1),
            ..Script::default()
        }
    }
    let job = job(&[Dispatch::Detected]);
    let mut list = List::default();
    let crews = vec![crew(METAL, well, None), crew(&LINUX[..1], ends, None)];
    let ending = run(&job, &History::default(), &mut list, crews);
    let skipped = list
        .records
        .iter()
        .filter(|r| matches!(r, Record::Skipped { .. }));
    assert!(skipped.count() > 0 || ending.status == Status::Failed);
    assert!(invocations(&list.records).len() < 20);
    assert_eq!(times(&list.records).len(), 6, "the metal is well");
}

/// A board that ends in the middle: what the others measured is there, and the ending says which failed.
#[test]
fn a_board_that_ends_fails_the_run() {
    let job = job(&[Dispatch::Detected]);
    let mut list = List::default();
    let crews = vec![crew(METAL, well, None), crew(LINUX, well, Some(1))];
    let ending = run(&job, &History::default(), &mut list, crews);
    assert_eq!(ending.status, Status::Failed);
    assert_eq!(ending.errors.len(), 1);
    let message = ending.errors[0].to_string();
    assert!(
        message.contains("container") && message.contains("as planned"),
        "{message}"
    );
    assert_eq!(times(&list.records).len(), 6 + 6);
    // Resumed, the rest is measured.
    let history = History::from_records(&list.records);
    let crews = vec![crew(METAL, well, None), crew(LINUX, well, None)];
    let ending = run(&job, &history, &mut list, crews);
    assert_eq!(ending.status, Status::Complete);
    assert_eq!(times(&list.records).len(), 24);
}

#[test]
fn without_a_pilot_nobody_waits_for_ever() {
    let job = job(&[Dispatch::Detected]);
    let mut list = List::default();
    let crews = vec![crew(METAL, well, Some(0)), crew(LINUX, well, None)];
    let ending = run(&job, &History::default(), &mut list, crews);
    assert_eq!(ending.status, Status::Failed);
    assert_eq!(ending.errors.len(), 1, "{:?}", ending.errors);
    assert!(measured(&list.records).is_empty());
}

#[test]
fn a_full_disk_halts_the_run_and_is_named_first() {
    let job = job(&[Dispatch::Detected]);
    let mut list = List {
        full_after: Some(4),
        ..List::default()
    };
    let ending = both(&job, &mut list);
    assert_eq!(ending.status, Status::Failed);
    assert!(
        matches!(&ending.errors[0], BenchError::Journal(Error::NoRoom { .. })),
        "{:?}",
        ending.errors
    );
}

#[test]
fn another_program_is_refused() {
    fn foreign(_: Environment, _: u32) -> Script {
        Script {
            foreign: true,
            ..Script::default()
        }
    }
    let job = job(&[Dispatch::Detected]);
    let mut list = List::default();
    let crews = vec![crew(METAL, well, None), crew(&LINUX[..1], foreign, None)];
    let ending = run(&job, &History::default(), &mut list, crews);
    assert_eq!(ending.status, Status::Failed);
    assert!(
        matches!(&ending.errors[0], BenchError::OtherProgram { .. }),
        "{:?}",
        ending.errors
    );
    assert!(
        ending.errors[0].to_string().contains("0101"),
        "{}",
        ending.errors[0]
    );
}

/// On hardware: five blocks, each with every place once and native twice, in an order of its own, and a look at the reference operation
/// at the beginning and the end of each start.
#[test]
fn hardware_is_measured_in_randomised_blocks_with_a_monitor() {
    let mut job = job(&[Dispatch::Detected]);
    job.emulated = false;
    let of_linux = |p: &host::plan::PlannedPlace| LINUX.contains(&p.place.environment);
    job.places.retain(of_linux);
    let mut list = List {
        press_after: Some((40, Interrupt::default())),
        ..List::default()
    };
    let ending = run(
        &job,
        &History::default(),
        &mut list,
        vec![crew(LINUX, well, None)],
    );
    assert_eq!(ending.status, Status::Interrupted, "{:?}", ending.errors);
    // What was interrupted is gone on with, in the same order.
    list.press_after = None;
    let history = History::from_records(&list.records);
    let ending = run(&job, &history, &mut list, vec![crew(LINUX, well, None)]);
    assert_eq!(ending.status, Status::Complete, "{:?}", ending.errors);
    for (subject, times) in times(&list.records) {
        let expected = if subject.environment == Environment::Native {
            10
        } else {
            5
        };
        assert_eq!(times, expected, "{subject:?}");
    }
    let complete: BTreeSet<u32> = measured(&list.records)
        .iter()
        .map(|m| m.invocation)
        .collect();
    let turns: BTreeMap<u32, host::model::Turn> = list
        .records
        .iter()
        .filter_map(|r| match r {
            Record::Turn(turn) => Some((turn.invocation, *turn)),
            _ => None,
        })
        .collect();
    let mut orders = BTreeSet::new();
    for block in 0..5 {
        let mut order: Vec<(u32, Environment, u8)> = invocations(&list.records)
            .iter()
            .filter(|i| complete.contains(&i.id) && turns[&i.id].block == block)
            .map(|i| (turns[&i.id].position, i.environment, turns[&i.id].arm))
            .collect();
        order.dedup();
        let arms: BTreeSet<_> = order.iter().map(|(_, e, arm)| (*e, *arm)).collect();
        assert_eq!(arms.len(), 4, "{order:?}");
        orders.insert(order);
    }
    assert!(
        orders.len() > 1,
        "no two blocks need have one order, but not all the same"
    );
    let looks = list.records.iter().filter_map(|r| match r {
        Record::Monitor(m) => Some(m.invocation),
        _ => None,
    });
    let mut times: BTreeMap<u32, u32> = BTreeMap::new();
    for invocation in looks {
        *times.entry(invocation).or_default() += 1;
    }
    assert!(
        times.values().filter(|n| **n == 2).count() >= 18,
        "{times:?}"
    );
    let rows = host::stats::Evidence::from_records(list.records.clone(), Some(provenance()))
        .map(|evidence| host::stats::rows(&evidence))
        .expect("a provenance");
    let name = "X25519";
    assert!(
        rows.iter().all(|r| r.algorithm != name),
        "the monitor is no row"
    );
}

fn provenance() -> host::model::Provenance {
    host::model::Provenance {
        run: "run".into(),
        started: String::new(),
        board: "desk".into(),
        emulated: false,
        pmccntr_counts: "cycles".into(),
        instructions_per_tick: None,
        plan: "quick".into(),
        seed: 7,
        environments: LINUX.to_vec(),
        facts: BTreeMap::new(),
    }
}

/// Machines of one board on hardware are never driven at the same time: their visits share the blocks.
#[test]
fn machines_on_hardware_take_turns() {
    let mut job = job(&[Dispatch::Detected]);
    job.emulated = false;
    let mut list = List::default();
    let ending = both(&job, &mut list);
    assert_eq!(ending.status, Status::Complete, "{:?}", ending.errors);
    let ids: Vec<u32> = measured(&list.records)
        .iter()
        .map(|m| m.invocation)
        .collect();
    assert!(ids.is_sorted(), "one program after the other: {ids:?}");
    let metal: BTreeSet<u32> = measured(&list.records)
        .iter()
        .filter(|m| m.subject.environment == Environment::BareMetal)
        .map(|m| m.invocation / 5)
        .collect();
    assert_eq!(metal, (0..5).collect(), "one in each block of five starts");
}

/// What is too dear for a place is left out there alone, and said.
#[test]
fn a_place_leaves_out_what_is_too_dear_for_it() {
    let mut job = job(&[Dispatch::Detected, Dispatch::Portable]);
    for planned in &mut job.places {
        let is_portable = planned.place.dispatch == Dispatch::Portable;
        planned.at_most = is_portable.then_some(0);
    }
    let mut list = List::default();
    let ending = both(&job, &mut list);
    assert_eq!(ending.status, Status::Complete, "{:?}", ending.errors);
    let times = times(&list.records);
    assert!(
        times.keys().all(|s| s.dispatch == Dispatch::Detected),
        "{times:?}"
    );
    assert_eq!(times.len(), 24);
    let said = list.records.iter().any(|r| {
        matches!(r, Record::Fact { key, value }
            if key == "left_out.native/portable/shared" && value.contains("Falcon-512 sign"))
    });
    assert!(said);
}

/// What takes 40 ticks is executed 25 times in each sample, and its figures are of one execution.
#[test]
fn what_is_too_short_for_the_clock_is_executed_several_times_in_each_sample() {
    let short = |_: Environment, _: u32| Script {
        ticks: Some(40),
        ..Script::default()
    };
    let mut job = job(&[Dispatch::Detected]);
    job.emulated = false;
    job.places
        .retain(|p| p.place.environment == Environment::Native);
    let mut list = List::default();
    let crews = vec![crew(&[Environment::Native], short, None)];
    let ending = run(&job, &History::default(), &mut list, crews);
    assert_eq!(ending.status, Status::Complete, "{:?}", ending.errors);
    let history = History::from_records(&list.records);
    let resumed = history.plan.expect("a plan");
    assert!(resumed.iter().any(|p| p.executions == 25), "{resumed:?}");
    let mut provenance = provenance();
    provenance.emulated = false;
    let evidence =
        host::stats::Evidence::from_records(list.records.clone(), Some(provenance)).unwrap();
    for row in host::stats::rows(&evidence) {
        let expected = match row.provider {
            "null" => 1,
            _ => 25,
        };
        assert_eq!(evidence.executions(row.subject), expected);
        let median = row.median.expect("samples");
        assert!((200_000.0..201_000.0).contains(&median), "{median}");
        assert_eq!(row.near_resolution.is_some(), expected == 1, "{row:?}");
        let says = row.notes.iter().any(|n| n.contains("25 executions"));
        assert_eq!(says, expected == 25, "{:?}", row.notes);
    }
}

/// On hardware, with a board whose firmware says `firmware`; what was recorded.
fn throttling(history: &History, firmware: fn(u32) -> Option<u32>) -> (List, Ending) {
    let mut job = job(&[Dispatch::Detected]);
    job.emulated = false;
    job.places.retain(|p| LINUX.contains(&p.place.environment));
    let mut list = List::default();
    let crews = vec![crew_on(LINUX, well, None, firmware)];
    let ending = run(&job, history, &mut list, crews);
    (list, ending)
}

fn void(records: &[Record]) -> Vec<(u32, Vec<u32>)> {
    let void = records.iter().filter_map(|r| match r {
        Record::Void {
            block, invocations, ..
        } => Some((*block, invocations.clone())),
        _ => None,
    });
    void.collect()
}

#[test]
fn a_block_in_which_the_board_was_throttled_is_void_and_measured_again() {
    // The pilot is start 0; a block is four starts.
    let (list, ending) = throttling(&History::default(), |start| {
        Some(u32::from(start == 6) << 2)
    });
    assert_eq!(ending.status, Status::Complete, "{:?}", ending.errors);
    assert_eq!(void(&list.records), [(1, vec![4, 5, 6, 7])]);
    let warned = ending.warnings.iter().filter(|w| w.contains("is void"));
    assert_eq!(warned.count(), 1, "{:?}", ending.warnings);
    // Kept, and once more than needed.
    let native = |(subject, _): &(&Subject, &u32)| subject.environment == Environment::Native;
    let times = times(&list.records);
    assert!(
        times.iter().filter(native).all(|(_, n)| *n == 12),
        "{times:?}"
    );
    let noted = list.records.iter().filter_map(|r| match r {
        Record::Conditions(c) => Some((c.invocation, c.after)),
        _ => None,
    });
    let noted: Vec<_> = noted.collect();
    let expected: Vec<_> = (0..24).flat_map(|i| [(i, false), (i, true)]).collect();
    assert_eq!(noted, expected, "at the beginning and at the end of each");

    let evidence = host::stats::Evidence::from_records(list.records.clone(), Some(provenance()))
        .expect("a provenance");
    for row in host::stats::rows(&evidence) {
        let native = row.environment == Environment::Native;
        assert_eq!(row.invocations, if native { 10 } else { 5 });
        let each = (row.iterations + row.left_out.void) / if native { 12 } else { 6 };
        assert_eq!(row.left_out.void, each * if native { 2 } else { 1 });
    }
    // A run that goes on has nothing left to do, and one that was cut before it measured again has the void block.
    let history = History::from_records(&list.records);
    let (again, _) = throttling(&history, |_| Some(0));
    assert_eq!(invocations(&again.records).len(), 0);
    let is_void = |r: &Record| matches!(r, Record::Void { .. });
    let cut = list.records.iter().position(is_void).expect("there is one");
    let history = History::from_records(&list.records[..=cut]);
    let (rest, _) = throttling(&history, |_| Some(0));
    assert_eq!(invocations(&rest.records).len(), 4 * 4);
}

#[test]
fn a_board_that_is_always_throttled_is_no_endless_loop() {
    let (list, ending) = throttling(&History::default(), |_| Some(4));
    assert_eq!(ending.status, Status::Complete, "{:?}", ending.errors);
    let times = host::bench::REPEATS as usize + 1;
    assert_eq!(void(&list.records).len(), 5 * times);
    let given_up = ending
        .warnings
        .iter()
        .filter(|w| w.contains("goes on without it"));
    assert_eq!(given_up.count(), 5, "{:?}", ending.warnings);
    let evidence = host::stats::Evidence::from_records(list.records, Some(provenance()))
        .expect("a provenance");
    for row in host::stats::rows(&evidence) {
        assert_eq!((row.iterations, row.median), (0, None));
        assert!(row.left_out.void > 0);
    }
}

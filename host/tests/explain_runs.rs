//! Candidate causes over made-up runs: which fit, which are contradicted, and when an overhead stays unexplained.
mod archive_synthetic;

use archive_synthetic::{Recipe, batches, host, json, stdout, write};
use host::explain::{BOUND, Verdict, explain};
use host::model::{Environment, Record, Subject};
use host::stats::Evidence;
use wire::catalog::{Algorithm, Operation};
use wire::message::Dispatch;

fn recipe() -> Recipe {
    Recipe {
        environments: vec![Environment::Native, Environment::Unikernel],
        dispatches: vec![Dispatch::Detected, Dispatch::Portable],
        algorithms: vec!["ML-KEM-512", "BIKE-L1", "Falcon-512"],
        iterations: 12,
        command: 12,
        ..Recipe::default()
    }
}

/// What the made-up portable code counts as often.
const PORTABLE: u64 = 20;

/// The run's records, with the counts of each subject as `factor` says, in per cent of the detected path's.
fn scaled(recipe: &Recipe, factor: impl Fn(&Subject, &str) -> u64) -> Vec<Record> {
    let mut records = recipe.records();
    for record in &mut records {
        let Record::Measured(measured) = record else {
            continue;
        };
        let name = Algorithm::by_id(measured.subject.algorithm).unwrap().name;
        let made_up = match measured.subject.dispatch {
            Dispatch::Detected => 1,
            Dispatch::Portable => PORTABLE,
        };
        let percent = factor(&measured.subject, name);
        let scale = |value: u64| value * percent / (100 * made_up);
        let samples: Vec<_> = measured
            .samples
            .iter()
            .flat_map(|batch| batch.unpack().unwrap())
            .map(|mut sample| {
                sample.count = scale(sample.count);
                sample.total = scale(sample.total);
                sample.ticks = scale(sample.ticks);
                sample
            })
            .collect();
        measured.samples = batches(measured.first, &samples);
    }
    records
}

/// What hiding the CPU's features was measured to do, in per cent.
fn hiding(subject: &Subject, name: &str) -> u64 {
    match (subject.dispatch, name, subject.operation) {
        (Dispatch::Detected, ..) => 100,
        (_, "Falcon-512", Operation::Keygen) => 200,
        (_, "Falcon-512", Operation::Sign) => 2270,
        (_, "Falcon-512", _) => 130,
        (_, "ML-KEM-512", _) => 150,
        _ => 100,
    }
}

fn evidence(recipe: &Recipe, records: Vec<Record>) -> Evidence {
    Evidence::from_records(records, Some(recipe.provenance())).unwrap()
}

fn verdict(contrast: &host::explain::Contrast, cause: &str) -> Verdict {
    let assessed = contrast.causes.iter().find(|a| a.cause == cause);
    assessed.expect("a cause of the list").verdict
}

#[test]
fn hidden_features_fit_where_every_family_does_what_they_predict() {
    let recipe = recipe();
    let explained = explain(&evidence(&recipe, scaled(&recipe, hiding)), BOUND);
    assert_eq!(
        explained.contrasts.len(),
        2,
        "portable in both environments"
    );
    for contrast in &explained.contrasts {
        assert_eq!(
            (contrast.by, contrast.candidate.as_str()),
            ("dispatch", "portable")
        );
        assert_eq!(verdict(contrast, "hidden-features"), Verdict::Fits);
        assert_eq!(verdict(contrast, "other-work"), Verdict::Absent);
        assert_eq!(
            contrast.overheads.len(),
            6,
            "three of ML-KEM, three of Falcon"
        );
        assert_eq!(contrast.overheads[0].operation, "sign");
        for overhead in &contrast.overheads {
            assert_eq!(overhead.causes, ["hidden-features"], "{overhead:?}");
        }
    }
}

#[test]
fn a_family_that_should_not_move_and_does_contradicts_a_cause() {
    let recipe = recipe();
    let records = scaled(&recipe, |subject, name| match (subject.dispatch, name) {
        (Dispatch::Portable, "BIKE-L1") => 130,
        _ => hiding(subject, name),
    });
    let explained = explain(&evidence(&recipe, records), BOUND);
    let contrast = &explained.contrasts[0];
    assert_eq!(verdict(contrast, "hidden-features"), Verdict::Contradicted);
    assert!(contrast.overheads.iter().all(|o| o.causes.is_empty()));
}

#[test]
fn an_overhead_without_a_cause_is_unexplained() {
    let recipe = recipe();
    let records = scaled(&recipe, |subject, name| match (subject.environment, name) {
        (Environment::Unikernel, "Falcon-512") => 1900,
        _ => 100,
    });
    let explained = explain(&evidence(&recipe, records.clone()), BOUND);
    for contrast in &explained.contrasts {
        assert_eq!(contrast.by, "environment");
        assert_eq!(verdict(contrast, "hidden-features"), Verdict::Absent);
        assert!(contrast.overheads.iter().all(|o| o.causes.is_empty()));
    }
    assert_eq!(explained.contrasts.len(), 2, "with either dispatch");
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &recipe.provenance(), &records);
    let said = stdout(&host(dir.path(), &["explain", "latest"]));
    assert!(said.contains("unexplained"), "{said}");
    // Nothing lies past a bound that is above them all.
    let said = stdout(&host(dir.path(), &["explain", "latest", "--bound", "20"]));
    assert!(said.contains("nothing to explain"), "{said}");
}

#[test]
fn what_is_printed_stays_as_it_is() {
    let recipe = recipe();
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &recipe.provenance(), &scaled(&recipe, hiding));
    let call = |format: &str| host(dir.path(), &["explain", "latest", "--format", format]);
    insta::assert_snapshot!("explain_table", stdout(&call("table")));
    insta::assert_snapshot!("explain_csv", stdout(&call("csv")));
    let value = json(&call("json"));
    let overhead = &value["contrasts"][0]["overheads"][0];
    for field in [
        "algorithm",
        "operation",
        "ratio",
        "ci_low",
        "ci_high",
        "causes",
        "candidate_path",
    ] {
        assert!(!overhead[field].is_null(), "{field}");
    }
    assert_eq!(value["contrasts"][0]["causes"][0]["verdict"], "fits");
    assert!(value["contrasts"][0]["causes"][0]["predictions"][0]["low"].is_number());
}

#[test]
fn bad_calls_are_named() {
    let dir = tempfile::tempdir().unwrap();
    recipe().archive(dir.path());
    for call in [
        &["explain"][..],
        &["explain", "latest", "--bound", "-1"],
        &["explain", "nothing"],
    ] {
        let output = host(dir.path(), call);
        assert_eq!(output.status.code(), Some(2), "{call:?}");
    }
}

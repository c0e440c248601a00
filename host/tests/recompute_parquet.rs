//! The archive's files, read by a program that is not ours: `docs/recompute.py` with pyarrow.
//!
//! Needs a Python that has pyarrow, named by `PQ_BENCH_PYTHON`:
//! `PQ_BENCH_PYTHON=/path/to/venv/bin/python cargo test -p host --test recompute_parquet -- --ignored`.
mod archive_synthetic;

use archive_synthetic::{Recipe, host, stdout};
use host::model::{Environment, Record, Status};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use wire::message::{Dispatch, Fault, FaultKind};

fn python() -> String {
    std::env::var("PQ_BENCH_PYTHON").expect("PQ_BENCH_PYTHON names a Python that has pyarrow")
}

fn recompute(folder: &Path, shown: &str) -> Output {
    let file = folder.with_extension("json");
    std::fs::write(&file, shown).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/recompute.py");
    Command::new(python())
        .arg(script)
        .arg(folder)
        .arg(file)
        .output()
        .unwrap()
}

/// A recipe with a bit of everything, its folder and what `archive show` says of it.
fn shown(
    archive: &Path,
    recipe: &Recipe,
    change: impl FnOnce(&mut Vec<Record>),
) -> (PathBuf, String) {
    let mut records = recipe.records();
    change(&mut records);
    let partial = archive_synthetic::write(archive, &recipe.provenance(), &records);
    let folder = host::archive::finish(&partial, Status::Complete).unwrap();
    (
        folder,
        stdout(&host(
            archive,
            &["archive", "show", recipe.run, "--format", "json"],
        )),
    )
}

#[test]
#[ignore = "recompute: needs PQ_BENCH_PYTHON, a Python that has pyarrow"]
fn a_script_of_its_own_recomputes_every_figure_of_an_emulated_run() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe {
        dispatches: vec![Dispatch::Detected, Dispatch::Portable],
        iterations: 150,
        command: 64,
        ..Recipe::default()
    };
    let (folder, shown) = shown(dir.path(), &recipe, |records| {
        let mut measured = records.iter_mut().filter_map(|r| match r {
            Record::Measured(m) => Some(m),
            _ => None,
        });
        let failed = measured.by_ref().nth(7).unwrap();
        failed.fault = Some(Fault {
            kind: FaultKind::ProviderFailed,
            iteration: 9,
            code: 1,
            address: 2,
            text: "said so".to_owned(),
        });
        let doubtful = measured.nth(5).unwrap();
        let mut samples = doubtful.samples[0].unpack().unwrap();
        samples[7].flags = wire::samples::FLAG_TAPE;
        doubtful.samples = archive_synthetic::batches(doubtful.first, &samples);
    });
    let out = recompute(&folder, &shown);
    let said = stdout(&out);
    assert!(
        out.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&out.stderr)
    );
    assert!(said.contains(" 0 differ"), "{said}");
}

#[test]
#[ignore = "recompute: needs PQ_BENCH_PYTHON, a Python that has pyarrow"]
fn a_script_of_its_own_recomputes_resampled_intervals() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe {
        emulated: false,
        board: "rpi4",
        environments: vec![Environment::Native, Environment::Container],
        algorithms: vec!["null", "Falcon-512"],
        invocations: 5,
        iterations: 12,
        ..Recipe::default()
    };
    let (folder, shown) = shown(dir.path(), &recipe, |_| {});
    let out = recompute(&folder, &shown);
    assert!(
        out.status.success(),
        "{}{}",
        stdout(&out),
        String::from_utf8_lossy(&out.stderr)
    );
}

#[test]
#[ignore = "recompute: needs PQ_BENCH_PYTHON, a Python that has pyarrow"]
fn a_script_of_its_own_leaves_void_blocks_out() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe {
        emulated: false,
        board: "rpi4",
        environments: vec![Environment::Native, Environment::Container],
        algorithms: vec!["null", "Falcon-512"],
        invocations: 6,
        iterations: 12,
        in_blocks: true,
        ..Recipe::default()
    };
    let (folder, shown) = shown(dir.path(), &recipe, |records| {
        let turns = records.iter().filter_map(|r| match r {
            Record::Turn(turn) if turn.block == 2 => Some(turn.invocation),
            _ => None,
        });
        let invocations: Vec<u32> = turns.collect();
        assert!(invocations.len() > 1);
        let void = Record::Void {
            block: 2,
            invocations,
            reason: "the firmware says so".to_owned(),
        };
        records.insert(records.len() - 1, void);
    });
    assert!(shown.contains("the firmware says so"), "{shown}");
    let out = recompute(&folder, &shown);
    let said = stdout(&out);
    assert!(
        out.status.success() && said.contains(" 0 differ"),
        "{said}{}",
        String::from_utf8_lossy(&out.stderr)
    );
}

/// Many distinct draws, between whose order statistics is interpolated, and key pairs that iterations share: once too few of them to
/// resample, once enough.
#[test]
#[ignore = "recompute: needs PQ_BENCH_PYTHON, a Python that has pyarrow"]
fn a_script_of_its_own_recomputes_interpolated_and_clustered_intervals() {
    for (keys, in_blocks) in [(3, false), (8, false), (34, false), (8, true)] {
        let dir = tempfile::tempdir().unwrap();
        let recipe = Recipe {
            emulated: false,
            board: "rpi4",
            environments: vec![Environment::Native],
            algorithms: vec!["Falcon-512"],
            invocations: if in_blocks { 3 } else { 1 },
            iterations: 34,
            command: 34,
            keys,
            in_blocks,
            ..Recipe::default()
        };
        let (folder, shown) = shown(dir.path(), &recipe, |_| {});
        let out = recompute(&folder, &shown);
        assert!(
            out.status.success(),
            "{keys} keys: {}{}",
            stdout(&out),
            String::from_utf8_lossy(&out.stderr)
        );
    }
}

#[test]
#[ignore = "recompute: needs PQ_BENCH_PYTHON, a Python that has pyarrow"]
fn one_changed_figure_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, shown) = shown(dir.path(), &Recipe::default(), |_| {});
    for field in ["median", "ci_high", "total", "stack_bytes"] {
        let mut value: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let figure = &mut value["rows"][9][field];
        *figure = (figure.as_f64().unwrap() + 1.0).into();
        let out = recompute(&folder, &value.to_string());
        assert_eq!(out.status.code(), Some(1), "{field}");
        assert!(
            stdout(&out).contains(field) && stdout(&out).contains(" 1 differ"),
            "{}",
            stdout(&out)
        );
    }
}

#[test]
#[ignore = "recompute: needs PQ_BENCH_PYTHON, a Python that has pyarrow"]
fn the_schema_is_the_documented_one() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Recipe::default().archive(dir.path());
    let code = "import sys, pyarrow.parquet as pq\nfor f in sys.argv[1:]:\n  for c in pq.read_schema(f): print(c.name, c.type, c.nullable)";
    let out = Command::new(python())
        .args(["-c", code])
        .args([
            folder.join("samples.parquet"),
            folder.join("operations.parquet"),
        ])
        .output()
        .unwrap();
    let schema = stdout(&out);
    insta::assert_snapshot!("schema", schema);
    let docs =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/archive.md"))
            .unwrap();
    for line in schema.lines() {
        let name = line.split(' ').next().unwrap();
        assert!(
            docs.contains(&format!("`{name}`")),
            "docs/archive.md lacks {name}"
        );
    }
}

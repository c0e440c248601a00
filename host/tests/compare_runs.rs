//! The command line over archives: what is printed, what is refused, and with which status.
mod archive_synthetic;

use archive_synthetic::{Recipe, host, json, stderr, stdout, write};
use host::archive;
use host::compare::{Agreement, same_work};
use host::model::{Environment, Record, Status};
use host::report::summary;
use wire::message::Dispatch;

fn small() -> Recipe {
    Recipe {
        iterations: 12,
        command: 12,
        ..Recipe::default()
    }
}

#[test]
fn show_prints_environments_side_by_side() {
    let dir = tempfile::tempdir().unwrap();
    small().archive(dir.path());
    insta::assert_snapshot!(
        "show_table",
        stdout(&host(dir.path(), &["archive", "show", "latest"]))
    );
    let md = stdout(&host(
        dir.path(),
        &["--format", "md", "archive", "show", "latest"],
    ));
    insta::assert_snapshot!("show_md", md);
}

#[test]
fn show_as_json_has_every_documented_field() {
    let dir = tempfile::tempdir().unwrap();
    Recipe {
        algorithms: vec!["Falcon-512"],
        environments: vec![Environment::Native],
        ..small()
    }
    .archive(dir.path());
    let out = stdout(&host(
        dir.path(),
        &["archive", "show", "latest", "--format", "json"],
    ));
    insta::assert_snapshot!("show_json", out);
    let shown: serde_json::Value = serde_json::from_str(&out).unwrap();
    for field in [
        "board",
        "environment",
        "dispatch",
        "stack",
        "provider",
        "algorithm",
        "operation",
        "iterations",
        "invocations",
        "clock",
        "scope",
        "median",
        "mean",
        "ci_low",
        "ci_high",
        "p05",
        "p95",
        "total",
        "nanoseconds",
        "stack_bytes",
        "heap_bytes",
        "digest",
    ] {
        assert!(shown["rows"][0].get(field).is_some(), "{field}");
    }
    let csv = stdout(&host(
        dir.path(),
        &["archive", "show", "latest", "--format", "csv"],
    ));
    insta::assert_snapshot!("show_csv", csv);
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    for (field, value) in shown["rows"][0].as_object().unwrap() {
        let there = match value {
            serde_json::Value::Object(inner) => inner
                .keys()
                .all(|k| head.contains(&format!("{field}.{k}").as_str())),
            _ => head.contains(&field.as_str()),
        };
        assert!(there, "the CSV lacks {field}");
    }
}

#[test]
fn list_prints_runs() {
    let dir = tempfile::tempdir().unwrap();
    small().archive(dir.path());
    Recipe {
        run: "20260101-130000-bbbb",
        started: "2026-01-01T13:00:00Z",
        status: Some(Status::Interrupted),
        ..small()
    }
    .archive(dir.path());
    let list = json(&host(dir.path(), &["archive", "list", "--format", "json"]));
    let statuses: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["complete", "interrupted"]);
    assert_eq!(list[0]["rows"], 36);
    let text = stdout(&host(dir.path(), &["archive", "list"]));
    assert!(
        text.contains("bare-metal native container unikernel"),
        "{text}"
    );
}

#[test]
fn algorithms_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    let list = json(&host(dir.path(), &["algorithms", "--format", "json"]));
    let list = list.as_array().unwrap();
    assert!(list.len() >= 89, "{}", list.len());
    for field in [
        "algorithm",
        "family",
        "provider",
        "operations",
        "level",
        "standard",
        "random_time",
        "dispatches",
        "sizes",
        "tls",
    ] {
        assert!(list.iter().all(|a| a.get(field).is_some()), "{field}");
    }
    let dispatches = |name: &str| {
        let found = list.iter().find(|a| a["algorithm"] == name).unwrap();
        found["dispatches"].as_array().unwrap().len()
    };
    let two = [
        "ML-KEM-768",
        "Falcon-512",
        "MAYO-1",
        "UOV-Is",
        "Kyber768",
        "Dilithium2",
        "FrodoKEM-640-AES",
        "SPHINCS+-SHA2-128f",
    ];
    assert!(two.iter().all(|name| dispatches(name) == 2));
    let one = [
        "ML-DSA-65",
        "BIKE-L1",
        "HQC-128",
        "FrodoKEM-640-SHAKE",
        "SPHINCS+-SHAKE-128f",
        "X25519",
    ];
    assert!(one.iter().all(|name| dispatches(name) == 1));
    assert!(stdout(&host(dir.path(), &["algorithms"])).contains("Classic-McEliece-8192128f"));
}

#[test]
fn environments_are_compared_against_native_in_pairs() {
    let dir = tempfile::tempdir().unwrap();
    small().archive(dir.path());
    let out = host(dir.path(), &["compare", "latest", "--format", "json"]);
    assert!(out.status.success(), "{}", stderr(&out));
    let ratios = json(&out);
    let ratios = ratios.as_array().unwrap();
    // Three environments against native, eight operations; null is left out.
    assert_eq!(ratios.len(), 24);
    assert!(
        ratios
            .iter()
            .all(|r| r["baseline"] == "native" && r["paired"] == true && r["same_outputs"] == true)
    );
    let bare = ratios
        .iter()
        .find(|r| r["candidate"] == "bare-metal")
        .unwrap();
    assert_eq!(
        (bare["ratio"].as_f64(), bare["ci_low"].as_f64()),
        (Some(1.0), Some(1.0))
    );
    let text = stdout(&host(dir.path(), &["compare", "latest"]));
    assert!(text.contains("same work was done"), "{text}");
    insta::assert_snapshot!("compare_table", text);
}

#[test]
fn every_list_has_its_fields_as_csv() {
    let dir = tempfile::tempdir().unwrap();
    small().archive(dir.path());
    for arguments in [
        vec!["algorithms"],
        vec!["archive", "list"],
        vec!["compare", "latest"],
    ] {
        let with = |format: &'static str| {
            host(
                dir.path(),
                &[&arguments[..], &["--format", format]].concat(),
            )
        };
        let csv = stdout(&with("csv"));
        let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        let json = json(&with("json"));
        assert_eq!(csv.lines().count(), json.as_array().unwrap().len() + 1);
        for (field, value) in json[0].as_object().unwrap() {
            let there = match value {
                serde_json::Value::Object(inner) => inner
                    .keys()
                    .all(|k| head.contains(&format!("{field}.{k}").as_str())),
                _ => head.contains(&field.as_str()),
            };
            assert!(there, "{arguments:?}: the CSV lacks {field}");
        }
    }
}

#[test]
fn dispatches_are_compared_and_a_bound_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    Recipe {
        dispatches: vec![Dispatch::Detected, Dispatch::Portable],
        ..small()
    }
    .archive(dir.path());
    let out = host(
        dir.path(),
        &["compare", "latest", "--by", "dispatch", "--fail-above", "5"],
    );
    assert_eq!(out.status.code(), Some(1));
    assert!(
        stderr(&out).contains("Falcon-512 sign: portable is 20.0"),
        "{}",
        stderr(&out)
    );
    let fine = host(
        dir.path(),
        &[
            "compare",
            "latest",
            "--by",
            "dispatch",
            "--fail-above",
            "21",
        ],
    );
    assert!(fine.status.success(), "{}", stderr(&fine));
}

#[test]
fn bad_calls_of_compare() {
    let dir = tempfile::tempdir().unwrap();
    Recipe {
        environments: vec![Environment::Native],
        ..small()
    }
    .archive(dir.path());
    for (arguments, words) in [
        (vec!["compare"], "RUN"),
        (vec!["compare", "nosuchrun"], "nosuchrun"),
        (vec!["compare", "latest"], "more than one environment"),
        (vec!["compare", "latest", "--by", "run"], "several runs"),
        (
            vec!["compare", "latest", "latest", "--by", "environment"],
            "within one run",
        ),
        (
            vec!["compare", "latest", "latest", "--by", "board"],
            "--by run",
        ),
        (vec!["compare", "latest", "--by", "liboqs"], "several runs"),
        (
            vec!["compare", "latest", "--fail-above", "nan"],
            "positive number",
        ),
    ] {
        let out = host(dir.path(), &arguments);
        assert_eq!(
            out.status.code(),
            Some(2),
            "{arguments:?}: {}",
            stderr(&out)
        );
        assert!(
            stderr(&out).contains(words),
            "{arguments:?}: {}",
            stderr(&out)
        );
    }
}

#[test]
fn runs_are_compared_and_an_emulation_is_never_held_against_hardware() {
    let dir = tempfile::tempdir().unwrap();
    small().archive(dir.path());
    Recipe {
        run: "20260101-130000-bbbb",
        started: "2026-01-01T13:00:00Z",
        ..small()
    }
    .archive(dir.path());
    let same = host(
        dir.path(),
        &[
            "compare",
            "20260101-12",
            "20260101-13",
            "--format",
            "json",
            "--fail-above",
            "1.0",
        ],
    );
    assert!(same.status.success(), "{}", stderr(&same));
    assert!(
        json(&same)
            .as_array()
            .unwrap()
            .iter()
            .all(|r| r["ratio"] == 1.0 && r["paired"] == true)
    );
    // Another seed draws other work: no pairs.
    Recipe {
        run: "20260101-140000-cccc",
        seed: 9,
        ..small()
    }
    .archive(dir.path());
    let other = host(
        dir.path(),
        &["compare", "20260101-12", "20260101-14", "--format", "json"],
    );
    assert!(
        json(&other)
            .as_array()
            .unwrap()
            .iter()
            .all(|r| r["paired"] == false)
    );
    let real = Recipe {
        run: "real",
        board: "rpi4",
        emulated: false,
        environments: vec![Environment::Native],
        ..small()
    };
    real.archive(dir.path());
    let refused = host(
        dir.path(),
        &["compare", "20260101-12", "real", "--by", "board"],
    );
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).contains("qemu-virt is emulated and rpi4 is not"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn runs_with_two_versions_of_liboqs_are_compared_by_it() {
    let dir = tempfile::tempdir().unwrap();
    let native = Recipe {
        environments: vec![Environment::Native],
        ..small()
    };
    native.archive(dir.path());
    let general = Recipe {
        run: "general",
        liboqs: "0.13.0, general registers only",
        ..native
    };
    general.archive(dir.path());
    let by = ["--by", "liboqs"];
    let runs = ["compare", "20260101-12", "general"];
    let compared = json(&host(
        dir.path(),
        &[&runs[..], &by, &["--format", "json"]].concat(),
    ));
    let ratios = compared.as_array().unwrap();
    assert!(!ratios.is_empty());
    for ratio in ratios {
        assert_eq!(ratio["baseline"], "0.13.0");
        assert_eq!(ratio["candidate"], "0.13.0, general registers only");
    }
    let same = host(
        dir.path(),
        &["compare", "general", "general", "--by", "liboqs"],
    );
    assert_eq!(same.status.code(), Some(2));
    assert!(
        stderr(&same).contains("with liboqs 0.13.0, general"),
        "{}",
        stderr(&same)
    );
}

#[test]
fn unequal_scopes_of_hardware_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    Recipe {
        emulated: false,
        board: "rpi4",
        environments: vec![Environment::Native, Environment::Unikernel],
        ..small()
    }
    .archive(dir.path());
    let out = host(dir.path(), &["compare", "latest"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        stderr(&out).contains("the scopes differ: cycles of user against cycles of guest"),
        "{}",
        stderr(&out)
    );
}

#[test]
fn hardware_with_enough_invocations_has_resampled_intervals() {
    let dir = tempfile::tempdir().unwrap();
    Recipe {
        emulated: false,
        board: "rpi4",
        environments: vec![Environment::Native, Environment::Container],
        invocations: 5,
        ..small()
    }
    .archive(dir.path());
    let shown = json(&host(
        dir.path(),
        &["archive", "show", "latest", "--format", "json"],
    ));
    let rows = shown["rows"].as_array().unwrap();
    assert!(rows.iter().filter(|r| r["provider"] != "null").all(|r| {
        let value = |name: &str| r[name].as_f64().unwrap();
        r["invocations"] == 5
            && value("ci_low") < value("median")
            && value("median") < value("ci_high")
            && value("nanoseconds") > 0.0
    }));
    let ratios = json(&host(
        dir.path(),
        &["compare", "latest", "--format", "json"],
    ));
    for ratio in ratios.as_array().unwrap() {
        let (low, high) = (
            ratio["ci_low"].as_f64().unwrap(),
            ratio["ci_high"].as_f64().unwrap(),
        );
        assert!(
            low < high && low < 1.05 && high > 0.95 && ratio["paired"] == true,
            "{ratio}"
        );
    }
    // Three invocations are neither one nor enough.
    let few = Recipe {
        run: "few",
        invocations: 3,
        emulated: false,
        board: "rpi4",
        ..small()
    };
    few.archive(dir.path());
    let shown = json(&host(
        dir.path(),
        &["archive", "show", "few", "--format", "json"],
    ));
    assert!(shown["rows"].as_array().unwrap().iter().any(|r| {
        r["ci_reason"]
            .as_str()
            .is_some_and(|t| t.contains("3 invocations"))
    }));
}

#[test]
fn the_summary_shows_counts_and_the_same_work_check() {
    let dir = tempfile::tempdir().unwrap();
    Recipe {
        dispatches: vec![Dispatch::Detected, Dispatch::Portable],
        ..small()
    }
    .archive(dir.path());
    let run = archive::open(dir.path(), "latest").unwrap();
    let rows = run.rows();
    let work = same_work(&run.evidence, &rows);
    assert!(work.agrees() && work.disagreements().is_empty());
    insta::assert_snapshot!("summary", summary(&run.evidence, &rows, &work, false));
    assert!(summary(&run.evidence, &rows, &work, true).contains("\x1b[32m✓"));
}

#[test]
fn outputs_that_differ_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = small();
    let mut records = recipe.records();
    let container = records.iter_mut().filter_map(|r| match r {
        Record::Measured(m) if m.subject.environment == Environment::Container => Some(m),
        _ => None,
    });
    let changed = container.into_iter().nth(5).unwrap();
    changed.digest.as_mut().unwrap().sha256[0] ^= 1;
    let partial = write(dir.path(), &recipe.provenance(), &records);
    archive::finish(&partial, Status::Complete).unwrap();
    let run = archive::open(dir.path(), "latest").unwrap();
    let rows = run.rows();
    let work = same_work(&run.evidence, &rows);
    let [said] = work.disagreements().try_into().unwrap();
    assert!(
        said.starts_with("Falcon-512 sign liboqs: outputs of iterations 0 to 11 differ: "),
        "{said}"
    );
    assert!(said.contains("container (invocation 2) gave"), "{said}");
    let different = work
        .operations
        .iter()
        .filter(|o| matches!(o.digests, Agreement::Different(_)))
        .count();
    assert_eq!((work.agrees(), different), (false, 1));
    let text = summary(&run.evidence, &rows, &work, false);
    assert!(
        text.contains("✗ outputs differ") && text.contains("✗ Falcon-512 sign"),
        "{text}"
    );
    // No pairs where the work was not the same.
    let ratios = json(&host(
        dir.path(),
        &["compare", "latest", "--format", "json"],
    ));
    let unpaired = ratios
        .as_array()
        .unwrap()
        .iter()
        .filter(|r| r["paired"] == false)
        .count();
    assert_eq!(unpaired, 1);
}

/// A run in blocks: the second arm of `native` says what the run can see, and drift is warned of.
#[test]
fn a_run_on_hardware_shows_its_floor_and_its_drift() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe {
        emulated: false,
        board: "rpi4",
        environments: vec![Environment::Native, Environment::Container],
        algorithms: vec!["ML-KEM-768", "X25519"],
        invocations: 5,
        iterations: 12,
        keys: 12,
        in_blocks: true,
        ..Recipe::default()
    };
    recipe.archive(dir.path());
    let shown = json(&host(
        dir.path(),
        &["archive", "show", "latest", "--format", "json"],
    ));
    let rows = shown["rows"].as_array().unwrap();
    for row in rows {
        let expected = if row["environment"] == "native" {
            10
        } else {
            5
        };
        assert_eq!(
            row["invocations"], expected,
            "both arms are the same place: {row}"
        );
    }
    let arms = shown["run"]["arms"].as_array().unwrap();
    assert_eq!(arms.len(), 5, "an operation each");
    for arm in arms {
        let (low, high) = (
            arm["ci_low"].as_f64().unwrap(),
            arm["ci_high"].as_f64().unwrap(),
        );
        assert!(low < 1.0 && 1.0 < high, "{arm}");
        assert!(arm["floor"].as_f64().unwrap() > 0.0);
    }
    let drift = &shown["run"]["drift"];
    assert_eq!(drift["looks"].as_array().unwrap().len(), 15);
    assert!(drift["trend"].as_f64().unwrap() > 0.05, "{drift}");
    assert!(drift["warning"].as_str().unwrap().contains("drifted"));
    let invocation = &shown["run"]["invocations"][1];
    assert!(invocation["block"].is_u64() && invocation["arm"].is_u64());

    let compared = json(&host(
        dir.path(),
        &["compare", "latest", "--format", "json"],
    ));
    assert!(
        compared
            .as_array()
            .unwrap()
            .iter()
            .all(|c| c["floor"].is_f64())
    );
    let table = stdout(&host(dir.path(), &["compare", "latest"]));
    assert!(
        table.contains("the smallest overhead that this run can see"),
        "{table}"
    );
    let table = stdout(&host(dir.path(), &["archive", "show", "latest"]));
    assert!(table.contains("warning: the machine drifted"), "{table}");
    assert!(
        table.contains("native/detected/shared against itself"),
        "{table}"
    );
}

/// With features hidden, and with what the board told of memory.
#[test]
fn show_prints_code_paths_and_memory_by_environment() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe {
        algorithms: vec!["BIKE-L1", "Falcon-512"],
        environments: vec![Environment::Native, Environment::Unikernel],
        dispatches: vec![Dispatch::Detected, Dispatch::Portable],
        ..small()
    };
    let mut records = recipe.records();
    let facts = [
        ("static.liboqs.Falcon-512", "173268+47770"),
        ("image.linux.bytes", "4024188"),
        ("image.bare.bytes", "4033048"),
        ("image.bare.memory_mib", "77"),
        ("guest.memory_mib", "128"),
        ("footprint.native/detected/shared.asked", "1000"),
        ("footprint.native/detected/shared.entered", "51000"),
        ("footprint.native/detected/shared.ready", "91000"),
        ("footprint.native/detected/shared.read_only", "4013640"),
        ("footprint.native/detected/shared.writable", "73609524"),
        ("footprint.native/detected/shared.resident", "77733888"),
        ("footprint.native/detected/shared.peak", "77516800"),
        ("footprint.native/detected/shared.start.peak", "74182656"),
        ("footprint.unikernel/detected/shared.asked", "1000"),
        ("footprint.unikernel/detected/shared.entered", "70"),
        ("footprint.unikernel/detected/shared.read_only", "3979516"),
        (
            "footprint.unikernel/detected/shared.process.VmHWM",
            "126824448",
        ),
    ];
    records.extend(facts.map(|(key, value)| Record::Fact {
        key: key.to_owned(),
        value: value.to_owned(),
    }));
    write(dir.path(), &recipe.provenance(), &records);
    let shown = stdout(&host(dir.path(), &["archive", "show", "latest"]));
    insta::assert_snapshot!("show_sections", shown);
}

//! A run's way from records to a finished archive, and what happens when that way is cut.
mod archive_synthetic;

use archive_synthetic::{Recipe, digest, entries, host, json, stderr, stdout, write};
use host::archive::{self, Defect, JOURNAL, Journal};
use host::model::{Environment, Record, Status};
use host::stats::{Evidence, rows};
use proptest::prelude::*;
use std::fs;
use wire::message::{Fault, FaultKind};

const FILES: [&str; 6] = [
    "SHA256SUMS",
    "journal.bin",
    "log.txt",
    "manifest.json",
    "operations.parquet",
    "samples.parquet",
];

#[test]
fn a_finished_run_has_every_file_and_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Recipe::default().archive(dir.path());
    assert_eq!(folder, dir.path().join("20260101-120000-aaaa"));
    assert!(!dir.path().join("20260101-120000-aaaa.partial").exists());
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, FILES);
    let verdict = archive::verify(&folder).unwrap();
    assert_eq!(verdict.findings, []);
    // 4 environments, 1 + 3 + 3 + 2 operations, 22 iterations.
    assert_eq!(verdict.samples, 4 * 9 * 22);
    let out = host(dir.path(), &["archive", "verify", "latest"]);
    assert!(out.status.success(), "{}", stderr(&out));
}

#[test]
fn sums_are_checked_by_the_tool_that_everybody_has() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Recipe::default().archive(dir.path());
    let check = std::process::Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(check.status.success(), "{}", stdout(&check));
}

#[test]
fn the_manifest_says_what_each_target_found() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Recipe::default().archive(dir.path());
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["schema"], 1);
    assert_eq!(manifest["status"], "complete");
    assert_eq!(manifest["run"]["facts"]["liboqs"], "0.13.0");
    assert_eq!(
        manifest["run"]["facts"]["qemu.command"],
        "qemu-system-aarch64 -M virt"
    );
    let unikernel = &manifest["invocations"][3];
    assert_eq!(unikernel["environment"], "unikernel");
    assert_eq!(unikernel["surroundings"]["hypervisor"], "KVM");
    assert_eq!(unikernel["clocks"]["count"]["counts"], "instructions");
    assert_eq!(unikernel["clocks"]["ticks"]["hz"], 62_500_000);
    assert_eq!(unikernel["boot"], "04".repeat(16));
    assert_eq!(manifest["invocations"][2]["surroundings"]["seccomp"], 2);
    let harness = manifest["harness"].as_array().unwrap();
    assert_eq!(harness.len(), 4);
    assert!(
        harness
            .iter()
            .all(|h| h["count"] == 21.0 && h["ticks"] == 27.0)
    );
}

#[test]
fn totals_come_from_the_ticks_where_no_counter_sees_them() {
    let dir = tempfile::tempdir().unwrap();
    Recipe::default().archive(dir.path());
    let shown = json(&host(
        dir.path(),
        &["archive", "show", "latest", "--format", "json"],
    ));
    for row in shown["rows"].as_array().unwrap() {
        let source = if row["environment"] == "bare-metal" {
            "counter"
        } else {
            "ticks"
        };
        assert_eq!(row["total_source"], source, "{row}");
        assert!(row["total"].as_f64() >= row["median"].as_f64());
        assert!(row["nanoseconds"].is_null());
    }
}

#[test]
fn a_flipped_bit_in_any_file_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Recipe::default().archive(dir.path());
    for name in FILES {
        let path = folder.join(name);
        let whole = fs::read(&path).unwrap();
        // Near the beginning, in the middle and near the end.
        for at in [5, whole.len() / 3, whole.len() / 2, whole.len() - 3] {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x04;
            fs::write(&path, &damaged).unwrap();
            let out = host(dir.path(), &["archive", "verify", "latest"]);
            let said = stderr(&out);
            assert_eq!(out.status.code(), Some(1), "{name} at {at}: {said}");
            assert!(
                said.contains(name) && !said.contains("panicked"),
                "{name} at {at}: {said}"
            );
            assert!(said.contains("--repair"), "no cure: {said}");
            let show = host(dir.path(), &["archive", "show", "latest"]);
            assert!(stderr(&show).contains("warning"), "{name} at {at}");
        }
        fs::write(&path, &whole).unwrap();
    }
    assert_eq!(archive::verify(&folder).unwrap().findings, []);
}

/// A page that does not unpack is damage, and not the disk's failure.
#[test]
fn every_byte_of_the_samples_is_watched() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Recipe::default().archive(dir.path());
    let path = folder.join("samples.parquet");
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(13) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x40;
        fs::write(&path, &damaged).unwrap();
        let findings = archive::verify(&folder)
            .unwrap_or_else(|error| panic!("byte {at}: {error}"))
            .findings;
        assert!(
            findings.iter().any(|f| f.file == "samples.parquet"),
            "byte {at}"
        );
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_figures_are_shown_without_it() {
    for name in FILES {
        let dir = tempfile::tempdir().unwrap();
        let folder = Recipe::default().archive(dir.path());
        fs::remove_file(folder.join(name)).unwrap();
        if name == JOURNAL {
            let findings = archive::verify(&folder).unwrap().findings;
            assert!(findings.iter().any(|f| f.file == name), "{findings:?}");
            assert!(!findings[0].cure.contains("--repair"), "{findings:?}");
            continue;
        }
        fs::create_dir(folder.join(name)).unwrap();
        let findings = archive::verify(&folder).unwrap().findings;
        assert!(findings.iter().any(|f| f.file == name), "{findings:?}");
        assert!(archive::open_folder(&folder).is_ok(), "{name}");
    }
}

/// What is said to nobody, or to a full disk, changes no exit status.
#[test]
fn outputs_that_cannot_be_written_are_no_panic() {
    let dir = tempfile::tempdir().unwrap();
    Recipe::default().archive(dir.path());
    let full = || {
        let device = fs::OpenOptions::new().write(true).open("/dev/full");
        std::process::Stdio::from(device.unwrap())
    };
    let run = |arguments: &[&str], out, err| {
        let mut host = std::process::Command::new(env!("CARGO_BIN_EXE_host"));
        host.arg("--archive").arg(dir.path()).args(arguments);
        host.stdout(out).stderr(err).status().unwrap().code()
    };
    let null = std::process::Stdio::null;
    for arguments in [
        ["boards", "-q"].as_slice(),
        &["boards", "--format", "csv"],
        &["boards", "--format", "json"],
        &["setup", "--check"],
        &["algorithms"],
        &["archive", "list"],
    ] {
        assert_eq!(run(arguments, full(), full()), Some(1), "{arguments:?}");
    }
    assert_eq!(run(&["archive", "show", "none"], null(), full()), Some(2));
    assert_eq!(run(&["archive", "show", "latest"], null(), full()), Some(0));
}

#[test]
fn a_complete_run_is_not_gone_on_with_and_no_cause_is_said_twice() {
    let dir = tempfile::tempdir().unwrap();
    Recipe::default().archive(dir.path());
    let resume = ["flash-and-bench", "--dry-run", "--resume", "latest"];
    let out = host(dir.path(), &resume);
    assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
    let out = host(std::path::Path::new("/dev/null"), &["archive", "list"]);
    let said = stderr(&out);
    assert_eq!(said.matches("os error").count(), 1, "{said}");
}

#[test]
fn a_changed_sample_is_found_even_where_the_sums_were_made_to_fit() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Recipe::default().archive(dir.path());
    let other = tempfile::tempdir().unwrap();
    let forged = Recipe {
        seed: 8,
        ..Recipe::default()
    }
    .archive(other.path());
    for name in ["samples.parquet", "manifest.json", "SHA256SUMS"] {
        fs::copy(forged.join(name), folder.join(name)).unwrap();
    }
    let findings = archive::verify(&folder).unwrap().findings;
    assert!(
        findings
            .iter()
            .any(|f| f.file == "samples.parquet" && f.what.contains("column count")),
        "{findings:?}"
    );
}

#[test]
fn repair_makes_everything_but_the_journal_anew() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Recipe::default().archive(dir.path());
    let before = stdout(&host(
        dir.path(),
        &["archive", "show", "latest", "--format", "json"],
    ));
    for name in FILES.iter().filter(|name| **name != JOURNAL) {
        fs::write(folder.join(name), b"nonsense").unwrap();
    }
    let out = host(dir.path(), &["archive", "verify", "latest", "--repair"]);
    assert!(out.status.success(), "{}", stderr(&out));
    let after = stdout(&host(
        dir.path(),
        &["archive", "show", "latest", "--format", "json"],
    ));
    assert_eq!(before, after);
}

#[test]
fn repair_after_a_loss_in_the_journal_keeps_the_tables_that_still_hold_it() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Recipe::default().archive(dir.path());
    let journal = folder.join(JOURNAL);
    let mut bytes = fs::read(&journal).unwrap();
    let (begin, end) = entries(&folder)[10];
    bytes[(begin + end) / 2] ^= 1;
    fs::write(&journal, bytes).unwrap();
    let findings = archive::verify(&folder).unwrap().findings;
    assert!(
        findings
            .iter()
            .any(|f| f.file == JOURNAL && f.offset == Some(begin as u64)),
        "{findings:?}"
    );
    let out = host(dir.path(), &["archive", "verify", "latest", "--repair"]);
    assert!(out.status.success(), "{}", stderr(&out));
    assert!(
        stderr(&out).contains(&format!("offset {begin}")),
        "the loss is owned up to: {}",
        stderr(&out)
    );
    for name in ["samples.parquet", "operations.parquet", "manifest.json"] {
        assert!(
            folder.join(format!("{name}.before-repair")).exists(),
            "{name}"
        );
    }
    let show = host(dir.path(), &["archive", "show", "latest"]);
    assert!(
        show.status.success() && stderr(&show).contains("lost part"),
        "{}",
        stderr(&show)
    );
}

#[test]
fn a_lost_first_record_is_replaced_by_the_manifest() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Recipe::default().archive(dir.path());
    let journal = folder.join(JOURNAL);
    let mut bytes = fs::read(&journal).unwrap();
    let (begin, _) = entries(&folder)[1];
    bytes[begin + 20] ^= 1;
    fs::write(&journal, bytes).unwrap();
    let run = archive::open(dir.path(), "latest").unwrap();
    assert_eq!(run.evidence.provenance.board, "qemu-virt");
    assert_eq!(run.rows().len(), 36);
    assert!(!run.warnings.is_empty());
}

#[test]
fn samples_whose_invocation_is_lost_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe::default();
    let mut records = recipe.records();
    records.retain(|r| !matches!(r, Record::Invocation(i) if i.environment == Environment::Native));
    let partial = write(dir.path(), &recipe.provenance(), &records);
    archive::finish(&partial, Status::Complete).unwrap();
    let out = host(dir.path(), &["archive", "verify", "latest"]);
    assert!(
        out.status.success() && stderr(&out).contains("start of invocation 1"),
        "{}",
        stderr(&out)
    );
    let rows = archive::open(dir.path(), "latest").unwrap().rows();
    assert_eq!(rows.len(), 27);
    assert!(rows.iter().all(|r| r.environment != Environment::Native));
}

#[test]
fn a_killed_host_leaves_a_run_that_is_listed_shown_and_repaired() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe {
        status: None,
        ..Recipe::default()
    };
    let partial = recipe.journal(dir.path());
    let bytes = fs::read(partial.join(JOURNAL)).unwrap();
    fs::write(partial.join(JOURNAL), &bytes[..bytes.len() - 7]).unwrap();

    let list = stdout(&host(dir.path(), &["archive", "list"]));
    assert!(list.contains("cut, not finished"), "{list}");
    let show = host(
        dir.path(),
        &["archive", "show", "latest", "--format", "json"],
    );
    assert_eq!(json(&show)["run"]["status"], "cut");
    assert_eq!(json(&show)["rows"].as_array().unwrap().len(), 36);
    let verify = host(dir.path(), &["archive", "verify", "latest"]);
    assert_eq!(verify.status.code(), Some(1));
    assert!(
        stderr(&verify).contains("--repair") && stderr(&verify).contains("cut short"),
        "{}",
        stderr(&verify)
    );
    let repair = host(dir.path(), &["archive", "verify", "latest", "--repair"]);
    assert!(repair.status.success(), "{}", stderr(&repair));
    assert!(!partial.exists());
    let list = json(&host(dir.path(), &["archive", "list", "--format", "json"]));
    assert_eq!(
        (&list[0]["status"], &list[0]["finished"]),
        (&"cut".into(), &true.into())
    );
}

#[test]
fn a_run_that_was_interrupted_is_resumed_and_repeats_are_resolved() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe {
        status: Some(Status::Interrupted),
        ..Recipe::default()
    };
    let folder = recipe.archive(dir.path());
    let mut journal = Journal::resume(&folder).unwrap();
    assert!(!folder.exists() && journal.folder().exists());
    // The same command again, first broken off by a fault, then whole: with other counts, so that it shows which one counts.
    let (_, whole) = commands_again(&recipe, 1_000);
    let (mut broken, _) = commands_again(&recipe, 9_000_000);
    broken.fault = Some(fault());
    journal.append(&Record::Measured(whole)).unwrap();
    journal.append(&Record::Measured(broken)).unwrap();
    journal
        .append(&Record::End {
            status: Status::Complete,
            milliseconds: 1,
        })
        .unwrap();
    let partial = journal.folder().to_owned();
    drop(journal);
    let finished = archive::finish(&partial, Status::Complete).unwrap();
    assert_eq!(finished, folder);
    assert_eq!(archive::verify(&folder).unwrap().findings, []);
    let run = archive::open(dir.path(), "latest").unwrap();
    assert_eq!(run.evidence.status, Status::Complete);
    assert_eq!(run.evidence.milliseconds, 1235);
    let row = &run.rows()[1];
    assert_eq!(
        (row.environment, row.algorithm.as_str()),
        (Environment::Native, "null")
    );
    assert_eq!(
        (row.median, row.iterations, row.faults.len()),
        (Some(1_000.0), 20, 1)
    );
    assert!(matches!(
        Journal::resume(&folder),
        Err(archive::Error::Complete(_))
    ));
}

fn fault() -> Fault {
    Fault {
        kind: FaultKind::WrongResult,
        iteration: 3,
        code: 0,
        address: 0,
        text: "wrong secret".to_owned(),
    }
}

/// The null command of the native invocation, with all counts set: twice, for two owners.
fn commands_again(recipe: &Recipe, count: u64) -> (host::model::Measured, host::model::Measured) {
    let mut measured = recipe
        .records()
        .into_iter()
        .find_map(|r| match r {
            Record::Measured(m) if m.subject.environment == Environment::Native => Some(m),
            _ => None,
        })
        .unwrap();
    let samples = vec![
        wire::samples::Sample {
            count,
            total: count,
            ticks: count,
            flags: 0
        };
        22
    ];
    measured.samples = archive_synthetic::batches(0, &samples);
    (measured.clone(), measured)
}

#[test]
fn samples_of_a_fault_and_doubtful_ones_are_kept_and_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe::default();
    let mut records = recipe.records();
    let mut seen = 0;
    for record in &mut records {
        if let Record::Measured(m) = record
            && m.subject.environment == Environment::Native
        {
            match seen {
                1 => m.fault = Some(fault()),
                2 => {
                    let mut samples = m.samples[0].unpack().unwrap();
                    samples[5].flags = wire::samples::FLAG_COUNTER;
                    samples[5].count = 0;
                    m.samples = archive_synthetic::batches(0, &samples);
                }
                3 => {
                    m.fault = Some(fault());
                    m.samples.clear();
                    m.digest = None;
                }
                _ => {}
            }
            seen += 1;
        }
    }
    let partial = write(dir.path(), &recipe.provenance(), &records);
    let folder = archive::finish(&partial, Status::Complete).unwrap();
    assert_eq!(archive::verify(&folder).unwrap().findings, []);
    let run = archive::open(dir.path(), "latest").unwrap();
    let native: Vec<_> = run
        .rows()
        .into_iter()
        .filter(|r| r.environment == Environment::Native)
        .collect();
    assert_eq!(
        (
            native[1].median,
            native[1].left_out.faulty,
            native[1].left_out.warm_up
        ),
        (None, 20, 2)
    );
    assert_eq!(native[1].faults[0].text, "wrong secret");
    assert_eq!((native[2].left_out.flagged, native[2].iterations), (1, 19));
    assert_eq!(
        (native[3].median, native[3].faults.len()),
        (None, 1),
        "a fault without samples has a row"
    );
}

#[test]
fn bad_names_of_runs_are_bad_calls() {
    let dir = tempfile::tempdir().unwrap();
    let none = host(dir.path(), &["archive", "show", "latest"]);
    assert_eq!(none.status.code(), Some(2), "{}", stderr(&none));
    let one = Recipe::default();
    let folder = one.archive(dir.path());
    let two = Recipe {
        run: "20260101-130000-bbbb",
        started: "2026-01-01T13:00:00Z",
        ..Recipe::default()
    };
    two.archive(dir.path());
    let wrong = host(dir.path(), &["archive", "show", "20260101-12000-aaaa"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        stderr(&wrong).contains("20260101-120000-aaaa"),
        "{}",
        stderr(&wrong)
    );
    let both = host(dir.path(), &["archive", "show", "20260101"]);
    assert_eq!(both.status.code(), Some(2));
    assert!(
        stderr(&both).contains("aaaa, 20260101-130000-bbbb"),
        "{}",
        stderr(&both)
    );
    let id = |spec: &str| archive::open(dir.path(), spec).unwrap().id().to_owned();
    assert_eq!(id("latest"), "20260101-130000-bbbb");
    assert_eq!(id("20260101-12"), "20260101-120000-aaaa");
    assert_eq!(
        id(&format!("{}/", folder.display())),
        "20260101-120000-aaaa"
    );
    assert!(matches!(
        Journal::create(dir.path(), &one.provenance()),
        Err(archive::Error::Exists(_))
    ));
}

#[test]
fn a_run_that_is_being_written_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::create(dir.path(), &Recipe::default().provenance()).unwrap();
    let list = stdout(&host(dir.path(), &["archive", "list"]));
    assert!(list.contains("running"), "{list}");
    let repair = host(dir.path(), &["archive", "verify", "latest", "--repair"]);
    assert_eq!(repair.status.code(), Some(1));
    assert!(
        stderr(&repair).contains("another program"),
        "{}",
        stderr(&repair)
    );
    drop(journal);
}

/// A device that is always full stands in for a disk: opening the journal there, every write gives ENOSPC.
#[test]
fn a_full_disk_is_named_with_what_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe::default();
    let partial = recipe.journal(dir.path());
    std::os::unix::fs::symlink("/dev/full", partial.join("samples.parquet.new")).unwrap();
    let error = archive::finish(&partial, Status::Complete).unwrap_err();
    let said = error.to_string();
    assert!(matches!(error, archive::Error::NoRoom { .. }), "{said}");
    assert!(
        said.contains("no room left on the disk")
            && said.contains("journal entries")
            && said.contains("kept"),
        "{said}"
    );
    assert_eq!(error.exit() as u8, 1);
    // Nothing half-written is left, and with room again the run is finished.
    assert!(
        !partial.join("samples.parquet").exists() && !partial.join("samples.parquet.new").exists()
    );
    let folder = archive::finish(&partial, Status::Complete).unwrap();
    assert_eq!(archive::verify(&folder).unwrap().findings, []);
}

/// The test below, run again by itself within a small file system.
#[test]
#[ignore = "full-disk: mounts a small tmpfs, which needs root or user namespaces"]
fn a_disk_that_fills_up_while_measuring_keeps_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"mount -t tmpfs -o size=96k none "$SMALL_DISK" && exec "$0" --exact within_a_small_disk --ignored"#;
    let unshare = |options: &[&str]| {
        std::process::Command::new("unshare")
            .args(options)
            .args(["sh", "-c", script])
            .arg(std::env::current_exe().unwrap())
            .env("SMALL_DISK", dir.path())
            .output()
            .unwrap()
    };
    let out = unshare(&["--mount", "--user", "--map-root-user"]);
    let out = if stdout(&out).contains("running 1 test") {
        out
    } else {
        unshare(&["--mount"])
    };
    assert!(
        out.status.success() && stdout(&out).contains("1 passed"),
        "{}{}",
        stdout(&out),
        stderr(&out)
    );
}

#[test]
#[ignore = "full-disk: run by the test above"]
fn within_a_small_disk() {
    let Some(disk) = std::env::var_os("SMALL_DISK") else {
        return;
    };
    let disk = std::path::Path::new(&disk);
    let recipe = Recipe::default();
    let mut journal = Journal::create(disk, &recipe.provenance()).unwrap();
    let records = recipe.records();
    let mut kept = 0;
    let error = loop {
        match journal.append(&records[kept % records.len()]) {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
    };
    assert!(
        matches!(error, archive::Error::NoRoom { kept: entries, .. } if entries as usize == kept + 2),
        "{error}"
    );
    let folder = journal.folder().to_owned();
    drop(journal);
    let (read, damage) = Journal::read(&folder.join(JOURNAL)).unwrap();
    assert!(damage.is_none() && read.len() == kept + 1, "{damage:?}");
    let out = host(disk, &["archive", "verify", "latest", "--repair"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        stderr(&out).contains("no room left on the disk"),
        "{}",
        stderr(&out)
    );
    let show = host(disk, &["archive", "show", "latest"]);
    assert!(show.status.success(), "{}", stderr(&show));
}

#[test]
fn a_journal_of_another_version_is_not_guessed_at() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Recipe::default().archive(dir.path());
    fs::write(folder.join(JOURNAL), b"this is no journal").unwrap();
    let out = host(dir.path(), &["archive", "verify", "latest"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        stderr(&out).contains("no journal that this version reads"),
        "{}",
        stderr(&out)
    );
}

#[test]
fn a_large_run_streams_through_several_row_groups() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe {
        algorithms: vec!["ML-KEM-768"],
        environments: vec![Environment::BareMetal],
        iterations: 30_000,
        command: 5_000,
        ..Recipe::default()
    };
    let folder = recipe.archive(dir.path());
    let verdict = archive::verify(&folder).unwrap();
    assert_eq!((verdict.findings, verdict.samples), (vec![], 90_000));
}

#[test]
fn evidence_is_the_same_from_memory_and_from_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe::default();
    recipe.archive(dir.path());
    let memory = Evidence::from_records(recipe.records(), Some(recipe.provenance())).unwrap();
    assert_eq!(
        rows(&memory),
        archive::open(dir.path(), "latest").unwrap().rows()
    );
    assert_eq!(
        digest(1, memory.subjects()[0], 0, 1),
        digest(1, memory.subjects()[1], 0, 1)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_whole_record_before_a_cut_is_kept(share in 0.0..1.0f64) {
        let dir = tempfile::tempdir().unwrap();
        let recipe = Recipe { iterations: 8, algorithms: vec!["null", "ML-KEM-768"], ..Recipe::default() };
        let partial = recipe.journal(dir.path());
        let bytes = fs::read(partial.join(JOURNAL)).unwrap();
        let cut = (share * bytes.len() as f64) as usize;
        let ends = entries(&partial);
        // The first entry is the title, the second the provenance.
        let whole = ends.iter().filter(|(_, end)| *end <= cut).count();
        let at_an_end = cut == 0 || ends.iter().any(|(_, end)| *end == cut);
        fs::write(partial.join(JOURNAL), &bytes[..cut]).unwrap();
        match Journal::read(&partial.join(JOURNAL)) {
            Ok((records, damage)) => {
                prop_assert_eq!(records.len(), whole - 1);
                prop_assert_eq!(&records[records.len().min(1)..], &recipe.records()[..records.len().saturating_sub(1)]);
                prop_assert_eq!(damage.is_none(), at_an_end);
                prop_assert!(damage.is_none() || damage.is_only_cut());
            }
            Err(error) => prop_assert!(whole == 0, "{error}"),
        }
    }

    /// Records that are whole and mean nonsense: changed bytes that still decode, with a checksum that fits.
    #[test]
    fn nonsense_that_is_whole_is_shown_without_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let recipe = Recipe { iterations: 8, command: 8, algorithms: vec!["null", "ML-KEM-768"], ..Recipe::default() };
        let mut records = recipe.records();
        for (which, at, byte) in changes {
            let record = which.index(records.len());
            let mut bytes = postcard::to_allocvec(&records[record]).unwrap();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Ok(changed) = postcard::from_bytes(&bytes) {
                records[record] = changed;
            }
        }
        let partial = write(dir.path(), &recipe.provenance(), &records);
        let folder = archive::finish(&partial, Status::Complete).unwrap();
        prop_assert_eq!(archive::verify(&folder).unwrap().findings, []);
        let run = archive::open(dir.path(), "latest").unwrap();
        let rows = run.rows();
        prop_assert_eq!(rows.len(), host::stats::figures::count(&run.evidence));
        let work = host::compare::same_work(&run.evidence, &rows);
        let _ = host::report::summary(&run.evidence, &rows, &work, true);
        let _ = host::report::rows::side_by_side(&rows).text(false);
        for by in [host::compare::By::Environment, host::compare::By::Provider] {
            let _ = host::compare::compare(&[&run.evidence], by);
        }
    }

    #[test]
    fn reading_garbage_never_panics_and_goes_on_behind_it(
        at in 0.0..1.0f64, garbage in prop::collection::vec(any::<u8>(), 1..60),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let recipe = Recipe { iterations: 8, algorithms: vec!["null", "ML-KEM-768"], ..Recipe::default() };
        let partial = recipe.journal(dir.path());
        let mut bytes = fs::read(partial.join(JOURNAL)).unwrap();
        let ends = entries(&partial);
        let (begin, _) = ends[3 + (at * (ends.len() - 4) as f64) as usize];
        bytes.splice(begin..begin, garbage.iter().copied());
        fs::write(partial.join(JOURNAL), &bytes).unwrap();
        let (records, damage) = Journal::read(&partial.join(JOURNAL)).unwrap();
        // Garbage runs into the entry behind it unless it ends in a zero: one entry is lost at most.
        prop_assert!(records.len() + 2 >= ends.len() - 1, "{} of {}", records.len(), ends.len());
        if garbage.iter().any(|b| *b != 0) {
            prop_assert!(!damage.is_none());
            prop_assert!(damage.broken.iter().all(|b| b.defect != Defect::CutShort));
        }
    }
}

#[test]
fn a_run_is_carried_to_another_archive_by_a_tar_file() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = Recipe::default().archive(here.path());
    let file = there.path().join("run.tar");
    let file = file.to_str().unwrap();
    let out = host(here.path(), &["archive", "export", "latest", file]);
    assert!(out.status.success(), "{}", stderr(&out));
    // Twice is an error, and does not touch the first.
    let out = host(here.path(), &["archive", "export", "latest", file]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("run.tar is there already"));

    // The tool that everybody has reads it.
    let unpacked = there.path().join("unpacked");
    fs::create_dir(&unpacked).unwrap();
    let tar = std::process::Command::new("tar")
        .args(["-xf", file, "-C", unpacked.to_str().unwrap()])
        .status();
    assert!(tar.unwrap().success());
    let same = |other: &std::path::Path| {
        for name in FILES {
            let (a, b) = (fs::read(folder.join(name)), fs::read(other.join(name)));
            assert_eq!(a.unwrap(), b.unwrap(), "{name}");
        }
    };
    same(&unpacked.join("20260101-120000-aaaa"));

    let archive = there.path().join("runs");
    let out = host(&archive, &["archive", "import", file]);
    assert!(out.status.success(), "{}", stderr(&out));
    same(&archive.join("20260101-120000-aaaa"));
    let out = host(&archive, &["archive", "import", file]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        stderr(&out).contains("is there already"),
        "{}",
        stderr(&out)
    );
    let left: Vec<_> = fs::read_dir(&archive).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn nothing_is_imported_that_is_not_whole() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = Recipe::default().archive(here.path());
    let file = there.path().join("run.tar");
    archive::export(&folder, &file).unwrap();
    let whole = fs::read(&file).unwrap();
    let archive_dir = there.path().join("runs");
    let refused = |bytes: &[u8]| {
        let bad = there.path().join("bad.tar");
        fs::write(&bad, bytes).unwrap();
        let out = host(&archive_dir, &["archive", "import", bad.to_str().unwrap()]);
        assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
        assert!(!archive_dir.exists(), "{}", stderr(&out));
        stderr(&out)
    };
    assert!(refused(b"").contains("holds no file"));
    assert!(refused(b"no tar at all").contains("no run that `archive export` wrote"));
    for part in [700, whole.len() / 3, whole.len() / 2] {
        refused(&whole[..part]);
    }
    // A flipped bit in the middle of a file that the sums cover.
    let at = whole.len() / 2;
    let mut flipped = whole.clone();
    flipped[at] ^= 1;
    assert!(refused(&flipped).contains("is damaged and stays where it is"));
    assert!(refused_missing(&there, &archive_dir).contains("no-such.tar"));

    // A damaged run is not exported either.
    fs::write(folder.join("log.txt"), "another").unwrap();
    let out = host(here.path(), &["archive", "export", "latest"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("log.txt"), "{}", stderr(&out));
}

fn refused_missing(there: &tempfile::TempDir, archive_dir: &std::path::Path) -> String {
    let missing = there.path().join("no-such.tar");
    let out = host(
        archive_dir,
        &["archive", "import", missing.to_str().unwrap()],
    );
    assert_eq!(out.status.code(), Some(1));
    stderr(&out)
}

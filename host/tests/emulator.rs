//! The whole product on the emulated board, driven as users drive it. Slow, and one at a time: each test starts emulators that
//! fill the machine.
//!
//! `cargo test -p host --test emulator -- --ignored --nocapture`; `cargo run -p host -- setup --yes` must have run.
use host::archive;
use host::model::Environment;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use wire::catalog::Operation;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The product, on an archive of the test's own, with the project's folder around it.
fn host(archive: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_host"));
    command
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .arg("--archive")
        .arg(archive)
        .args(arguments)
        .stdin(Stdio::null());
    command
}

fn output(archive: &Path, arguments: &[&str], status: i32) -> Output {
    let output = host(archive, arguments).output().expect("the host program");
    assert_eq!(
        output.status.code(),
        Some(status),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

fn json(archive: &Path, arguments: &[&str]) -> Value {
    let output = output(archive, &[arguments, &["--format", "json"]].concat(), 0);
    serde_json::from_slice(&output.stdout).expect("one JSON value on standard output")
}

fn rows(archive: &Path, run: &str) -> Vec<Value> {
    json(archive, &["archive", "show", run])["rows"]
        .as_array()
        .expect("rows")
        .clone()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} in {value}"))
}

fn number(value: &Value, field: &str) -> f64 {
    value[field]
        .as_f64()
        .unwrap_or_else(|| panic!("{field} in {value}"))
}

/// (algorithm, operation) -> environment -> row.
fn by_operation(rows: &[Value]) -> BTreeMap<(String, String), BTreeMap<String, &Value>> {
    let mut table: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for row in rows {
        let operation = (
            text(row, "algorithm").to_owned(),
            text(row, "operation").to_owned(),
        );
        table
            .entry(operation)
            .or_default()
            .insert(text(row, "environment").to_owned(), row);
    }
    table
}

fn manifest(archive: &Path, run: &str) -> Value {
    let folder = archive::resolve(archive, run).expect("the run");
    serde_json::from_slice(&fs::read(folder.join("manifest.json")).expect("manifest.json"))
        .expect("JSON")
}

/// Peak resident memory of a process, in bytes, as far as it has come.
fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

/// Processes that `parent` started and that run a program whose name begins so.
fn children(parent: u32, program: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("/proc").flatten() {
        let Some(process) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        let Some((name, rest)) = stat
            .split_once('(')
            .and_then(|(_, rest)| rest.rsplit_once(')'))
        else {
            continue;
        };
        if name.starts_with(program)
            && rest.split_whitespace().nth(1) == Some(parent.to_string().as_str())
        {
            found.push(process);
        }
    }
    found
}

fn signal(process: u32, name: &str) {
    assert!(
        Command::new("kill")
            .args([format!("-{name}"), process.to_string()])
            .status()
            .expect("kill")
            .success()
    );
}

/// The one run of an archive: its folder, finished or not.
fn folder(archive: &Path) -> Option<PathBuf> {
    fs::read_dir(archive)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.is_dir())
}

/// Starts a run and waits until it has measured something.
fn started(archive: &Path, arguments: &[&str]) -> Child {
    let mut child = host(archive, arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the host program");
    let deadline = Instant::now() + Duration::from_secs(600);
    loop {
        let measured = folder(archive)
            .and_then(|folder| archive::Journal::read(&folder.join("journal.bin")).ok())
            .map_or(0, |(records, _)| {
                records
                    .iter()
                    .filter(|r| matches!(r, host::model::Record::Measured(_)))
                    .count()
            });
        if measured >= 5 {
            return child;
        }
        assert!(
            child.try_wait().expect("the child").is_none(),
            "the run ended before it measured anything"
        );
        assert!(Instant::now() < deadline, "nothing measured in ten minutes");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().expect("the child");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn assert_no_emulator_of(parent: u32) {
    assert_eq!(
        children(parent, "qemu-system"),
        Vec::<u32>::new(),
        "emulators left behind"
    );
}

const INTERRUPTIBLE: &[&str] = &[
    "flash-and-bench",
    "--algorithms",
    "ML-KEM-768,HQC-128,BIKE-L1,SPHINCS+-SHA2-128f",
    "--seed",
    "3",
];

/// What was measured is listed, whole, and goes on where it stopped.
fn assert_kept_and_resumable(archive: &Path, status: &str) {
    let list = json(archive, &["archive", "list"]);
    assert_eq!(list.as_array().expect("a list").len(), 1);
    assert_eq!(text(&list[0], "status"), status);
    let before = rows(archive, "latest").len();
    assert!(before >= 1, "what was measured before is there");
    if status != "cut" {
        output(archive, &["archive", "verify", "latest"], 0);
    }
    output(archive, &["flash-and-bench", "--resume", "latest"], 0);
    let list = json(archive, &["archive", "list"]);
    assert_eq!(
        list.as_array().expect("a list").len(),
        1,
        "the same run goes on"
    );
    assert_eq!(text(&list[0], "status"), "complete");
    output(archive, &["archive", "verify", "latest"], 0);
    let rows = rows(archive, "latest");
    assert_eq!(
        by_operation(&rows).len(),
        12,
        "four algorithms of three operations"
    );
    for (operation, environments) in by_operation(&rows) {
        assert_eq!(environments.len(), 4, "{operation:?}");
        let digests: BTreeSet<_> = environments
            .values()
            .map(|row| text(row, "digest"))
            .collect();
        assert_eq!(digests.len(), 1, "{operation:?}");
    }
}

#[test]
#[ignore = "slow: the quick plan on the emulated board"]
fn the_quick_plan_holds_what_is_promised() {
    let _alone = alone();
    let archive = tempfile::tempdir().unwrap();
    let archive = archive.path();
    // Builds, so that the time below is measuring alone.
    output(
        archive,
        &[
            "flash-and-bench",
            "--env",
            "bare-metal",
            "--algorithms",
            "X25519",
        ],
        0,
    );

    let began = Instant::now();
    let mut child = host(archive, &["flash-and-bench", "--seed", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(peak_memory(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(100));
    }
    let output_of_run = child.wait_with_output().unwrap();
    let (took, said) = (
        began.elapsed(),
        String::from_utf8_lossy(&output_of_run.stderr).into_owned(),
    );
    assert_eq!(output_of_run.status.code(), Some(0), "{said}");
    println!(
        "quick plan: {:.0} s, host program {} MB at most",
        took.as_secs_f64(),
        peak / 1_000_000
    );
    println!("{}", said.lines().last().unwrap_or_default());
    assert!(
        took <= Duration::from_secs(120),
        "the quick plan took {took:?}"
    );
    assert!(peak < 300_000_000, "the host program took {peak} bytes");
    let summary = String::from_utf8_lossy(&output_of_run.stdout).into_owned();
    assert!(
        summary.contains("they are not time, cycles or energy"),
        "{summary}"
    );

    let rows = rows(archive, "latest");
    let table = by_operation(&rows);
    let algorithms: BTreeSet<_> = rows
        .iter()
        .map(|row| text(row, "algorithm"))
        .filter(|name| *name != "null")
        .collect();
    assert_eq!(algorithms.len(), 14);
    assert_eq!(table.len(), 10 * 3 + 2 * 2 + 2 * 3 + 1);
    let mut widest: f64 = 0.0;
    for (operation, environments) in &table {
        assert_eq!(environments.len(), 4, "{operation:?}");
        let digests: BTreeSet<_> = environments
            .values()
            .map(|row| text(row, "digest"))
            .collect();
        assert_eq!(digests.len(), 1, "digests of {operation:?}");
        for row in environments.values() {
            assert_eq!(text(row, "clock"), "instructions");
            assert!(
                row["nanoseconds"].is_null(),
                "an instruction count is no time"
            );
            assert!(number(row, "total") >= number(row, "median"), "{row}");
            assert_eq!(
                row["boots"].as_array().map(Vec::len),
                Some(1),
                "each row names its boot"
            );
        }
        let counts: Vec<f64> = environments
            .values()
            .map(|row| number(row, "median"))
            .collect();
        let (least, most) = counts
            .iter()
            .fold((f64::MAX, 0.0_f64), |(l, m), c| (l.min(*c), m.max(*c)));
        if operation.0 == "null" {
            assert!(most <= 100.0, "the harness costs {most} instructions");
        } else {
            widest = widest.max(most / least - 1.0);
        }
    }
    println!(
        "counts of one operation differ by at most {:.4} % between environments",
        widest * 100.0
    );
    assert!(widest <= 0.003, "user-level counts differ by {widest}");
    let median = |algorithm: &str, operation: Operation| {
        number(
            table[&(algorithm.to_owned(), operation.name().to_owned())]["bare-metal"],
            "median",
        )
    };
    for (operation, oracle) in [
        (Operation::Keygen, 198_400.0),
        (Operation::Encaps, 211_330.0),
        (Operation::Decaps, 255_980.0),
    ] {
        let count = median("ML-KEM-768", operation);
        assert!(
            (count / oracle - 1.0).abs() < 0.05,
            "ML-KEM-768 {operation}: {count}"
        );
    }
    assert!((1.40e6..1.65e6).contains(&median("Falcon-512", Operation::Sign)));

    surroundings_are_what_they_are_called(&manifest(archive, "latest"));
    samples_are_small_on_the_link(archive);
    output(archive, &["archive", "verify", "latest"], 0);
    figures_are_recomputed(archive);
}

fn surroundings_are_what_they_are_called(manifest: &Value) {
    let found = |environment: &str| {
        let invocations = manifest["invocations"].as_array().expect("invocations");
        let invocation = invocations
            .iter()
            .find(|i| i["environment"] == environment)
            .expect(environment);
        invocation["surroundings"].clone()
    };
    let (bare, native, container, unikernel) = (
        found("bare-metal"),
        found("native"),
        found("container"),
        found("unikernel"),
    );
    assert_eq!(
        (
            &bare["exception_level"],
            &bare["hypervisor"],
            &bare["kernel"]
        ),
        (&1.into(), &Value::Null, &Value::Null)
    );
    assert_eq!(
        (&native["exception_level"], &native["seccomp"]),
        (&0.into(), &0.into())
    );
    assert_eq!(
        (&container["exception_level"], &container["seccomp"]),
        (&0.into(), &2.into())
    );
    for space in ["mnt", "pid", "net", "ipc", "uts", "cgroup"] {
        assert_ne!(
            native["namespaces"][space], container["namespaces"][space],
            "namespace {space}"
        );
    }
    assert_eq!(
        (&unikernel["exception_level"], &unikernel["hypervisor"]),
        (&1.into(), &"KVM".into())
    );
    let harness = manifest["harness"].as_array().expect("harness");
    assert_eq!(
        harness.iter().filter(|h| h["ticks"].is_number()).count(),
        4,
        "the harness's cost in ticks, by environment"
    );
}

/// The frames that brought the samples, as long as they were on the link: sequence, body, checksum, stuffing, zero.
fn samples_are_small_on_the_link(archive: &Path) {
    let journal = archive::resolve(archive, "latest")
        .unwrap()
        .join("journal.bin");
    let (records, _) = archive::Journal::read(&journal).unwrap();
    let (mut bytes, mut samples) = (0, 0);
    for record in records {
        let host::model::Record::Measured(measured) = record else {
            continue;
        };
        for batch in measured.samples {
            samples += u64::from(batch.samples);
            let body = wire::message::Answer::Samples(batch).to_bytes().unwrap();
            bytes += wire::frame::encode(1000, &body).unwrap().len() as u64;
        }
    }
    let each = bytes as f64 / samples as f64;
    println!("{samples} samples in {bytes} bytes on the link: {each:.2} bytes each");
    assert!(samples > 10_000 && each <= 4.0, "{each} bytes a sample");
}

fn figures_are_recomputed(archive: &Path) {
    let python =
        std::env::var("PQ_BENCH_PYTHON").expect("PQ_BENCH_PYTHON names a Python that has pyarrow");
    let shown = archive.join("show.json");
    fs::write(
        &shown,
        output(
            archive,
            &["archive", "show", "latest", "--format", "json"],
            0,
        )
        .stdout,
    )
    .unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/recompute.py");
    let folder = archive::resolve(archive, "latest").unwrap();
    let result = Command::new(python)
        .arg(script)
        .arg(folder)
        .arg(&shown)
        .output()
        .unwrap();
    print!("recompute.py: {}", String::from_utf8_lossy(&result.stdout));
    assert!(
        result.status.success(),
        "{}",
        String::from_utf8_lossy(&result.stderr)
    );
    fs::remove_file(shown).unwrap();
}

#[test]
#[ignore = "slow: two runs on the emulated board"]
fn two_runs_with_one_seed_are_equal() {
    let _alone = alone();
    let archive = tempfile::tempdir().unwrap();
    let archive = archive.path();
    let mut samples = Vec::new();
    let mut medians = Vec::new();
    for _ in 0..2 {
        output(
            archive,
            &[
                "flash-and-bench",
                "--algorithms",
                "ML-KEM-768,Falcon-512,ECDSA-P256",
                "--seed",
                "7",
            ],
            0,
        );
        let run = archive::open(archive, "latest").unwrap();
        let bare: Vec<_> = run
            .evidence
            .all_readings()
            .filter(|(subject, _)| subject.environment == Environment::BareMetal)
            .map(|(subject, reading)| format!("{subject:?} {reading:?}"))
            .collect();
        assert!(bare.len() > 500, "only {} samples", bare.len());
        samples.push(bare);
        let median = |row: &Value| {
            (
                (
                    text(row, "environment").to_owned(),
                    text(row, "algorithm").to_owned(),
                    text(row, "operation").to_owned(),
                ),
                number(row, "median"),
            )
        };
        medians.push(
            rows(archive, "latest")
                .iter()
                .map(median)
                .collect::<BTreeMap<_, _>>(),
        );
    }
    let differing = samples[0].iter().zip(&samples[1]).find(|(a, b)| a != b);
    assert_eq!(
        (samples[0].len(), differing),
        (samples[1].len(), None),
        "bare-metal samples, digit for digit"
    );
    let worst = medians[0]
        .iter()
        .map(|(key, value)| (medians[1][key] / value - 1.0).abs())
        .fold(0.0, f64::max);
    println!(
        "{} bare-metal samples equal; medians elsewhere within {:.5} %",
        samples[0].len(),
        worst * 100.0
    );
    assert!(worst <= 0.001, "a median moved by {worst}");
}

#[test]
#[ignore = "slow: two runs on the emulated board, one over a link that breaks frames"]
fn a_bad_link_costs_time_and_changes_no_sample() {
    let _alone = alone();
    let archive = tempfile::tempdir().unwrap();
    let archive = archive.path();
    let call = [
        "flash-and-bench",
        "--algorithms",
        "ML-KEM-768,Ed25519",
        "--seed",
        "5",
    ];
    let figures = |run: &str| -> Vec<String> {
        let bare = rows(archive, run)
            .into_iter()
            .filter(|row| row["environment"] == "bare-metal");
        bare.map(|row| {
            format!(
                "{} {} {} {}",
                row["median"], row["mean"], row["total"], row["digest"]
            )
        })
        .collect()
    };
    output(archive, &call, 0);
    let clean = figures("latest");
    output(archive, &[&call[..], &["--damage-link", "600"]].concat(), 0);
    let events = manifest(archive, "latest")["link"]
        .as_array()
        .expect("link events")
        .len();
    println!("{events} events on the damaged link");
    assert!(events > 0, "the link was damaged, and the manifest says so");
    assert_eq!(figures("latest"), clean);
    output(archive, &["archive", "verify", "latest"], 0);
}

#[test]
#[ignore = "slow: emulators are killed in the middle of a run"]
fn a_killed_emulator_ends_the_run_and_the_rest_is_kept() {
    let _alone = alone();
    let archive = tempfile::tempdir().unwrap();
    let child = started(archive.path(), INTERRUPTIBLE);
    let process = child.id();
    for emulator in children(process, "qemu-system") {
        signal(emulator, "KILL");
    }
    let (status, said) = ended(child);
    assert_eq!(status, Some(4), "{said}");
    assert!(said.contains("--resume"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert_no_emulator_of(process);
    assert_kept_and_resumable(archive.path(), "failed");
}

#[test]
#[ignore = "slow: a run is interrupted as by Ctrl-C"]
fn an_interrupted_run_is_archived_and_goes_on() {
    let _alone = alone();
    let archive = tempfile::tempdir().unwrap();
    let child = started(archive.path(), INTERRUPTIBLE);
    let process = child.id();
    let emulators = children(process, "qemu-system");
    assert!(!emulators.is_empty());
    signal(process, "INT");
    let (status, said) = ended(child);
    assert_eq!(status, Some(130), "{said}");
    assert!(said.contains("--resume"), "{said}");
    for emulator in emulators {
        assert!(
            !Path::new(&format!("/proc/{emulator}")).exists(),
            "an emulator outlived the run"
        );
    }
    assert_kept_and_resumable(archive.path(), "interrupted");
}

#[test]
#[ignore = "slow: the host program is killed in the middle of a run"]
fn a_killed_host_leaves_what_it_measured() {
    let _alone = alone();
    let archive = tempfile::tempdir().unwrap();
    let child = started(archive.path(), INTERRUPTIBLE);
    let emulators = children(child.id(), "qemu-system");
    signal(child.id(), "KILL");
    ended(child);
    let deadline = Instant::now() + Duration::from_secs(10);
    for emulator in emulators {
        while Path::new(&format!("/proc/{emulator}")).exists() {
            assert!(
                Instant::now() < deadline,
                "an emulator outlived its host by ten seconds"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    assert_kept_and_resumable(archive.path(), "cut");
}

#[test]
#[ignore = "slow: a run on a disk without room; needs root, for a disk of its own"]
fn a_full_disk_stops_the_run_by_name() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let mount = |arguments: &[&str]| {
        Command::new(arguments[0])
            .args(&arguments[1..])
            .arg(folder.path())
            .status()
            .unwrap()
            .success()
    };
    assert!(
        mount(&["mount", "-t", "tmpfs", "-o", "size=24k", "tmpfs"]),
        "mounting a small disk needs root"
    );
    let result = host(folder.path(), INTERRUPTIBLE).output();
    let listed = host(folder.path(), &["archive", "list"]).output();
    assert!(mount(&["umount"]));
    let (result, listed) = (result.unwrap(), listed.unwrap());
    let said = String::from_utf8_lossy(&result.stderr).into_owned();
    assert_eq!(result.status.code(), Some(1), "{said}");
    assert!(
        said.contains("No space left") || said.contains("no room"),
        "{said}"
    );
    assert!(!said.contains("panicked"), "{said}");
    assert!(listed.status.success());
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("qemu-virt"),
        "what was measured is listed"
    );
}

/// Under a fixed instruction clock a cycle is an instruction: two counters of two natures have to say the same.
#[test]
#[ignore = "slow: two runs on the emulated board"]
fn instructions_are_counted_by_a_counter_of_their_own() {
    /// What reading one counter costs more than reading the other, at most.
    const READING: f64 = 12.0;
    let _alone = alone();
    let archive = tempfile::tempdir().unwrap();
    let archive = archive.path();
    let mut medians: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    let counters = [
        ("best", "PMCCNTR_EL0", "perf cycles (mapped)"),
        ("instructions", "INST_RETIRED", "perf instructions (mapped)"),
    ];
    for (clock, own, mapped) in counters {
        let more = ["--algorithms", "ML-KEM-512", "--seed", "5"];
        output(
            archive,
            &[&["flash-and-bench", "--clock", clock][..], &more].concat(),
            0,
        );
        let manifest = manifest(archive, "latest");
        for invocation in manifest["invocations"].as_array().expect("invocations") {
            let expected = match text(invocation, "environment") {
                "native" | "container" => mapped,
                _ => own,
            };
            assert_eq!(invocation["clocks"]["count"]["counter"], expected);
        }
        for row in rows(archive, "latest") {
            let key = (text(&row, "environment"), text(&row, "operation"));
            let key = (key.0.to_owned(), key.1.to_owned());
            assert_eq!(row["clock"], "instructions");
            medians.entry(key).or_default().push(number(&row, "median"));
        }
    }
    assert_eq!(medians.len(), 4 * 3, "four environments, three operations");
    for (of, medians) in medians {
        assert!(
            (medians[0] - medians[1]).abs() <= READING,
            "{of:?}: {medians:?}"
        );
    }
    let refused = output(archive, &["flash-and-bench", "--clock", "sundial"], 2);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("best, instructions"));
}

#[test]
#[ignore = "slow: both code paths on the emulated board"]
fn hidden_features_change_the_count_and_not_the_output() {
    let _alone = alone();
    let archive = tempfile::tempdir().unwrap();
    let archive = archive.path();
    let algorithms = "Falcon-512,ML-KEM-512,BIKE-L1";
    output(
        archive,
        &[
            "flash-and-bench",
            "--env",
            "native",
            "--algorithms",
            algorithms,
            "--dispatch",
            "detected,portable",
        ],
        0,
    );
    let ratios = json(archive, &["compare", "latest", "--by", "dispatch"]);
    let ratio = |algorithm: &str, operation: &str| {
        let ratios = ratios.as_array().expect("ratios");
        number(
            ratios
                .iter()
                .find(|r| r["algorithm"] == algorithm && r["operation"] == operation)
                .expect(algorithm),
            "ratio",
        )
    };
    assert!(
        (19.0..26.0).contains(&ratio("Falcon-512", "sign")),
        "{}",
        ratio("Falcon-512", "sign")
    );
    assert!((1.3..1.7).contains(&ratio("ML-KEM-512", "keygen")));
    assert!((0.98..1.02).contains(&ratio("BIKE-L1", "encaps")));
    // The operation's own stack tells the code path, and hidden features are enough of a cause.
    let explained = json(archive, &["explain", "latest"]);
    let contrast = &explained["contrasts"][0];
    let overheads = contrast["overheads"].as_array().expect("overheads");
    let sign = &overheads[0];
    assert_eq!(
        (text(sign, "algorithm"), text(sign, "operation")),
        ("Falcon-512", "sign")
    );
    for overhead in overheads {
        assert_eq!(overhead["causes"][0], "hidden-features", "{overhead}");
        assert_ne!(
            overhead["candidate_path"], overhead["baseline_path"],
            "{overhead}"
        );
    }
    assert!(
        sign["candidate_path"].to_string().contains("CLEAN"),
        "{sign}"
    );
    assert!(
        sign["baseline_path"].to_string().contains("AARCH64"),
        "{sign}"
    );
}

//! The main job on the emulated board, by its command line. Slow: it builds the target programs and boots emulators, so these run
//! only when asked for (`cargo test -- --ignored`), after `host setup`.
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// An archive of a test's own, and the host program over it.
struct Bench {
    archive: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Self {
        let archive = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("emulated-{name}"));
        let _ = std::fs::remove_dir_all(&archive);
        Self { archive }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_host"));
        command
            .arg("--archive")
            .arg(&self.archive)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn host(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the host program")
    }

    /// Runs it, expects status 0, and reads its JSON.
    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.host(&[arguments, &["--format", "json"]].concat());
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            said(&output)
        );
        serde_json::from_slice(&output.stdout).expect("one JSON value")
    }

    /// Starts a run that takes a while, and waits until it has measured something on Linux.
    fn begin(&self, arguments: &[&str]) -> Child {
        let child = self.command(arguments).spawn().expect("the host program");
        let begin = Instant::now();
        while self.measured_in("native") == 0 {
            assert!(
                begin.elapsed() < Duration::from_secs(300),
                "nothing measured"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        child
    }

    /// Operations that the only run has measured in `environment` by now.
    fn measured_in(&self, environment: &str) -> usize {
        let output = self.host(&["archive", "show", "latest", "--format", "json", "-q"]);
        let Ok(shown) = serde_json::from_slice::<Value>(&output.stdout) else {
            return 0;
        };
        let rows = shown["rows"].as_array().cloned().unwrap_or_default();
        rows.iter()
            .filter(|r| r["environment"] == environment)
            .count()
    }

    fn resume(&self) -> Value {
        let listed = self.json(&["archive", "list"]);
        let run = listed[0]["run"].as_str().expect("a run").to_owned();
        self.json(&["flash-and-bench", "--resume", &run])
    }

    fn verify(&self) {
        let output = self.host(&["archive", "verify", "latest"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn rows(shown: &Value) -> &Vec<Value> {
    shown["rows"].as_array().expect("rows")
}

/// Pids of the emulators that process `parent` has started.
fn emulators(parent: u32) -> Vec<u32> {
    let is_child = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let mut fields = fields.split_whitespace();
        fields.next() != Some("Z") && fields.next() == Some(&parent.to_string())
    };
    std::fs::read_dir("/proc")
        .expect("/proc")
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(is_child)
        .filter(|pid| command_line(*pid).contains("qemu-system"))
        .collect()
}

fn command_line(pid: u32) -> String {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

fn kill(signal: &str, pid: u32) {
    let status = Command::new("kill")
        .args([signal, &pid.to_string()])
        .status();
    assert!(status.expect("kill runs").success());
}

fn gone(pid: u32) -> bool {
    let begin = Instant::now();
    while command_line(pid).contains("qemu-system") {
        if begin.elapsed() > Duration::from_secs(5) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

/// Enough work to be interrupted in, on all machines.
const LONG: [&str; 5] = [
    "flash-and-bench",
    "--algorithms",
    "ML-KEM-*,ML-DSA-*,Kyber*",
    "--seed",
    "9",
];
/// Rows of that: nine algorithms, three operations, four environments.
const LONG_ROWS: usize = 9 * 3 * 4;

#[test]
#[ignore = "builds the target programs and boots the emulated board"]
fn four_environments_do_the_same_work() {
    let bench = Bench::new("work");
    let call = [
        "flash-and-bench",
        "--algorithms",
        "ML-KEM-768,Falcon-512",
        "--seed",
        "7",
    ];
    let first = bench.json(&call);
    assert_eq!(rows(&first).len(), 6 * 4);
    for row in rows(&first) {
        let (algorithm, operation) = (row["algorithm"].as_str(), row["operation"].as_str());
        let median = row["median"].as_f64().expect("a median");
        let (low, high) = match (algorithm, operation) {
            (Some("ML-KEM-768"), Some("keygen")) => (185e3, 205e3),
            (Some("ML-KEM-768"), Some("encaps")) => (197e3, 217e3),
            (Some("ML-KEM-768"), Some("decaps")) => (240e3, 262e3),
            (Some("Falcon-512"), Some("sign")) => (1.40e6, 1.60e6),
            _ => (1.0, 1e9),
        };
        assert!((low..high).contains(&median), "{row}");
        assert_eq!(row["clock"], "instructions");
        let same = rows(&first).iter().filter(|r| {
            (&r["algorithm"], &r["operation"]) == (&row["algorithm"], &row["operation"])
        });
        for other in same {
            assert_eq!(other["digest"], row["digest"]);
            let ratio = other["median"].as_f64().expect("a median") / median;
            assert!((ratio - 1.0).abs() < 0.003, "{row}\n{other}");
        }
    }

    // Again, over a bad line: the same samples, to the digit.
    let again = bench.json(&[&call[..], &["--damage-link", "600"]].concat());
    assert!(!again["run"]["link"].as_array().expect("events").is_empty());
    assert_eq!(rows(&again).len(), rows(&first).len());
    for (a, b) in rows(&first).iter().zip(rows(&again)) {
        assert_eq!(a["digest"], b["digest"]);
        if a["environment"] == "bare-metal" {
            for figure in ["median", "mean", "p05", "p95", "total"] {
                assert_eq!(a[figure], b[figure], "{figure} of {a}");
            }
        }
        let ratio =
            b["median"].as_f64().expect("a median") / a["median"].as_f64().expect("a median");
        assert!((ratio - 1.0).abs() < 0.001, "{a}\n{b}");
    }
    bench.verify();
}

/// Each environment is what it claims, as the target found it: nothing is copied from one to another.
#[test]
#[ignore = "builds the target programs and boots the emulated board"]
fn each_environment_finds_itself_where_it_should_be() {
    let bench = Bench::new("where");
    let shown = bench.json(&[
        "flash-and-bench",
        "--algorithms",
        "X25519",
        "--dispatch",
        "detected,portable",
    ]);
    let invocations = shown["run"]["invocations"].as_array().expect("invocations");
    let of = |environment: &str| -> Vec<&Value> {
        invocations
            .iter()
            .filter(|i| i["environment"] == environment)
            .collect()
    };
    for environment in ["bare-metal", "native", "container", "unikernel"] {
        assert_eq!(of(environment).len(), 2, "one for each dispatch");
    }
    let spaces = |i: &Value| i["surroundings"]["namespaces"].clone();
    for native in of("native") {
        for container in of("container") {
            assert_eq!(native["boot"], container["boot"], "one Linux");
            for space in ["mnt", "pid", "net", "ipc", "uts", "cgroup"] {
                assert!(spaces(native)[space].is_number(), "{native}");
                assert_ne!(spaces(native)[space], spaces(container)[space], "{space}");
            }
            assert_eq!(container["surroundings"]["seccomp"], 2, "{container}");
            assert_eq!(native["program_sha256"], container["program_sha256"]);
        }
    }
    for guest in of("unikernel") {
        assert!(guest["surroundings"]["hypervisor"].is_string(), "{guest}");
        assert_ne!(guest["boot"], of("bare-metal")[0]["boot"]);
        assert_eq!(
            guest["program_sha256"],
            of("bare-metal")[0]["program_sha256"]
        );
    }
    assert!(of("bare-metal")[0]["surroundings"]["hypervisor"].is_null());
    assert_eq!(rows(&shown).len(), 2 * 4 * 2);
}

#[test]
#[ignore = "builds the target programs and boots the emulated board"]
fn a_killed_emulator_fails_the_run_and_keeps_what_was_measured() {
    let bench = Bench::new("killed-emulator");
    let child = bench.begin(&LONG);
    let emulators = emulators(child.id());
    let linux = emulators
        .iter()
        .find(|pid| command_line(**pid).contains("org.pqbench"));
    kill("-KILL", *linux.expect("the board with Linux runs"));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    let message = said(&output);
    assert!(
        message.contains("SIGKILL") && message.contains("--resume"),
        "{message}"
    );
    bench.verify();
    assert_eq!(bench.json(&["archive", "list"])[0]["status"], "failed");
    assert!(bench.measured_in("native") > 0);
    let resumed = bench.resume();
    assert_eq!(resumed["run"]["status"], "complete");
    assert_eq!(rows(&resumed).len(), LONG_ROWS);
    bench.verify();
}

#[test]
#[ignore = "builds the target programs and boots the emulated board"]
fn ctrl_c_archives_and_leaves_no_emulator() {
    let bench = Bench::new("ctrl-c");
    let child = bench.begin(&LONG);
    let emulators = emulators(child.id());
    assert!(!emulators.is_empty());
    kill("-INT", child.id());
    let begin = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(begin.elapsed() < Duration::from_secs(20));
    assert!(emulators.iter().all(|pid| gone(*pid)), "{emulators:?}");
    assert_eq!(bench.json(&["archive", "list"])[0]["status"], "interrupted");
    bench.verify();
    let resumed = bench.resume();
    assert_eq!(resumed["run"]["status"], "complete");
    assert_eq!(rows(&resumed).len(), LONG_ROWS);
    let of_one = |r: &&Value| r["invocations"] == 1;
    assert_eq!(rows(&resumed).iter().filter(of_one).count(), LONG_ROWS);
    // There is nothing left to do.
    let run = resumed["run"]["run"].as_str().expect("an id");
    let output = bench.host(&["flash-and-bench", "--resume", run]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}

#[test]
#[ignore = "builds the target programs and boots the emulated board"]
fn a_killed_host_leaves_no_emulator_and_a_run_to_go_on_with() {
    let bench = Bench::new("killed-host");
    let mut child = bench.begin(&LONG);
    let emulators = emulators(child.id());
    assert!(!emulators.is_empty());
    kill("-KILL", child.id());
    child.wait().expect("it ends");
    assert!(emulators.iter().all(|pid| gone(*pid)), "{emulators:?}");
    assert_eq!(bench.json(&["archive", "list"])[0]["status"], "cut");
    let resumed = bench.resume();
    assert_eq!(resumed["run"]["status"], "complete");
    assert_eq!(rows(&resumed).len(), LONG_ROWS);
    bench.verify();
}

/// The promise of the main job: ten families and the classical four in four environments within two minutes, in little memory.
#[test]
#[ignore = "builds the target programs and boots the emulated board"]
fn the_quick_plan_keeps_its_limits() {
    let bench = Bench::new("quick");
    // Builds, where that is needed; not timed.
    bench.json(&[
        "flash-and-bench",
        "--env",
        "bare-metal",
        "--algorithms",
        "X25519",
    ]);
    let begin = Instant::now();
    let mut child = bench
        .command(&["flash-and-bench", "-q"])
        .spawn()
        .expect("the host program");
    let mut most = 0;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status;
        }
        most = most.max(peak_memory(child.id()));
        std::thread::sleep(Duration::from_millis(200));
    };
    let took = begin.elapsed();
    assert_eq!(status.code(), Some(0));
    eprintln!(
        "quick plan: {:.0} s, host {most} KiB at most",
        took.as_secs_f64()
    );
    assert!(took < Duration::from_secs(120), "{took:?}");
    assert!((1..300 * 1024).contains(&most), "{most} KiB");
    let shown = bench.json(&["archive", "show", "latest"]);
    let algorithms: std::collections::BTreeSet<_> = rows(&shown)
        .iter()
        .filter_map(|r| r["algorithm"].as_str())
        .collect();
    assert_eq!(algorithms.len(), 15, "{algorithms:?}");
    for harness in shown["run"]["harness"]
        .as_array()
        .expect("the harness's cost")
    {
        assert!(
            harness["count"].as_f64().expect("a count") <= 100.0,
            "{harness}"
        );
        assert!(harness["ticks"].is_number(), "{harness}");
    }
}

/// Most memory that a process has had, KiB.
fn peak_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}

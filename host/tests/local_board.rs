//! The board `local` with its real programs: processes, and containers of a real Docker engine that the test starts for itself.
//!
//! `cargo test -p host --test local_board -- --ignored --nocapture --test-threads=1`; `dockerd` is Debian's package docker.io.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long the engine may take to answer, and to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// An engine of the test's own: its files, its socket, and no network. It ends with this value, however the test ends.
struct Daemon {
    child: Child,
    folder: tempfile::TempDir,
}

impl Daemon {
    fn start() -> Self {
        // The path of a socket is short.
        let folder = tempfile::tempdir_in("/tmp").expect("a folder");
        let at = |name: &str| folder.path().join(name).display().to_string();
        let log = std::fs::File::create(at("log")).expect("a log");
        let child = Command::new("dockerd")
            .args(["--data-root", &at("data"), "--exec-root", &at("exec")])
            .args(["-H", &format!("unix://{}", at("socket"))])
            .args(["-p", &at("pid"), "--bridge=none"])
            .args(["--iptables=false", "--ip-masq=false"])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("dockerd: `apt-get install docker.io`");
        let daemon = Self { child, folder };
        let begin = Instant::now();
        while !daemon.docker(&["version"]).status.success() {
            let said = std::fs::read_to_string(daemon.folder.path().join("log"));
            assert!(begin.elapsed() < PATIENCE, "it does not answer: {said:?}");
            std::thread::sleep(Duration::from_millis(200));
        }
        daemon
    }

    fn address(&self) -> String {
        format!("unix://{}/socket", self.folder.path().display())
    }

    fn docker(&self, arguments: &[&str]) -> Output {
        Command::new("docker")
            .env("DOCKER_HOST", self.address())
            .args(arguments)
            .output()
            .expect("docker: `apt-get install docker.io`")
    }

    fn lines(&self, arguments: &[&str]) -> String {
        let output = self.docker(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Asked to end, it ends its containers and its own children, too.
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let begin = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && begin.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A call of the program that archives in `archive`.
fn host(archive: &Path, address: &str, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_host"))
        .arg("--archive")
        .arg(archive)
        .args(arguments)
        .env("DOCKER_HOST", address)
        .output()
        .expect("it runs");
    eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn shown(archive: &Path) -> Value {
    let arguments = ["archive", "show", "latest", "--format", "json"];
    let output = host(archive, "", &arguments);
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn archive(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Every row is time with an interval, from ten invocations of the baseline's place and five of any other.
fn check_rows(run: &Value, environments: &[&str]) {
    let rows = run["rows"].as_array().expect("rows");
    let seen: BTreeSet<&str> = rows
        .iter()
        .filter_map(|r| r["environment"].as_str())
        .collect();
    assert_eq!(seen, environments.iter().copied().collect());
    for row in rows {
        let what = format!("{} {}", row["environment"], row["algorithm"]);
        let invocations = if row["environment"] == "native" {
            10
        } else {
            5
        };
        let nanoseconds = row["nanoseconds"].as_f64().expect(&what);
        if row["provider"] == "null" {
            continue;
        }
        assert_eq!(row["invocations"], invocations, "{what}");
        // From a fast desk machine to a slow, busy one.
        assert!((1e3..1e8).contains(&nanoseconds), "{what}: {nanoseconds}");
        assert!(["ticks", "cycles"].contains(&row["clock"].as_str().expect(&what)));
        let interval = (row["ci_low"].as_f64(), row["ci_high"].as_f64());
        match interval {
            (Some(low), Some(high)) => assert!(low < high, "{what}: {interval:?}"),
            _ => assert!(row["ci_reason"].is_string() && invocations < 6, "{what}"),
        }
    }
    let arms = run["run"]["arms"].as_array().expect("arms");
    assert_eq!(arms.len(), 5, "native against itself, for each operation");
    assert!(arms.iter().all(|arm| arm["ratio"].as_f64().is_some()));
}

const CALL: [&str; 7] = [
    "flash-and-bench",
    "--board",
    "local",
    "--algorithms",
    "X25519,ML-KEM-768",
    "--seed",
    "7",
];

#[test]
#[ignore = "slow: compiles liboqs for this machine"]
fn a_process_of_this_machine_is_measured_in_time() {
    let archive = archive("local-native");
    let output = host(&archive, "", &[&CALL[..], &["--env", "native"]].concat());
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(
        text.contains("native/detected/shared against itself"),
        "{text}"
    );
    let run = shown(&archive);
    check_rows(&run, &["native"]);
    let facts = &run["run"]["facts"];
    assert!(facts["local.processor"].is_string(), "{facts}");
}

#[test]
#[ignore = "slow: compiles liboqs for this machine, starts a Docker engine"]
fn a_container_of_a_docker_engine_does_the_same_work() {
    let daemon = Daemon::start();
    let archive = archive("local-docker");
    let call = [&CALL[..], &["--env", "native,container"]].concat();
    let output = host(&archive, &daemon.address(), &call);
    println!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success());
    let run = shown(&archive);
    check_rows(&run, &["native", "container"]);
    let rows = run["rows"].as_array().expect("rows");
    for row in rows {
        let same = |r: &&Value| {
            (&r["algorithm"], &r["operation"]) == (&row["algorithm"], &row["operation"])
        };
        let digests: BTreeSet<_> = rows
            .iter()
            .filter(same)
            .map(|r| r["digest"].as_str())
            .collect();
        assert_eq!(
            digests.len(),
            1,
            "{} {}",
            row["algorithm"],
            row["operation"]
        );
    }
    let engine = run["run"]["facts"]["local.container"].as_str();
    let version = daemon.lines(&["version", "--format", "{{.Server.Version}}"]);
    assert_eq!(engine, Some(format!("docker {version}").as_str()));

    // A container is what the target found itself in, not what it was told.
    let space = |environment: &str, name: &str| -> BTreeSet<String> {
        let of = run["run"]["invocations"].as_array().expect("invocations");
        let here = of.iter().filter(|i| i["environment"] == environment);
        here.map(|i| i["surroundings"]["namespaces"][name].to_string())
            .collect()
    };
    for name in ["mnt", "pid", "net"] {
        let (native, container) = (space("native", name), space("container", name));
        assert!(
            native.is_disjoint(&container),
            "{name}: {native:?} {container:?}"
        );
    }
    // Nothing is left behind.
    assert_eq!(daemon.lines(&["ps", "-a", "-q"]), "");
    assert_eq!(daemon.lines(&["images", "-q"]), "");
}

#[test]
fn what_the_machine_does_not_have_is_refused_where_it_is_named() {
    let archive = archive("local-refused");
    // An engine that is not there.
    let call = [&CALL[..], &["--env", "container"]].concat();
    let output = Command::new(env!("CARGO_BIN_EXE_host"))
        .arg("--archive")
        .arg(&archive)
        .args(call)
        .env("PATH", "/no/such/folder")
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("container: no container engine answers"),
        "{said}"
    );
    assert!(!archive.exists());
}

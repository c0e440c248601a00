//! The Linux program as it is built for x86-64: the same outputs as the aarch64 program under the emulator, both code paths, and
//! faults that are reported.
//!
//! `cargo test -p host --test x86_program -- --ignored --nocapture`; the first time it compiles liboqs for this machine.
#![cfg(target_arch = "x86_64")]

use host::build::{Liboqs, Toolchain, build};
use host::flash::{Emulator, LINK, bare};
use host::link::serial::Serial;
use host::link::{Limits, Parts, Pipes, Port, Session, Stop, Watch};
use host::progress::Progress;
use host::tools::Search;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use wire::catalog::{Algorithm, Operation};
use wire::hello::Hello;
use wire::message::{Dispatch, FaultKind, Identify, RunRequest};
use wire::units::{Counter, Scope};

const TARGET: &str = "x86_64-unknown-linux-gnu";
const PATIENCE: Duration = Duration::from_secs(120);
const ALGORITHMS: [&str; 8] = [
    "ML-KEM-768",
    "Falcon-512",
    "ML-DSA-65",
    "X25519",
    "Ed25519",
    "ECDSA-P256",
    "RSA-2048",
    "FrodoKEM-640-AES",
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Builds the program and gives its path.
fn program() -> PathBuf {
    let status = Command::new(env!("CARGO"))
        .current_dir(workspace())
        .args(["build", "-q", "--profile", "firmware", "--target", TARGET])
        .args([
            "-p",
            "target-bench",
            "--bin",
            "linux",
            "--features",
            "local",
        ])
        .env_remove("CARGO_MANIFEST_DIR")
        .status()
        .expect("cargo");
    assert!(status.success(), "the program builds");
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace().join("target"), PathBuf::from);
    target.join(TARGET).join("firmware/linux")
}

/// Starts the program; its port is its standard input and output.
fn start(program: &Path) -> (Child, Pipes) {
    let mut child = Command::new(program)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let input = child.stdin.take().expect("piped");
    let output = child.stdout.take().expect("piped");
    (child, Pipes::new("the program".to_owned(), input, output))
}

struct Calm;
impl Watch for Calm {
    fn look(&mut self) -> Result<(), Stop> {
        Ok(())
    }
}

fn identify(dispatch: Dispatch) -> Identify {
    Identify {
        run: [3; 16],
        invocation: 0,
        dispatch,
    }
}

type Results = BTreeMap<(&'static str, Operation), Parts>;

/// Runs every operation of [`ALGORITHMS`] and stops the program.
fn everything(port: &mut dyn Port, dispatch: Dispatch) -> (Hello, Results) {
    let mut calm = Calm;
    let mut session = Session::open(port, &mut calm, Limits::default());
    let greeting = session
        .hello(&identify(dispatch), PATIENCE)
        .expect("a Hello");
    let mut results = Results::new();
    for name in ALGORITHMS {
        let algorithm = Algorithm::by_name(name).expect("of the catalogue");
        for operation in algorithm.kind.operations() {
            let request = RunRequest {
                algorithm: algorithm.id,
                provider: algorithm.providers[0].0,
                operation: *operation,
                seed: 1,
                first: 0,
                iterations: 3,
                keys: 3,
                inputs: 3,
            };
            let parts = session
                .run(&request, PATIENCE, &mut |_| {})
                .unwrap_or_else(|e| panic!("{name} {operation}: {e}"));
            assert_eq!(parts.fault, None, "{name} {operation}");
            results.insert((name, *operation), parts);
        }
    }
    session.stop().expect("it stops");
    (greeting.hello, results)
}

fn here(program: &Path, dispatch: Dispatch) -> (Hello, Results) {
    let (mut child, mut pipes) = start(program);
    let results = everything(&mut pipes, dispatch);
    assert!(child.wait().expect("it ends").success());
    results
}

fn emulated() -> (Hello, Results) {
    let board = boards::load("qemu-virt").expect("comes with the program");
    let toolchain = Toolchain::choose(&Search::from_env()).expect("setup has run");
    let programs = build(&toolchain, &board, &Liboqs::default(), Progress::new(false))
        .expect("the programs build");
    let errors = Path::new(env!("CARGO_TARGET_TMPDIR")).join("x86_program.errors.txt");
    let arguments = bare(&board, &programs.bare.as_ref().expect("for Arm").path).expect("emulated");
    let mut emulator = Emulator::start("qemu-system-aarch64", &arguments, &errors).expect("QEMU");
    let mut port = Serial::open(emulator.pty(LINK).expect("a port"), 115_200).expect("a pty");
    emulator.go().expect("it runs");
    everything(&mut port, Dispatch::Detected)
}

/// Ticks of the fastest iteration.
fn fastest(results: &Results, operation: (&'static str, Operation)) -> u64 {
    let samples = results[&operation].samples.iter();
    let ticks = samples.flat_map(|batch| batch.unpack().expect("samples"));
    ticks.map(|sample| sample.ticks).min().expect("samples")
}

#[test]
#[ignore = "slow: compiles liboqs for this machine and runs the emulator"]
fn outputs_are_those_of_the_emulated_board() {
    let program = program();
    let (hello, detected) = here(&program, Dispatch::Detected);
    let (hidden, portable) = here(&program, Dispatch::Portable);
    let (_, emulated) = emulated();
    for (operation, parts) in &detected {
        assert!(parts.digest.is_some());
        assert_eq!(parts.digest, emulated[operation].digest, "{operation:?}");
        assert_eq!(
            parts.digest, portable[operation].digest,
            "{operation:?}, portable"
        );
        let memory = parts.memory.as_ref().expect("memory");
        assert!(memory.stack_bytes > 500, "{operation:?}: {memory:?}");
    }
    println!(
        "{} operations give the same digests on both",
        detected.len()
    );

    let body = &hello.body;
    println!("{:?}\n{:?}", body.clocks, body.cpu);
    assert_eq!(
        (body.program.as_str(), hidden.body.cpu.features_used.len()),
        ("linux", 0)
    );
    let ticks = body.clocks.ticks;
    assert_eq!((ticks.counter, ticks.scope), (Counter::Tsc, Scope::All));
    if let Some(rate) = ticks.rate {
        assert!((100_000_000..20_000_000_000).contains(&rate.0), "{rate:?}");
    }
    // Where the better clock is not there, the reason is.
    let has_perf = body.clocks.count.counter == Counter::PerfCyclesMapped;
    assert!(has_perf || !body.clocks.denied.is_empty());
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").expect("/proc/cpuinfo");
    let flags = cpuinfo
        .lines()
        .find(|line| line.starts_with("flags"))
        .expect("flags");
    for feature in ["aes", "avx2", "bmi2", "sse2", "pni", "adx", "sha_ni"] {
        let kernel = flags.split_whitespace().any(|flag| flag == feature);
        let seen = body.cpu.features_seen.iter().any(|seen| seen == feature);
        assert_eq!(seen, kernel, "{feature}");
        assert_eq!(
            body.cpu.features_used.iter().any(|used| used == feature),
            seen
        );
    }
    // Hiding features must change the code that runs.
    if body.cpu.features_seen.iter().any(|seen| seen == "avx2") {
        let operation = ("ML-KEM-768", Operation::Decaps);
        let (fast, slow) = (fastest(&detected, operation), fastest(&portable, operation));
        println!("ML-KEM-768 decaps: {fast} ticks with AVX2, {slow} without");
        assert!(slow > fast * 3 / 2, "{fast} with AVX2, {slow} without");
    }
}

#[test]
#[ignore = "slow: compiles liboqs for this machine"]
fn a_fatal_signal_is_reported_as_a_fault() {
    let (mut child, mut pipes) = start(&program());
    let pid = child.id().to_string();
    let mut calm = Calm;
    let mut session = Session::open(&mut pipes, &mut calm, Limits::default());
    session
        .hello(&identify(Dispatch::Detected), PATIENCE)
        .expect("a Hello");
    let algorithm = Algorithm::by_name("Classic-McEliece-348864").expect("of the catalogue");
    let request = RunRequest {
        algorithm: algorithm.id,
        provider: algorithm.providers[0].0,
        operation: Operation::Keygen,
        seed: 1,
        first: 0,
        iterations: 200,
        keys: 1,
        inputs: 1,
    };
    let kill = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        Command::new("kill").args(["-SEGV", &pid]).status()
    });
    let parts = session
        .run(&request, PATIENCE, &mut |_| {})
        .expect("a fault is no error of the link");
    assert!(kill.join().expect("the thread").expect("kill").success());
    let fault = parts.fault.expect("a fault");
    assert_eq!(fault.kind, FaultKind::Exception);
    assert!(fault.text.contains("segmentation fault at 0x"), "{fault:?}");
    assert!(
        fault.address > 0x40_0000,
        "the program's own code: {fault:?}"
    );
    drop(session);
    assert_eq!(child.wait().expect("it ends").code(), Some(70));
}

/// Each execution of a sample draws the same randomness again: outputs and memory are those of one, and the count is their sum.
#[test]
#[ignore = "slow: compiles liboqs for this machine"]
fn executions_within_a_sample_are_the_same_work() {
    const EXECUTIONS: u32 = 10;
    let (mut child, mut pipes) = start(&program());
    let mut calm = Calm;
    let mut session = Session::open(&mut pipes, &mut calm, Limits::default());
    session
        .hello(&identify(Dispatch::Detected), PATIENCE)
        .expect("a Hello");
    for (name, operation) in [
        ("ML-KEM-768", Operation::Keygen),
        ("ML-KEM-768", Operation::Encaps),
        ("Falcon-512", Operation::Sign),
        ("X25519", Operation::Derive),
    ] {
        let algorithm = Algorithm::by_name(name).expect("of the catalogue");
        let request = RunRequest {
            algorithm: algorithm.id,
            provider: algorithm.providers[0].0,
            operation,
            seed: 1,
            first: 0,
            iterations: 20,
            keys: 2,
            inputs: 20,
        };
        let mut run = |executions| {
            let parts = session
                .run_repeated(&request, executions, PATIENCE, &mut |_| {})
                .expect("parts");
            assert_eq!(parts.fault, None, "{name} {operation}");
            parts
        };
        let (once, often) = (run(1), run(EXECUTIONS));
        assert_eq!(once.digest, often.digest, "{name} {operation}");
        let memory = |parts: &Parts| {
            let memory = parts.memory.expect("memory");
            (memory.heap_bytes, memory.allocations, memory.random_bytes)
        };
        assert_eq!(memory(&once), memory(&often), "{name} {operation}");
        let least = |parts: &Parts| {
            let samples = parts.samples.iter().flat_map(|b| b.unpack().unwrap());
            samples.map(|s| s.ticks).min().expect("samples")
        };
        let ratio = least(&often) as f64 / least(&once) as f64;
        println!("{name} {operation}: {EXECUTIONS} executions take {ratio:.2} times the ticks");
        assert!((5.0..20.0).contains(&ratio), "{ratio}");
    }
    session.stop().expect("it stops");
    assert!(child.wait().expect("it ends").success());
}

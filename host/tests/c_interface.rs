//! The C interface: the example carrier is compiled by a C compiler, and driven as any other program is. It gives the outputs of the program
//! that the bench brings itself; for the boards' architecture it links against a C library alone.
//!
//! `cargo test -p host --test c_interface -- --ignored --nocapture`; `cargo run -p host -- setup --yes` must have run.
#![cfg(target_arch = "x86_64")]

use host::link::{Limits, Pipes, Session, Stop, Watch};
use host::tools::{Search, TARGET, Target, rust};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use wire::catalog::{Algorithm, Operation};
use wire::message::{Digest, Dispatch, Identify, RunRequest};

const HERE: &str = "x86_64-unknown-linux-gnu";
const PATIENCE: Duration = Duration::from_secs(120);
const ALGORITHMS: [&str; 4] = ["ML-KEM-768", "Falcon-512", "X25519", "Ed25519"];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Builds a package for a target; gives the folder of what was built.
fn build(target: &str, arguments: &[&str]) -> PathBuf {
    let mut command = Command::new(env!("CARGO"));
    command
        .current_dir(workspace())
        .args(["build", "-q", "--profile", "firmware", "--target", target])
        .args(arguments)
        .env_remove("CARGO_MANIFEST_DIR");
    if target == TARGET {
        let rust = rust::choose(&Search::from_env(), Target::Aarch64).expect("setup has run");
        command
            .env("RUSTC", rust.rustc)
            .env_remove("LD_LIBRARY_PATH");
    }
    assert!(command.status().expect("cargo").success(), "{command:?}");
    let folder = std::env::var_os("CARGO_TARGET_DIR");
    let folder = folder.map_or_else(|| workspace().join("target"), PathBuf::from);
    folder.join(target).join("firmware")
}

/// Compiles the example and links it with the library.
fn carrier(compiler: &str, library: &Path, more: &[&str], folder: &Path) -> PathBuf {
    let sources = workspace().join("target-bench/capi");
    let program = folder.join("carrier");
    let status = Command::new(compiler)
        .args([
            "-std=c11",
            "-D_GNU_SOURCE",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-O2",
            "-I",
        ])
        .arg(&sources)
        .arg(sources.join("example/main.c"))
        .arg(library.join("libpq_bench.a"))
        .args(more)
        .arg("-o")
        .arg(&program)
        .status()
        .expect("a C compiler");
    assert!(status.success(), "the example compiles and links");
    program
}

/// Starts a program; its port is its standard input and output.
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

/// Digests of a few iterations of every operation.
fn digests(program: &Path, name: &str) -> BTreeMap<(&'static str, Operation), Option<Digest>> {
    let (mut child, mut pipes) = start(program);
    let mut calm = Calm;
    let mut session = Session::open(&mut pipes, &mut calm, Limits::default());
    let identify = Identify {
        run: [3; 16],
        invocation: 0,
        dispatch: Dispatch::Detected,
    };
    let greeting = session.hello(&identify, PATIENCE).expect("a Hello");
    assert_eq!(greeting.hello.body.program, name);
    let offers = session.list().expect("what it has");
    assert!(offers.len() >= 89, "{} algorithms", offers.len());
    let mut found = BTreeMap::new();
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
            let parts = session.run(&request, PATIENCE, &mut |_| {}).expect("parts");
            assert_eq!(parts.fault, None, "{name} {operation}");
            let samples = parts.samples.iter().flat_map(|b| b.unpack().unwrap());
            assert!(
                samples.map(|s| s.ticks).all(|t| t > 0),
                "{name} {operation}"
            );
            found.insert((algorithm.name, *operation), parts.digest);
        }
    }
    session.stop().expect("it stops");
    assert!(child.wait().expect("it ends").success());
    found
}

#[test]
#[ignore = "slow: compiles liboqs for this machine"]
fn a_carrier_in_c_does_the_same_work() {
    let folder = tempfile::tempdir().unwrap();
    let library = build(HERE, &["-p", "pq-bench-c", "--features", "local"]);
    let carrier = carrier("cc", &library, &["-lm", "-lpthread", "-ldl"], folder.path());
    let program = build(
        HERE,
        &[
            "-p",
            "target-bench",
            "--bin",
            "linux",
            "--features",
            "local",
        ],
    )
    .join("linux");
    let (own, carried) = (digests(&program, "linux"), digests(&carrier, "library"));
    assert!(own.values().all(Option::is_some));
    assert_eq!(own, carried);
    println!("{} operations give the same digests", own.len());
}

#[test]
#[ignore = "slow: compiles the library for the boards"]
fn the_library_for_boards_needs_a_c_library_alone() {
    let folder = tempfile::tempdir().unwrap();
    let library = build(TARGET, &["-p", "pq-bench-c"]);
    // As an RTOS would: nothing that is not used, no Rust library beside it.
    let more = ["-static", "-Wl,--gc-sections", "-lm"];
    let carrier = carrier("aarch64-linux-gnu-gcc", &library, &more, folder.path());
    let bytes = std::fs::metadata(carrier).unwrap().len();
    println!("a carrier for the boards: {bytes} bytes");
    assert!(bytes > 1_000_000);
}

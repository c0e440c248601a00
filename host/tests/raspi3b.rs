//! The emulated Raspberry Pi 3B: a raw image, three cores sent to sleep, and an end by semihosting.
//!
//! `cargo test -p host --test raspi3b -- --ignored --nocapture --test-threads=1`; `cargo run -p host -- setup --yes` must have run.
mod command;

use boards::Board;
use command::{host, json};
use host::bench::{BareBoard, Machine};
use host::build::{Liboqs, Programs, Toolchain, build};
use host::link::{Limits, Port, Session};
use host::model::{Environment, Place};
use host::progress::Progress;
use host::tools::Search;
use object::{Object, ObjectSegment, ObjectSymbol};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use wire::catalog::{Algorithm, Operation};
use wire::message::{Dispatch, FaultKind, Identify, RunRequest};

const PATIENCE: Duration = Duration::from_secs(60);

/// The place of the image.
const METAL: Place = Place {
    environment: Environment::BareMetal,
    ..Place::BASELINE
};

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It may not be there yet.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// (algorithm, operation) -> row, of a run on `board`.
fn measured(archive: &Path, board: &str) -> BTreeMap<(String, String), Value> {
    let run = host(
        archive,
        &[
            "flash-and-bench",
            "--board",
            board,
            "--env",
            "bare-metal",
            "--algorithms",
            "ML-KEM-768,X25519,Ed25519",
            "--seed",
            "1",
        ],
    );
    let errors = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{board}: {errors}");
    let summary = String::from_utf8_lossy(&run.stdout);
    assert!(summary.contains("ML-KEM-768"), "{summary}");
    let run = json(archive, &["archive", "show", "latest"]);
    let text = |row: &Value, field: &str| row[field].as_str().expect("text").to_owned();
    let rows = run["rows"].as_array().expect("rows").iter();
    rows.map(|row| {
        assert_eq!(text(row, "board"), board);
        assert_eq!(
            row["nanoseconds"],
            Value::Null,
            "an emulated board has no time"
        );
        (
            (text(row, "algorithm"), text(row, "operation")),
            row.clone(),
        )
    })
    .collect()
}

#[test]
#[ignore = "slow: builds for two boards and runs both emulators"]
fn counts_and_outputs_are_those_of_qemu_virt() {
    let archive = scratch("raspi3b-archive");
    let pi = measured(&archive, "qemu-raspi3b");
    let virt = measured(&archive, "qemu-virt");
    assert_eq!(pi.len(), 8);
    assert_eq!(
        pi.keys().collect::<Vec<_>>(),
        virt.keys().collect::<Vec<_>>()
    );
    for (operation, row) in &pi {
        let other = &virt[operation];
        assert!(row["digest"].is_string());
        assert_eq!(row["digest"], other["digest"], "{operation:?}");
        assert_eq!(row["clock"], "instructions", "{operation:?}");
        let median = |row: &Value| row["median"].as_f64().expect("a median");
        let ratio = median(row) / median(other);
        println!("{operation:?}: {} instructions, ratio {ratio}", median(row));
        assert!((ratio - 1.0).abs() < 0.003, "{operation:?}: {ratio}");
    }
}

#[test]
fn an_environment_that_the_board_lacks_is_refused_by_name() {
    let archive = scratch("raspi3b-refused");
    let call = [
        "flash-and-bench",
        "--board",
        "qemu-raspi3b",
        "--env",
        "native",
    ];
    let refused = host(&archive, &call);
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("board qemu-raspi3b has no environment native; it has bare-metal"),
        "{errors}"
    );
}

fn programs(board: &Board) -> Programs {
    let toolchain = Toolchain::choose(&Search::from_env()).expect("setup has run");
    build(&toolchain, board, &Liboqs::default(), Progress::new(true)).expect("the programs build")
}

/// The image with an undefined instruction at the beginning of `function`.
fn broken(image: &Path, function: &str) -> Vec<u8> {
    let mut bytes = std::fs::read(image).expect("the image");
    let file = object::File::parse(bytes.as_slice()).expect("an ELF file");
    let symbol = file.symbols().find(|s| s.name() == Ok(function));
    let address = symbol.expect("the function").address();
    let holds = |start: u64, size: u64| (start..start + size).contains(&address);
    let segment = file.segments().find(|s| holds(s.address(), s.size()));
    let segment = segment.expect("its segment");
    let place = (segment.file_range().0 + address - segment.address()) as usize;
    bytes[place..place + 4].fill(0);
    bytes
}

fn identify() -> Identify {
    Identify {
        run: [5; 16],
        invocation: 0,
        dispatch: Dispatch::Detected,
    }
}

fn request(operation: Operation) -> RunRequest {
    let algorithm = Algorithm::by_name("ML-KEM-768").expect("of the catalogue");
    RunRequest {
        algorithm: algorithm.id,
        provider: algorithm.providers[0].0,
        operation,
        seed: 1,
        first: 0,
        iterations: 2,
        keys: 1,
        inputs: 1,
    }
}

#[test]
#[ignore = "slow: builds for the board and starts the emulator"]
fn a_fault_ends_one_start_and_not_the_board() {
    let board = boards::load("qemu-raspi3b").expect("comes with the program");
    let folder = scratch("raspi3b-fault");
    let image = folder.join("broken.elf");
    std::fs::write(
        &image,
        broken(
            &programs(&board).bare.as_ref().expect("for Arm").path,
            "OQS_KEM_encaps",
        ),
    )
    .expect("a copy");
    let wrap = Arc::new(|port: Box<dyn Port>| port);
    let mut machine = BareBoard::new(&board, &image, &folder, wrap).expect("emulated");
    for _ in 0..2 {
        machine.start(METAL, 0).expect("it starts");
        let (port, watch) = machine.link().expect("a link");
        let mut session = Session::open(port, watch, Limits::default());
        session.hello(&identify(), PATIENCE).expect("a Hello");
        let good = session.run(&request(Operation::Keygen), PATIENCE, &mut |_| {});
        assert_eq!(good.expect("keys").fault, None);
        let bad = session.run(&request(Operation::Encaps), PATIENCE, &mut |_| {});
        let fault = bad.expect("its last words arrive").fault.expect("a fault");
        assert_eq!(fault.kind, FaultKind::Exception);
        assert!(fault.text.contains("undefined instruction"), "{fault:?}");
        // By now the emulator is gone, which is the image's doing and no end of the board.
        std::thread::sleep(Duration::from_secs(2));
        assert_eq!(machine.board_ended(), None);
        machine.end(true).expect("it ends");
    }
    // And ended when told to.
    machine.start(METAL, 1).expect("it starts");
    let (port, watch) = machine.link().expect("a link");
    let mut session = Session::open(port, watch, Limits::default());
    session.hello(&identify(), PATIENCE).expect("a Hello");
    session.stop().expect("it stops");
    machine.end(true).expect("it ends");
    assert_eq!(machine.board_ended(), None);
}

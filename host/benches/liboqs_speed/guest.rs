//! Runs the speed programs on the emulated board's Linux, and reads what they print.
use super::build::Programs;
use super::ours::Ours;
use host::cpio::Archive;
use host::flash::{Emulator, Kernel, linux};
use host::launch::{KERNEL_ARGUMENTS, write_initrd};
use host::setup::{cache, guest};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// What one start of a speed program, with one key pair, says of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Iterations.
    pub iterations: f64,
    /// Mean of user-mode instructions, rounded to a whole one.
    pub mean: f64,
    /// Standard deviation of the iterations.
    pub deviation: f64,
}

/// Instructions that an algorithm may take, all operations together.
const BUDGET: f64 = 600e6;

/// By liboqs' name and the bench's name of the operation.
pub type Figures = BTreeMap<(String, String), Vec<Start>>;

/// Runs what `ours` holds.
pub fn run(folder: &Path, programs: &Programs, ours: &[Ours]) -> Figures {
    let mut list = String::new();
    let mut cost: BTreeMap<&str, (f64, &Ours)> = BTreeMap::new();
    for row in ours {
        cost.entry(row.native_name()).or_insert((0.0, row)).0 += row.mean;
    }
    for (name, (cost, row)) in cost {
        // Each start has one key pair, and some keys cost more than others.
        let iterations = (BUDGET / cost).clamp(3.0, 1000.0) as u64;
        let starts = (iterations / 20).clamp(1, 20);
        for seed in 0..starts {
            let each = iterations / starts;
            let _ = writeln!(list, "{} {each} {seed} {name}", row.program());
        }
    }
    let read = |path: &Path| std::fs::read(path).expect("a program");
    let mut archive = Archive::new(Vec::new());
    let files = [
        ("init", 0o755, include_bytes!("init.sh").to_vec()),
        ("speed/list", 0o644, list.into_bytes()),
        ("speed/speed_kem", 0o755, read(&programs.kem)),
        ("speed/speed_sig", 0o755, read(&programs.sig)),
    ];
    for (path, mode, content) in files {
        archive.file(path, mode, &content).expect("in memory");
    }
    let overlay = archive.finish().expect("in memory");
    let guest = guest::find(&cache::folder().expect("a cache"))
        .expect("`cargo run -p host -- setup` has run");
    let initrd = folder.join("initrd");
    write_initrd(&guest.base_initrd, &overlay, &initrd).expect("room on the disk");
    let board = boards::load("qemu-virt").expect("comes with the program");
    let console = folder.join("console.txt");
    let kernel = Kernel {
        image: &guest.kernel,
        initrd: &initrd,
        append: KERNEL_ARGUMENTS,
    };
    let arguments = linux(&board, kernel, &console).expect("an emulated board");
    let errors = folder.join("errors.txt");
    let mut emulator = Emulator::start("qemu-system-aarch64", &arguments, &errors).expect("QEMU");
    emulator.go().expect("it runs");
    let deadline = Instant::now() + Duration::from_secs(1800);
    loop {
        let said = std::fs::read_to_string(&console).unwrap_or_default();
        if said.contains("the end") {
            return parse(&said);
        }
        let stopped = emulator.stopped();
        assert!(
            stopped.is_none() && Instant::now() < deadline,
            "{stopped:?}\n{said}"
        );
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// Lines `operation | iterations | total | mean us | deviation | mean count | deviation`, below one that names the algorithm.
fn parse(said: &str) -> Figures {
    let mut figures = Figures::new();
    let mut algorithm = String::new();
    for line in said.lines() {
        if let Some(named) = line.strip_prefix("run ") {
            algorithm = named
                .split_whitespace()
                .nth(1)
                .unwrap_or_default()
                .to_owned();
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let number = |at: usize| cells.get(at)?.parse::<f64>().ok();
        if let (7, Some(iterations), Some(mean), Some(deviation)) =
            (cells.len(), number(1), number(5), number(6))
        {
            let operation = match cells[0] {
                "keypair" => "keygen",
                other => other,
            };
            let start = Start {
                iterations,
                mean,
                deviation,
            };
            let key = (algorithm.clone(), operation.to_owned());
            figures.entry(key).or_default().push(start);
        }
    }
    figures
}

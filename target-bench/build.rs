//! Turns the board file into constants and link arguments.
//!
//! `linux`, `unikraft` and `bare` are freestanding: no start files and no C library, so that the same objects stand under the providers in each.
//! `cfg(freestanding)` says so to the sources: on aarch64, and on x86-64 with the feature `local`. The `bare` program gets the
//! layout of `linker/image.ld`, fed with the board's addresses; `linux` that of `linker/process.ld`, `unikraft` that of `linker/unikraft.ld`.
use boards::{Board, Conduit, Range};
use std::path::{Path, PathBuf};
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=PQ_BENCH_BOARD");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../linker");
    let name = env::var("PQ_BENCH_BOARD").unwrap_or_else(|_| "qemu-virt".into());
    let board = boards::load(&name)?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("board.rs"), constants(&board))?;
    println!("cargo::rerun-if-changed=../boards");
    // A board file of the user's own lies elsewhere.
    if Path::new(&name).is_file() {
        println!("cargo::rerun-if-changed={name}");
    }
    println!("cargo::rustc-check-cfg=cfg(freestanding)");
    let local = env::var_os("CARGO_FEATURE_LOCAL").is_some();
    match env::var("CARGO_CFG_TARGET_ARCH")?.as_str() {
        "aarch64" => {
            println!("cargo::rustc-cfg=freestanding");
            link("linux", "process.ld", &out, &FIXED.map(str::to_owned))?;
            link("unikraft", "unikraft.ld", &out, &MOVABLE.map(str::to_owned))?;
            // An ordinary program: the linker's own layout, and defmt's section added.
            pass("stock", "stock.ld", &out, &[])?;
            link_bare(&board, &out)?;
        }
        "x86_64" if local => {
            println!("cargo::rustc-cfg=freestanding");
            // The script is GNU ld's, and Rust has another linker by default here. For `--wrap`: src/freestanding/dispatch.rs.
            let own = ["-fuse-ld=bfd", "-Wl,--wrap=OQS_CPU_has_extension"];
            let own = [&FIXED[..], &own].concat();
            let own: Vec<_> = own.into_iter().map(str::to_owned).collect();
            link("linux", "process.ld", &out, &own)?;
        }
        _ => {}
    }
    Ok(())
}

/// A program at the addresses in its file.
const FIXED: [&str; 2] = ["-static", "-no-pie"];
/// One that may lie anywhere. `-static-pie` has to be forced: rustc has no such programs for this target.
const MOVABLE: [&str; 3] = ["-static-pie", "-Wl,-z,text", "-Wl,-z,max-page-size=4096"];

fn constants(board: &Board) -> String {
    let ranges = |ranges: &[Range]| {
        let entries: Vec<_> = ranges
            .iter()
            .map(|r| format!("({:#x}, {:#x})", r.base, r.size))
            .collect();
        format!("&[{}]", entries.join(", "))
    };
    let virtio = board.virtio_mmio.as_ref().map_or("None".into(), |v| {
        format!("Some(({:#x}, {:#x}, {}))", v.base, v.stride, v.slots)
    });
    let counts = board.clocks.instructions_per_tick.map(u64::from);
    let conduit = match board.power.conduit {
        Conduit::Smc => "Smc",
        Conduit::Hvc => "Hvc",
        Conduit::Semihosting => "Semihosting",
        Conduit::None => "None",
    };
    format!(
        "use crate::platform::Conduit;\n\
         /// The board's name.\npub const NAME: &str = {:?};\n\
         /// Memory, as (first address, bytes).\npub const MEMORY: &[(u64, u64)] = {};\n\
         /// Device registers, as (first address, bytes).\npub const DEVICES: &[(u64, u64)] = {};\n\
         /// First register of the UART.\npub const UART: usize = {:#x};\n\
         /// Slots of virtio-mmio, as (first address, stride, number).\npub const VIRTIO: Option<(usize, usize, usize)> = {virtio};\n\
         /// Where the firmware's waiting cores look for an address.\npub const SPIN_TABLE: &[u64] = &{:?};\n\
         /// Counts of the main clock in a tick, where the two are tied together.\npub const COUNTS_PER_TICK: Option<u64> = {counts:?};\n\
         /// How the machine is switched off when the image was entered at EL2.\npub const CONDUIT: Conduit = Conduit::{conduit};\n",
        board.name,
        ranges(&board.image.memory),
        ranges(&board.image.devices),
        board.uart.base,
        board.cpu.spin_table,
    )
}

/// Gives a program link arguments. They come after rustc's own, so they win whatever it takes for its default. All programs have a
/// build id, by which they are told apart, and leave a map.
fn pass(program: &str, script: &str, out: &Path, own: &[String]) -> Result<(), Box<dyn Error>> {
    let scripts = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?)
        .join("../linker")
        .canonicalize()?;
    let map = out.join(program).with_extension("map");
    let common = [
        "-Wl,--build-id=sha1".to_owned(),
        format!("-Wl,-T,{}", scripts.join(script).display()),
        format!("-Wl,-Map={}", map.display()),
    ];
    for argument in common.iter().chain(own) {
        println!("cargo::rustc-link-arg-bin={program}={argument}");
    }
    Ok(())
}

/// The same for a freestanding program.
fn link(program: &str, script: &str, out: &Path, own: &[String]) -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = [
        "-nostdlib",
        "-nostartfiles",
        "-Wl,--fatal-warnings",
        "-Wl,--no-eh-frame-hdr",
        "-Wl,-z,noexecstack",
        "-Wl,-z,norelro",
    ]
    .map(str::to_owned)
    .to_vec();
    arguments.extend_from_slice(own);
    if env::var("CARGO_CFG_TARGET_ARCH")? == "aarch64" {
        // Where defmt keeps the texts that travel as numbers; it brings the script itself.
        arguments.push("-Wl,-T,defmt.x".into());
    }
    pass(program, script, out, &arguments)
}

fn link_bare(board: &Board, out: &Path) -> Result<(), Box<dyn Error>> {
    let home = board
        .image
        .home()
        .ok_or("the image's load address lies in none of the board's memory ranges")?;
    let mut own = FIXED.map(str::to_owned).to_vec();
    own.extend([
        "-Wl,-z,max-page-size=4096".to_owned(),
        format!("-Wl,--defsym=LOAD_ADDRESS={:#x}", board.image.load_address),
        format!("-Wl,--defsym=MEMORY_END={:#x}", home.end()),
    ]);
    own.extend(board.image.link_arguments.iter().cloned());
    link("bare", "image.ld", out, &own)
}

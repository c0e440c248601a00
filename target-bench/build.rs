//! Turns the board file into constants and link arguments.
//!
//! `linux` and `bare` are freestanding: no start files and no C library, so that the same objects stand under the providers in each.
//! The `bare` program gets the layout of `linker/image.ld`, fed with the board's addresses; `linux` that of `linker/process.ld`.
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
    if env::var("CARGO_CFG_TARGET_ARCH")? == "aarch64" {
        link(&board, &out)?;
    }
    Ok(())
}

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
    format!(
        "/// The board's name.\npub const NAME: &str = {:?};\n\
         /// Memory, as (first address, bytes).\npub const MEMORY: &[(u64, u64)] = {};\n\
         /// Device registers, as (first address, bytes).\npub const DEVICES: &[(u64, u64)] = {};\n\
         /// First register of the UART.\npub const UART: usize = {:#x};\n\
         /// Slots of virtio-mmio, as (first address, stride, number).\npub const VIRTIO: Option<(usize, usize, usize)> = {virtio};\n\
         /// Whether firmware is called by SMC when the image was entered at EL2.\npub const SMC: bool = {};\n",
        board.name,
        ranges(&board.image.memory),
        ranges(&board.image.devices),
        board.uart.base,
        matches!(board.power.conduit, Conduit::Smc),
    )
}

fn link(board: &Board, out: &Path) -> Result<(), Box<dyn Error>> {
    let scripts = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?)
        .join("../linker")
        .canonicalize()?;
    let home = board
        .image
        .home()
        .ok_or("the image's load address lies in none of the board's memory ranges")?;
    let arguments = |program: &str, script: &str, own: &[String]| {
        // After rustc's own arguments, so these win whatever it takes for its default.
        let common = [
            "-static".to_owned(),
            "-no-pie".into(),
            "-nostdlib".into(),
            "-nostartfiles".into(),
            "-Wl,--build-id=sha1".into(),
            "-Wl,--fatal-warnings".into(),
            "-Wl,--no-eh-frame-hdr".into(),
            "-Wl,-z,noexecstack".into(),
            "-Wl,-z,norelro".into(),
            // Where defmt keeps the texts that travel as numbers; it brings the script itself.
            "-Wl,-T,defmt.x".into(),
            format!("-Wl,-T,{}", scripts.join(script).display()),
            format!(
                "-Wl,-Map={}",
                out.join(program).with_extension("map").display()
            ),
        ];
        for argument in common.iter().chain(own) {
            println!("cargo::rustc-link-arg-bin={program}={argument}");
        }
    };
    arguments("linux", "process.ld", &[]);
    // The third program is an ordinary one.
    for argument in [
        "-Wl,--build-id=sha1".to_owned(),
        format!("-Wl,-T,{}", scripts.join("stock.ld").display()),
        format!("-Wl,-Map={}", out.join("stock.map").display()),
    ] {
        println!("cargo::rustc-link-arg-bin=stock={argument}");
    }
    let mut own = vec![
        "-Wl,-z,max-page-size=4096".to_owned(),
        format!("-Wl,--defsym=LOAD_ADDRESS={:#x}", board.image.load_address),
        format!("-Wl,--defsym=MEMORY_END={:#x}", home.end()),
    ];
    own.extend(board.image.link_arguments.iter().cloned());
    arguments("bare", "image.ld", &own);
    Ok(())
}

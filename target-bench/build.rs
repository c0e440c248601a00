//! Turns the board file into constants and link arguments.
//!
//! Both programs are freestanding: no start files and no C library, so that the same objects stand under the providers in each.
//! The `bare` program gets the layout of `linker/image.ld`, fed with the board's addresses; `linux` the linker's default.
use boards::{Board, Conduit, Range};
use std::{env, error::Error, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=PQ_BENCH_BOARD");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../linker/image.ld");
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

fn link(board: &Board, out: &std::path::Path) -> Result<(), Box<dyn Error>> {
    let script = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?)
        .join("../linker/image.ld")
        .canonicalize()?;
    let home = board
        .image
        .home()
        .ok_or("the image's load address lies in none of the board's memory ranges")?;
    // After rustc's own arguments, so these win whatever it takes for its default.
    let both = [
        "-static",
        "-no-pie",
        "-nostdlib",
        "-nostartfiles",
        "-Wl,--build-id=sha1",
        "-Wl,-z,noexecstack",
        "-Wl,-z,norelro",
    ];
    let bare = [
        "-Wl,--no-eh-frame-hdr".to_owned(),
        "-Wl,-z,max-page-size=4096".into(),
        "-Wl,--fatal-warnings".into(),
        format!("-Wl,--defsym=LOAD_ADDRESS={:#x}", board.image.load_address),
        format!("-Wl,--defsym=MEMORY_END={:#x}", home.end()),
        format!("-Wl,-T,{}", script.display()),
    ];
    for program in ["linux", "bare"] {
        let map = format!(
            "-Wl,-Map={}",
            out.join(program).with_extension("map").display()
        );
        for argument in both.into_iter().chain([map.as_str()]) {
            println!("cargo::rustc-link-arg-bin={program}={argument}");
        }
    }
    for argument in bare.iter().chain(&board.image.link_arguments) {
        println!("cargo::rustc-link-arg-bin=bare={argument}");
    }
    Ok(())
}

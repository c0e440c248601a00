//! Builds liboqs' speed programs against the library that the target programs hold.
use super::oqs_sys;
use host::build::Toolchain;
use host::tools::{Search, TARGET};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs.
pub struct Programs {
    /// `speed_kem`.
    pub kem: PathBuf,
    /// `speed_sig`.
    pub sig: PathBuf,
}

/// Builds both into `folder`.
pub fn build(folder: &Path) -> Programs {
    let toolchain =
        Toolchain::choose(&Search::from_env()).expect("`cargo run -p host -- setup` has run");
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = workspace.join("target").join(TARGET).join("firmware");
    let tests = oqs_sys::sources().join("tests");
    let sources = workspace.join("host/benches/liboqs_speed");
    let liboqs = newest(&target.join("build"), "oqs-sys-", "out/lib/liboqs.a");
    let include = liboqs.with_file_name("").join("../include");
    let deps = target.join("deps");
    let heap = folder.join("libheap.a");
    // As the firmware profile has it; procedural macros lie with what runs here.
    run(Command::new(&toolchain.rust.rustc)
        .args([
            "--edition",
            "2024",
            "--target",
            TARGET,
            "--crate-type",
            "staticlib",
            "--crate-name",
            "heap",
        ])
        .args([
            "-C",
            "opt-level=3",
            "-C",
            "panic=abort",
            "-C",
            "codegen-units=1",
            "--extern",
        ])
        .arg(format!(
            "target_bench={}",
            newest(&deps, "libtarget_bench-", "").display()
        ))
        .arg("-L")
        .arg(format!("dependency={}", deps.display()))
        .arg("-L")
        .arg(format!(
            "dependency={}",
            workspace.join("target/firmware/deps").display()
        ))
        .arg("-L")
        .arg(format!("native={}", liboqs.with_file_name("").display()))
        .arg(sources.join("heap.rs"))
        .arg("-o")
        .arg(&heap));
    let compile = |source: &Path, name: &str, header: bool| {
        let object = folder.join(name);
        let mut command = Command::new(&toolchain.cc);
        command
            .args(["-O3", "-c", "-I"])
            .arg(&include)
            .arg("-I")
            .arg(&tests);
        if header {
            command.arg("-include").arg(sources.join("count.h"));
        }
        run(command.arg(source).arg("-o").arg(&object));
        object
    };
    let count = compile(&sources.join("count.c"), "count.o", false);
    let memory = workspace.join("target-bench/src/freestanding/memory-aarch64.s");
    let memory = compile(&memory, "memory.o", false);
    let link = |name: &str| {
        let object = compile(&tests.join(format!("{name}.c")), &format!("{name}.o"), true);
        let program = folder.join(name);
        // The C library has the same names: the first ones count, and the allocator is wanted before anybody asks for it.
        // What else its library holds is left out.
        run(Command::new(&toolchain.cc)
            .args([
                "-static",
                "-Wl,-z,muldefs",
                "-Wl,--gc-sections",
                "-Wl,-u,malloc",
                "-o",
            ])
            .arg(&program)
            .args([&object, &count, &memory, &heap, &liboqs])
            .arg("-lm"));
        program
    };
    Programs {
        kem: link("speed_kem"),
        sig: link("speed_sig"),
    }
}

fn run(command: &mut Command) {
    let status = command
        .status()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(status.success(), "{command:?}");
}

/// The newest entry whose name begins so and that has the file `within`.
fn newest(folder: &Path, begins: &str, within: &str) -> PathBuf {
    let entries = std::fs::read_dir(folder).expect("the target programs are built");
    let is_it = |path: &PathBuf| {
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        name.starts_with(begins) && !name.ends_with(".rmeta")
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(is_it)
        .map(|path| {
            if within.is_empty() {
                path
            } else {
                path.join(within)
            }
        })
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .max()
        .unwrap_or_else(|| panic!("no {begins}* in {}", folder.display()))
        .1
}

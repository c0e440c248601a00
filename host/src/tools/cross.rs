//! The C side of the build: cross compiler, C library, cmake, and libclang for bindgen.
use super::{Search, run};
use std::env;
use std::path::{Path, PathBuf};

/// The cross compiler; its name is in `.cargo/config.toml` too.
pub const GCC: &str = "aarch64-linux-gnu-gcc";

/// The static C library that `gcc` would link, if it has one: asked for an unknown file, it gives the bare name back.
#[must_use]
pub fn libc(gcc: &Path) -> Option<PathBuf> {
    let file = PathBuf::from(run::output(gcc, &["-print-file-name=libc.a"])?);
    (file.is_absolute() && file.is_file()).then_some(file)
}

/// libclang, looked for where bindgen's loader does: LIBCLANG_PATH, the folder that `llvm-config` names, and the distribution's.
#[must_use]
pub fn libclang(search: &Search) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = env::var_os("LIBCLANG_PATH")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    let config = search.find("llvm-config");
    folders.extend(config.and_then(|c| run::output(&c, &["--libdir"]).map(PathBuf::from)));
    for parent in ["/usr/lib", "/usr/local/lib", "/usr/lib64"] {
        folders.push(parent.into());
        let Ok(entries) = std::fs::read_dir(parent) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("llvm") {
                folders.push(entry.path().join("lib"));
            } else if name.ends_with("-linux-gnu") {
                folders.push(entry.path());
            }
        }
    }
    folders.iter().find_map(|folder| library_in(folder))
}

fn library_in(folder: &Path) -> Option<PathBuf> {
    if folder.is_file() {
        return Some(folder.to_owned());
    }
    std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let library = name == "libclang.so" || name.starts_with("libclang.so.");
            let numbered = name
                .strip_prefix("libclang-")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            // A dangling link is no library.
            (library || numbered && name.contains(".so")) && path.exists()
        })
}

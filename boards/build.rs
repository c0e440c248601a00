//! Embeds every board file of this folder, so that a new board is one file and no line of code.
use std::{env, error::Error, fmt::Write as _, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    // A folder's time changes when files come and go; each file is watched by include_str!.
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
            && let Some(stem) = stem.filter(|stem| *stem != "Cargo")
        {
            files.push((stem.to_owned(), path));
        }
    }
    files.sort();
    let mut code = String::from("&[\n");
    for (name, path) in files {
        writeln!(code, "({name:?}, include_str!({path:?})),")?;
    }
    code.push(']');
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("builtin.rs"), code)?;
    Ok(())
}

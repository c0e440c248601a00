//! What a board needs on this machine, and what of it is there.
use super::guest;
use crate::tools::{Search, Target, cross, rust};
use boards::{Board, Environment};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Something a board needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Need {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub why: &'static str,
    /// Where it was found, or its version; none if it is missing.
    pub found: Option<String>,
    /// The command that installs it alone.
    pub install: String,
    /// Where set-up gets it from.
    #[serde(skip)]
    pub package: Package,
}

/// Where something needed comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Package {
    /// A Debian package.
    Debian(&'static str),
    /// Debian's Rust compiler and the target's standard library; their names differ between releases.
    Rust,
    /// Files in the cache.
    Guest,
    /// Nothing that set-up could install.
    Unknown,
}

/// All that `board` needs, with where it was found. Programs are looked for by `search`, the guest's files in `cache`.
#[must_use]
pub fn needs(board: &Board, search: &Search, cache: Option<&Path>) -> Vec<Need> {
    let target = Target::of(board);
    let [compiler, library] = target.packages();
    let gcc = search.find(target.gcc());
    let libc = gcc.as_deref().and_then(cross::libc);
    let mut needs = vec![
        debian(
            target.gcc(),
            "compiles and links for the board",
            gcc.clone(),
            compiler,
        ),
        debian(
            "C library for the board",
            "headers that liboqs is compiled with",
            libc,
            library,
        ),
        debian("cmake", "builds liboqs", search.find("cmake"), "cmake"),
        debian("make", "builds liboqs", search.find("make"), "make"),
        debian(
            "libclang",
            "reads the headers of liboqs",
            cross::libclang(search),
            "libclang-dev",
        ),
        rust_for_the_board(search, target),
    ];
    if let Some(qemu) = &board.qemu {
        let name = qemu.binary.as_str();
        let mut need = debian(
            name,
            "plays the board",
            search.find(name),
            "qemu-system-arm",
        );
        if name != "qemu-system-aarch64" {
            need.package = Package::Unknown;
            need.install = format!("put {name} on PATH, or change `qemu.binary` of the board");
        }
        needs.push(need);
        let on_linux = |environment: &Environment| *environment != Environment::BareMetal;
        if board.environments.iter().any(on_linux) {
            needs.push(debian(
                "xz",
                "unpacks kernel modules",
                search.find("xz"),
                "xz-utils",
            ));
            needs.push(Need {
                name: "Linux for the emulated board".to_owned(),
                why: "kernel, busybox, crun and qemu of the environments on Linux",
                found: cache.and_then(guest::find).map(|guest| {
                    let kernel = guest.facts.get("guest.kernel");
                    kernel.cloned().unwrap_or_default()
                }),
                install: "cargo run -p host -- setup".to_owned(),
                package: Package::Guest,
            });
        }
    }
    needs
}

fn debian(name: &str, why: &'static str, found: Option<PathBuf>, package: &'static str) -> Need {
    Need {
        name: name.to_owned(),
        why,
        found: found.map(|path| path.display().to_string()),
        install: format!("apt-get install {package}"),
        package: Package::Debian(package),
    }
}

fn rust_for_the_board(search: &Search, target: Target) -> Need {
    let triple = target.triple();
    let install = if search.find("rustup").is_some() {
        format!("rustup target add {triple}")
    } else {
        "dpkg --add-architecture arm64 && apt-get update && apt-get install rustc-web libstd-rust-web-dev:arm64".to_owned()
    };
    Need {
        name: format!("Rust standard library of {triple}"),
        why: "linked into both programs",
        found: rust::choose(search, target)
            .ok()
            .map(|rust| format!("{} ({})", rust.rustc.display(), rust.version)),
        install,
        // Every compiler has the library of the machine that it runs on.
        package: match target {
            Target::Aarch64 => Package::Rust,
            Target::X86_64 => Package::Unknown,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_tools_each_names_its_cure() {
        let board = boards::load("qemu-virt").unwrap();
        let search = Search {
            path: "/no/such/folder".into(),
        };
        let needs = needs(&board, &search, None);
        let cures: Vec<(&str, bool, &str)> = needs
            .iter()
            .map(|need| {
                (
                    need.name.as_str(),
                    need.found.is_some(),
                    need.install.as_str(),
                )
            })
            .collect();
        assert!(cures.contains(&(
            "aarch64-linux-gnu-gcc",
            false,
            "apt-get install gcc-aarch64-linux-gnu"
        )));
        assert!(cures.contains(&("cmake", false, "apt-get install cmake")));
        assert!(cures.contains(&(
            "qemu-system-aarch64",
            false,
            "apt-get install qemu-system-arm"
        )));
        assert!(cures.contains(&(
            "Linux for the emulated board",
            false,
            "cargo run -p host -- setup"
        )));
    }

    #[test]
    fn a_board_without_linux_needs_no_guest() {
        let mut board = boards::load("qemu-virt").unwrap();
        board.environments = vec![Environment::BareMetal];
        let search = Search {
            path: "/no/such/folder".into(),
        };
        let needs = needs(&board, &search, None);
        assert!(needs.iter().all(|need| need.package != Package::Guest));
    }
}

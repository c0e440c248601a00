//! Which Rust compiler can build for the board.
use super::{Search, Target, run};
use std::env;
use std::path::{Path, PathBuf};

/// A compiler that has the target's standard library, and the cargo that calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rust {
    /// The compiler.
    pub rustc: PathBuf,
    /// What `rustc --version` says.
    pub version: String,
    /// Cargo.
    pub cargo: PathBuf,
}

/// Why no compiler will do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRust {
    /// There is no cargo.
    #[error("cargo was not found")]
    Cargo,
    /// No compiler has the target's standard library and is new enough.
    #[error("no Rust compiler here has the standard library of {} and is {needed} or later{}", .target.triple(), looked_at(.seen))]
    Standard {
        /// What is to be built for.
        target: Target,
        /// The oldest that will do.
        needed: &'static str,
        /// Compilers that were looked at, and what each lacks.
        seen: Vec<String>,
    },
}

fn looked_at(seen: &[String]) -> String {
    if seen.is_empty() {
        return String::new();
    }
    format!(" (looked at {})", seen.join("; "))
}

/// The oldest compiler that builds the workspace.
pub const NEEDED: &str = env!("CARGO_PKG_RUST_VERSION");

/// Picks the compiler: RUSTC if it is set, else each `rustc` of PATH in turn (rustup's comes first where there is one, Debian's
/// later), the first that will do.
///
/// # Errors
/// [`NoRust`] says what is missing.
pub fn choose(search: &Search, target: Target) -> Result<Rust, NoRust> {
    let cargo = env::var_os("CARGO")
        .map(PathBuf::from)
        .filter(|cargo| cargo.is_file())
        .or_else(|| search.find("cargo"))
        .ok_or(NoRust::Cargo)?;
    let named = env::var_os("RUSTC").map(PathBuf::from);
    let mut seen = Vec::new();
    for rustc in named.into_iter().chain(search.all("rustc")) {
        match lacks(&rustc, target) {
            Ok(version) => {
                return Ok(Rust {
                    rustc,
                    version,
                    cargo,
                });
            }
            Err(what) => seen.push(format!("{}: {what}", rustc.display())),
        }
    }
    Err(NoRust::Standard {
        target,
        needed: NEEDED,
        seen,
    })
}

/// The version of a compiler that will do, or what it lacks.
fn lacks(rustc: &Path, target: Target) -> Result<String, String> {
    let version = run::version(rustc).ok_or("does not run")?;
    let number = version.split_whitespace().nth(1).unwrap_or_default();
    if !at_least(number, NEEDED) {
        return Err(format!("is {number}"));
    }
    let folder = run::output(
        rustc,
        &["--print", "target-libdir", "--target", target.triple()],
    )
    .ok_or("does not know the target")?;
    let has_std = std::fs::read_dir(&folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libstd-") && name.ends_with(".rlib")
        })
    });
    if has_std {
        Ok(version)
    } else {
        Err(format!("{number} without the target's standard library"))
    }
}

/// Whether version `have` is `needed` or later; both are numbers with dots, and what follows them does not count.
#[must_use]
pub fn at_least(have: &str, needed: &str) -> bool {
    let numbers = |text: &str| -> Vec<u32> {
        text.split(|c: char| !c.is_ascii_digit())
            .map_while(|part| part.parse().ok())
            .take(3)
            .collect()
    };
    numbers(have) >= numbers(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_number() {
        assert!(at_least("1.95.0", "1.90"));
        assert!(at_least("1.100.0", "1.95"));
        assert!(at_least("1.96.0+dfsg1-1~deb12u2", "1.90"));
        assert!(!at_least("1.85.0", "1.90"));
        assert!(!at_least("", "1.90"));
    }

    #[test]
    fn an_empty_path_has_no_compiler() {
        let search = Search {
            path: "/no/such/folder".into(),
        };
        assert!(choose(&search, Target::Aarch64).is_err());
    }
}

//! Installs and removes. What set-up itself installed is recorded, so that nothing else is ever removed.
use super::distribution::Distribution;
use super::{Need, Package, SetupError, apt, cache, guest, needs};
use crate::progress::Progress;
use crate::tools::{Search, TARGET, run, rust};
use boards::Board;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compilers that Debian's releases offer, with the standard library of each; the first that is new enough is taken.
const RUST: [[&str; 2]; 2] = [
    ["rustc-web", "libstd-rust-web-dev:arm64"],
    ["rustc", "libstd-rust-dev:arm64"],
];

/// What set-up would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Debian packages, Rust's left out.
    pub packages: Vec<&'static str>,
    /// Whether Debian's Rust compiler and the target's standard library are wanted.
    pub rust: bool,
    /// Whether the guest's files are to be made.
    pub guest: bool,
    /// What is missing that set-up cannot install.
    pub unknown: Vec<String>,
}

impl Plan {
    /// What is missing among `needs`.
    #[must_use]
    pub fn of(needs: &[Need]) -> Self {
        let mut plan = Self::default();
        for need in needs.iter().filter(|need| need.found.is_none()) {
            match need.package {
                Package::Debian(package) => plan.packages.push(package),
                Package::Rust => plan.rust = true,
                Package::Guest => plan.guest = true,
                Package::Unknown => {
                    let unknown = format!("{}: {}", need.name, need.install);
                    plan.unknown.push(unknown);
                }
            }
        }
        plan
    }

    /// Whether packages of the system are to be installed.
    #[must_use]
    pub fn changes_the_system(&self) -> bool {
        self.rust || !self.packages.is_empty()
    }

    /// The one command that installs the packages, as an ordinary user would type it.
    #[must_use]
    pub fn command(&self) -> String {
        let mut packages = self.packages.clone();
        let mut before = "apt-get update";
        if self.rust {
            packages.extend(RUST[0]);
            before = "dpkg --add-architecture arm64 && apt-get update";
        }
        format!(
            "sudo sh -c '{before} && apt-get install -y --no-install-recommends {}'",
            packages.join(" ")
        )
    }
}

/// Installs what `board` needs and this machine lacks. `agree` is asked before the first change; set-up that has nothing to do does not ask.
///
/// # Errors
/// [`SetupError`]: the system is unknown, root is needed, nobody agreed, or a step failed.
pub fn install(
    board: &Board,
    cache: &Path,
    agree: impl FnOnce(&Plan) -> bool,
    progress: Progress,
) -> Result<(), SetupError> {
    let search = Search::from_env();
    let needs = needs(board, &search, Some(cache));
    let plan = Plan::of(&needs);
    if plan == Plan::default() {
        return Ok(());
    }
    let system = Distribution::of_this_machine();
    if !system.supported() {
        let list: Vec<String> = needs
            .iter()
            .filter(|need| need.found.is_none())
            .map(|need| format!("  {} ({}): Debian: {}", need.name, need.why, need.install))
            .collect();
        return Err(SetupError::Unsupported {
            system: system.to_string(),
            list: list.join("\n"),
        });
    }
    if plan.changes_the_system() && !is_root() {
        return Err(SetupError::NotRoot {
            command: plan.command(),
        });
    }
    if !agree(&plan) {
        return Err(SetupError::Declined);
    }
    if plan.changes_the_system() {
        let _lock = cache::lock(cache)?;
        install_packages(&plan, cache, progress)?;
    }
    if plan.guest {
        guest::ensure(cache, progress)?;
    }
    let left: Vec<String> = super::needs(board, &search, Some(cache))
        .into_iter()
        .filter(|need| need.found.is_none())
        .map(|need| format!("{} ({})", need.name, need.install))
        .collect();
    if left.is_empty() {
        return Ok(());
    }
    Err(SetupError::StillMissing {
        what: left.join(", "),
    })
}

/// Whether packages may be installed: files of this process belong to root.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

fn install_packages(plan: &Plan, cache: &Path, progress: Progress) -> Result<(), SetupError> {
    let before = installed();
    let mut record = Record::read(cache);
    if plan.rust && !foreign_architectures().contains("arm64") {
        let mut add = Command::new("dpkg");
        add.args(["--add-architecture", "arm64"]);
        run::lines(&mut add, |_| true).map_err(SetupError::Command)?;
        record.architecture = true;
        record.write(cache)?;
    }
    // A source that fails is no harm as long as the packages come from another, so the install decides.
    let task = progress.task("package lists", 0);
    let lists = apt::run(apt::command(None).arg("update"), &task);
    task.done();
    let task = progress.task("install packages", 0);
    let mut packages = plan.packages.clone();
    if plan.rust {
        packages.extend(rust_packages()?);
    }
    let result = apt::run(
        apt::command(None)
            .args(["install", "--no-install-recommends"])
            .args(&packages),
        &task,
    );
    // Recorded even if the installation failed half-way.
    record
        .packages
        .extend(installed().difference(&before).cloned());
    record.write(cache)?;
    task.done();
    result.map_err(|error| SetupError::Command(lists.err().unwrap_or(error)))
}

/// The first pair whose compiler is new enough.
fn rust_packages() -> Result<[&'static str; 2], SetupError> {
    let new_enough = |package: &str| {
        let policy = run::output(Path::new("apt-cache"), &["policy", package]).unwrap_or_default();
        policy
            .lines()
            .find_map(|line| line.trim().strip_prefix("Candidate:"))
            .is_some_and(|version| rust::at_least(version.trim(), rust::NEEDED))
    };
    RUST.into_iter()
        .find(|pair| pair.iter().all(|package| new_enough(package)))
        .ok_or_else(|| SetupError::StillMissing {
            what: format!(
                "a Rust compiler {} or later with the standard library of {TARGET}; this Debian has none: install rustup, then `rustup target add {TARGET}`",
                rust::NEEDED
            ),
        })
}

fn installed() -> BTreeSet<String> {
    let format = "${db:Status-Abbrev}|${binary:Package}\n";
    run::output(Path::new("dpkg-query"), &["-W", "-f", format])
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.split_once('|'))
        .filter(|(status, _)| status.starts_with("ii"))
        .map(|(_, package)| package.to_owned())
        .collect()
}

fn foreign_architectures() -> BTreeSet<String> {
    words("dpkg", &["--print-foreign-architectures"])
}

fn words(program: &str, arguments: &[&str]) -> BTreeSet<String> {
    run::output(Path::new(program), arguments)
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

/// What set-up changed of the system.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    packages: BTreeSet<String>,
    architecture: bool,
}

impl Record {
    fn file(cache: &Path) -> PathBuf {
        cache.join("installed.json")
    }

    /// Nothing, if there is no record.
    fn read(cache: &Path) -> Self {
        fs::read(Self::file(cache))
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }

    fn write(&self, cache: &Path) -> Result<(), SetupError> {
        let file = Self::file(cache);
        serde_json::to_vec_pretty(self)
            .map_err(std::io::Error::from)
            .and_then(|text| {
                let whole = file.with_extension("tmp");
                fs::write(&whole, text)?;
                fs::rename(whole, &file)
            })
            .map_err(|source| SetupError::io("write", &file, source))
    }
}

/// Removes the packages that set-up installed, and the cache.
///
/// # Errors
/// [`SetupError::NotRoot`] and [`SetupError::NeededByOthers`] before any change; else what failed.
pub fn uninstall(cache: &Path, progress: Progress) -> Result<(), SetupError> {
    let record = Record::read(cache);
    let packages: Vec<String> = record
        .packages
        .intersection(&installed())
        .cloned()
        .collect();
    if !packages.is_empty() || record.architecture {
        let command = format!("sudo apt-get remove -y {}", packages.join(" "));
        if !is_root() {
            return Err(SetupError::NotRoot { command });
        }
        let others = also_removed(&packages);
        if !others.is_empty() {
            return Err(SetupError::NeededByOthers {
                others: others.join(", "),
                command,
            });
        }
        let task = progress.task("remove packages", 0);
        apt::run(apt::command(None).arg("remove").args(&packages), &task)
            .map_err(SetupError::Command)?;
        if record.architecture {
            // dpkg refuses as long as somebody else's package is of that architecture, which is right.
            let _ = run::output(Path::new("dpkg"), &["--remove-architecture", "arm64"]);
        }
        task.done();
    }
    guest::uninstall(cache)?;
    for file in [Record::file(cache), cache.join("lock")] {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(SetupError::io("remove", &file, error));
            }
            _ => {}
        }
    }
    // Somebody else's files may be in it.
    let _ = fs::remove_dir(cache);
    Ok(())
}

/// What removing `packages` would remove beside them.
fn also_removed(packages: &[String]) -> Vec<String> {
    let mut arguments = vec!["-s", "remove"];
    arguments.extend(packages.iter().map(String::as_str));
    let simulated = run::output(Path::new("apt-get"), &arguments).unwrap_or_default();
    let bare = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
    let ours: BTreeSet<String> = packages.iter().map(|package| bare(package)).collect();
    simulated
        .lines()
        .filter_map(|line| line.strip_prefix("Remv ")?.split_whitespace().next())
        .filter(|name| !ours.contains(&bare(name)))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(package: Package, found: bool) -> Need {
        Need {
            name: "a thing".into(),
            why: "for a test",
            found: found.then(|| "here".into()),
            install: "get it".into(),
            package,
        }
    }

    #[test]
    fn the_plan_holds_what_is_missing_and_the_command_installs_it() {
        let plan = Plan::of(&[
            need(Package::Debian("cmake"), false),
            need(Package::Debian("make"), true),
            need(Package::Rust, false),
            need(Package::Guest, true),
        ]);
        assert_eq!(plan.packages, ["cmake"]);
        assert!(plan.rust && !plan.guest && plan.changes_the_system());
        assert_eq!(
            plan.command(),
            "sudo sh -c 'dpkg --add-architecture arm64 && apt-get update && apt-get install -y --no-install-recommends \
             cmake rustc-web libstd-rust-web-dev:arm64'"
        );
        assert_eq!(Plan::of(&[need(Package::Rust, true)]), Plan::default());
    }

    #[test]
    fn the_record_survives_and_a_missing_one_is_empty() {
        let cache = std::env::temp_dir().join(format!("pq-record-{}", std::process::id()));
        fs::create_dir_all(&cache).unwrap();
        assert_eq!(Record::read(&cache), Record::default());
        let record = Record {
            packages: ["cmake".to_owned()].into(),
            architecture: true,
        };
        record.write(&cache).unwrap();
        assert_eq!(Record::read(&cache), record);
        fs::remove_dir_all(cache).unwrap();
    }
}

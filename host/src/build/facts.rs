//! What the programs were built with and from, for the manifest.
use super::liboqs::{FROM, Liboqs, Version};
use super::{Built, Toolchain, footprint, program};
use crate::tools::{Search, Target, run};
use boards::Board;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;

/// All facts; one that cannot be learnt is left out.
pub fn collect(toolchain: &Toolchain, workspace: &Path) -> BTreeMap<String, String> {
    let read = |file: &str| -> Option<toml::Table> {
        fs::read_to_string(workspace.join(file)).ok()?.parse().ok()
    };
    let revision = git(workspace, &["rev-parse", "HEAD"]);
    let changes = git(workspace, &["status", "--porcelain"]);
    let facts = [
        ("rustc.target", Some(toolchain.rust.version.clone())),
        ("cargo", run::version(&toolchain.rust.cargo)),
        ("cc.target", run::version(&toolchain.cc)),
        ("cmake", run::version(&toolchain.cmake)),
        (
            "flags.rust",
            read("Cargo.toml").map(|manifest| rust_flags(&manifest)),
        ),
        (
            "flags.c",
            read(".cargo/config.toml").map(|config| c_flags(&config, toolchain.target)),
        ),
        ("git.revision", revision),
        (
            "git.dirty",
            changes.map(|changes| (!changes.is_empty()).to_string()),
        ),
    ];
    facts
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)))
        .collect()
}

/// Bytes that each program's image has to hold: `image.NAME.bytes`.
pub fn images(programs: &[(&str, Option<&Built>)]) -> BTreeMap<String, String> {
    let sizes = programs.iter().filter_map(|(name, built)| {
        let extent = program::extent(&(*built)?.path)?;
        Some((format!("image.{name}.bytes"), extent.loaded.to_string()))
    });
    sizes.collect()
}

/// The memory that the freestanding image asks for: `image.bare.memory_mib`, from the beginning of memory to its own end, and what the guest
/// is given: `guest.memory_mib`.
pub fn memory(bare: &Built, board: &Board) -> BTreeMap<String, String> {
    let given = board.guest.as_ref().map(|guest| guest.memory_mib);
    let needed = board.image.home().and_then(|home| {
        let end = program::extent(&bare.path)?.end;
        Some(end.checked_sub(home.base)?.div_ceil(1 << 20))
    });
    [
        ("guest.memory_mib", given),
        ("image.bare.memory_mib", needed),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key.to_owned(), value?.to_string())))
    .collect()
}

/// Static footprint of each algorithm of the liboqs that is `library`: `static.liboqs.ALGORITHM`, bytes of code, `+`, bytes of read-only
/// data.
pub fn footprints(library: &Path) -> BTreeMap<String, String> {
    let archive = fs::read(library).ok();
    let found = archive.and_then(|archive| footprint::of_liboqs(&archive).ok());
    let entries = found.into_iter().flatten().map(|(name, size)| {
        let value = format!("{}+{}", size.code, size.read_only);
        (format!("static.liboqs.{name}"), value)
    });
    entries.collect()
}

fn git(workspace: &Path, arguments: &[&str]) -> Option<String> {
    let git = Search::from_env().find("git")?;
    let folder = workspace.to_str()?;
    run::output(&git, &[&["-C", folder], arguments].concat())
}

/// The profile, and what the user adds.
fn rust_flags(manifest: &toml::Table) -> String {
    let profile = manifest
        .get("profile")
        .and_then(|profiles| profiles.get("firmware")?.as_table());
    let mut flags: Vec<String> = profile
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    flags.extend(env::var("RUSTFLAGS").ok().filter(|flags| !flags.is_empty()));
    flags.join(" ")
}

/// What cargo hands to C compilers: the user's variable, else the project's.
fn c_flags(config: &toml::Table, target: Target) -> String {
    let name = format!("CFLAGS_{}", target.triple().replace('-', "_"));
    env::var(&name).unwrap_or_else(|_| {
        config
            .get("env")
            .and_then(|variables| variables.get(&name)?.as_str())
            .unwrap_or_default()
            .to_owned()
    })
}

/// Which liboqs it is: `liboqs`, a version by which runs are compared, and `liboqs.from`, the word of the command line that asks for it.
pub fn liboqs(
    asked: &Liboqs,
    version: &Version,
    locked: Option<(String, String)>,
) -> BTreeMap<String, String> {
    let locked = locked.map(|(liboqs, of)| format!("{liboqs} (oqs-sys {of})"));
    let version = match version {
        Version::Crate => locked,
        Version::Locked(words) => locked.map(|locked| format!("{locked}, {words}")),
        Version::Own(version) => Some(version.clone()),
    };
    [("liboqs", version), (FROM, Some(asked.to_string()))]
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)))
        .collect()
}

/// The version of the liboqs that the project's locked oqs-sys carries, and that of oqs-sys.
pub fn locked_liboqs(workspace: &Path) -> Option<(String, String)> {
    let lock = fs::read_to_string(workspace.join("Cargo.lock")).ok()?;
    version_in(&lock.parse().ok()?)
}

/// `0.11.0+liboqs-0.13.0`, taken apart.
fn version_in(lock: &toml::Table) -> Option<(String, String)> {
    let packages = lock.get("package")?.as_array()?;
    let package = packages
        .iter()
        .find(|package| package.get("name").and_then(toml::Value::as_str) == Some("oqs-sys"))?;
    let version = package.get("version")?.as_str()?;
    let (crate_version, liboqs) = version.split_once("+liboqs-")?;
    Some((liboqs.to_owned(), crate_version.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> toml::Table {
        text.parse().unwrap()
    }

    #[test]
    fn facts_are_read_from_the_projects_own_files() {
        let lock = table("[[package]]\nname = \"oqs-sys\"\nversion = \"0.11.0+liboqs-0.13.0\"\n");
        let locked = version_in(&lock);
        assert_eq!(locked, Some(("0.13.0".to_owned(), "0.11.0".to_owned())));
        assert_eq!(version_in(&table("")), None);
        let of = |version| liboqs(&Liboqs::Vendored, &version, locked.clone())["liboqs"].clone();
        assert_eq!(of(Version::Crate), "0.13.0 (oqs-sys 0.11.0)");
        assert_eq!(of(Version::Locked("x")), "0.13.0 (oqs-sys 0.11.0), x");
        assert_eq!(of(Version::Own("0.13.1".to_owned())), "0.13.1");
        let config = table("[env]\nCFLAGS_aarch64_unknown_linux_gnu = \"-march=armv8-a\"\n");
        assert_eq!(c_flags(&config, Target::Aarch64), "-march=armv8-a");
        assert_eq!(c_flags(&config, Target::X86_64), "");
        let manifest = table("[profile.firmware]\ninherits = \"release\"\ncodegen-units = 1\n");
        assert!(rust_flags(&manifest).contains("codegen-units=1"));
    }
}

//! Debian's arm64 packages, by the host's own apt and sources but with a root, an architecture and a status of their own: nothing of the host
//! changes, no maintainer script runs, and no privilege is needed.
use crate::progress::Progress;
use crate::setup::{SetupError, apt};
use crate::tools::run;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages that hold what the guest runs; apt adds what they depend on.
const PACKAGES: [&str; 4] = [
    "linux-image-arm64",
    "busybox-static",
    "crun",
    "qemu-system-arm",
];

/// A package file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Where it is.
    pub file: PathBuf,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Downloads the guest's packages below `root`.
///
/// # Errors
/// If a file cannot be written, or apt fails; what it said is in the error.
pub fn download(root: &Path, progress: Progress) -> Result<Vec<Package>, SetupError> {
    let archives = root.join("cache/archives");
    for folder in [
        archives.join("partial"),
        root.join("state/lists/partial"),
        root.join("etc/apt.conf.d"),
        root.join("etc/preferences.d"),
    ] {
        fs::create_dir_all(&folder).map_err(|source| SetupError::io("make", &folder, source))?;
    }
    let status = root.join("status");
    fs::write(&status, "").map_err(|source| SetupError::io("write", &status, source))?;
    let configuration = root.join("apt.conf");
    fs::write(&configuration, configure(root))
        .map_err(|source| SetupError::io("write", &configuration, source))?;

    let task = progress.task("guest: package lists", 0);
    // A source that fails is no harm as long as the packages come from another, so the install decides.
    let lists = apt::run(apt::command(Some(&configuration)).arg("update"), &task);
    task.done();
    let task = progress.task("guest: download packages", 0);
    apt::run(
        apt::command(Some(&configuration))
            .args(["install", "--download-only", "--no-install-recommends"])
            .args(PACKAGES),
        &task,
    )
    .map_err(|install| SetupError::GuestPackages {
        detail: match lists {
            Ok(()) => install.to_string(),
            Err(lists) => format!("{lists}\n{install}"),
        },
    })?;
    task.done();
    packages(&archives)
}

/// Unpacks the files of a package below `to`; `members` are patterns of tar, none for all.
///
/// # Errors
/// If dpkg-deb or tar fails.
pub fn unpack(package: &Package, members: &[&str], to: &Path) -> Result<(), SetupError> {
    fs::create_dir_all(to).map_err(|source| SetupError::io("make", to, source))?;
    let mut command = Command::new("sh");
    command
        .args(["-c", "file=$1 to=$2; shift 2; dpkg-deb --fsys-tarfile \"$file\" | tar -x -C \"$to\" --wildcards --no-same-owner --exclude='./usr/share/*' \"$@\"", "unpack"])
        .arg(&package.file)
        .arg(to)
        .args(members);
    run::lines(&mut command, |_| true).map_err(SetupError::Command)
}

fn configure(root: &Path) -> String {
    let root = root.display();
    // The host's proxies and the like; its hooks (some delete what was downloaded) stay out.
    let host = run::output(Path::new("apt-config"), &["dump", "Acquire"]).unwrap_or_default();
    let host: Vec<&str> = host
        .lines()
        .filter(|line| {
            ["Acquire::http", "Acquire::https", "Acquire::ftp"]
                .iter()
                .any(|prefix| line.starts_with(prefix))
        })
        .collect();
    format!(
        "{}
Dir \"{root}/\";
Dir::State \"{root}/state\";
Dir::State::status \"{root}/status\";
Dir::Cache \"{root}/cache\";
Dir::Etc \"{root}/etc\";
Dir::Etc::sourcelist \"/etc/apt/sources.list\";
Dir::Etc::sourceparts \"/etc/apt/sources.list.d\";
Dir::Etc::trusted \"/etc/apt/trusted.gpg\";
Dir::Etc::trustedparts \"/etc/apt/trusted.gpg.d\";
APT::Architecture \"arm64\";
APT::Architectures {{ \"arm64\"; }};
APT::Sandbox::User \"root\";
Acquire::Languages \"none\";
Debug::NoLocking \"1\";
",
        host.join("\n")
    )
}

fn packages(archives: &Path) -> Result<Vec<Package>, SetupError> {
    let io = |source| SetupError::io("list", archives, source);
    let mut packages = BTreeMap::new();
    for entry in fs::read_dir(archives).map_err(io)? {
        let file = entry.map_err(io)?.path();
        if let Some((name, version)) = file
            .file_name()
            .and_then(|name| name.to_str())
            .and_then(parse_name)
        {
            packages.insert(
                name.clone(),
                Package {
                    file,
                    name,
                    version,
                },
            );
        }
    }
    Ok(packages.into_values().collect())
}

/// Name and version from `NAME_VERSION_ARCHITECTURE.deb`, where apt writes a colon as `%3a`.
fn parse_name(file: &str) -> Option<(String, String)> {
    let mut parts = file.strip_suffix(".deb")?.split('_');
    let name = parts.next()?.to_owned();
    let version = parts.next()?.replace("%3a", ":");
    parts.next()?;
    Some((name, version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_file_names_its_version() {
        assert_eq!(
            parse_name("qemu-system-arm_1%3a7.2+dfsg-7+deb12u18_arm64.deb"),
            Some((
                "qemu-system-arm".to_owned(),
                "1:7.2+dfsg-7+deb12u18".to_owned()
            ))
        );
        assert_eq!(parse_name("lock"), None);
    }
}

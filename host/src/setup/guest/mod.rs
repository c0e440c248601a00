//! The files of the emulated board's Linux, made once of Debian's packages and kept in the cache: a kernel, and a first root
//! file system with busybox, crun, qemu and the libraries and modules that these need. Nothing of ours is in it: that
//! comes with [`crate::launch::overlay`], each time.
use super::{SetupError, cache};
use crate::digest;
use crate::progress::Progress;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

mod assemble;
pub mod closure;
mod download;

/// Changes when the guest is put together differently; an older one is made anew.
const FORMAT: u32 = 3;

/// Folders of attempts begin so; the process's number follows.
const PARTIAL: &str = "guest.partial-";

/// The guest's files, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guest {
    /// The kernel.
    pub kernel: PathBuf,
    /// The first root file system: an uncompressed cpio archive, a whole number of blocks, so that another may follow it.
    pub base_initrd: PathBuf,
    /// Versions of what is in it: `guest.kernel`, `guest.qemu`, `guest.crun`, `guest.busybox`, `guest.libc`.
    pub facts: BTreeMap<String, String>,
}

/// `guest.json`: what the guest was made of, and how to tell that it is whole.
#[derive(Debug, Serialize, Deserialize)]
struct Made {
    format: u32,
    kernel_sha256: String,
    initrd_sha256: String,
    packages: BTreeMap<String, String>,
}

/// The guest in the cache, if a whole one is there.
#[must_use]
pub fn find(cache: &Path) -> Option<Guest> {
    let folder = cache.join("guest");
    let made: Made = serde_json::from_slice(&fs::read(folder.join("guest.json")).ok()?).ok()?;
    let guest = Guest {
        kernel: folder.join("kernel"),
        base_initrd: folder.join("initrd.cpio"),
        facts: facts(&made.packages),
    };
    // A disk that loses a bit would boot another guest than the archive says.
    let whole = |path: &Path, sha256: &str| digest::of_file(path).is_ok_and(|d| d.1 == sha256);
    (made.format == FORMAT
        && whole(&guest.kernel, &made.kernel_sha256)
        && whole(&guest.base_initrd, &made.initrd_sha256))
    .then_some(guest)
}

/// The guest in the cache; made first if it is not there. A cut attempt leaves nothing that looks whole and is done again.
///
/// # Errors
/// If packages cannot be downloaded, lack something, or files cannot be written.
pub fn ensure(cache: &Path, progress: Progress) -> Result<Guest, SetupError> {
    if let Some(guest) = find(cache) {
        return Ok(guest);
    }
    let _lock = cache::lock(cache)?;
    // Another set-up may have made it meanwhile.
    if let Some(guest) = find(cache) {
        return Ok(guest);
    }
    // Programs of an attempt that was cut may still write to its folder; each attempt has its own.
    let partial = cache.join(format!("{PARTIAL}{}", std::process::id()));
    remove_partial(cache);
    let made = make(cache, &partial, progress);
    let removed = remove(&partial);
    made?;
    removed?;
    find(cache).ok_or_else(|| SetupError::GuestVanished {
        folder: cache.join("guest"),
    })
}

/// Makes the guest in `partial` and moves it to its place when it is whole.
fn make(cache: &Path, partial: &Path, progress: Progress) -> Result<(), SetupError> {
    let files = partial.join("files");
    fs::create_dir_all(&files).map_err(|source| SetupError::io("make", &files, source))?;
    // apt takes a relative path for one below its own root.
    let partial =
        fs::canonicalize(partial).map_err(|source| SetupError::io("resolve", partial, source))?;

    let packages = download::download(&partial.join("apt"), progress)?;
    let task = progress.task("guest: assemble", 0);
    let versions = packages
        .iter()
        .map(|package| (package.name.clone(), package.version.clone()))
        .collect();
    let unpacked = partial.join("unpacked");
    assemble::assemble(&packages, &facts(&versions), &unpacked, &files, &task)?;
    task.done();

    let sha256 = |name: &str| {
        let path = files.join(name);
        digest::of_file(&path)
            .map(|digest| digest.1)
            .map_err(|source| SetupError::io("read", &path, source))
    };
    let made = Made {
        format: FORMAT,
        kernel_sha256: sha256("kernel")?,
        initrd_sha256: sha256("initrd.cpio")?,
        packages: versions,
    };
    let list = files.join("guest.json");
    serde_json::to_vec_pretty(&made)
        .map_err(std::io::Error::from)
        .and_then(|text| fs::write(&list, text))
        .map_err(|source| SetupError::io("write", &list, source))?;
    let place = cache.join("guest");
    remove(&place)?;
    fs::rename(&files, &place).map_err(|source| SetupError::io("rename", &files, source))
}

/// Removes the guest and what a cut attempt left.
///
/// # Errors
/// If a file cannot be removed.
pub fn uninstall(cache: &Path) -> Result<(), SetupError> {
    remove(&cache.join("guest"))?;
    remove_partial(cache);
    Ok(())
}

/// Removes what cut attempts left, as far as it can be removed.
fn remove_partial(cache: &Path) {
    let entries = fs::read_dir(cache).into_iter().flatten().flatten();
    for entry in entries {
        if entry.file_name().to_string_lossy().starts_with(PARTIAL) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn remove(folder: &Path) -> Result<(), SetupError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(SetupError::io("remove", folder, error))
        }
        _ => Ok(()),
    }
}

fn facts(packages: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let version = |package: &str| packages.get(package).cloned();
    let kernel = packages.iter().find_map(|(name, version)| {
        let release = name.strip_prefix("linux-image-")?;
        release
            .starts_with(|c: char| c.is_ascii_digit())
            .then(|| format!("{release} ({version})"))
    });
    [
        ("guest.kernel", kernel),
        ("guest.qemu", version("qemu-system-arm")),
        ("guest.crun", version("crun")),
        ("guest.busybox", version("busybox-static")),
        ("guest.libc", version("libc6")),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key.to_owned(), value?)))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pq-guest-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("guest")).unwrap();
        folder
    }

    #[test]
    fn only_a_whole_guest_is_found() {
        let cache = scratch("whole");
        let guest = cache.join("guest");
        let list = format!(
            r#"{{"format":3,"kernel_sha256":"{}","initrd_sha256":"{}",
            "packages":{{"crun":"1.8.1","linux-image-6.1.0-57-arm64":"6.1.192-3","linux-image-arm64":"6.1.192-3"}}}}"#,
            digest::of(b"abc"),
            digest::of(b"abcd")
        );
        fs::write(guest.join("kernel"), "abc").unwrap();
        fs::write(guest.join("initrd.cpio"), "abcd").unwrap();
        assert_eq!(find(&cache), None, "without its list");
        fs::write(guest.join("guest.json"), &list).unwrap();
        let found = find(&cache).unwrap();
        assert_eq!(found.facts["guest.kernel"], "6.1.0-57-arm64 (6.1.192-3)");
        assert_eq!(found.facts["guest.crun"], "1.8.1");
        fs::write(guest.join("initrd.cpio"), "abce").unwrap();
        assert_eq!(find(&cache), None, "a bit that changed");
        fs::write(guest.join("initrd.cpio"), "abcd").unwrap();
        fs::write(
            guest.join("guest.json"),
            list.replace("\"format\":3", "\"format\":0"),
        )
        .unwrap();
        assert_eq!(find(&cache), None, "made by an older program");
        uninstall(&cache).unwrap();
        assert!(!guest.exists());
        fs::remove_dir_all(cache).unwrap();
    }
}

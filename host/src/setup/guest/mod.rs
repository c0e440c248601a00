//! The files of the emulated board's Linux, made once of Debian's packages and kept in the cache: a kernel, and a first root
//! file system with busybox, crun, qemu and the libraries and modules that these need. Nothing of ours is in it: that
//! comes with [`crate::launch::overlay`], each time.
use super::{SetupError, cache};
use crate::progress::Progress;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

mod assemble;
pub mod closure;
mod download;

/// Changes when the guest is put together differently; an older one is made anew.
const FORMAT: u32 = 2;

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
    kernel_bytes: u64,
    initrd_bytes: u64,
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
    let whole = |path: &Path, bytes| fs::metadata(path).is_ok_and(|file| file.len() == bytes);
    (made.format == FORMAT
        && whole(&guest.kernel, made.kernel_bytes)
        && whole(&guest.base_initrd, made.initrd_bytes))
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
    let partial = cache.join("guest.partial");
    remove(&partial)?;
    let made = make(cache, &partial, progress);
    remove(&partial)?;
    made?;
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

    let bytes = |name: &str| {
        let path = files.join(name);
        fs::metadata(&path)
            .map(|file| file.len())
            .map_err(|source| SetupError::io("read", &path, source))
    };
    let made = Made {
        format: FORMAT,
        kernel_bytes: bytes("kernel")?,
        initrd_bytes: bytes("initrd.cpio")?,
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
    remove(&cache.join("guest.partial"))
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
        let list = r#"{"format":2,"kernel_bytes":3,"initrd_bytes":4,
            "packages":{"crun":"1.8.1","linux-image-6.1.0-57-arm64":"6.1.192-3","linux-image-arm64":"6.1.192-3"}}"#;
        fs::write(guest.join("kernel"), "abc").unwrap();
        fs::write(guest.join("initrd.cpio"), "abcd").unwrap();
        assert_eq!(find(&cache), None, "without its list");
        fs::write(guest.join("guest.json"), list).unwrap();
        let found = find(&cache).unwrap();
        assert_eq!(found.facts["guest.kernel"], "6.1.0-57-arm64 (6.1.192-3)");
        assert_eq!(found.facts["guest.crun"], "1.8.1");
        fs::write(guest.join("initrd.cpio"), "abc").unwrap();
        assert_eq!(find(&cache), None, "a file cut short");
        fs::write(guest.join("initrd.cpio"), "abcd").unwrap();
        fs::write(
            guest.join("guest.json"),
            list.replace("\"format\":2", "\"format\":0"),
        )
        .unwrap();
        assert_eq!(find(&cache), None, "made by an older program");
        uninstall(&cache).unwrap();
        assert!(!guest.exists());
        fs::remove_dir_all(cache).unwrap();
    }
}

//! What a program or kernel module needs beside itself, read from its ELF file: packages are full of files that the guest never opens.
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection, elf};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Why the needs of a file are unknown or unmet.
#[derive(Debug, thiserror::Error)]
pub enum ClosureError {
    /// The file cannot be read.
    #[error("{} cannot be read", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no ELF file.
    #[error("{} is not what an Arm Linux runs", .path.display())]
    Elf {
        /// The file.
        path: PathBuf,
        /// Why.
        source: object::Error,
    },
    /// A library or module is in no package.
    #[error("{} needs {needed}, which none of the downloaded packages holds", .by.display())]
    Unmet {
        /// Who needs it.
        by: PathBuf,
        /// What.
        needed: String,
    },
}

/// Files by the name that others know them by.
pub type Index = BTreeMap<String, PathBuf>;

/// Shared libraries that `programs` need, directly or not, by name. `all` holds every file of the packages.
///
/// # Errors
/// [`ClosureError`].
pub fn libraries(programs: &[PathBuf], all: &Index) -> Result<Index, ClosureError> {
    let mut found = Index::new();
    let mut open: Vec<PathBuf> = programs.to_vec();
    while let Some(file) = open.pop() {
        for name in needed_libraries(&file)? {
            if found.contains_key(&name) {
                continue;
            }
            let path = all.get(&name).ok_or_else(|| ClosureError::Unmet {
                by: file.clone(),
                needed: name.clone(),
            })?;
            found.insert(name, path.clone());
            open.push(path.clone());
        }
    }
    Ok(found)
}

/// Kernel modules in the order in which they must be loaded so that `wanted` work. One that is built into the kernel is in no
/// package, and is left out if only wanted; a module's own needs must be there.
///
/// # Errors
/// [`ClosureError`].
pub fn modules(wanted: &[&str], all: &Index) -> Result<Vec<PathBuf>, ClosureError> {
    let mut order = Vec::new();
    for name in wanted {
        if let Some(path) = all.get(*name) {
            add_module(path, all, &mut order)?;
        }
    }
    Ok(order)
}

fn add_module(path: &Path, all: &Index, order: &mut Vec<PathBuf>) -> Result<(), ClosureError> {
    if order.iter().any(|have| have == path) {
        return Ok(());
    }
    for name in needed_modules(path)? {
        let needed = all.get(&name).ok_or_else(|| ClosureError::Unmet {
            by: path.to_owned(),
            needed: format!("module {name}"),
        })?;
        add_module(needed, all, order)?;
    }
    order.push(path.to_owned());
    Ok(())
}

/// A module's name as other modules spell it: the file's, without extensions, with `_` for `-`.
#[must_use]
pub fn module_name(file: &str) -> Option<String> {
    let (stem, rest) = file.split_once(".ko")?;
    matches!(rest, "" | ".xz" | ".zst" | ".gz").then(|| stem.replace('-', "_"))
}

fn read(path: &Path) -> Result<Vec<u8>, ClosureError> {
    std::fs::read(path).map_err(|source| ClosureError::Read {
        path: path.to_owned(),
        source,
    })
}

fn needed_libraries(path: &Path) -> Result<Vec<String>, ClosureError> {
    let data = read(path)?;
    let bad = |source| ClosureError::Elf {
        path: path.to_owned(),
        source,
    };
    let file = ElfFile64::<Endianness>::parse(data.as_slice()).map_err(bad)?;
    let table = file.elf_dynamic_table().map_err(bad)?;
    let mut names = Vec::new();
    for entry in &table {
        if entry.tag == elf::DT_NEEDED {
            let name = table.string(entry).map_err(bad)?;
            names.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    Ok(names)
}

fn needed_modules(path: &Path) -> Result<Vec<String>, ClosureError> {
    let data = read(path)?;
    let bad = |source| ClosureError::Elf {
        path: path.to_owned(),
        source,
    };
    let file = ElfFile64::<Endianness>::parse(data.as_slice()).map_err(bad)?;
    let Some(section) = file.section_by_name(".modinfo") else {
        return Ok(Vec::new());
    };
    let info = String::from_utf8_lossy(section.data().map_err(bad)?).into_owned();
    let depends = info
        .split('\0')
        .find_map(|entry| entry.strip_prefix("depends="));
    Ok(depends
        .unwrap_or_default()
        .split(',')
        .filter(|name| !name.is_empty())
        .map(|name| name.replace('-', "_"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_named_as_they_name_each_other() {
        assert_eq!(module_name("virtio-rng.ko").as_deref(), Some("virtio_rng"));
        assert_eq!(
            module_name("virtio_pci.ko.xz").as_deref(),
            Some("virtio_pci")
        );
        assert_eq!(module_name("modules.dep"), None);
        assert_eq!(module_name("x.kotlin"), None);
    }

    /// This test program is one that the system's loader runs, so its needs are real.
    #[test]
    fn a_library_in_no_package_is_named() {
        let program = std::env::current_exe().unwrap();
        let error = libraries(&[program], &Index::new()).unwrap_err();
        assert!(matches!(error, ClosureError::Unmet { .. }), "{error}");
    }
}

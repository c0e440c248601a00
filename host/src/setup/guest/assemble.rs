//! Makes the guest's kernel and first root file system of unpacked packages.
use super::closure::{self, ClosureError, Index};
use super::download::{self, Package};
use crate::cpio::Archive;
use crate::progress::Task;
use crate::setup::SetupError;
use crate::tools::run;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs of the guest beside busybox: where they lie in it, and where in the packages.
const PROGRAMS: [&str; 2] = ["usr/bin/qemu-system-aarch64", "usr/bin/crun"];

/// Modules that the guest loads, where they are not part of the kernel: the way to the host. Virtual machines always are part of
/// an Arm kernel.
const MODULES: [&str; 2] = ["virtio_pci", "virtio_console"];

/// What of busybox the guest's scripts call.
const APPLETS: [&str; 30] = [
    "basename", "cat", "chmod", "chroot", "cp", "cut", "date", "dmesg", "echo", "env", "grep",
    "head", "insmod", "kill", "ln", "ls", "mkdir", "mount", "poweroff", "readlink", "rm", "sed",
    "sh", "sleep", "stat", "sync", "tr", "umount", "uname", "wc",
];

/// The loader that programs name as their interpreter.
const LOADER: &str = "ld-linux-aarch64.so.1";

/// Unpacks `packages` below `work`, and writes `kernel` and `initrd.cpio` into `to`.
///
/// # Errors
/// If a package lacks what it should hold, or a file cannot be written.
pub fn assemble(
    packages: &[Package],
    facts: &BTreeMap<String, String>,
    work: &Path,
    to: &Path,
    task: &Task,
) -> Result<(), SetupError> {
    task.set_total(packages.len() as u64 + 1);
    let mut unpacked = Vec::new();
    for (index, package) in packages.iter().enumerate() {
        task.message(&package.name);
        task.at(index as u64);
        let folder = work.join(&package.name);
        // The kernel's package is mostly modules that nothing here needs.
        let members: &[&str] = if package.name.starts_with("linux-image-") {
            if package.name == "linux-image-arm64" {
                continue;
            }
            &["./boot/vmlinuz-*", "*/drivers/*virtio*"]
        } else {
            &[]
        };
        download::unpack(package, members, &folder)?;
        unpacked.push(folder);
    }
    let files = Files::below(&unpacked)?;
    task.message("writing");
    task.at(packages.len() as u64);
    copy_kernel(&files, &to.join("kernel"))?;
    write_initrd(&files, facts, work, &to.join("initrd.cpio"))
}

/// Every file and link of the packages: by path inside its package, with the old places of programs and libraries merged
/// into the new (`bin/sh` is `usr/bin/sh`), and by bare name.
struct Files {
    by_path: BTreeMap<String, PathBuf>,
    by_name: Index,
}

impl Files {
    fn below(folders: &[PathBuf]) -> Result<Self, SetupError> {
        let mut files = Self {
            by_path: BTreeMap::new(),
            by_name: Index::new(),
        };
        for folder in folders {
            files.add(folder, folder)?;
        }
        Ok(files)
    }

    fn add(&mut self, package: &Path, folder: &Path) -> Result<(), SetupError> {
        let io = |source| SetupError::io("list", folder, source);
        for entry in fs::read_dir(folder).map_err(io)? {
            let entry = entry.map_err(io)?;
            let path = entry.path();
            if entry.file_type().map_err(io)?.is_dir() {
                self.add(package, &path)?;
                continue;
            }
            let inside = path.strip_prefix(package).unwrap_or(&path);
            let inside = inside.to_string_lossy();
            let merged = match inside.split_once('/') {
                Some(("bin" | "sbin" | "lib", _)) => format!("usr/{inside}"),
                _ => inside.into_owned(),
            };
            let name = entry.file_name().to_string_lossy().into_owned();
            // A link may have the name of the file that it leads to.
            if !path.is_symlink() || !self.by_name.contains_key(&name) {
                self.by_name.insert(name, path.clone());
            }
            self.by_path.insert(merged, path);
        }
        Ok(())
    }

    fn at(&self, path: &str) -> Result<&PathBuf, SetupError> {
        self.by_path
            .get(path)
            .ok_or_else(|| SetupError::NotInPackages {
                what: path.to_owned(),
            })
    }

    fn modules(&self) -> Index {
        self.by_name
            .iter()
            .filter_map(|(name, path)| Some((closure::module_name(name)?, path.clone())))
            .collect()
    }
}

fn copy_kernel(files: &Files, to: &Path) -> Result<(), SetupError> {
    let kernel = files
        .by_path
        .iter()
        .find(|(path, _)| path.starts_with("boot/vmlinuz-"))
        .map(|(_, file)| file)
        .ok_or_else(|| SetupError::NotInPackages {
            what: "boot/vmlinuz-*".to_owned(),
        })?;
    let copied = fs::copy(kernel, to).and_then(|_| File::open(to)?.sync_all());
    copied.map_err(|source| SetupError::io("write", to, source))
}

fn write_initrd(
    files: &Files,
    facts: &BTreeMap<String, String>,
    work: &Path,
    to: &Path,
) -> Result<(), SetupError> {
    let io = |source| SetupError::io("write", to, source);
    let out = BufWriter::new(File::create(to).map_err(io)?);
    let mut archive = Archive::new(out);
    for folder in ["dev", "proc", "sys", "run", "tmp", "sysroot"] {
        archive.directory(folder).map_err(io)?;
    }
    // One line of key=value, which the first process repeats when it is ready.
    let versions: Vec<String> = facts
        .iter()
        .map(|(key, value)| {
            format!(
                "{}={}",
                key.trim_start_matches("guest."),
                value.replace(' ', "_")
            )
        })
        .collect();
    archive
        .file(
            "etc/guest.versions",
            0o644,
            format!("{}\n", versions.join(" ")).as_bytes(),
        )
        .map_err(io)?;
    let busybox = files.at("usr/bin/busybox")?;
    archive
        .file("bin/busybox", 0o755, &content(busybox)?)
        .map_err(io)?;
    for applet in APPLETS {
        archive
            .symlink(&format!("bin/{applet}"), "busybox")
            .map_err(io)?;
    }
    let mut programs = Vec::new();
    for path in PROGRAMS {
        let program = resolve(files, files.at(path)?)?;
        archive.file(path, 0o755, &content(&program)?).map_err(io)?;
        programs.push(program);
    }
    let mut libraries = Index::new();
    for (name, path) in closure::libraries(&programs, &resolved(files)?)? {
        libraries.insert(name, path);
    }
    if !libraries.contains_key(LOADER) {
        return Err(SetupError::NotInPackages {
            what: LOADER.to_owned(),
        });
    }
    // One flat folder, which is on the loader's default path.
    for (name, path) in &libraries {
        archive
            .file(&format!("lib/{name}"), 0o755, &content(path)?)
            .map_err(io)?;
    }
    let modules = plain_modules(&files.modules(), work)?;
    let mut order = String::new();
    for path in closure::modules(&MODULES, &modules)? {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        archive
            .file(&format!("lib/modules/{name}"), 0o644, &content(&path)?)
            .map_err(io)?;
        order.push_str(&name);
        order.push('\n');
    }
    archive
        .file("lib/modules/order", 0o644, order.as_bytes())
        .map_err(io)?;
    let mut out = archive.finish().map_err(io)?;
    out.flush()
        .and_then(|()| out.get_ref().sync_all())
        .map_err(io)
}

/// Shared libraries by name, links followed.
fn resolved(files: &Files) -> Result<Index, SetupError> {
    files
        .by_name
        .iter()
        .filter(|(name, _)| name.contains(".so"))
        .filter(|(_, path)| path.exists() || path.is_symlink())
        .filter_map(|(name, path)| match resolve(files, path) {
            Ok(file) => Some(Ok((name.clone(), file))),
            // Links for compilers and plug-ins lead out of the packages; nothing here names them.
            Err(SetupError::NotInPackages { .. }) => None,
            Err(error) => Some(Err(error)),
        })
        .collect()
}

/// The file that a link leads to, perhaps in another package: names are unique enough among shared libraries and programs.
fn resolve(files: &Files, path: &Path) -> Result<PathBuf, SetupError> {
    let mut path = path.to_owned();
    // As many links in a row as Linux follows.
    for _ in 0..40 {
        if !path.is_symlink() {
            return Ok(path);
        }
        let target =
            fs::read_link(&path).map_err(|source| SetupError::io("read", &path, source))?;
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        path = files
            .by_name
            .get(name.as_ref())
            .filter(|next| **next != path)
            .cloned()
            .ok_or_else(|| SetupError::NotInPackages {
                what: target.display().to_string(),
            })?;
    }
    Err(SetupError::NotInPackages {
        what: path.display().to_string(),
    })
}

/// The modules that matter, unzipped where the distribution zips them: busybox may not be able to.
fn plain_modules(all: &Index, work: &Path) -> Result<Index, SetupError> {
    let mut plain = Index::new();
    for (name, path) in all {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let (stem, program) = match file.rsplit_once('.') {
            Some((stem, "xz")) => (stem, "xz"),
            Some((stem, "zst")) => (stem, "zstd"),
            Some((stem, "gz")) => (stem, "gzip"),
            _ => {
                plain.insert(name.clone(), path.clone());
                continue;
            }
        };
        let unzipped = work.join(stem);
        let out =
            File::create(&unzipped).map_err(|source| SetupError::io("write", &unzipped, source))?;
        let status = Command::new(program)
            .arg("-dc")
            .arg(path)
            .stdout(out)
            .status()
            .map_err(|source| {
                SetupError::Command(run::Failed::Start {
                    program: program.to_owned(),
                    source,
                })
            })?;
        if !status.success() {
            return Err(SetupError::Command(run::Failed::Status {
                program: program.to_owned(),
                status,
                tail: path.display().to_string(),
            }));
        }
        plain.insert(name.clone(), unzipped);
    }
    Ok(plain)
}

fn content(path: &Path) -> Result<Vec<u8>, SetupError> {
    fs::read(path).map_err(|source| {
        SetupError::Closure(ClosureError::Read {
            path: path.to_owned(),
            source,
        })
    })
}

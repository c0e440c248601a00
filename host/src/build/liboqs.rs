//! Which liboqs the programs hold, and how cargo is told.
use super::BuildError;
use crate::digest;
use crate::tools::{Search, Target, run};
use object::{Architecture, Object, read::archive::ArchiveFile};
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A liboqs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Liboqs {
    /// The one in the crate `oqs-sys`, with code for several CPUs and the choice between them at run time.
    #[default]
    Vendored,
    /// The same sources without choice, compiled for general registers only: no vectors, no floating-point unit, no AES instructions.
    GeneralRegisters,
    /// The user's own: the folder that `cmake --install` filled.
    Own(PathBuf),
}

impl Liboqs {
    /// That which a word of the command line means: a name, or else a folder.
    #[must_use]
    pub fn named(word: &str) -> Self {
        match word {
            "vendored" => Self::Vendored,
            "general-registers" => Self::GeneralRegisters,
            folder => Self::Own(folder.into()),
        }
    }

    /// Why there are no programs for `target` with it, if there are none.
    #[must_use]
    pub fn impossible(&self, target: Target) -> Option<&'static str> {
        match (self, target) {
            (Self::GeneralRegisters, Target::X86_64) => {
                Some("it is a variant for 64-bit Arm, and this board is x86-64")
            }
            _ => None,
        }
    }
}

/// The fact that holds the word.
pub const FROM: &str = "liboqs.from";

impl fmt::Display for Liboqs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vendored => f.write_str("vendored"),
            Self::GeneralRegisters => f.write_str("general-registers"),
            Self::Own(folder) => folder.display().fmt(f),
        }
    }
}

/// A liboqs of the user's that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OwnError {
    /// A file that an installed liboqs has is not there.
    #[error("{} holds no installed liboqs: {what} is missing; give the folder that `cmake --install BUILD --prefix FOLDER` filled", .folder.display())]
    NotInstalled {
        /// The folder.
        folder: PathBuf,
        /// The file.
        what: String,
    },
    /// A file cannot be read or written.
    #[error("{doing} {}", .path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is for other machines.
    #[error("{} is not for {wanted}; compile liboqs with {gcc}", .library.display())]
    Machine {
        /// The library.
        library: PathBuf,
        /// What it should be for.
        wanted: &'static str,
        /// The compiler that would make it so.
        gcc: &'static str,
    },
    /// The crate `oqs` binds another version.
    #[error("the liboqs in {} is version {found}, and the crate `oqs` of this project binds {wanted}.x", .folder.display())]
    Version {
        /// The folder.
        folder: PathBuf,
        /// Its version.
        found: String,
        /// The first two numbers of the version that is needed.
        wanted: String,
    },
    /// It calls a library that the board does not have.
    #[error("the liboqs in {} calls OpenSSL, which is not on the board; configure it with -DOQS_USE_OPENSSL=OFF", .folder.display())]
    OpenSsl {
        /// The folder.
        folder: PathBuf,
    },
    /// objcopy failed.
    #[error(transparent)]
    Objcopy(#[from] run::Failed),
}

/// How cargo is told, and what it comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// Arguments of `cargo build`.
    pub arguments: Vec<OsString>,
    /// Variables.
    pub variables: Vec<(&'static str, OsString)>,
    /// The library, where cargo does not make it.
    pub library: Option<PathBuf>,
    /// The version, where cargo's lock does not say it; else what is to be added to that.
    pub version: Version,
}

/// What the archive calls a liboqs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// The version of the crate's, with these words after it.
    Locked(&'static str),
    /// This one.
    Own(String),
    /// The version of the crate's.
    #[default]
    Crate,
}

/// The folder for what is built with another liboqs: cargo's own would be built anew at each change between them.
fn target_dir(workspace: &Path, name: &str) -> PathBuf {
    workspace.join("target/liboqs").join(name)
}

/// Makes `liboqs` ready for a build of the programs for `target`, where `locked` is the version that the crate binds.
///
/// # Errors
/// Where a tool is missing or the user's own liboqs is of no use.
pub fn prepare(
    liboqs: &Liboqs,
    workspace: &Path,
    target: Target,
    locked: Option<&str>,
) -> Result<Prepared, BuildError> {
    let folder = match liboqs {
        Liboqs::Vendored => return Ok(Prepared::default()),
        Liboqs::GeneralRegisters => {
            return Ok(Prepared {
                arguments: vec![
                    "--target-dir".into(),
                    target_dir(workspace, "general-registers").into(),
                ],
                // target-bench/liboqs/toolchain.cmake reads it.
                variables: vec![("PQ_BENCH_LIBOQS", "general-registers".into())],
                library: None,
                version: Version::Locked("general registers only"),
            });
        }
        Liboqs::Own(folder) => folder,
    };
    let installed = Installed::find(folder)?;
    let library = read(&installed.library)?;
    let version = installed.check(&library, target, locked)?;
    let tool = |name, install| {
        let found = Search::from_env().find(name);
        found.ok_or(BuildError::Tool { name, install })
    };
    tool("pkg-config", "apt-get install pkg-config")?;
    let objcopy = tool(target.objcopy(), target.gcc_install())?;
    let names = renames(&workspace.join("target-bench/liboqs/names.h"))?;
    let digest = digest::of(&library)[..12].to_owned();
    let own = target_dir(workspace, &format!("own-{digest}"));
    let prefix = own.join("prefix");
    let made = installed.copy(&prefix, &objcopy, &names, &version)?;
    Ok(Prepared {
        arguments: vec![
            "--target-dir".into(),
            own.join("target").into(),
            "--no-default-features".into(),
        ],
        variables: vec![
            ("LIBOQS_NO_VENDOR", "1".into()),
            ("LIBOQS_STATIC", "1".into()),
            ("PKG_CONFIG_ALLOW_CROSS", "1".into()),
            ("PKG_CONFIG_PATH", prefix.into()),
        ],
        library: Some(made),
        version: Version::Own(format!("{version} (own, sha256 {digest}..)")),
    })
}

/// The files of an installed liboqs.
struct Installed {
    folder: PathBuf,
    library: PathBuf,
    headers: PathBuf,
}

impl Installed {
    fn find(folder: &Path) -> Result<Self, OwnError> {
        let missing = |what: &str| OwnError::NotInstalled {
            folder: folder.to_owned(),
            what: what.to_owned(),
        };
        let folder = folder
            .canonicalize()
            .map_err(|_| missing("the folder itself"))?;
        let library = ["lib", "lib64"]
            .map(|lib| folder.join(lib).join("liboqs.a"))
            .into_iter()
            .find(|file| file.is_file())
            .ok_or_else(|| missing("lib/liboqs.a"))?;
        let headers = folder.join("include/oqs");
        if !headers.join("oqsconfig.h").is_file() {
            return Err(missing("include/oqs/oqsconfig.h"));
        }
        Ok(Self {
            folder,
            library,
            headers,
        })
    }

    /// Its version, if it is one that can be used; `library` is the library's content.
    fn check(
        &self,
        library: &[u8],
        target: Target,
        locked: Option<&str>,
    ) -> Result<String, OwnError> {
        let config = read(&self.headers.join("oqsconfig.h"))?;
        let config = String::from_utf8_lossy(&config);
        let version = define(&config, "OQS_VERSION_TEXT").unwrap_or("unknown");
        let wanted = locked.and_then(|locked| locked.rsplit_once('.'));
        if let Some((wanted, _)) = wanted
            && !version.starts_with(&format!("{wanted}."))
        {
            return Err(OwnError::Version {
                folder: self.folder.clone(),
                found: version.to_owned(),
                wanted: wanted.to_owned(),
            });
        }
        if define(&config, "OQS_USE_OPENSSL").is_some_and(|value| value != "0") {
            return Err(OwnError::OpenSsl {
                folder: self.folder.clone(),
            });
        }
        let (wanted, name) = match target {
            Target::Aarch64 => (Architecture::Aarch64, "64-bit Arm"),
            Target::X86_64 => (Architecture::X86_64, "x86-64"),
        };
        if machine(library) != Some(wanted) {
            return Err(OwnError::Machine {
                library: self.library.clone(),
                wanted: name,
                gcc: target.gcc(),
            });
        }
        Ok(version.to_owned())
    }

    /// Puts what is built with into `prefix`, with the names under which the project compiles its own; gives the library.
    fn copy(
        &self,
        prefix: &Path,
        objcopy: &Path,
        names: &str,
        version: &str,
    ) -> Result<PathBuf, OwnError> {
        let library = prefix.join("lib/liboqs.a");
        let headers = prefix.join("include/oqs");
        for folder in [&prefix.join("lib"), &headers] {
            fs::create_dir_all(folder).map_err(|e| io("making the folder", folder, e))?;
        }
        let listing = |e| io("listing", &self.headers, e);
        for entry in fs::read_dir(&self.headers).map_err(listing)? {
            let path = entry.map_err(listing)?.path();
            if let (true, Some(name)) = (path.is_file(), path.file_name()) {
                write(&headers.join(name), &read(&path)?)?;
            }
        }
        let pc = format!(
            "Name: liboqs\nDescription: a user's own\nVersion: {version}\n\
             Libs: -L${{pcfiledir}}/lib -loqs\nCflags: -I${{pcfiledir}}/include\n"
        );
        write(&prefix.join("liboqs.pc"), pc.as_bytes())?;
        if library.is_file() {
            // The folder is named for what it is made from.
            return Ok(library);
        }
        let list = prefix.join("names.txt");
        write(&list, names.as_bytes())?;
        let passing = prefix.join("lib/liboqs.partial");
        let mut command = Command::new(objcopy);
        command
            .arg("--redefine-syms")
            .arg(&list)
            .arg(&self.library)
            .arg(&passing);
        run::lines(&mut command, |_| true)?;
        fs::rename(&passing, &library).map_err(|e| io("writing", &library, e))?;
        Ok(library)
    }
}

fn io(doing: &'static str, path: &Path, source: std::io::Error) -> OwnError {
    OwnError::Io {
        doing,
        path: path.to_owned(),
        source,
    }
}

fn read(path: &Path) -> Result<Vec<u8>, OwnError> {
    fs::read(path).map_err(|e| io("reading", path, e))
}

/// Leaves a file alone that says the same already: cargo builds anew what is newer.
fn write(path: &Path, content: &[u8]) -> Result<(), OwnError> {
    if fs::read(path).is_ok_and(|before| before == content) {
        return Ok(());
    }
    fs::write(path, content).map_err(|e| io("writing", path, e))
}

/// The value of a `#define`, without quotes.
fn define<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    header.lines().find_map(|line| {
        let value = line.strip_prefix("#define ")?.strip_prefix(name)?;
        // Not the beginning of a longer name.
        (value.is_empty() || value.starts_with(' ')).then(|| value.trim().trim_matches('"'))
    })
}

/// The renaming header as objcopy's list: `old new`, a line each.
fn renames(header: &Path) -> Result<String, OwnError> {
    let text = read(header)?;
    Ok(String::from_utf8_lossy(&text)
        .lines()
        .filter_map(|line| line.strip_prefix("#define "))
        .map(|pair| format!("{pair}\n"))
        .collect())
}

/// What the first object of an archive is for.
fn machine(archive: &[u8]) -> Option<Architecture> {
    let parsed = ArchiveFile::parse(archive).ok()?;
    parsed.members().find_map(|member| {
        let data = member.ok()?.data(archive).ok()?;
        Some(object::File::parse(data).ok()?.architecture())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_names_or_folders() {
        for word in ["vendored", "general-registers", "/opt/liboqs"] {
            assert_eq!(Liboqs::named(word).to_string(), word);
        }
        assert_eq!(Liboqs::named("vendored"), Liboqs::default());
    }

    #[test]
    fn headers_say_what_liboqs_is() {
        let header = "#define OQS_VERSION_TEXT \"0.13.0\"\n#define OQS_USE_OPENSSL 1\n/* #undef X */\n#define OQS_DIST 1\n";
        assert_eq!(define(header, "OQS_VERSION_TEXT"), Some("0.13.0"));
        assert_eq!(define(header, "OQS_USE_OPENSSL"), Some("1"));
        assert_eq!(define(header, "OQS_DIST_BUILD"), None);
        assert_eq!(define(header, "OQS_VERSION"), None);
    }

    #[test]
    fn a_folder_of_no_use_is_named_with_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let prepare = || {
            let own = Liboqs::Own(folder.path().to_owned());
            let locked = Some("0.13.0");
            prepare(&own, Path::new("/no/workspace"), Target::Aarch64, locked)
                .unwrap_err()
                .to_string()
        };
        assert!(
            prepare().contains("lib/liboqs.a is missing"),
            "{}",
            prepare()
        );
        fs::create_dir_all(folder.path().join("lib")).unwrap();
        fs::write(folder.path().join("lib/liboqs.a"), b"!<arch>\n").unwrap();
        let headers = folder.path().join("include/oqs");
        fs::create_dir_all(&headers).unwrap();
        let config = |text: &str| fs::write(headers.join("oqsconfig.h"), text).unwrap();
        config("#define OQS_VERSION_TEXT \"0.16.0\"\n");
        assert!(prepare().contains("is version 0.16.0"), "{}", prepare());
        config("#define OQS_VERSION_TEXT \"0.13.1\"\n#define OQS_USE_OPENSSL 1\n");
        assert!(prepare().contains("-DOQS_USE_OPENSSL=OFF"), "{}", prepare());
        config("#define OQS_VERSION_TEXT \"0.13.1\"\n");
        assert!(prepare().contains("not for 64-bit Arm"), "{}", prepare());
    }
}

//! The container engine of this machine: which one answers, and how a program is put into a container of it.
use super::container::{self, PIPES};
use crate::tools::Search;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the program lies in the container.
const PROGRAM: &str = "/bench/linux";

/// An engine that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    kind: Kind,
    program: PathBuf,
    version: String,
}

/// What engines there are, the first that answers is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A client and its daemon.
    Docker,
    /// No daemon, and Docker's command line.
    Podman,
    /// The runtime alone.
    Runc,
}

const KINDS: [(Kind, &str, &[&str]); 3] = [
    // The daemon's version: a client without one says its own and fails.
    (
        Kind::Docker,
        "docker",
        &["version", "--format", "{{.Server.Version}}"],
    ),
    (
        Kind::Podman,
        "podman",
        &["info", "--format", "{{.Version.Version}}"],
    ),
    (Kind::Runc, "runc", &["--version"]),
];

/// Why there is no container here.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// None answers.
    #[error(
        "no container engine answers ({seen}); start or install one: `apt-get install docker.io`, podman or runc"
    )]
    None {
        /// What was looked at, and what each said.
        seen: String,
    },
    /// A file of the container cannot be written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The engine refuses.
    #[error("{what} failed: {said}")]
    Refused {
        /// What was asked for.
        what: String,
        /// What it said.
        said: String,
    },
}

/// What `command` says, or its last line of complaint.
fn answer(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(text(&output.stderr)
            .lines()
            .last()
            .unwrap_or("it says nothing")
            .to_owned()),
    }
}

impl Engine {
    /// The first engine that answers.
    ///
    /// # Errors
    /// [`EngineError::None`] says what was looked at.
    pub fn find(search: &Search) -> Result<Self, EngineError> {
        let mut seen = Vec::new();
        for (kind, name, question) in KINDS {
            let Some(program) = search.find(name) else {
                seen.push(format!("{name}: not on PATH"));
                continue;
            };
            match answer(Command::new(&program).args(question)) {
                Ok(said) => {
                    let version = said.lines().next().unwrap_or_default().to_owned();
                    return Ok(Self {
                        kind,
                        program,
                        version,
                    });
                }
                Err(said) => seen.push(format!("{name}: {said}")),
            }
        }
        Err(EngineError::None {
            seen: seen.join("; "),
        })
    }

    /// Name and version.
    #[must_use]
    pub fn version(&self) -> String {
        let name = match self.kind {
            Kind::Docker => "docker",
            Kind::Podman => "podman",
            // It says its name itself.
            Kind::Runc => return self.version.clone(),
        };
        format!("{name} {}", self.version)
    }

    fn ask(&self, arguments: &[&str]) -> Result<String, EngineError> {
        answer(Command::new(&self.program).args(arguments)).map_err(|said| EngineError::Refused {
            what: format!("`{} {}`", self.program.display(), arguments.join(" ")),
            said,
        })
    }
}

/// A container that holds one static program and nothing else. What the engine keeps of it goes when this is dropped.
#[derive(Debug)]
pub struct Container {
    engine: Engine,
    /// The image, or the bundle's folder.
    image: String,
    name: String,
    cpu: Option<u32>,
}

impl Container {
    /// Puts `program` into a container called `name` of `engine`, on the processor `cpu`; working files go to `scratch`.
    ///
    /// # Errors
    /// Where a file cannot be written or the engine refuses.
    pub fn new(
        engine: Engine,
        program: &Path,
        name: &str,
        cpu: Option<u32>,
        scratch: &Path,
    ) -> Result<Self, EngineError> {
        let file = |path: &Path| {
            let path = path.to_owned();
            move |source| EngineError::File { path, source }
        };
        let bundle = scratch.join("container");
        let root = bundle.join("rootfs");
        let inside = root.join(&PROGRAM[1..]);
        let folder = inside.parent().unwrap_or(&root);
        fs::create_dir_all(folder).map_err(file(folder))?;
        fs::copy(program, &inside).map_err(file(&inside))?;
        let image = match engine.kind {
            Kind::Docker | Kind::Podman => {
                let archive = scratch.join("container.tar");
                let packed = answer(
                    Command::new("tar")
                        .arg("-cf")
                        .arg(&archive)
                        .arg("-C")
                        .arg(&root)
                        .arg("."),
                );
                packed.map_err(|said| EngineError::Refused {
                    what: "tar".to_owned(),
                    said,
                })?;
                let archive = archive.display().to_string();
                engine.ask(&["import", &archive, name])?;
                name.to_owned()
            }
            Kind::Runc => {
                let config = bundle.join("config.json");
                let text = container::on_pipes(name, cpu).to_string();
                fs::write(&config, text).map_err(file(&config))?;
                bundle.display().to_string()
            }
        };
        Ok(Self {
            engine,
            image,
            name: name.to_owned(),
            cpu,
        })
    }

    /// The command that starts the container, its standard input and output being the program's: program and arguments.
    #[must_use]
    pub fn command(&self) -> Vec<String> {
        let mut words = vec![self.engine.program.display().to_string()];
        if self.engine.kind == Kind::Runc {
            words.extend(["run", "--bundle", &self.image, &self.name].map(str::to_owned));
            return words;
        }
        // No log: it would write down all that passes. What the engine gives beside that is its default.
        let options = "run --interactive --rm --network none --log-driver none --read-only";
        words.extend(options.split(' ').map(str::to_owned));
        words.extend(["--name".to_owned(), self.name.clone()]);
        if let Some(cpu) = self.cpu {
            words.extend(["--cpuset-cpus".to_owned(), cpu.to_string()]);
        }
        words.extend([&self.image, PROGRAM, PIPES].map(str::to_owned));
        words
    }

    /// Name and version of the engine.
    #[must_use]
    pub fn engine(&self) -> String {
        self.engine.version()
    }

    /// The program's process as this machine numbers it.
    #[must_use]
    pub fn process(&self) -> Option<u32> {
        let said = match self.engine.kind {
            Kind::Runc => {
                let state = self.engine.ask(&["state", &self.name]).ok()?;
                let state: serde_json::Value = serde_json::from_str(&state).ok()?;
                return state.get("pid")?.as_u64()?.try_into().ok();
            }
            Kind::Docker | Kind::Podman => {
                self.engine
                    .ask(&["inspect", "--format", "{{.State.Pid}}", &self.name])
            }
        };
        said.ok()?.parse().ok().filter(|pid| *pid != 0)
    }

    /// Ends what runs in it, if something does.
    pub fn kill(&self) {
        // Fails where nothing runs, which is as well.
        let _ = match self.engine.kind {
            Kind::Runc => self.engine.ask(&["delete", "--force", &self.name]),
            Kind::Docker | Kind::Podman => self.engine.ask(&["rm", "--force", &self.name]),
        };
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        self.kill();
        if self.engine.kind != Kind::Runc {
            let _ = self.engine.ask(&["rmi", "--force", &self.image]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_answer_is_named_with_a_cure() {
        let search = Search {
            path: "/no/such/folder".into(),
        };
        let error = Engine::find(&search).unwrap_err().to_string();
        assert!(error.contains("docker: not on PATH"), "{error}");
        assert!(error.contains("apt-get install docker.io"), "{error}");
    }

    #[test]
    fn an_engine_whose_daemon_is_away_is_none() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("docker");
        fs::write(&script, "#!/bin/sh\necho 'cannot connect' >&2\nexit 1\n").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let search = Search {
            path: folder.path().into(),
        };
        let error = Engine::find(&search).unwrap_err().to_string();
        assert!(error.contains("docker: cannot connect"), "{error}");
        fs::write(&script, "#!/bin/sh\necho 20.10\n").unwrap();
        let engine = Engine::find(&search).unwrap();
        assert_eq!(engine.version(), "docker 20.10");
    }
}

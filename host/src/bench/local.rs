//! The machine that the host program runs on: a start is one of a process of ours, or of a container of its engine. Both talk over their
//! standard input and output, and have the same processor for themselves.
use super::bare::Wrap;
use super::machine::{Machine, MachineError};
use crate::flash::tail;
use crate::launch::{Container, Engine, conditions};
use crate::link::{Pipes, Port, Stop, Watch};
use crate::model::{Conditions, Environment, Place, Stack};
use crate::tools::{Search, tied_to_this_thread};
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// From its last command to a program's end, its container's included.
const END: Duration = Duration::from_secs(20);
/// Lines of a program's standard error that are quoted.
const QUOTED: usize = 8;

/// What runs on the machine, and as what.
#[derive(Clone, Debug)]
pub struct LocalPrograms {
    /// The program with our own memory routines.
    pub linux: PathBuf,
    /// The one on the machine's C library, where there is one.
    pub stock: Option<PathBuf>,
    /// What its containers are called.
    pub name: String,
    /// The processor that all of them are pinned to, if they are to be.
    pub processor: Option<u32>,
}

/// The machine.
pub struct LocalBoard {
    programs: LocalPrograms,
    scratch: PathBuf,
    wrap: Wrap,
    /// Made when the first program is started in it.
    container: Option<Rc<Container>>,
    running: Option<(Box<dyn Port>, Running)>,
    facts: Vec<(String, String)>,
}

struct Running {
    child: Child,
    errors: PathBuf,
    /// The container that it is in, if it is in one.
    container: Option<Rc<Container>>,
    /// The program's process, once it is known.
    process: Option<u32>,
    processor: Option<u32>,
    /// The clock of ticks when the program was to start.
    asked: Option<u64>,
}

impl LocalBoard {
    /// The machine; working files go to `scratch`.
    #[must_use]
    pub fn new(programs: LocalPrograms, scratch: &Path, wrap: Wrap) -> Self {
        let pinned = programs.processor.map(|cpu| cpu.to_string());
        let pinned = pinned.unwrap_or_else(|| "none".to_owned());
        Self {
            programs,
            scratch: scratch.to_owned(),
            wrap,
            container: None,
            running: None,
            facts: vec![("local.processor".to_owned(), pinned)],
        }
    }

    /// The container, made if there is none yet.
    fn container(&mut self) -> Result<Rc<Container>, MachineError> {
        if self.container.is_none() {
            let engine = Engine::find(&Search::from_env())?;
            let LocalPrograms {
                linux,
                name,
                processor,
                ..
            } = &self.programs;
            let container = Container::new(engine, linux, name, *processor, &self.scratch)?;
            let engine = ("local.container".to_owned(), container.engine());
            self.facts.push(engine);
            self.container = Some(Rc::new(container));
        }
        self.container.clone().ok_or(MachineError::NotStarted)
    }

    /// The command that starts the program in `place`.
    fn command(&mut self, place: Place) -> Result<Vec<String>, MachineError> {
        if place.environment == Environment::Container {
            return Ok(self.container()?.command());
        }
        let program = match place.stack {
            Stack::Shared => Some(&self.programs.linux),
            Stack::Stock => self.programs.stock.as_ref(),
        };
        let program = program.ok_or(MachineError::NoProgram { place })?;
        let mut words = Vec::new();
        if let Some(cpu) = self.programs.processor {
            words.extend(["taskset".to_owned(), "-c".to_owned(), cpu.to_string()]);
        }
        words.extend([program.display().to_string(), "-".to_owned()]);
        Ok(words)
    }

    /// The clock of ticks now, as the program itself reads it.
    fn ticks(&self) -> Option<u64> {
        let said = Command::new(&self.programs.linux)
            .arg("--ticks")
            .stdin(Stdio::null())
            .output()
            .ok()?;
        String::from_utf8_lossy(&said.stdout).trim().parse().ok()
    }
}

impl Machine for LocalBoard {
    fn start(&mut self, place: Place, _: u32) -> Result<(), MachineError> {
        self.stop();
        let words = self.command(place)?;
        let fact = (format!("local.{place}"), words.join(" "));
        if !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
        let errors = self.scratch.join("local.errors.txt");
        let file = File::create(&errors).map_err(|source| MachineError::Scratch {
            path: errors.clone(),
            source,
        })?;
        let asked = self.ticks();
        let Some((program, arguments)) = words.split_first() else {
            return Err(MachineError::NotStarted);
        };
        let spawned = tied_to_this_thread(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(file)
            // Ctrl-C on the terminal is for us: what was measured has to be fetched first.
            .process_group(0)
            .spawn();
        let cannot = |source| MachineError::Start {
            program: program.clone(),
            source,
        };
        let mut child = spawned.map_err(cannot)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(cannot(std::io::ErrorKind::BrokenPipe.into()));
        };
        let name = format!("the program's standard input and output ({place})");
        let port = Pipes::new(name, input, output);
        let (container, process) = match place.environment {
            Environment::Container => (self.container.clone(), None),
            _ => (None, Some(child.id())),
        };
        let running = Running {
            child,
            errors,
            container,
            process,
            processor: self.programs.processor,
            asked,
        };
        self.running = Some(((self.wrap)(Box::new(port)), running));
        Ok(())
    }

    fn link(&mut self) -> Option<(&mut dyn Port, &mut dyn Watch)> {
        let (port, running) = self.running.as_mut()?;
        Some((port, running))
    }

    fn board_ended(&mut self) -> Option<String> {
        // It is the machine that we run on.
        None
    }

    fn end(&mut self, told: bool) -> Result<(), MachineError> {
        let begin = Instant::now();
        while told
            && begin.elapsed() < END
            && let Some((_, running)) = &mut self.running
            && running.status().is_none()
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.stop();
        Ok(())
    }

    fn take_facts(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.facts)
    }
}

impl LocalBoard {
    /// Ends what runs.
    fn stop(&mut self) {
        let Some((_, mut running)) = self.running.take() else {
            return;
        };
        if running.status().is_none() {
            if let Some(container) = &running.container {
                container.kill();
            }
            // Fails where it has ended already.
            let _ = running.child.kill();
        }
        let _ = running.child.wait();
    }
}

impl Drop for LocalBoard {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Running {
    /// The program's process: the child, or one in a container, which its engine knows once it runs.
    fn process(&mut self) -> Option<u32> {
        if self.process.is_none() {
            self.process = self.container.as_deref().and_then(Container::process);
        }
        self.process
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok()?
    }
}

/// How a program ended, in words.
fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        // As a container's client counts signals.
        (Some(code @ 129..=192), _) => format!("the program ended by signal {}", code - 128),
        (Some(code), _) => format!("the program ended with status {code}"),
        (None, Some(signal)) => format!("the program ended by signal {signal}"),
        (None, None) => "the program ended".to_owned(),
    }
}

impl Watch for Running {
    fn look(&mut self) -> Result<(), Stop> {
        let Some(status) = self.status() else {
            return Ok(());
        };
        let how = ending(status);
        Err(Stop::Ended(match tail(&self.errors, QUOTED) {
            said if said.is_empty() => how,
            said => format!("{how}; it said last:\n{said}"),
        }))
    }

    fn weigh(&mut self) -> Vec<(String, u64)> {
        let mut found: Vec<(String, u64)> = Vec::new();
        found.extend(self.asked.map(|ticks| ("asked".to_owned(), ticks)));
        let Some(process) = self.process() else {
            return found;
        };
        for (file, field) in [
            ("status", "VmRSS"),
            ("status", "VmHWM"),
            ("smaps_rollup", "Pss"),
        ] {
            let text = fs::read_to_string(format!("/proc/{process}/{file}")).unwrap_or_default();
            if let Some(bytes) = kilobytes(&text, field) {
                found.push((format!("process.{field}"), bytes));
            }
        }
        found
    }

    fn conditions(&mut self) -> Option<Conditions> {
        let process = self.process();
        Some(conditions(Path::new("/"), self.processor, process))
    }
}

/// Bytes that a line `FIELD: N kB` of `text` says.
fn kilobytes(text: &str, field: &str) -> Option<u64> {
    let is_it = |line: &str| Some(line.strip_prefix(field)?.strip_prefix(':')?.to_owned());
    let value = text.lines().find_map(is_it)?;
    let number: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_told_in_words() {
        let told = |raw| ending(ExitStatus::from_raw(raw));
        assert_eq!(told(0), "the program ended with status 0");
        assert_eq!(told(70 << 8), "the program ended with status 70");
        assert_eq!(told(9), "the program ended by signal 9");
        assert_eq!(told(137 << 8), "the program ended by signal 9");
    }

    #[test]
    fn sizes_are_read_in_bytes() {
        let text = "Name:\tlinux\nVmHWM:\t    1234 kB\nVmRSS:\t     12 kB\n";
        assert_eq!(kilobytes(text, "VmRSS"), Some(12 * 1024));
        assert_eq!(kilobytes(text, "Vm"), None);
        assert_eq!(kilobytes(text, "Pss"), None);
    }
}

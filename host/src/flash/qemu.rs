//! Runs QEMU as a board: starts it paused, finds its ptys, lets it go, notices its end, and never leaves it behind.
use super::qmp::Qmp;
use super::{FlashError, tail};
use crate::tools::tied_to_this_thread;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// Label of the port that carries the link.
pub const LINK: &str = "link";
/// Label of the port that carries the launcher's commands on a board with Linux.
pub const CONTROL: &str = "control";

/// Lines of QEMU's standard error that are quoted.
const QUOTED: usize = 8;

/// A running emulator. It is killed when this is dropped, and also when the thread that started it ends, however that happens:
/// start it on the thread that uses it.
pub struct Emulator {
    program: String,
    child: Child,
    qmp: Qmp,
    ptys: BTreeMap<String, String>,
    errors: PathBuf,
    command_line: String,
}

impl Emulator {
    /// Starts `program` with `arguments`, paused before its first instruction, so that nothing is said before the ports are
    /// open. What it says on standard error goes to the file `errors`.
    ///
    /// # Errors
    /// See [`FlashError`].
    pub fn start(program: &str, arguments: &[String], errors: &Path) -> Result<Self, FlashError> {
        let file = File::create(errors).map_err(|source| FlashError::File {
            path: errors.to_owned(),
            source,
        })?;
        let mut command = tied_to_this_thread(program);
        command
            .args(arguments)
            .args(["-S", "-chardev", "stdio,id=qmp", "-mon"])
            .arg("chardev=qmp,mode=control")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(file)
            // Ctrl-C on the terminal is for us: what was measured has to be fetched first.
            .process_group(0);
        let cannot = |source| FlashError::Start {
            program: program.to_owned(),
            source,
        };
        let mut child = command.spawn().map_err(cannot)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(cannot(std::io::ErrorKind::BrokenPipe.into()));
        };
        let mut emulator = Self {
            program: program.to_owned(),
            child,
            qmp: Qmp::new(program.to_owned(), input, output),
            ptys: BTreeMap::new(),
            errors: errors.to_owned(),
            command_line: [&[program.to_owned()], arguments].concat().join(" "),
        };
        emulator.execute("qmp_capabilities")?;
        match emulator.qmp.ptys() {
            Ok(ptys) => emulator.ptys = ptys.into_iter().collect(),
            Err(error) => return Err(emulator.explain(error)),
        }
        Ok(emulator)
    }

    /// Path of the pty behind the port called `label`.
    ///
    /// # Errors
    /// Where the arguments asked for no such port.
    pub fn pty(&self, label: &str) -> Result<&str, FlashError> {
        let found = self.ptys.get(label);
        found.map(String::as_str).ok_or_else(|| FlashError::NoPort {
            program: self.program.clone(),
            label: label.to_owned(),
        })
    }

    /// Lets the machine run.
    ///
    /// # Errors
    /// Where QEMU has ended or does not answer.
    pub fn go(&mut self) -> Result<(), FlashError> {
        self.execute("cont")
    }

    fn execute(&mut self, command: &str) -> Result<(), FlashError> {
        match self.qmp.execute(command) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.explain(error)),
        }
    }

    /// QEMU that closes its pipes has ended, and says why elsewhere.
    fn explain(&mut self, error: FlashError) -> FlashError {
        if !matches!(error, FlashError::Ended { .. }) {
            return error;
        }
        let begin = Instant::now();
        loop {
            if let Some(reason) = self.exited() {
                return FlashError::Ended { reason };
            }
            if begin.elapsed() > Duration::from_secs(2) {
                let reason = format!("{} has closed its control channel", self.program);
                return FlashError::Ended { reason };
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// How QEMU itself ended, if it has: its exit status and what it said last. Nothing runs on this board any more.
    pub fn exited(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok()??;
        let said = tail(&self.errors, QUOTED);
        let said = match said.is_empty() {
            true => String::new(),
            false => format!("; it said last:\n{said}"),
        };
        Some(format!("{} ended ({status}){said}", self.program))
    }

    /// QEMU's exit status, if it has ended by itself and not by a signal.
    pub fn exit_code(&mut self) -> Option<i32> {
        self.child.try_wait().ok()??.code()
    }

    /// How the machine's run ended, if it has: by its program, or with QEMU itself.
    pub fn stopped(&mut self) -> Option<String> {
        if let Some(reason) = self.exited() {
            return Some(reason);
        }
        let verdict = self.qmp.verdict.lock();
        verdict.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The command, as a person would type it to see the same machine.
    #[must_use]
    pub fn command_line(&self) -> &str {
        &self.command_line
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // Both fail only where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! The emulated board with Linux on it: booted once, and every start is one of a process, container or guest.
use super::Interrupt;
use super::bare::{Wrap, open};
use super::control::Control;
use super::machine::{Machine, MachineError};
use crate::flash::{CONTROL, Emulator, Kernel, LINK, linux, tail};
use crate::launch::KERNEL_ARGUMENTS;
use crate::link::{Letters, Port, Stop, Watch};
use crate::model::{Environment, Place};
use boards::Board;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// From power-on to the first line; a busy machine takes several times the usual three seconds.
const BOOT: Duration = Duration::from_secs(180);
/// From the request to the program's start.
const START: Duration = Duration::from_secs(60);
/// From its last command to a program's end.
const END: Duration = Duration::from_secs(20);

/// Lines of the console that are quoted.
const QUOTED: usize = 12;

/// The board.
pub struct LinuxBoard {
    program: String,
    arguments: Vec<String>,
    scratch: PathBuf,
    interrupt: Interrupt,
    wrap: Wrap,
    booted: Option<(Letters, Booted)>,
    facts: Vec<(String, String)>,
}

struct Booted {
    emulator: Emulator,
    control: Control,
    console: PathBuf,
    running: Option<(Environment, u32)>,
    /// How the last program ended, as the board tells it.
    exited: Option<String>,
    /// The board's clock of ticks when the last program was to start.
    asked: Option<u64>,
}

impl LinuxBoard {
    /// The board with `kernel` and `initrd`; working files go to `scratch`.
    ///
    /// # Errors
    /// Where the board is not emulated, or has no Linux.
    pub fn new(
        board: &Board,
        kernel: &Path,
        initrd: &Path,
        scratch: &Path,
        interrupt: &Interrupt,
        wrap: Wrap,
    ) -> Result<Self, MachineError> {
        let kernel = Kernel {
            image: kernel,
            initrd,
            append: KERNEL_ARGUMENTS,
        };
        let arguments = linux(board, kernel, &scratch.join("console.txt"))?;
        let program = board.qemu.as_ref().map(|q| q.binary.clone());
        Ok(Self {
            program: program.unwrap_or_default(),
            arguments,
            scratch: scratch.to_owned(),
            interrupt: interrupt.clone(),
            wrap,
            booted: None,
            facts: Vec::new(),
        })
    }

    /// Boots Linux now, rather than when the first program is started.
    ///
    /// # Errors
    /// Where it does not come up.
    pub fn boot(&mut self) -> Result<(), MachineError> {
        let errors = self.scratch.join("linux.errors.txt");
        let mut emulator = Emulator::start(&self.program, &self.arguments, &errors)?;
        let port = open(emulator.pty(LINK)?)?;
        let control = Control::new(open(emulator.pty(CONTROL)?)?);
        let command_line = emulator.command_line().to_owned();
        emulator.go()?;
        let mut booted = Booted {
            emulator,
            control,
            console: self.scratch.join("console.txt"),
            running: None,
            exited: None,
            asked: None,
        };
        let versions = booted.expect("ready", BOOT, &self.interrupt, |line| {
            line.strip_prefix("ready")
                .map(|rest| rest.trim().to_owned())
        })?;
        booted.say("facts")?;
        let mut facts = vec![
            ("qemu.linux".to_owned(), command_line),
            ("guest.ready".to_owned(), versions),
        ];
        booted.expect("end facts", START, &self.interrupt, |line| {
            if let Some((key, value)) = line.strip_prefix("fact ").and_then(|f| f.split_once('=')) {
                facts.push((format!("guest.{key}"), value.trim().to_owned()));
            }
            (line == "end facts").then_some(())
        })?;
        self.facts.extend(facts);
        self.booted = Some((Letters::new((self.wrap)(Box::new(port))), booted));
        Ok(())
    }
}

impl Booted {
    /// Says a line on the control port; a board that ended says more than a port that broke.
    fn say(&mut self, line: &str) -> Result<(), MachineError> {
        let said = self.control.say(line);
        said.map_err(|error| match self.emulator.stopped() {
            Some(reason) => MachineError::Ended {
                reason: quote(&reason, &self.console),
            },
            None => error,
        })
    }

    /// Waits for a line that `accept` takes; notices the end of board and program meanwhile.
    fn expect<T>(
        &mut self,
        expected: &str,
        patience: Duration,
        interrupt: &Interrupt,
        mut accept: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, MachineError> {
        let Self {
            emulator,
            control,
            console,
            running,
            exited,
            ..
        } = self;
        let alive = || match emulator.stopped() {
            None => Ok(()),
            Some(reason) => Err(MachineError::Ended {
                reason: quote(&reason, console),
            }),
        };
        let result = control.expect(expected, patience, interrupt, alive, |line| {
            if let Some(how) = exit_line(line, *running) {
                *exited = Some(how);
            }
            accept(line)
        });
        result.map_err(|error| match error {
            MachineError::Silent {
                expected, seconds, ..
            } => MachineError::Silent {
                expected,
                seconds,
                console: quote("", console),
            },
            error => error,
        })
    }
}

/// `reason` and what the console said last.
fn quote(reason: &str, console: &Path) -> String {
    match tail(console, QUOTED) {
        said if said.is_empty() => reason.to_owned(),
        said => format!("{reason}; its console said last:\n{said}"),
    }
}

/// How the program that is running ended, if `line` says so.
fn exit_line(line: &str, running: Option<(Environment, u32)>) -> Option<String> {
    let (environment, invocation) = running?;
    let status = line.strip_prefix(&format!("exited {environment} {invocation} "))?;
    let how = match status.trim().parse::<u32>() {
        Ok(0) => "with status 0".to_owned(),
        Ok(status @ 129..=192) => format!("by signal {}", status - 128),
        _ => format!("with status {status}"),
    };
    Some(format!("the program ended {how}"))
}

impl Machine for LinuxBoard {
    fn start(&mut self, place: Place, invocation: u32) -> Result<(), MachineError> {
        let Place {
            environment, stack, ..
        } = place;
        if self.booted.is_none() {
            self.boot()?;
        }
        let Some((port, booted)) = &mut self.booted else {
            return Ok(());
        };
        port.spell(environment == Environment::Unikraft);
        booted.exited = None;
        booted.running = Some((environment, invocation));
        booted.say(&format!(
            "start {environment} {invocation} {}",
            stack.name()
        ))?;
        let started = format!("started {environment} {invocation}");
        booted.asked = booted.expect(&started, START, &self.interrupt, |line| {
            // The process's number, then ticks.
            let rest = line.strip_prefix(&started)?;
            Some(rest.split_whitespace().nth(1).and_then(|t| t.parse().ok()))
        })?;
        Ok(())
    }

    fn link(&mut self) -> Option<(&mut dyn Port, &mut dyn Watch)> {
        let (port, booted) = self.booted.as_mut()?;
        Some((port, booted))
    }

    fn board_ended(&mut self) -> Option<String> {
        // Linux that powered off does not come back.
        let (_, booted) = self.booted.as_mut()?;
        booted.emulator.stopped()
    }

    fn end(&mut self, told: bool) -> Result<(), MachineError> {
        let Some((_, booted)) = &mut self.booted else {
            return Ok(());
        };
        for attempt in 0..2 {
            if booted.exited.is_some() {
                break;
            }
            if attempt == 1 || !told {
                booted.say("kill")?;
            }
            let running = booted.running;
            let result = booted.expect("exited", END, &self.interrupt, |line| {
                exit_line(line, running).map(|_| ())
            });
            match result {
                Err(MachineError::Silent { .. }) if attempt == 0 && told => {}
                result => {
                    result?;
                    break;
                }
            }
        }
        booted.running = None;
        Ok(())
    }

    fn take_facts(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.facts)
    }
}

impl Watch for Booted {
    fn look(&mut self) -> Result<(), Stop> {
        if let Some(how) = self.emulator.stopped() {
            return Err(Stop::Ended(quote(&how, &self.console)));
        }
        while let Ok(Some(line)) = self.control.line(Duration::ZERO) {
            if let Some(how) = exit_line(&line, self.running) {
                self.exited = Some(how);
            }
        }
        match &self.exited {
            None => Ok(()),
            Some(how) => Err(Stop::Ended(quote(how, &self.console))),
        }
    }

    fn weigh(&mut self) -> Vec<(String, u64)> {
        let mut found: Vec<_> = self
            .asked
            .map(|t| ("asked".to_owned(), t))
            .into_iter()
            .collect();
        let asked = self.say("memory").and_then(|()| {
            self.expect("end memory", START, &Interrupt::default(), |line| {
                if let Some((key, bytes)) =
                    line.strip_prefix("memory ").and_then(|m| m.split_once('='))
                    && let Ok(bytes) = bytes.trim().parse()
                {
                    found.push((key.to_owned(), bytes));
                }
                (line == "end memory").then_some(())
            })
        });
        // What cannot be told is missing in the archive; the next command shows what is wrong.
        match asked {
            Ok(()) => found,
            Err(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_is_told_for_people() {
        let running = Some((Environment::Native, 3));
        let how = |line: &str| exit_line(line, running);
        assert_eq!(
            how("exited native 3 0").as_deref(),
            Some("the program ended with status 0")
        );
        assert_eq!(
            how("exited native 3 139").as_deref(),
            Some("the program ended by signal 11")
        );
        assert_eq!(
            how("exited native 3 70").as_deref(),
            Some("the program ended with status 70")
        );
        assert_eq!(how("exited native 4 0"), None, "of another start");
        assert_eq!(how("started native 3 99"), None);
    }
}

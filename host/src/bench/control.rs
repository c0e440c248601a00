//! The control lines of a board with Linux; `launch` says which there are.
use super::{Interrupt, MachineError};
use crate::link::{Port, serial::Serial};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Longest wait without a look around.
const SLICE: Duration = Duration::from_millis(50);

/// The control port, cut into lines.
pub struct Control {
    port: Serial,
    partial: Vec<u8>,
    lines: VecDeque<String>,
}

impl Control {
    pub fn new(port: Serial) -> Self {
        Self {
            port,
            partial: Vec::new(),
            lines: VecDeque::new(),
        }
    }

    fn failed(&self, source: std::io::Error) -> MachineError {
        MachineError::Port {
            port: self.port.name().to_owned(),
            source,
        }
    }

    /// Says a line.
    pub fn say(&mut self, line: &str) -> Result<(), MachineError> {
        self.port
            .write(format!("{line}\n").as_bytes())
            .map_err(|source| self.failed(source))
    }

    /// The next line, if one comes within `timeout`.
    pub fn line(&mut self, timeout: Duration) -> Result<Option<String>, MachineError> {
        if self.lines.is_empty() {
            let mut buffer = [0; 1024];
            let length = self
                .port
                .read(&mut buffer, timeout)
                .map_err(|source| self.failed(source))?;
            for byte in &buffer[..length] {
                match byte {
                    b'\n' => {
                        let line = String::from_utf8_lossy(&self.partial).trim().to_owned();
                        self.lines.push_back(line);
                        self.partial.clear();
                    }
                    byte => self.partial.push(*byte),
                }
            }
        }
        Ok(self.lines.pop_front())
    }

    /// Waits for a line that `accept` takes; other lines go to `other`. `alive` says whether the board still runs.
    pub fn expect<T>(
        &mut self,
        expected: &str,
        patience: Duration,
        interrupt: &Interrupt,
        mut alive: impl FnMut() -> Result<(), MachineError>,
        mut accept: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, MachineError> {
        let begin = Instant::now();
        loop {
            let line = match self.line(SLICE) {
                Ok(line) => line,
                // A board that ended says more than a port that broke.
                Err(error) => return Err(alive().err().unwrap_or(error)),
            };
            if let Some(line) = line {
                if let Some(value) = accept(&line) {
                    return Ok(value);
                }
                if let Some(reason) = line.strip_prefix("error ") {
                    return Err(MachineError::Refused {
                        reason: reason.to_owned(),
                    });
                }
                continue;
            }
            if interrupt.ends() {
                return Err(MachineError::Interrupted);
            }
            alive()?;
            if begin.elapsed() > patience {
                return Err(MachineError::Silent {
                    expected: expected.to_owned(),
                    seconds: patience.as_secs(),
                    console: String::new(),
                });
            }
        }
    }
}

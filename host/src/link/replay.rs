//! A recorded session answers: what the target said comes again, once the host has said what it said then.
use super::Port;
use std::collections::VecDeque;
use std::io;
use std::time::Duration;

/// Plays the target's side of a recording made by [`Record`](super::record::Record).
#[derive(Debug)]
pub struct Replay {
    name: String,
    turns: VecDeque<(Side, Vec<u8>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Target,
    Host,
}

fn parse(line: &str) -> Option<(Side, Vec<u8>)> {
    let side = match line.get(..2)? {
        "< " => Side::Target,
        "> " => Side::Host,
        _ => return None,
    };
    let digits = &line.as_bytes()[2..];
    let digit = |d: u8| char::from(d).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some((digit(*high)? << 4 | digit(*low)?) as u8),
        _ => None,
    };
    Some((side, digits.chunks(2).map(byte).collect::<Option<_>>()?))
}

impl Replay {
    /// Reads a recording; `name` is what messages call it.
    ///
    /// # Errors
    /// Where a line is none that a recorder writes; says which.
    pub fn new(name: impl Into<String>, recording: &str) -> io::Result<Self> {
        let name = name.into();
        let turns = (1..)
            .zip(recording.lines())
            .map(|(number, line)| {
                parse(line).ok_or_else(|| {
                    let message =
                        format!("{name}, line {number}: not a line of a recorded session");
                    io::Error::new(io::ErrorKind::InvalidData, message)
                })
            })
            .collect::<io::Result<_>>()?;
        Ok(Self { name, turns })
    }

    /// Whether everything recorded was said again.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.turns.is_empty()
    }
}

impl Port for Replay {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> io::Result<usize> {
        let Some((Side::Target, bytes)) = self.turns.front_mut() else {
            if self.turns.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            std::thread::sleep(timeout);
            return Ok(0);
        };
        let length = bytes.len().min(buffer.len());
        buffer[..length].copy_from_slice(&bytes[..length]);
        bytes.drain(..length);
        if bytes.is_empty() {
            self.turns.pop_front();
        }
        Ok(length)
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let expected = match self.turns.front_mut() {
                Some((Side::Host, expected)) => expected,
                _ => return Err(other(&self.name, bytes, None)),
            };
            let length = expected.len().min(bytes.len());
            if expected[..length] != bytes[..length] {
                return Err(other(&self.name, bytes, Some(expected)));
            }
            expected.drain(..length);
            bytes = &bytes[length..];
            if expected.is_empty() {
                self.turns.pop_front();
            }
        }
        Ok(())
    }
}

fn other(name: &str, said: &[u8], expected: Option<&[u8]>) -> io::Error {
    let message = match expected {
        Some(expected) => {
            format!("{name}: the host says {said:02x?} where the recording has {expected:02x?}")
        }
        None => {
            format!("{name}: the host says {said:02x?} where the recording has nothing from it")
        }
    };
    io::Error::new(io::ErrorKind::InvalidData, message)
}

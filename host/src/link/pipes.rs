//! A program's standard input and output as a port.
use super::Port;
use std::io::{self, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// As much as a pipe holds.
const CHUNK: usize = 1 << 16;

/// How long to look away from an output that is closed: whoever waits asks the program's watch what became of it.
const PAUSE: Duration = Duration::from_millis(10);

/// Both ends of a child.
#[derive(Debug)]
pub struct Pipes {
    name: String,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Pipes {
    /// What a child takes and says; `name` names it in messages. A thread of its own reads, since a pipe cannot be waited for with a limit;
    /// it ends with the output.
    #[must_use]
    pub fn new(name: String, input: ChildStdin, mut from: ChildStdout) -> Self {
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; CHUNK];
            while let Ok(read @ 1..) = from.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            name,
            input,
            output,
            rest: Vec::new(),
        }
    }
}

impl Port for Pipes {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> io::Result<usize> {
        if self.rest.is_empty() {
            match self.output.recv_timeout(timeout) {
                Ok(bytes) => self.rest = bytes,
                Err(RecvTimeoutError::Timeout) => return Ok(0),
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(timeout.min(PAUSE));
                    return Ok(0);
                }
            }
        }
        let read = self.rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&self.rest[..read]);
        self.rest.drain(..read);
        Ok(read)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.input.write_all(bytes) {
            // It has ended, and its watch says how.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn bytes_come_back_in_pieces_and_an_end_is_silence() {
        let mut child = Command::new("head")
            .args(["-c", "5"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut pipes = Pipes::new("head".to_owned(), input, output);
        let mut buffer = [0; 3];
        assert_eq!(pipes.read(&mut buffer, Duration::ZERO).unwrap(), 0);
        pipes.write(b"hello").unwrap();
        let patience = Duration::from_secs(10);
        assert_eq!(pipes.read(&mut buffer, patience).unwrap(), 3);
        assert_eq!(&buffer, b"hel");
        assert_eq!(pipes.read(&mut buffer, patience).unwrap(), 2);
        assert!(child.wait().unwrap().success());
        assert_eq!(pipes.read(&mut buffer, patience).unwrap(), 0);
        pipes.write(b"too late").unwrap();
    }
}

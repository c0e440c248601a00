//! Records what passes a port, as text: one line per read or write, `<` from the target, `>` from the host, hex digits.
use super::Port;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

/// A port whose traffic is written down.
pub struct Record<P, W> {
    port: P,
    sink: W,
}

impl<P: Port, W: Write + Send> Record<P, W> {
    /// Records the traffic of `port` to `sink`.
    pub fn new(port: P, sink: W) -> Self {
        Self { port, sink }
    }

    fn note(&mut self, side: char, bytes: &[u8]) -> io::Result<()> {
        let mut line = String::with_capacity(3 + 2 * bytes.len());
        line.push(side);
        line.push(' ');
        for byte in bytes {
            write!(line, "{byte:02x}").map_err(io::Error::other)?;
        }
        line.push('\n');
        self.sink.write_all(line.as_bytes())
    }
}

impl<P: Port, W: Write + Send> Port for Record<P, W> {
    fn name(&self) -> &str {
        self.port.name()
    }

    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> io::Result<usize> {
        let length = self.port.read(buffer, timeout)?;
        if length > 0 {
            self.note('<', &buffer[..length])?;
        }
        Ok(length)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.note('>', bytes)?;
        self.port.write(bytes)
    }
}

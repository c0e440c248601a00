//! A UART or a pty, by its path.
use super::Port;
use std::io::{self, Read, Write};
use std::time::Duration;

/// How long the port may refuse bytes: a command is shorter than any buffer on the way.
const WRITE_PATIENCE: Duration = Duration::from_secs(10);

/// An open serial port.
#[derive(Debug)]
pub struct Serial {
    path: String,
    port: serialport::TTYPort,
}

impl Serial {
    /// Opens the port at `path`, 8N1, no flow control. A pty takes any `baud`.
    ///
    /// # Errors
    /// Where it does not exist, is in use, or may not be opened.
    pub fn open(path: &str, baud: u32) -> io::Result<Self> {
        let port = serialport::new(path, baud)
            .timeout(WRITE_PATIENCE)
            .open_native()
            .map_err(|error| {
                let error = io::Error::from(error);
                io::Error::new(error.kind(), format!("{path} cannot be opened as a serial port ({error}); is it plugged in, free, and may this user open it?"))
            })?;
        Ok(Self {
            path: path.to_owned(),
            port,
        })
    }
}

impl Port for Serial {
    fn name(&self) -> &str {
        &self.path
    }

    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> io::Result<usize> {
        use serialport::SerialPort as _;
        self.port.set_timeout(timeout)?;
        match self.port.read(buffer) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => Ok(length),
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
                ) =>
            {
                Ok(0)
            }
            Err(e) => Err(e),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        use serialport::SerialPort as _;
        self.port.set_timeout(WRITE_PATIENCE)?;
        self.port.write_all(bytes)
    }
}

//! What carries bytes to a target and back.
use std::io;
use std::time::Duration;

/// A two-way stream of bytes.
pub trait Port: Send {
    /// What messages call it: a path, as a rule.
    fn name(&self) -> &str;

    /// Reads what is there, waiting up to `timeout` for the first byte. 0 means that nothing came in that time.
    ///
    /// # Errors
    /// Where the port is gone; a timeout is no error.
    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> io::Result<usize>;

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// Where the port is gone, or takes nothing for seconds.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
}

impl<P: Port + ?Sized> Port for Box<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> io::Result<usize> {
        (**self).read(buffer, timeout)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        (**self).write(bytes)
    }
}

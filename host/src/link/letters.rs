//! A port whose other end is a console: bytes travel as printable characters ([`wire::letters`]).
use super::Port;
use std::io;
use std::time::{Duration, Instant};
use wire::letters::{From, Reader, spell};

/// A port that spells, or not.
pub struct Letters {
    inner: Box<dyn Port>,
    reader: Option<Reader>,
}

impl Letters {
    /// `inner`, with bytes as they are.
    #[must_use]
    pub fn new(inner: Box<dyn Port>) -> Self {
        Self {
            inner,
            reader: None,
        }
    }

    /// From now on it spells, or does not.
    pub fn spell(&mut self, spelled: bool) {
        self.reader = spelled.then(|| Reader::new(From::Target));
    }
}

impl Port for Letters {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> io::Result<usize> {
        let Some(reader) = &mut self.reader else {
            return self.inner.read(buffer, timeout);
        };
        let begin = Instant::now();
        loop {
            let left = timeout.saturating_sub(begin.elapsed());
            let characters = self.inner.read(buffer, left)?;
            let bytes = reader.take_all(buffer, characters);
            // What else the console said is nothing.
            if bytes != 0 || characters == 0 || begin.elapsed() >= timeout {
                return Ok(bytes);
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.reader.is_none() {
            return self.inner.write(bytes);
        }
        let mut spelled: Vec<u8> = bytes.iter().flat_map(|b| spell(From::Host, *b)).collect();
        // A console that reads by the line has one.
        spelled.push(b'\n');
        self.inner.write(&spelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Reads from one list of readings, writes to another.
    struct Console {
        says: Vec<Vec<u8>>,
        heard: Arc<Mutex<Vec<u8>>>,
    }

    impl Port for Console {
        fn name(&self) -> &str {
            "a console"
        }
        fn read(&mut self, buffer: &mut [u8], _: Duration) -> io::Result<usize> {
            if self.says.is_empty() {
                return Ok(0);
            }
            let said = self.says.remove(0);
            buffer[..said.len()].copy_from_slice(&said);
            Ok(said.len())
        }
        fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
            self.heard.lock().unwrap().extend(bytes);
            Ok(())
        }
    }

    #[test]
    fn what_a_kernel_says_beside_the_frames_is_nothing() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let console = Console {
            says: vec![
                b"powered by a kernel\r\n".to_vec(),
                b"*".to_vec(),
                b"5".to_vec(),
            ],
            heard: heard.clone(),
        };
        let mut port = Letters::new(Box::new(console));
        port.spell(true);
        let mut buffer = [0; 64];
        let timeout = Duration::from_secs(1);
        assert_eq!(port.read(&mut buffer, timeout).unwrap(), 1);
        assert_eq!(buffer[0], 0xa5);
        assert_eq!(port.read(&mut buffer, timeout).unwrap(), 0);
        port.write(&[0xa5]).unwrap();
        port.spell(false);
        port.write(&[0xa5]).unwrap();
        assert_eq!(*heard.lock().unwrap(), b"JU\n\xa5");
    }
}

//! Waits for frames on a port, and looks up now and then whether waiting still makes sense.
use super::{LinkError, Port, Stop, Watch};
use std::time::{Duration, Instant};
use wire::frame::{Decoder, Frame, FrameError};

/// Longest wait without a look at the watch.
const SLICE: Duration = Duration::from_millis(50);

/// How long a program that is gone may still be heard: its last words travel on another channel than the news of its end.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What came off the port.
#[derive(Debug)]
pub enum Received {
    /// A whole frame.
    Frame(Frame),
    /// What is no frame.
    Broken(FrameError),
    /// Nothing until the deadline.
    Silence,
}

/// The receiving half of a session.
pub struct Receiver<'a> {
    port: &'a mut dyn Port,
    watch: &'a mut dyn Watch,
    decoder: Decoder,
    pending: std::collections::VecDeque<Result<Frame, FrameError>>,
}

impl<'a> Receiver<'a> {
    pub fn new(port: &'a mut dyn Port, watch: &'a mut dyn Watch) -> Receiver<'a> {
        Receiver {
            port,
            watch,
            decoder: Decoder::new(),
            pending: std::collections::VecDeque::new(),
        }
    }

    pub fn port_name(&self) -> &str {
        self.port.name()
    }

    /// Writes all of `bytes`.
    pub fn write(&mut self, bytes: &[u8], command: &str) -> Result<(), LinkError> {
        match self.port.write(bytes) {
            Ok(()) => Ok(()),
            Err(source) => Err(self.gone(source, command)),
        }
    }

    /// The next frame, or silence until `deadline`. `command` is what errors name.
    pub fn next(&mut self, deadline: Instant, command: &str) -> Result<Received, LinkError> {
        let mut ended: Option<(String, Instant)> = None;
        loop {
            match self.pending.pop_front() {
                Some(Ok(frame)) => return Ok(Received::Frame(frame)),
                Some(Err(error)) => return Ok(Received::Broken(error)),
                None => {}
            }
            match (self.watch.look(), &ended) {
                (Err(Stop::Interrupted), _) => return Err(LinkError::Interrupted),
                (Err(Stop::Ended(reason)), None) => {
                    ended = Some((reason, Instant::now() + LAST_WORDS));
                }
                _ => {}
            }
            let now = Instant::now();
            if let Some((reason, until)) = &ended
                && now >= *until
            {
                return Err(LinkError::Ended {
                    port: self.port.name().to_owned(),
                    command: command.to_owned(),
                    reason: reason.clone(),
                });
            }
            if now >= deadline && ended.is_none() {
                return Ok(Received::Silence);
            }
            let slice = match &ended {
                Some((_, until)) => *until - now,
                None => deadline - now,
            };
            match self.fill(slice.min(SLICE)) {
                Ok(()) => {}
                Err(source) => return Err(self.gone(source, command)),
            }
        }
    }

    /// Why the port is gone: the watch may know better than "broken pipe".
    fn gone(&mut self, source: std::io::Error, command: &str) -> LinkError {
        let port = self.port.name().to_owned();
        let command = command.to_owned();
        std::thread::sleep(SLICE);
        match self.watch.look() {
            Err(Stop::Interrupted) => LinkError::Interrupted,
            Err(Stop::Ended(reason)) => LinkError::Ended {
                port,
                command,
                reason,
            },
            Ok(()) => LinkError::Port { port, source },
        }
    }

    fn fill(&mut self, timeout: Duration) -> std::io::Result<()> {
        let mut buffer = [0; 4096];
        let length = self.port.read(&mut buffer, timeout)?;
        let decoded = buffer[..length]
            .iter()
            .filter_map(|b| self.decoder.push(*b));
        self.pending.extend(decoded);
        Ok(())
    }
}

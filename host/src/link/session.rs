//! Drives a target: commands with numbers, answers up to Done, and what to do when either is lost.
use super::exchange::{Exchange, Step};
use super::parts::{Parts, Performed, describe};
use super::receiver::{Received, Receiver};
use super::{LinkError, Port, Watch};
use std::time::{Duration, Instant};
use wire::frame::{Frame, FrameError};
use wire::hello::{Hello, HelloError, Prefix};
use wire::message::{
    Answer, Command, Footprint, Identify, MAX_PIECE, MainClock, Offer, PerformRequest, Refusal,
    RunRequest, Slot,
};

/// How long and how often.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Silence after a broken frame before the frame is asked for: it may have been the last one.
    pub quiet: Duration,
    /// Wait for a frame that was asked for.
    pub ask: Duration,
    /// Wait for an unsolicited Hello, and between two Identify.
    pub identify: Duration,
    /// Wait for the answer to a command that costs the target nothing.
    pub prompt: Duration,
    /// How often one command is sent.
    pub sends: u32,
    /// How often frames of one command's answers are asked for.
    pub asks: u32,
    /// How often one command is run from scratch.
    pub runs: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            quiet: Duration::from_secs(1),
            ask: Duration::from_secs(3),
            identify: Duration::from_secs(3),
            prompt: Duration::from_secs(20),
            sends: 3,
            asks: 100,
            runs: 3,
        }
    }
}

/// What the first command is called in errors.
pub const IDENTIFY: &str = "identify";

/// A target that has said who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The Hello.
    pub hello: Hello,
    /// The same as it came, for the archive.
    pub bytes: Vec<u8>,
    /// Remarks that came with it: see [`Answer::Defmt`].
    pub encoded_log: Vec<u8>,
}

/// A conversation with one program on one target, from its Hello to its end.
pub struct Session<'a> {
    receiver: Receiver<'a>,
    limits: Limits,
    next_command: u32,
    next_answer: u32,
    last_broken: Option<FrameError>,
    events: Vec<String>,
}

/// How one attempt at a command ended.
enum Attempt {
    Complete(Vec<Answer>),
    Gone { asked: u32 },
}

impl<'a> Session<'a> {
    /// A session over `port`. While it waits it looks at `watch`, which says when to give up.
    pub fn open(port: &'a mut dyn Port, watch: &'a mut dyn Watch, limits: Limits) -> Session<'a> {
        Session {
            receiver: Receiver::new(port, watch),
            limits,
            next_command: 0,
            next_answer: 0,
            last_broken: None,
            events: Vec::new(),
        }
    }

    /// What the link had to put right since the last call, as sentences for the archive.
    pub fn take_events(&mut self) -> Vec<String> {
        std::mem::take(&mut self.events)
    }

    /// Waits up to `patience` for the target, which may still be booting, and tells it which run it belongs to.
    ///
    /// # Errors
    /// Where it stays silent, speaks another version, or refuses.
    pub fn hello(
        &mut self,
        identify: &Identify,
        patience: Duration,
    ) -> Result<Greeting, LinkError> {
        self.hello_counting(identify, MainClock::Best, patience)
    }

    /// The same, and samples are counted by `clock`.
    ///
    /// # Errors
    /// As above; and where there is no such clock.
    pub fn hello_counting(
        &mut self,
        identify: &Identify,
        clock: MainClock,
        patience: Duration,
    ) -> Result<Greeting, LinkError> {
        const NAME: &str = IDENTIFY;
        let identified = identify.clone();
        let command = match clock {
            MainClock::Best => Command::Identify(identified),
            clock => Command::IdentifyCounting {
                identify: identified,
                clock,
            },
        };
        let mut number = self.number();
        let begin = Instant::now();
        let deadline = begin + patience;
        let mut greeting = None;
        let mut sent = 0;
        let mut again = begin + self.limits.identify;
        loop {
            if Instant::now() >= deadline {
                return Err(self.silent(NAME, sent, begin.elapsed()));
            }
            match self.receiver.next(again.min(deadline), NAME)? {
                Received::Broken(error) => self.broken(error),
                Received::Silence if Instant::now() < again => {}
                Received::Silence => {
                    self.send(number, &command)?;
                    sent += 1;
                    again = Instant::now() + self.limits.identify;
                }
                Received::Frame(frame) if Prefix::split(&frame.body).is_some() => {
                    let hello = self.read_hello(&frame.body)?;
                    if hello.body.run == identify.run
                        && hello.body.invocation == identify.invocation
                    {
                        greeting = Some(Greeting {
                            hello,
                            bytes: frame.body,
                            encoded_log: Vec::new(),
                        });
                    } else if hello.body.run == [0; 16] || greeting.is_none() {
                        // It has just started, or obeyed what was meant for a program before it: either way it wants to be told,
                        // and not by a number that it may have seen.
                        if hello.body.run != [0; 16] {
                            number = self.number();
                        }
                        greeting = None;
                        self.send(number, &command)?;
                        sent += 1;
                        again = Instant::now() + self.limits.identify;
                    }
                }
                Received::Frame(Frame { sequence, body }) => match Answer::from_bytes(&body) {
                    Ok(Answer::Done { command }) if command == number => {
                        if let Some(greeting) = greeting.take() {
                            self.next_answer = sequence.wrapping_add(1);
                            return Ok(greeting);
                        }
                    }
                    Ok(Answer::Defmt(bytes)) => {
                        if let Some(greeting) = &mut greeting {
                            greeting.encoded_log.extend(bytes);
                        }
                    }
                    Ok(Answer::Refused {
                        reason: Refusal::BrokenFrame,
                        ..
                    }) => {
                        self.events.push(format!("{NAME}: arrived broken"));
                        again = Instant::now();
                    }
                    Ok(Answer::Refused { command, reason }) if command == number => {
                        return Err(self.refused(NAME, reason));
                    }
                    // Left over from a program that ran before on this port.
                    _ => {}
                },
            }
        }
    }

    /// What the target can run.
    ///
    /// # Errors
    /// See [`LinkError`].
    pub fn list(&mut self) -> Result<Vec<Offer>, LinkError> {
        let answers = self.exchange(&Command::List, "list", self.limits.prompt, &mut |_| {})?;
        let offers = answers.into_iter().filter_map(|answer| match answer {
            Answer::Offers(offers) => Some(offers),
            _ => None,
        });
        Ok(offers.flatten().collect())
    }

    /// Runs iterations. `patience` is the longest silence to bear, `progress` hears how many samples have arrived.
    ///
    /// # Errors
    /// See [`LinkError`]. A fault on the target is no error: it is among the parts.
    pub fn run(
        &mut self,
        request: &RunRequest,
        patience: Duration,
        progress: &mut dyn FnMut(u32),
    ) -> Result<Parts, LinkError> {
        self.run_repeated(request, 1, patience, progress)
    }

    /// The same where each sample counts `executions` of its iteration.
    ///
    /// # Errors
    /// As of [`Self::run`].
    pub fn run_repeated(
        &mut self,
        request: &RunRequest,
        executions: u32,
        patience: Duration,
        progress: &mut dyn FnMut(u32),
    ) -> Result<Parts, LinkError> {
        let name = describe(request);
        let mut arrived = 0;
        let own = request.clone();
        let command = match executions {
            1 => Command::Run(own),
            _ => Command::RunRepeated {
                request: own,
                executions,
            },
        };
        let answers = self.exchange(&command, &name, patience, &mut |answer| {
            if let Answer::Samples(batch) = answer {
                arrived += batch.samples;
                progress(arrived);
            }
        })?;
        let parts = Parts::from_answers(answers);
        match parts.misfit(request) {
            None => Ok(parts),
            Some(what) => Err(LinkError::Unfit {
                port: self.port(),
                command: name,
                what,
            }),
        }
    }

    /// What the program takes to be there.
    ///
    /// # Errors
    /// See [`LinkError`].
    pub fn footprint(&mut self) -> Result<Footprint, LinkError> {
        let command = Command::Footprint;
        let answers = self.exchange(&command, "footprint", self.limits.prompt, &mut |_| {})?;
        let footprint = answers.into_iter().find_map(|answer| match answer {
            Answer::Footprint(footprint) => Some(footprint),
            _ => None,
        });
        Ok(footprint.unwrap_or_default())
    }

    /// Puts `bytes` into a slot of the target.
    ///
    /// # Errors
    /// See [`LinkError`].
    pub fn store(&mut self, slot: Slot, bytes: &[u8]) -> Result<(), LinkError> {
        // An empty slot is stored, too.
        let pieces = bytes
            .chunks(MAX_PIECE)
            .chain(bytes.is_empty().then_some(bytes));
        for (piece, bytes) in pieces.enumerate() {
            let command = Command::Store {
                slot,
                offset: (piece * MAX_PIECE) as u32,
                bytes: bytes.to_vec(),
            };
            self.exchange(&command, "store", self.limits.prompt, &mut |_| {})?;
        }
        Ok(())
    }

    /// Changes bytes of a slot.
    ///
    /// # Errors
    /// See [`LinkError`].
    pub fn overwrite(&mut self, slot: Slot, offset: u32, bytes: &[u8]) -> Result<(), LinkError> {
        let command = Command::Overwrite {
            slot,
            offset,
            bytes: bytes.to_vec(),
        };
        self.exchange(&command, "overwrite", self.limits.prompt, &mut |_| {})?;
        Ok(())
    }

    /// What a slot of the target holds.
    ///
    /// # Errors
    /// See [`LinkError`].
    pub fn fetch(&mut self, slot: Slot) -> Result<Vec<u8>, LinkError> {
        let command = Command::Fetch { slot };
        let answers = self.exchange(&command, "fetch", self.limits.prompt, &mut |_| {})?;
        let pieces = answers.into_iter().filter_map(|answer| match answer {
            Answer::Content(content) => Some(content.bytes),
            _ => None,
        });
        Ok(pieces.flatten().collect())
    }

    /// Performs one operation on what the slots hold. `patience` is the longest silence to bear.
    ///
    /// # Errors
    /// See [`LinkError`]. A failed operation is no error: the fault says so.
    pub fn perform(
        &mut self,
        request: &PerformRequest,
        patience: Duration,
    ) -> Result<Performed, LinkError> {
        let command = Command::Perform(request.clone());
        let answers = self.exchange(&command, "perform", patience, &mut |_| {})?;
        Ok(Performed::from_answers(answers))
    }

    /// Powers the target off, or ends its program.
    ///
    /// # Errors
    /// See [`LinkError`]; a port that closes is no error here.
    pub fn stop(&mut self) -> Result<(), LinkError> {
        match self.exchange(&Command::Stop, "stop", self.limits.prompt, &mut |_| {}) {
            Ok(_) | Err(LinkError::Port { .. } | LinkError::Ended { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Sends `command` and collects its answers, running it anew where answers are lost for good.
    fn exchange(
        &mut self,
        command: &Command,
        name: &str,
        patience: Duration,
        heard: &mut dyn FnMut(&Answer),
    ) -> Result<Vec<Answer>, LinkError> {
        let mut asks = 0;
        for run in 1..=self.limits.runs {
            match self.attempt(command, name, patience, heard)? {
                Attempt::Complete(answers) => return Ok(answers),
                Attempt::Gone { asked } => {
                    asks += asked;
                    self.events.push(format!(
                        "{name}: answers lost for good in run {run}, all of it is run again"
                    ));
                }
            }
        }
        Err(LinkError::Lossy {
            port: self.port(),
            command: name.to_owned(),
            asked: asks,
            runs: self.limits.runs,
            last: self.last_broken,
        })
    }

    fn attempt(
        &mut self,
        command: &Command,
        name: &str,
        patience: Duration,
        heard: &mut dyn FnMut(&Answer),
    ) -> Result<Attempt, LinkError> {
        let number = self.number();
        let begin = Instant::now();
        let mut exchange = Exchange::new(number, self.next_answer, patience, self.limits, begin);
        self.send(number, command)?;
        loop {
            let until = match exchange.step(Instant::now()) {
                Step::Wait(until) => until,
                Step::Send => {
                    self.events
                        .push(format!("{name}: sent again with number {number}"));
                    self.send(number, command)?;
                    continue;
                }
                Step::Ask(missing) => {
                    self.events
                        .push(format!("{name}: answer {missing} is asked for again"));
                    let request = self.number();
                    exchange.asked(request, Instant::now());
                    self.send(request, &Command::Resend { sequence: missing })?;
                    continue;
                }
                Step::Complete => {
                    self.next_answer = exchange.next_answer();
                    return Ok(Attempt::Complete(exchange.into_answers()));
                }
                Step::Gone => {
                    self.next_answer = exchange.next_answer();
                    return Ok(Attempt::Gone {
                        asked: exchange.asks(),
                    });
                }
                Step::Refused(reason) => return Err(self.refused(name, reason)),
                Step::Silent if exchange.begun() => {
                    return Err(LinkError::Hung {
                        port: self.port(),
                        command: name.to_owned(),
                        waited: begin.elapsed(),
                    });
                }
                Step::Silent => return Err(self.silent(name, exchange.sent(), begin.elapsed())),
            };
            match self.receiver.next(until, name)? {
                Received::Silence => {}
                Received::Broken(error) => {
                    self.broken(error);
                    exchange.broken(Instant::now());
                }
                Received::Frame(frame) => {
                    if let Some(answer) = self.read(&frame, name)?
                        && exchange.hear(frame.sequence, &answer, Instant::now())
                    {
                        heard(&answer);
                    }
                }
            }
        }
    }

    /// The answer in `frame`; none where it is a repeated Hello.
    fn read(&mut self, frame: &Frame, name: &str) -> Result<Option<Answer>, LinkError> {
        if Prefix::split(&frame.body).is_some() {
            // Only a program that has just started belongs to no run.
            return match self.read_hello(&frame.body)?.body.run == [0; 16] {
                true => Err(LinkError::Reset {
                    port: self.port(),
                    command: name.to_owned(),
                }),
                false => Ok(None),
            };
        }
        match Answer::from_bytes(&frame.body) {
            Ok(answer) => Ok(Some(answer)),
            Err(_) => Err(LinkError::Unfit {
                port: self.port(),
                command: name.to_owned(),
                what: format!("frame {} holds no answer of this version", frame.sequence),
            }),
        }
    }

    fn read_hello(&self, body: &[u8]) -> Result<Hello, LinkError> {
        Hello::from_bytes(body).map_err(|source: HelloError| LinkError::Hello {
            port: self.port(),
            source,
        })
    }

    fn number(&mut self) -> u32 {
        let number = self.next_command;
        self.next_command = number.wrapping_add(1);
        number
    }

    fn send(&mut self, number: u32, command: &Command) -> Result<(), LinkError> {
        let encoded = command
            .to_bytes()
            .ok()
            .and_then(|body| wire::frame::encode(number, &body));
        let Some(frame) = encoded else {
            return Err(LinkError::Unfit {
                port: self.port(),
                command: format!("{command:?}"),
                what: "the command does not fit a frame".to_owned(),
            });
        };
        // The leading zero ends whatever noise the target has heard so far.
        let bytes = [&[0], frame.as_slice()].concat();
        self.receiver.write(&bytes, &format!("command {number}"))
    }

    fn broken(&mut self, error: FrameError) {
        self.last_broken = Some(error);
        self.events.push(format!("a broken frame: {error}"));
    }

    fn port(&self) -> String {
        self.receiver.port_name().to_owned()
    }

    fn refused(&self, name: &str, reason: Refusal) -> LinkError {
        LinkError::Refused {
            port: self.port(),
            command: name.to_owned(),
            reason,
        }
    }

    fn silent(&self, name: &str, sent: u32, waited: Duration) -> LinkError {
        LinkError::Silent {
            port: self.port(),
            command: name.to_owned(),
            sent,
            waited,
        }
    }
}

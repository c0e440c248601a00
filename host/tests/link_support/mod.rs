//! A target as `docs/wire.md` describes it, without any cryptography: samples and digests follow from the request alone.
#![allow(
    dead_code,
    reason = "each test program uses its own part of this module"
)]
use host::link::{Limits, Port};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wire::catalog::{ALGORITHMS, Algorithm, AlgorithmId, Operation, Provider};
use wire::frame::{Decoder, encode};
use wire::hello::{Body, Clocks, Cpu, Hello, Prefix, Surroundings};
use wire::message::{
    Answer, Command, Digest, Dispatch, Fault, FaultKind, Footprint, Identify, Memory, Offer,
    Refusal, RunRequest,
};
use wire::samples::{MAX_SAMPLES, Sample, SampleBatch};
use wire::units::{Clock, Counter, Scope};

pub const RUN: [u8; 16] = [0x52; 16];

pub fn identify() -> Identify {
    Identify {
        run: RUN,
        invocation: 0,
        dispatch: Dispatch::Detected,
    }
}

pub fn request(iterations: u32) -> RunRequest {
    RunRequest {
        algorithm: AlgorithmId(2),
        provider: Provider::Liboqs,
        operation: Operation::Encaps,
        seed: 7,
        first: 0,
        iterations,
        keys: 4,
        inputs: 4,
    }
}

/// Short waits: nothing here takes long.
pub fn limits() -> Limits {
    Limits {
        quiet: Duration::from_millis(30),
        ask: Duration::from_millis(60),
        identify: Duration::from_millis(60),
        prompt: Duration::from_millis(200),
        sends: 8,
        asks: 60,
        runs: 5,
    }
}

/// What iteration `i` counts on this target.
pub fn sample(i: u32) -> Sample {
    let jitter = u64::from(i.wrapping_mul(2_654_435_761) % 1000);
    Sample {
        count: 200_000 + jitter,
        total: 200_100 + jitter,
        ticks: 12_500 + jitter / 16,
        flags: 0,
    }
}

pub fn digest(request: &RunRequest) -> Digest {
    let mut sha256 = [0; 32];
    sha256[..8].copy_from_slice(&request.seed.to_le_bytes());
    Digest {
        first: request.first,
        iterations: request.iterations,
        sha256,
    }
}

/// What the target does wrong, on purpose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Script {
    /// Resets in the middle of the n-th Run, counted from 1.
    pub reset_in_run: Option<u32>,
    /// Says nothing any more from the n-th Run on.
    pub silent_from_run: Option<u32>,
    /// Answers the n-th Run with a fault.
    pub fault_in_run: Option<u32>,
    /// That fault ends the program.
    pub fatal: bool,
    /// The program ends in the n-th Run, without a word.
    pub ends_in_run: Option<u32>,
    /// Belongs to another build.
    pub foreign: bool,
    /// Holds only this many answers of the last command.
    pub holds: Option<usize>,
    /// Says no Hello until asked.
    pub shy: bool,
    /// Ticks of every iteration, where they shall be few.
    pub ticks: Option<u64>,
}

/// The target's state.
pub struct Target {
    script: Script,
    decoder: Decoder,
    sequence: u32,
    identity: Option<Identify>,
    last: Option<u32>,
    held: VecDeque<(u32, Vec<u8>)>,
    runs: u32,
    /// How often a Run was really carried out.
    pub executed: u32,
    out: Vec<u8>,
    /// The program has ended.
    pub over: bool,
}

/// Build id of the program that this plays.
pub const BUILD: [u8; 20] = [1; 20];

impl Target {
    pub fn new(script: Script) -> Self {
        let mut target = Self {
            script,
            decoder: Decoder::new(),
            sequence: 0,
            identity: None,
            last: None,
            held: VecDeque::new(),
            runs: 0,
            executed: 0,
            out: Vec::new(),
            over: false,
        };
        if !script.shy {
            target.greet();
        }
        target
    }

    fn hello(&self) -> Vec<u8> {
        let clock = Clock {
            counter: Counter::Pmccntr,
            rate: None,
            scope: Scope::All,
        };
        let hello = Hello {
            prefix: Prefix {
                version: wire::VERSION,
                build_id: if self.script.foreign { [2; 20] } else { BUILD },
            },
            body: Body {
                board: "test".into(),
                program: "bare".into(),
                surroundings: Surroundings {
                    exception_level: 1,
                    entry_level: 2,
                    hypervisor: None,
                    kernel: None,
                    machine: None,
                    namespaces: Vec::new(),
                    cgroup: None,
                    seccomp: None,
                    capabilities: None,
                    page_size: 4096,
                },
                clocks: Clocks {
                    count: clock,
                    total: clock,
                    ticks: clock,
                    denied: String::new(),
                },
                cpu: Cpu {
                    midr: 0,
                    features_seen: Vec::new(),
                    features_used: Vec::new(),
                },
                dispatch: Dispatch::Detected,
                providers: Vec::new(),
                run: self.identity.as_ref().map_or([0; 16], |i| i.run),
                invocation: self.identity.as_ref().map_or(0, |i| i.invocation),
                boot: [9; 16],
                stack_size: 0,
                heap_size: 0,
            },
        };
        hello.to_bytes().expect("encodes")
    }

    fn greet(&mut self) {
        let hello = self.hello();
        self.say(hello);
    }

    fn reset(&mut self) {
        self.sequence = 0;
        self.identity = None;
        self.last = None;
        self.held.clear();
        self.greet();
    }

    fn say(&mut self, body: Vec<u8>) {
        self.out
            .extend(encode(self.sequence, &body).expect("short"));
        self.held.push_back((self.sequence, body));
        if let Some(most) = self.script.holds {
            while self.held.len() > most {
                self.held.pop_front();
            }
        }
        self.sequence += 1;
    }

    fn answer(&mut self, answer: &Answer) {
        self.say(answer.to_bytes().expect("encodes"));
    }

    /// Takes bytes from the host, gives bytes to it.
    pub fn hear(&mut self, bytes: &[u8]) -> Vec<u8> {
        for byte in bytes {
            if self.over {
                break;
            }
            match self.decoder.push(*byte) {
                None => {}
                Some(Err(_)) => self.answer(&Answer::Refused {
                    command: 0,
                    reason: Refusal::BrokenFrame,
                }),
                Some(Ok(frame)) => match Command::from_bytes(&frame.body) {
                    Ok(command) => self.obey(frame.sequence, command),
                    Err(_) => self.answer(&Answer::Refused {
                        command: frame.sequence,
                        reason: Refusal::NotUnderstood,
                    }),
                },
            }
        }
        std::mem::take(&mut self.out)
    }

    fn obey(&mut self, number: u32, command: Command) {
        if let Command::Resend { sequence } = command {
            match self.held.iter().find(|(s, _)| *s == sequence) {
                Some((_, body)) => self.out.extend(encode(sequence, body).expect("short")),
                None => self.answer(&Answer::Refused {
                    command: number,
                    reason: Refusal::Gone,
                }),
            }
            return;
        }
        if self.last == Some(number) {
            for (sequence, body) in &self.held {
                self.out.extend(encode(*sequence, body).expect("short"));
            }
            return;
        }
        self.last = Some(number);
        self.held.clear();
        match command {
            Command::Identify(identify) | Command::IdentifyCounting { identify, .. } => {
                self.identity = Some(identify);
                self.greet();
            }
            _ if self.identity.is_none() => {
                self.last = None;
                return self.answer(&Answer::Refused {
                    command: number,
                    reason: Refusal::NotIdentified,
                });
            }
            Command::List => {
                let offer = |a: &Algorithm| Offer {
                    algorithm: a.id,
                    provider: a.providers[0].0,
                };
                let offers = ALGORITHMS.iter().map(offer).collect();
                self.answer(&Answer::Offers(offers));
            }
            Command::Run(request) => {
                if !self.run(&request, 1) {
                    return;
                }
            }
            Command::RunRepeated {
                request,
                executions,
            } => {
                if !self.run(&request, u64::from(executions)) {
                    return;
                }
            }
            Command::Footprint => self.answer(&Answer::Footprint(Footprint::default())),
            // Nothing is performed here.
            Command::Store { .. }
            | Command::Overwrite { .. }
            | Command::Fetch { .. }
            | Command::Perform(_) => {}
            Command::Stop | Command::Restart | Command::Resend { .. } => self.over = true,
        }
        self.answer(&Answer::Done { command: number });
    }

    /// False where no Done follows.
    fn run(&mut self, request: &RunRequest, executions: u64) -> bool {
        self.runs += 1;
        self.executed += 1;
        if self.script.reset_in_run == Some(self.runs) {
            self.reset();
            return false;
        }
        if self.script.silent_from_run.is_some_and(|n| self.runs >= n) {
            self.last = None;
            return false;
        }
        if self.script.ends_in_run == Some(self.runs) {
            self.over = true;
            return false;
        }
        if self.script.fault_in_run == Some(self.runs) {
            self.over = self.script.fatal;
            self.answer(&Answer::Fault(Fault {
                kind: match self.script.fatal {
                    true => FaultKind::Exception,
                    false => FaultKind::WrongResult,
                },
                iteration: 3,
                code: 0,
                address: 0,
                text: "as the script says".into(),
            }));
            return true;
        }
        self.answer(&Answer::Memory(Memory::default()));
        let all: Vec<u32> = (request.first..request.first + request.iterations).collect();
        for chunk in all.chunks(MAX_SAMPLES) {
            let ticks = self.script.ticks;
            let counted = |i: &u32| {
                let once = sample(*i);
                Sample {
                    count: executions * once.count,
                    total: executions * once.total,
                    ticks: executions * ticks.unwrap_or(once.ticks),
                    flags: once.flags,
                }
            };
            let samples: Vec<_> = chunk.iter().map(counted).collect();
            let batch = SampleBatch::pack(chunk[0], &samples).expect("fits");
            self.answer(&Answer::Samples(batch));
        }
        self.answer(&Answer::Digest(digest(request)));
        true
    }
}

/// A target at the other end of an in-memory port.
pub struct InMemory {
    pub target: Arc<Mutex<Target>>,
    out: VecDeque<u8>,
}

impl InMemory {
    pub fn new(script: Script) -> Self {
        let mut target = Target::new(script);
        let out = target.hear(&[]).into();
        Self {
            target: Arc::new(Mutex::new(target)),
            out,
        }
    }
}

impl Port for InMemory {
    fn name(&self) -> &str {
        "memory"
    }

    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> io::Result<usize> {
        if self.out.is_empty() {
            std::thread::sleep(timeout);
        }
        let length = buffer.len().min(self.out.len());
        for (to, from) in buffer.iter_mut().zip(self.out.drain(..length)) {
            *to = from;
        }
        Ok(length)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut target = self.target.lock().expect("no panic while held");
        self.out.extend(target.hear(bytes));
        Ok(())
    }
}

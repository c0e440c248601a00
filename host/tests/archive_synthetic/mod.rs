//! A made-up run: the records that a board would have sent, from a seed.
#![allow(dead_code, reason = "each test program uses a part")]
use host::archive::{self, JOURNAL, Journal};
use host::model::{
    Environment, Invocation, Measured, Planned, Provenance, Record, Stack, Status, Subject, Turn,
};
use host::stats::bootstrap::Generator;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use wire::catalog::{Algorithm, Operation, Provider};
use wire::hello::{Body, Clocks, Cpu, Hello, Prefix, ProviderVersion, Surroundings};
use wire::message::{Digest, Dispatch, Memory};
use wire::samples::{MAX_SAMPLES, Sample, SampleBatch};
use wire::units::{Clock, Counter, Hertz, Scope};

/// Instructions in a tick of the emulated board.
pub const PER_TICK: u32 = 16;

/// What the run is like. Change what a test is about.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub run: &'static str,
    pub started: &'static str,
    pub board: &'static str,
    pub emulated: bool,
    pub seed: u64,
    pub environments: Vec<Environment>,
    pub dispatches: Vec<Dispatch>,
    pub algorithms: Vec<&'static str>,
    pub invocations: u32,
    pub iterations: u32,
    pub warm_up: u32,
    /// Iterations of one command.
    pub command: u32,
    pub status: Option<Status>,
    /// Key pairs of each algorithm.
    pub keys: u32,
    /// Whether the run is made of blocks, with a second arm of `native` and a monitor of drift.
    pub in_blocks: bool,
    /// What the archive calls its liboqs.
    pub liboqs: &'static str,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            run: "20260101-120000-aaaa",
            started: "2026-01-01T12:00:00Z",
            board: "qemu-virt",
            emulated: true,
            seed: 7,
            environments: vec![
                Environment::BareMetal,
                Environment::Native,
                Environment::Container,
                Environment::Unikernel,
            ],
            dispatches: vec![Dispatch::Detected],
            algorithms: vec!["null", "ML-KEM-768", "Falcon-512", "X25519"],
            invocations: 1,
            iterations: 22,
            warm_up: 2,
            command: 22,
            status: Some(Status::Complete),
            keys: 4,
            in_blocks: false,
            liboqs: "0.13.0",
        }
    }
}

impl Recipe {
    pub fn provenance(&self) -> Provenance {
        Provenance {
            run: self.run.to_owned(),
            started: self.started.to_owned(),
            board: self.board.to_owned(),
            emulated: self.emulated,
            pmccntr_counts: if self.emulated {
                "instructions"
            } else {
                "cycles"
            }
            .to_owned(),
            instructions_per_tick: self.emulated.then_some(PER_TICK),
            plan: "quick".to_owned(),
            seed: self.seed,
            environments: self.environments.clone(),
            facts: [("liboqs", self.liboqs), ("host.os", "linux")]
                .map(|(k, v)| (k.to_owned(), v.to_owned()))
                .into(),
        }
    }

    /// All records after the first.
    pub fn records(&self) -> Vec<Record> {
        let mut records = vec![Record::Plan(self.plan())];
        let mut id = 0;
        for round in 0..self.invocations {
            for environment in &self.environments {
                for dispatch in &self.dispatches {
                    let twice = self.in_blocks && *environment == Environment::Native;
                    for arm in 0..=u8::from(twice) {
                        records.push(Record::Invocation(self.invocation(
                            id,
                            *environment,
                            *dispatch,
                        )));
                        if self.in_blocks {
                            records.push(Record::Turn(Turn {
                                invocation: id,
                                block: round,
                                position: id,
                                arm,
                            }));
                            records.push(self.monitor(id, *environment, *dispatch));
                        }
                        let noise = (round, arm);
                        records.extend(self.commands(id, noise, *environment, *dispatch));
                        id += 1;
                    }
                }
            }
        }
        records.push(Record::Fact {
            key: "qemu.command".to_owned(),
            value: "qemu-system-aarch64 -M virt".to_owned(),
        });
        records.push(Record::Link {
            invocation: 0,
            event: "a frame was asked for again".to_owned(),
        });
        records.extend(self.status.map(|status| Record::End {
            status,
            milliseconds: 1234,
        }));
        records
    }

    fn operations(&self) -> Vec<(&'static Algorithm, Provider, Operation)> {
        self.algorithms
            .iter()
            .map(|name| Algorithm::by_name(name).expect("a catalogue name"))
            .flat_map(|a| {
                a.kind
                    .operations()
                    .iter()
                    .map(move |o| (a, a.providers[0].0, *o))
            })
            .collect()
    }

    fn plan(&self) -> Vec<Planned> {
        let planned = |(a, provider, operation): (&Algorithm, Provider, Operation)| Planned {
            provider,
            algorithm: a.id,
            operation,
            iterations: self.iterations,
            warm_up: self.warm_up,
            keys: self.keys,
            inputs: 4,
            pilot_count: 100_000,
            executions: 1,
        };
        self.operations().into_iter().map(planned).collect()
    }

    fn invocation(&self, id: u32, environment: Environment, dispatch: Dispatch) -> Invocation {
        Invocation {
            id,
            environment,
            stack: Stack::Shared,
            at_ns: 1_767_268_800_000_000_000 + u64::from(id) * 1_000_000_000,
            hello: self
                .hello(id, environment, dispatch)
                .to_bytes()
                .expect("a Hello"),
            program_sha256: "ab".repeat(32),
        }
    }

    pub fn hello(&self, id: u32, environment: Environment, dispatch: Dispatch) -> Hello {
        let bare = matches!(environment, Environment::BareMetal | Environment::Unikernel);
        let scope = match environment {
            Environment::BareMetal => Scope::All,
            Environment::Unikernel => Scope::Guest,
            _ => Scope::User,
        };
        let rate = Some(Hertz(62_500_000));
        Hello {
            prefix: Prefix {
                version: wire::VERSION,
                build_id: [0x5a; 20],
            },
            body: Body {
                board: self.board.to_owned(),
                program: if bare { "bare" } else { "linux" }.to_owned(),
                surroundings: Surroundings {
                    exception_level: u8::from(bare),
                    entry_level: if environment == Environment::BareMetal {
                        2
                    } else {
                        u8::from(bare)
                    },
                    hypervisor: (environment == Environment::Unikernel).then(|| "KVM".to_owned()),
                    kernel: (!bare).then(|| "Linux 6.1.0".to_owned()),
                    machine: Some("linux,dummy-virt".to_owned()),
                    namespaces: vec![("mnt".to_owned(), 4_026_531_841 + u64::from(id))],
                    cgroup: (!bare).then(|| "/".to_owned()),
                    seccomp: (!bare).then_some(if environment == Environment::Container {
                        2
                    } else {
                        0
                    }),
                    capabilities: (!bare).then_some(0x1ff),
                    page_size: 4096,
                },
                clocks: Clocks {
                    count: Clock {
                        counter: Counter::Pmccntr,
                        rate: None,
                        scope,
                    },
                    total: Clock {
                        counter: if bare {
                            Counter::Pmccntr
                        } else {
                            Counter::None
                        },
                        rate: None,
                        scope: if bare { scope } else { Scope::All },
                    },
                    ticks: Clock {
                        counter: Counter::Cntvct,
                        rate,
                        scope: Scope::All,
                    },
                    denied: String::new(),
                },
                cpu: Cpu {
                    midr: 0x410f_d083,
                    features_seen: vec!["asimd".to_owned(), "aes".to_owned()],
                    features_used: match dispatch {
                        Dispatch::Detected => vec!["asimd".to_owned(), "aes".to_owned()],
                        Dispatch::Portable => Vec::new(),
                    },
                },
                dispatch,
                providers: vec![ProviderVersion {
                    provider: Provider::Liboqs,
                    version: "0.13.0".to_owned(),
                }],
                run: [1; 16],
                invocation: id,
                boot: [id as u8 + 1; 16],
                stack_size: 4 << 20,
                heap_size: 16 << 20,
            },
        }
    }

    /// One look at the reference operation: a machine that gets slower by 0.5 % with every start.
    fn monitor(&self, id: u32, environment: Environment, dispatch: Dispatch) -> Record {
        let algorithm = Algorithm::by_name("X25519").expect("a catalogue name");
        let ticks = 20_000 + u64::from(id) * 100;
        let samples: Vec<Sample> = (0..5)
            .map(|i| Sample {
                count: 16 * ticks,
                total: 16 * ticks,
                ticks: ticks + i,
                flags: 0,
            })
            .collect();
        Record::Monitor(Measured {
            invocation: id,
            subject: Subject {
                environment,
                dispatch,
                stack: Stack::Shared,
                provider: Provider::Classical,
                algorithm: algorithm.id,
                operation: Operation::Derive,
            },
            first: 0,
            iterations: 5,
            at_ns: 1_767_268_800_000_000_000 + u64::from(id) * 1_000_000_000 + 1,
            samples: batches(0, &samples),
            digest: None,
            memory: None,
            fault: None,
            path: Vec::new(),
        })
    }

    fn commands(
        &self,
        id: u32,
        noise: (u32, u8),
        environment: Environment,
        dispatch: Dispatch,
    ) -> Vec<Record> {
        let mut records = Vec::new();
        for (at, (algorithm, provider, operation)) in self.operations().into_iter().enumerate() {
            let subject = Subject {
                environment,
                dispatch,
                stack: Stack::Shared,
                provider,
                algorithm: algorithm.id,
                operation,
            };
            for first in (0..self.iterations).step_by(self.command as usize) {
                let iterations = self.command.min(self.iterations - first);
                records.push(Record::Measured(Measured {
                    invocation: id,
                    subject,
                    first,
                    iterations,
                    at_ns: 1_767_268_800_000_000_000
                        + u64::from(id) * 1_000_000_000
                        + (at as u64 + 1) * 1_000_000,
                    samples: batches(first, &self.samples(subject, noise, first, iterations)),
                    digest: Some(digest(self.seed, subject, first, iterations)),
                    memory: Some(Memory {
                        stack_bytes: 9_000 + u32::from(algorithm.id.0),
                        heap_bytes: 512,
                        allocations: 2,
                        random_bytes: 64,
                    }),
                    fault: None,
                    path: Vec::new(),
                }));
            }
        }
        records
    }

    /// Counts that depend on the work (algorithm, operation, iteration) and a little on the place.
    fn samples(
        &self,
        subject: Subject,
        (round, arm): (u32, u8),
        first: u32,
        iterations: u32,
    ) -> Vec<Sample> {
        let work = format!("work/{}/{}", subject.algorithm.0, subject.operation.name());
        let base = match subject.provider {
            Provider::Null => 21,
            _ => 100_000 + Generator::named(self.seed, &work).next_u64() % 2_000_000,
        };
        let random_time = Algorithm::by_id(subject.algorithm)
            .is_some_and(|a| a.has_random_time(subject.operation));
        let portable = if subject.dispatch == Dispatch::Portable {
            20
        } else {
            1
        };
        (first..first + iterations)
            .map(|iteration| {
                let mut draw = Generator::named(self.seed, &format!("{work}/{iteration}"));
                let drawn = if random_time {
                    draw.next_u64() % (base / 2)
                } else {
                    0
                };
                let cold = if iteration < self.warm_up && base > 100 {
                    5_000
                } else {
                    0
                };
                let place = match subject.environment {
                    Environment::Container => base / 10_000,
                    _ => 0,
                };
                let noise = if self.emulated {
                    0
                } else {
                    let round_and_arm = match arm {
                        0 => round.to_string(),
                        arm => format!("{round}.{arm}"),
                    };
                    let environment = subject.environment.name();
                    let place = format!("{environment}/{round_and_arm}/{work}/{iteration}");
                    Generator::named(self.seed, &place).next_u64() % (base / 20 + 1)
                        + u64::from(round) * base / 200
                };
                let count = (base + drawn + place) * portable + cold + noise;
                let ticks = (count + 400).div_ceil(u64::from(PER_TICK));
                Sample {
                    count,
                    total: count + 3,
                    ticks,
                    flags: 0,
                }
            })
            .collect()
    }

    /// Writes the journal alone.
    pub fn journal(&self, archive: &Path) -> PathBuf {
        write(archive, &self.provenance(), &self.records())
    }

    /// Writes and finishes the run.
    pub fn archive(&self, archive: &Path) -> PathBuf {
        let partial = self.journal(archive);
        archive::finish(&partial, Status::Cut).expect("finished")
    }
}

pub fn write(archive: &Path, provenance: &Provenance, records: &[Record]) -> PathBuf {
    let mut journal = Journal::create(archive, provenance).expect("a journal");
    for record in records {
        journal.append(record).expect("appended");
    }
    journal.sync().expect("synced");
    journal.folder().to_owned()
}

pub fn batches(first: u32, samples: &[Sample]) -> Vec<SampleBatch> {
    (0..)
        .zip(samples.chunks(MAX_SAMPLES))
        .map(|(at, chunk)| {
            SampleBatch::pack(first + at * MAX_SAMPLES as u32, chunk).expect("a batch")
        })
        .collect()
}

/// Outputs follow from the seed and the work, not from where it was done.
pub fn digest(seed: u64, subject: Subject, first: u32, iterations: u32) -> Digest {
    let name = format!(
        "{}/{}/{first}/{iterations}",
        subject.algorithm.0,
        subject.operation.name()
    );
    let mut bytes = Generator::named(seed, &name);
    let mut sha256 = [0; 32];
    for byte in &mut sha256 {
        *byte = bytes.next_u64() as u8;
    }
    Digest {
        first,
        iterations,
        sha256,
    }
}

/// Entries of a journal, each with where it begins and ends.
pub fn entries(folder: &Path) -> Vec<(usize, usize)> {
    let bytes = std::fs::read(folder.join(JOURNAL)).expect("a journal");
    let ends = bytes
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == 0)
        .map(|(at, _)| at + 1);
    let mut begin = 0;
    ends.map(|end| (std::mem::replace(&mut begin, end), end))
        .collect()
}

/// Runs the program on `archive`.
pub fn host(archive: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_host"))
        .arg("--archive")
        .arg(archive)
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .expect("the program runs")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

pub fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", stderr(output)))
}

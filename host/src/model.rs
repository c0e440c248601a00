//! The nouns of the host: environments, invocations, records of a run. No I/O, no clap, no clock.
//!
//! A run is first a list of [`Record`]s, appended to a journal while it goes on. Everything else (the Parquet tables, the
//! manifest, every figure) is made from that list by pure functions, so that a run that was cut can still be read.
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use wire::catalog::{AlgorithmId, Operation, Provider};
use wire::message::{Digest, Dispatch, Fault, Memory};

/// What runs the code on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Environment {
    /// Our image owns the CPU.
    BareMetal,
    /// A Linux process.
    Native,
    /// An OCI container on that Linux.
    Container,
    /// Our image as a guest of QEMU/KVM on that Linux.
    Unikernel,
    /// A guest of the same kind, whose kernel is a Unikraft that the user supplies.
    Unikraft,
}

impl Environment {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 5] = [
        Self::BareMetal,
        Self::Native,
        Self::Container,
        Self::Unikernel,
        Self::Unikraft,
    ];

    /// Whether it is a guest of QEMU, which cannot see its host.
    #[must_use]
    pub fn is_guest(self) -> bool {
        matches!(self, Self::Unikernel | Self::Unikraft)
    }

    /// The name in options, tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BareMetal => "bare-metal",
            Self::Native => "native",
            Self::Container => "container",
            Self::Unikernel => "unikernel",
            Self::Unikraft => "unikraft",
        }
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Environment {
    type Err = ();
    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|e| e.name() == name).ok_or(())
    }
}

/// What lies under the provider.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Stack {
    /// Our memory routines, allocator and random tape: the same in every environment.
    #[default]
    Shared,
    /// What the environment brings.
    Stock,
}

impl Stack {
    /// The name in options, tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Stock => "stock",
        }
    }
}

/// Where a program is started, and with what under it: what a run visits again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The environment.
    pub environment: Environment,
    /// Code path asked for.
    pub dispatch: Dispatch,
    /// What lies under the provider.
    pub stack: Stack,
}

impl Place {
    /// The place of every comparison's baseline: a process, features as detected, our own memory routines.
    pub const BASELINE: Self = Self {
        environment: Environment::Native,
        dispatch: Dispatch::Detected,
        stack: Stack::Shared,
    };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dispatch, stack) = (self.dispatch.name(), self.stack.name());
        write!(f, "{}/{dispatch}/{stack}", self.environment)
    }
}

/// What one row of a run is about, the board left out: it is one per run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// Where it ran.
    pub environment: Environment,
    /// Code path asked for.
    pub dispatch: Dispatch,
    /// What lies under the provider.
    pub stack: Stack,
    /// Where the code comes from.
    pub provider: Provider,
    /// The algorithm.
    pub algorithm: AlgorithmId,
    /// The operation.
    pub operation: Operation,
}

impl Subject {
    /// Where it ran.
    #[must_use]
    pub fn place(&self) -> Place {
        Place {
            environment: self.environment,
            dispatch: self.dispatch,
            stack: self.stack,
        }
    }
}

/// One operation as the plan and the pilot fixed it; the same in every environment, dispatch and invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// Where the code comes from.
    pub provider: Provider,
    /// The algorithm.
    pub algorithm: AlgorithmId,
    /// The operation.
    pub operation: Operation,
    /// Iterations per invocation, warm-up included.
    pub iterations: u32,
    /// The first iterations of each invocation, which touch memory and code for the first time: kept, but left out of figures.
    pub warm_up: u32,
    /// Size of the key pool.
    pub keys: u32,
    /// Number of distinct ciphertexts or signatures.
    pub inputs: u32,
    /// What the pilot's one iteration counted.
    pub pilot_count: u64,
    /// Executions that each sample counts. A record of its own holds it, [`Record::Repeated`]; where there is none it is one.
    #[serde(skip, default = "one")]
    pub executions: u32,
}

fn one() -> u32 {
    1
}

/// An operation too short for the resolution of the clock of ticks: each sample counts several executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated {
    /// Where the code comes from.
    pub provider: Provider,
    /// The algorithm.
    pub algorithm: AlgorithmId,
    /// The operation.
    pub operation: Operation,
    /// Executions that each sample counts.
    pub executions: u32,
}

impl Repeated {
    /// Gives those of `plan` that `list` names their number of executions.
    pub fn apply(list: &[Self], plan: &mut [Planned]) {
        for repeated in list {
            let same = |p: &&mut Planned| {
                (p.provider, p.algorithm, p.operation)
                    == (repeated.provider, repeated.algorithm, repeated.operation)
            };
            if let Some(planned) = plan.iter_mut().find(same) {
                planned.executions = repeated.executions.max(1);
            }
        }
    }

    /// What `plan` says of operations of which each sample counts more than one execution.
    #[must_use]
    pub fn of(plan: &[Planned]) -> Vec<Self> {
        let several = plan.iter().filter(|p| p.executions > 1);
        several
            .map(|p| Self {
                provider: p.provider,
                algorithm: p.algorithm,
                operation: p.operation,
                executions: p.executions,
            })
            .collect()
    }
}

/// One entry of a run's journal. Append-only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Record {
    /// First entry: the provenance that is known before anything runs, as JSON of [`Provenance`].
    Begin {
        /// JSON.
        provenance: String,
    },
    /// The plan, once the pilot has fixed the numbers of iterations.
    Plan(Vec<Planned>),
    /// A program was started in an environment and said Hello.
    Invocation(Invocation),
    /// A command to run iterations was carried out. The samples are as they came from the wire, packed.
    Measured(Measured),
    /// An environment or operation that was asked for could not be measured.
    Skipped {
        /// The environment.
        environment: Environment,
        /// Algorithm, provider and operation, where it is not the whole environment.
        operation: Option<(AlgorithmId, Provider, Operation)>,
        /// Why.
        reason: String,
    },
    /// A broken frame, a repeated command, a reset: what the link had to put right.
    Link {
        /// The invocation.
        invocation: u32,
        /// What happened.
        event: String,
    },
    /// Provenance learnt during the run (a QEMU command line, say): key and value join the manifest.
    Fact {
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
    /// Last entry.
    End {
        /// How the run ended.
        status: Status,
        /// Milliseconds of wall time that measuring took, this attempt.
        milliseconds: u64,
    },
    /// Where an invocation stands in the order of a run that is made of blocks. It follows the invocation's own record.
    Turn(Turn),
    /// An answer about the fixed reference operation, by which drift is seen: it is no row's.
    Monitor(Measured),
    /// What the target says by its log.
    Remark {
        /// The invocation.
        invocation: u32,
        /// Weight, text, and where in the sources it was said.
        text: String,
    },
    /// Operations of the plan of which each sample counts several executions. It follows the plan.
    Repeated(Vec<Repeated>),
    /// What a Linux board was like when an invocation began to measure, or when it ended.
    Conditions(Conditions),
    /// A block that was measured while the board was throttled: its samples are kept, and are in no figure.
    Void {
        /// The block.
        block: u32,
        /// The invocations that it is made of.
        invocations: Vec<u32>,
        /// Why.
        reason: String,
    },
}

/// What a Linux board is like at a moment. What is `None` it does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The invocation.
    pub invocation: u32,
    /// Whether it has measured; else it is about to.
    pub after: bool,
    /// When, nanoseconds since the Unix epoch.
    pub at_ns: u64,
    /// The processor that the program is pinned to.
    pub processor: Option<u32>,
    /// What chooses that processor's frequency.
    pub governor: Option<String>,
    /// Its frequency, kHz.
    pub kilohertz: Option<u64>,
    /// Temperature of the hottest zone, thousandths of a degree Celsius.
    pub millidegrees: Option<i64>,
    /// How far the kernel holds processors back to cool them; 0: not at all.
    pub cooling: Option<u64>,
    /// How often the processor or its package was throttled since the board was started.
    pub throttled: Option<u64>,
    /// What a Raspberry Pi's firmware says of throttling, a set of bits.
    pub firmware: Option<u32>,
    /// What a hypervisor underneath gave to others, hundredths of a second since the board was started.
    pub steal: Option<u64>,
    /// How long the program was ready to run and did not, nanoseconds since it was started.
    pub waited_ns: Option<u64>,
    /// How often guests of this machine were left for its kernel since it was started.
    pub guest_exits: Option<u64>,
}

/// Where an invocation stands in the order of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The invocation.
    pub invocation: u32,
    /// The block, from 0. Each block visits every place once, and the baseline's twice.
    pub block: u32,
    /// Position within the block, from 0.
    pub position: u32,
    /// Which of the two visits to the baseline's place: 0, or 1 for the second arm. 0 everywhere else.
    pub arm: u8,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// All that was planned was measured.
    Complete,
    /// Stopped by the user.
    Interrupted,
    /// Stopped by a failure of board, link or meter.
    Failed,
    /// No end was recorded: the host was killed, or lost power.
    Cut,
}

/// A fresh start of a program in an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invocation {
    /// Number within the run, from 0.
    pub id: u32,
    /// The environment that was asked for.
    pub environment: Environment,
    /// What lies under the provider.
    pub stack: Stack,
    /// Nanoseconds since the Unix epoch when the Hello arrived.
    pub at_ns: u64,
    /// The Hello, as it came: what the target found itself in.
    pub hello: Vec<u8>,
    /// sha256 of the program's file.
    pub program_sha256: String,
}

/// The answer to one run command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The invocation in which it ran.
    pub invocation: u32,
    /// What was measured.
    pub subject: Subject,
    /// First iteration.
    pub first: u32,
    /// Iterations asked for.
    pub iterations: u32,
    /// Nanoseconds since the Unix epoch when the last answer arrived.
    pub at_ns: u64,
    /// The samples, packed.
    pub samples: Vec<wire::samples::SampleBatch>,
    /// Digest of the outputs.
    pub digest: Option<Digest>,
    /// Memory of the operation.
    pub memory: Option<Memory>,
    /// What went wrong, if something did.
    pub fault: Option<Fault>,
    /// Functions that ran in the first iteration and left a trace, the outermost first.
    pub path: Vec<String>,
}

/// What a run is, known before anything runs. Part of the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The run's id: its folder's name.
    pub run: String,
    /// When it began, RFC 3339, UTC.
    pub started: String,
    /// The board's name.
    pub board: String,
    /// Whether the board is emulated.
    pub emulated: bool,
    /// What PMCCNTR_EL0 counts on this board: `cycles` or `instructions`.
    pub pmccntr_counts: String,
    /// Instructions in a tick of CNTVCT_EL0, where the board's clocks are tied together by emulation.
    pub instructions_per_tick: Option<u32>,
    /// The plan's name.
    pub plan: String,
    /// The seed.
    pub seed: u64,
    /// The environments asked for.
    pub environments: Vec<Environment>,
    /// Versions of the tools and facts of the host: `host.os`, `host.cpu`, `git.revision`, `rustc.target`, `cc.target`,
    /// `flags.rust`, `flags.c`, `qemu`, `liboqs`, ...
    pub facts: std::collections::BTreeMap<String, String>,
}

//! Commands of the host and answers of the target. Append-only: variants and fields keep their order for ever.
//!
//! The host sends one [`Command`] and reads answers up to [`Answer::Done`] or [`Answer::Refused`]. A command that arrives
//! again with the sequence number of the last one is not carried out twice: its answers are sent again.
use crate::catalog::{AlgorithmId, Operation, Provider};
use crate::samples::SampleBatch;
use crate::units::Ticks;
use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// Which code the providers run. Append-only.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Dispatch {
    /// CPU features as the hardware reports them.
    #[default]
    Detected,
    /// Features hidden, as where AT_HWCAP is 0.
    Portable,
}

impl Dispatch {
    /// The name in tables, options and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Detected => "detected",
            Self::Portable => "portable",
        }
    }
}

/// Tells a target which run it belongs to. Dispatch can be chosen once a boot: providers look at the CPU once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identify {
    /// The run's id.
    pub run: [u8; 16],
    /// Number of the invocation within the run.
    pub invocation: u32,
    /// Which code the providers shall run.
    pub dispatch: Dispatch,
}

/// What the main clock shall count. Append-only.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum MainClock {
    /// The best that there is: cycles, else ticks.
    #[default]
    Best,
    /// Instructions, and nothing else.
    Instructions,
}

impl MainClock {
    /// The name in files and options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Instructions => "instructions",
        }
    }
}

/// Run iterations `first .. first + iterations` of one operation.
///
/// Iteration `i` works with key pair `i % keys` and, for decaps and verify, with the ciphertext or signature that encaps or
/// sign produces in iteration `i % inputs`. Keygen in iteration `i` produces key pair `i`. All of it follows from `seed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRequest {
    /// The algorithm.
    pub algorithm: AlgorithmId,
    /// Where its code comes from.
    pub provider: Provider,
    /// The operation.
    pub operation: Operation,
    /// The run's seed.
    pub seed: u64,
    /// Index of the first iteration.
    pub first: u32,
    /// How many.
    pub iterations: u32,
    /// Size of the pool of key pairs, at least 1.
    pub keys: u32,
    /// Number of distinct ciphertexts or signatures that decaps and verify work on, at least 1.
    pub inputs: u32,
}

/// A place on the target for bytes that [`PerformRequest`] works on. Append-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Slot {
    /// Public key; of an agreement, the other side's.
    PublicKey,
    /// Secret key.
    SecretKey,
    /// Ciphertext of a KEM.
    Ciphertext,
    /// Shared secret.
    SharedSecret,
    /// Message to sign or verify.
    Message,
    /// Signature.
    Signature,
}

impl Slot {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::PublicKey,
        Self::SecretKey,
        Self::Ciphertext,
        Self::SharedSecret,
        Self::Message,
        Self::Signature,
    ];
}

/// Where an operation that is performed draws its randomness. Append-only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Randomness {
    /// The generator of the operation before goes on.
    Continue,
    /// These bytes, in order; drawing past them fails the operation.
    Bytes(Vec<u8>),
    /// NIST's generator for known answers, AES-256-CTR_DRBG without derivation function (SP 800-90A), from this entropy: 48 bytes.
    NistDrbg(Vec<u8>),
}

/// Perform one operation once, untimed, on the bytes in the slots: for known answers, tampering, and one provider against
/// another. Inputs come from the slots, outputs go there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerformRequest {
    /// The algorithm.
    pub algorithm: AlgorithmId,
    /// Where its code comes from.
    pub provider: Provider,
    /// The operation.
    pub operation: Operation,
    /// Its randomness.
    pub randomness: Randomness,
}

/// What the host asks for. Append-only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Answered by a Hello, then Done.
    Identify(Identify),
    /// Answered by Offers, then Done.
    List,
    /// Answered by Memory, Samples, Digest, then Done; or by a Fault, then Done.
    Run(RunRequest),
    /// Send the answer frame with this sequence number again.
    Resend {
        /// Its sequence number.
        sequence: u32,
    },
    /// Power off, or exit. Answered by Done before it happens.
    Stop,
    /// Start afresh: reset the CPU, or exit so that the launcher starts the program again. Answered by Done first.
    Restart,
    /// Put `bytes` into a slot from `offset` on; at offset 0 what was there is gone first. Answered by Done.
    Store {
        /// The slot.
        slot: Slot,
        /// Where the bytes go; at most the slot's length.
        offset: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Change bytes that are in a slot already. Answered by Done.
    Overwrite {
        /// The slot.
        slot: Slot,
        /// Where the bytes go; they must end within the slot.
        offset: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Answered by Content for each piece, then Done.
    Fetch {
        /// The slot.
        slot: Slot,
    },
    /// Answered by Done; or by a Fault, then Done: the provider failed or found the signature wrong.
    Perform(PerformRequest),
    /// Answered by Footprint, then Done.
    Footprint,
    /// A Run of which each sample counts several executions of its iteration: for operations that the counter's resolution is too
    /// coarse for. Answered as a Run is.
    RunRepeated {
        /// The iterations.
        request: RunRequest,
        /// Executions of each, at least 1; each draws the same randomness, and so does the same work.
        executions: u32,
    },
    /// An Identify that says by which clock samples shall be counted; refused where there is no such one.
    IdentifyCounting {
        /// The run, as Identify has it.
        identify: Identify,
        /// The clock.
        clock: MainClock,
    },
}

/// An algorithm that the target can run, with its provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The algorithm.
    pub algorithm: AlgorithmId,
    /// The provider.
    pub provider: Provider,
}

/// Memory that one operation needs, seen in the first iteration of a Run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Deepest byte of the operation's own stack that was written.
    pub stack_bytes: u32,
    /// Most bytes of heap held at once, above what was held when the operation began.
    pub heap_bytes: u32,
    /// Number of allocations.
    pub allocations: u32,
    /// Bytes of randomness drawn.
    pub random_bytes: u32,
}

/// Functions of the program that ran in the first iteration of a Run, as far as they left a trace: return addresses that are still
/// on the operation's painted stack, the outermost first. A function that called no other one leaves none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trail {
    /// Addresses as the program's file has them; at most [`MAX_TRAIL`].
    pub addresses: Vec<u64>,
}

/// Most addresses of a [`Trail`].
pub const MAX_TRAIL: usize = 64;

/// What the program takes to be there at all, in bytes; `None` where the environment does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footprint {
    /// Code and read-only data of the program.
    pub read_only: Option<u64>,
    /// Data that it writes, zeroed memory included.
    pub writable: Option<u64>,
    /// Physical memory that its process holds (RSS).
    pub resident: Option<u64>,
    /// The same with shared pages divided by those who share them (PSS).
    pub proportional: Option<u64>,
    /// Most physical memory that its process has held.
    pub peak: Option<u64>,
    /// Most memory that its control group has held, the page cache included.
    pub group_peak: Option<u64>,
    /// When its first instruction ran, on the clock of ticks.
    pub entered: Option<Ticks>,
    /// When it was ready for commands.
    pub ready: Option<Ticks>,
}

/// A piece of a slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// The slot.
    pub slot: Slot,
    /// Where in the slot the piece begins.
    pub offset: u32,
    /// The bytes; at most [`MAX_PIECE`].
    pub bytes: Vec<u8>,
}

/// Most bytes of a slot in one frame.
pub const MAX_PIECE: usize = 4000;

/// SHA-256 over the outputs of iterations `first .. first + iterations`, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// Index of the first iteration.
    pub first: u32,
    /// How many.
    pub iterations: u32,
    /// The digest.
    pub sha256: [u8; 32],
}

/// An instant on the target's clock that something outside can see too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    /// What happens at this instant.
    pub kind: MarkerKind,
    /// When, by CNTVCT_EL0 or what stands for it.
    pub at: Ticks,
}

/// Kinds of marker. Append-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MarkerKind {
    /// The iterations of a Run begin.
    RunStart,
    /// The iterations of a Run are over.
    RunEnd,
}

/// What went wrong on the target. Append-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FaultKind {
    /// The provider reported failure.
    ProviderFailed,
    /// The operation succeeded with a wrong result: decaps gave another secret, verify refused a good signature.
    WrongResult,
    /// The counter did not move, went back or wrapped.
    Counter,
    /// The operation's stack ran out.
    StackExhausted,
    /// The heap ran out.
    HeapExhausted,
    /// A processor exception or a fatal signal; `code` is ESR_EL1 or the signal's number.
    Exception,
    /// The program reached a state that it holds impossible.
    Panic,
    /// A provider called a C library routine that ends the program (`abort`, `exit`); `code` is its argument.
    Aborted,
    /// The operation did not come to an end. The host finds this, as the target cannot.
    Hung,
    /// The operation drew more randomness than it was given.
    RandomnessExhausted,
}

/// A fault, and where it struck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What kind.
    pub kind: FaultKind,
    /// The iteration under way.
    pub iteration: u32,
    /// A number that depends on the kind.
    pub code: u64,
    /// Program counter, where known.
    pub address: u64,
    /// A sentence for people.
    pub text: String,
}

/// Why a command is not carried out. Append-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// A frame arrived broken: send the command again.
    BrokenFrame,
    /// The frame was whole and its body is no command of this version.
    NotUnderstood,
    /// The first command must be Identify.
    NotIdentified,
    /// Dispatch cannot change after the providers have looked at the CPU.
    DispatchFixed,
    /// The program does not hold this algorithm from this provider.
    UnknownAlgorithm,
    /// The algorithm has no such operation.
    UnknownOperation,
    /// No iterations, no keys, no inputs, or more than the target holds.
    OutOfRange,
    /// The frame asked for is no longer held.
    Gone,
    /// There is no counter of instructions, or it cannot be read here.
    NoInstructionCounter,
}

/// What the target says. Append-only. A Hello is no variant: it begins with [`MAGIC`](crate::hello::MAGIC).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// Samples of some iterations.
    Samples(SampleBatch),
    /// The outputs' digest.
    Digest(Digest),
    /// Memory of the operation.
    Memory(Memory),
    /// An instant.
    Marker(Marker),
    /// Something went wrong.
    Fault(Fault),
    /// A remark for the log.
    Log(String),
    /// What the target can run.
    Offers(Vec<Offer>),
    /// The command with this sequence number is finished.
    Done {
        /// Sequence number of the command's frame.
        command: u32,
    },
    /// The command is not carried out.
    Refused {
        /// Sequence number of the command's frame; 0 where that could not be read.
        command: u32,
        /// Why.
        reason: Refusal,
    },
    /// What ran in the first iteration.
    Trail(Trail),
    /// What it takes to be there.
    Footprint(Footprint),
    /// A piece of a slot.
    Content(Content),
    /// A piece of the log, encoded by defmt: frames of `defmt`'s raw encoding, the length of each in front as u16, little-endian.
    Defmt(Vec<u8>),
}

impl Command {
    /// The frame body of this command.
    ///
    /// # Errors
    /// Where postcard cannot encode it, which does not happen for these types.
    pub fn to_bytes(&self) -> postcard::Result<Vec<u8>> {
        postcard::to_allocvec(self)
    }

    /// Reads a frame body.
    ///
    /// # Errors
    /// Where `bytes` is no command, or more than one.
    pub fn from_bytes(bytes: &[u8]) -> postcard::Result<Self> {
        whole(bytes)
    }
}

impl Answer {
    /// The frame body of this answer.
    ///
    /// # Errors
    /// Where postcard cannot encode it, which does not happen for these types.
    pub fn to_bytes(&self) -> postcard::Result<Vec<u8>> {
        postcard::to_allocvec(self)
    }

    /// Reads a frame body.
    ///
    /// # Errors
    /// Where `bytes` is no answer, or more than one.
    pub fn from_bytes(bytes: &[u8]) -> postcard::Result<Self> {
        whole(bytes)
    }
}

/// Reads a value that must fill `bytes`: left-over bytes mean that the two sides differ.
fn whole<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> postcard::Result<T> {
    match postcard::take_from_bytes(bytes)? {
        (value, []) => Ok(value),
        _ => Err(postcard::Error::DeserializeBadEncoding),
    }
}

//! Rows: what one subject's samples come to, as tables and JSON show it.
use super::clock::{ClockName, TotalSource};
use crate::model::{Environment, Stack, Subject};
use serde::Serialize;
use wire::units::Scope;

/// Samples that no figure rests on, by why. A sample counts once, under the first that applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// First iterations of an invocation.
    pub warm_up: usize,
    /// Samples of a block that was measured while the board was throttled.
    pub void: usize,
    /// Samples of a command that ended in a fault.
    pub faulty: usize,
    /// Samples that the target itself doubts.
    pub flagged: usize,
}

/// A fault, as rows show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowFault {
    /// The invocation in which it struck.
    pub invocation: u32,
    /// The iteration under way.
    pub iteration: u32,
    /// Its kind.
    pub kind: &'static str,
    /// A sentence for people.
    pub text: String,
}

/// Sizes of keys and messages, in bytes; `None` where the kind of algorithm has no such thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RowSizes {
    /// Public key.
    pub public_key: Option<u32>,
    /// Secret key.
    pub secret_key: Option<u32>,
    /// Ciphertext of a KEM.
    pub ciphertext: Option<u32>,
    /// Longest signature.
    pub signature: Option<u32>,
    /// Shared secret of a KEM or an agreement.
    pub shared_secret: Option<u32>,
}

impl From<wire::catalog::Sizes> for RowSizes {
    fn from(sizes: wire::catalog::Sizes) -> Self {
        let there = |bytes: u32| (bytes > 0).then_some(bytes);
        Self {
            public_key: there(sizes.public_key),
            secret_key: there(sizes.secret_key),
            ciphertext: there(sizes.ciphertext),
            signature: there(sizes.signature),
            shared_secret: there(sizes.shared_secret),
        }
    }
}

/// One row of `archive show`: its fields are those of the JSON, in this order.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(
    missing_docs,
    reason = "each name is explained in docs/archive.md, where its readers look"
)]
pub struct Row {
    pub board: String,
    pub environment: Environment,
    pub dispatch: &'static str,
    pub stack: Stack,
    pub provider: &'static str,
    pub algorithm: String,
    pub family: &'static str,
    pub operation: &'static str,
    /// Samples that the figures rest on.
    pub iterations: usize,
    /// Invocations that they come from.
    pub invocations: usize,
    /// Boots that they come from, hexadecimal.
    pub boots: Vec<String>,
    pub clock: ClockName,
    #[serde(serialize_with = "scope_name")]
    pub scope: Scope,
    pub median: Option<f64>,
    pub mean: Option<f64>,
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    /// Why there is no interval.
    pub ci_reason: Option<String>,
    /// All values are the same, and the clock or their number lets that be taken at face value.
    pub exact: bool,
    pub p05: Option<f64>,
    pub p95: Option<f64>,
    /// Median over the same iterations at all exception levels.
    pub total: Option<f64>,
    pub total_source: TotalSource,
    /// Median in nanoseconds, from ticks; never on an emulated board.
    pub nanoseconds: Option<f64>,
    /// Mean in nanoseconds, from ticks; never on an emulated board.
    pub mean_nanoseconds: Option<f64>,
    pub stack_bytes: Option<u32>,
    pub heap_bytes: Option<u32>,
    pub allocations: Option<u32>,
    pub random_bytes: Option<u32>,
    pub digest: Option<String>,
    /// The provider's functions that left a trace in the first iteration, the outermost first.
    pub path: Vec<String>,
    /// Why there is no digest, where outputs were expected.
    pub digest_reason: Option<String>,
    /// Iterations of each invocation that count as warm-up.
    pub warm_up: u32,
    pub left_out: LeftOut,
    /// Set where the operation's time depends on what it draws.
    pub random_time: Option<String>,
    /// NIST security category; 0 where quantum computers break it.
    pub level: u8,
    pub sizes: RowSizes,
    pub faults: Vec<RowFault>,
    /// Counts that lie far out; the figures rest on them too.
    pub outliers: usize,
    /// Why times are coarse, where the operation is near the resolution of the clock of ticks.
    pub near_resolution: Option<String>,
    /// What the figures or the interval speak of, where that is less than the operation in general.
    pub notes: Vec<String>,
    /// What the row is about.
    #[serde(skip)]
    pub subject: Subject,
}

fn scope_name<S: serde::Serializer>(scope: &Scope, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(scope.name())
}

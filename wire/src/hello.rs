//! `Hello`: the first thing a target says, and its answer to [`Command::Identify`](crate::message::Command::Identify).
//!
//! A fixed prefix, laid out by hand, comes first; a host of any version can read it and name both sides when they do not
//! fit. The postcard body follows and may change with [`VERSION`](crate::VERSION).
use crate::message::Dispatch;
use crate::units::Clock;
use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// First bytes of a Hello. The first byte is no variant number of [`Answer`](crate::message::Answer).
pub const MAGIC: [u8; 8] = *b"PQBENCH\0";

const LENGTH: usize = 8 + 2 + 20;

/// What every version of the protocol begins with: magic (8 bytes), version (u16, little-endian), build id (20 bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// Version of the protocol that the target speaks.
    pub version: u16,
    /// GNU build id of the program that runs, as the linker wrote it: says which file this is.
    pub build_id: [u8; 20],
}

impl Prefix {
    /// The prefix at the start of `body`, and what follows it; `None` where `body` is no Hello.
    #[must_use]
    pub fn split(body: &[u8]) -> Option<(Self, &[u8])> {
        let (head, rest) = body.split_first_chunk::<LENGTH>()?;
        let (magic, head) = head.split_first_chunk::<8>()?;
        let (version, build_id) = head.split_first_chunk::<2>()?;
        let build_id = *build_id.first_chunk::<20>()?;
        (*magic == MAGIC).then_some((
            Self {
                version: u16::from_le_bytes(*version),
                build_id,
            },
            rest,
        ))
    }

    /// The prefix as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&self.version.to_le_bytes());
        bytes[10..].copy_from_slice(&self.build_id);
        bytes
    }
}

/// What the target found itself in. It reports; it is not told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// Exception level at which the measured code runs: 0 under an operating system, 1 when the image owns the CPU.
    pub exception_level: u8,
    /// Exception level at which the program was entered.
    pub entry_level: u8,
    /// The hypervisor underneath, as it names itself, e.g. `KVM`.
    pub hypervisor: Option<String>,
    /// The operating system's kernel and release, e.g. `Linux 6.1.0`.
    pub kernel: Option<String>,
    /// The machine as the device tree names it.
    pub machine: Option<String>,
    /// Inode numbers of the process's namespaces: (`mnt`, 4026531841), ...
    pub namespaces: Vec<(String, u64)>,
    /// The process's cgroup, as /proc/self/cgroup names it.
    pub cgroup: Option<String>,
    /// Mode of the seccomp filter on the process: 0 none, 2 filter.
    pub seccomp: Option<u8>,
    /// Effective capabilities of the process, as a bit set.
    pub capabilities: Option<u64>,
    /// Size of a page of memory, in bytes.
    pub page_size: u32,
}

/// The clocks that samples are counted by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// Clock of [`Sample::count`](crate::samples::Sample::count).
    pub count: Clock,
    /// Clock of [`Sample::total`](crate::samples::Sample::total).
    pub total: Clock,
    /// Clock of [`Sample::ticks`](crate::samples::Sample::ticks).
    pub ticks: Clock,
    /// Why a better clock than `count` is not used; empty where the best one is.
    pub denied: String,
}

/// The processor as the target sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// MIDR_EL1, or 0 where it cannot be read.
    pub midr: u64,
    /// Optional features that the environment shows, e.g. `asimd`, `aes`, `sha2`.
    pub features_seen: Vec<String>,
    /// Those that the providers are told of: fewer than seen when dispatch is `portable`.
    pub features_used: Vec<String>,
}

/// Version of one provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderVersion {
    /// The provider's name.
    pub provider: crate::catalog::Provider,
    /// Its version, e.g. `0.13.0`.
    pub version: String,
}

/// The part of a Hello that follows the prefix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// The board that the program was built for, or found itself on.
    pub board: String,
    /// Which of the two programs this is: `linux` or `bare`.
    pub program: String,
    /// What the target found itself in.
    pub surroundings: Surroundings,
    /// The clocks.
    pub clocks: Clocks,
    /// The processor.
    pub cpu: Cpu,
    /// Dispatch in force.
    pub dispatch: Dispatch,
    /// The providers in the program.
    pub providers: Vec<ProviderVersion>,
    /// The run that the target was last told of; zero before [`Command::Identify`](crate::message::Command::Identify).
    pub run: [u8; 16],
    /// The invocation that the target was last told of.
    pub invocation: u32,
    /// A number that changes with each boot of the machine underneath.
    pub boot: [u8; 16],
    /// Bytes of stack that a measured operation has.
    pub stack_size: u32,
    /// Bytes of heap that a measured operation has.
    pub heap_size: u32,
}

/// A Hello: prefix and body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The fixed part.
    pub prefix: Prefix,
    /// The rest.
    pub body: Body,
}

/// Why a Hello cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HelloError {
    /// The bytes are no Hello.
    #[error("not a Hello")]
    NotHello,
    /// The target speaks a version that this side does not.
    #[error(
        "the target speaks protocol version {found}, this host {supported:?}: rebuild the target program with this host"
    )]
    Version {
        /// The target's version.
        found: u16,
        /// The versions that this side takes.
        supported: &'static [u16],
    },
    /// The prefix is right and the body is not.
    #[error("a Hello of the right version whose body cannot be read")]
    Body,
}

impl Hello {
    /// The frame body of this Hello.
    ///
    /// # Errors
    /// Where postcard cannot encode the body, which does not happen for these types.
    pub fn to_bytes(&self) -> postcard::Result<Vec<u8>> {
        let mut bytes = self.prefix.to_bytes().to_vec();
        bytes.extend(postcard::to_allocvec(&self.body)?);
        Ok(bytes)
    }

    /// Reads a frame body.
    ///
    /// # Errors
    /// See [`HelloError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, HelloError> {
        let (prefix, rest) = Prefix::split(bytes).ok_or(HelloError::NotHello)?;
        if !crate::SUPPORTED.contains(&prefix.version) {
            return Err(HelloError::Version {
                found: prefix.version,
                supported: crate::SUPPORTED,
            });
        }
        let body = postcard::from_bytes(rest).map_err(|_| HelloError::Body)?;
        Ok(Self { prefix, body })
    }
}

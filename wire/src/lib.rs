//! What the host and the target say to each other, and the words that both use for it.
//!
//! This crate holds message types, framing, units, the algorithm catalogue and the generator of paired randomness. It is
//! `no_std`, does no I/O and knows neither side. Its invariants:
//!
//! - Every byte string that can arrive is either a message or an error; no input panics.
//! - Enums that travel are append-only: a variant keeps its position for ever. Golden bytes in the tests hold them there.
//! - [`hello::Prefix`] keeps its layout in every version, so that a host can always say what it is talking to.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod catalog;
pub mod frame;
pub mod hello;
pub mod letters;
pub mod message;
pub mod samples;
pub mod seed;
pub mod units;

/// Version of the protocol: raised whenever a message changes its meaning or its bytes.
pub const VERSION: u16 = 1;

/// Versions that this build of the host can drive.
pub const SUPPORTED: &[u16] = &[1];

//! The link to a target: a [`Port`] carries bytes, a [`Session`] drives the target over it.
//!
//! A port is a UART, a pty, or a wrapper around another port that records, replays or damages what passes. The session
//! never guesses: a frame that did not arrive whole is asked for again, and what cannot be had again is run again.
//! `docs/wire.md` describes the protocol.
mod error;
mod exchange;
pub mod fault;
mod ledger;
mod letters;
mod parts;
mod pipes;
mod port;
mod receiver;
pub mod record;
pub mod replay;
pub mod serial;
mod session;

pub use error::{LinkError, Stop, Watch};
pub use letters::Letters;
pub use parts::Parts;
pub use pipes::Pipes;
pub use port::Port;
pub use session::{Greeting, IDENTIFY, Limits, Session};

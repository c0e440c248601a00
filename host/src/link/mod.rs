//! The link to a target: port, frames, sessions.

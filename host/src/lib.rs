//! The companion: builds the target programs, launches them in each environment, drives them, archives what they say and
//! compares it.
//!
//! `cli` uses `bench`, which conducts a run, and both use the edges (`setup`, `build`, `flash`, `launch`, `link`, `archive`), the edges use `model`, and the pure core
//! (`stats`, `compare`, `explain`) uses `model` alone: it knows no clap, no file, no port and no clock.
#![forbid(unsafe_code)]

pub mod archive;
pub mod bench;
pub mod build;
pub mod cli;
pub mod compare;
pub mod cpio;
pub mod digest;
pub mod exit;
pub mod explain;
pub mod flash;
pub mod hex;
pub mod launch;
pub mod link;
pub mod model;
pub mod plan;
pub mod progress;
pub mod report;
pub mod setup;
pub mod stats;
pub mod tools;

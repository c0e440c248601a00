//! Whether the algorithms that are measured are the right ones: their outputs against answers that others have published.
//!
//! `cargo test -p host --test known_answers -- --ignored --nocapture --test-threads=1`; `cargo run -p host -- setup --yes` must have
//! run. Nothing published is copied: vectors are read from where cargo keeps the package `oqs-sys`, or are quoted from RFCs.
mod acvp;
mod board;
mod classical;
mod liboqs;
mod nist;
#[path = "../oqs_sys/mod.rs"]
mod oqs_sys;
mod providers;
mod rsa;
mod tamper;
mod target;
mod vectors;

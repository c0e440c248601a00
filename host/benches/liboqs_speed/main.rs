//! Holds this bench against liboqs' own speed programs: same library, same guest, same counter, same memory routines and allocator.
//!
//! `cargo bench -p host --bench liboqs_speed`, with `-- --quick` for the cheapest three, or with names of the list. The sources of `speed_kem` and `speed_sig` come from the
//! oqs-sys package, are compiled here, and run as they are, but for the clocks that they read (`count.h`). Exit status 1 if a family is
//! farther off than 0.5 % without a reason.
mod build;
mod compare;
mod guest;
#[path = "../../tests/oqs_sys/mod.rs"]
mod oqs_sys;
mod ours;

use std::process::ExitCode;

/// A set of each family.
const SETS: [&str; 15] = [
    "ML-KEM-768",
    "ML-DSA-65",
    "FrodoKEM-640-AES",
    "FrodoKEM-640-SHAKE",
    "Falcon-512",
    "MAYO-1",
    "BIKE-L1",
    "HQC-128",
    "Classic-McEliece-348864f",
    "SPHINCS+-SHA2-128f",
    "CROSS-RSDP-128-balanced",
    "Kyber768",
    "sntrup761",
    "Dilithium3",
    "UOV-Ip",
];

fn main() -> ExitCode {
    // Without `--bench`, cargo means to test that it builds.
    if !std::env::args().any(|a| a == "--bench" || a == "--quick") {
        return ExitCode::SUCCESS;
    }
    let quick = std::env::args().any(|a| a == "--quick");
    let named: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let sets: Vec<&str> = SETS
        .into_iter()
        .take(if quick { 3 } else { SETS.len() })
        .filter(|set| named.is_empty() || named.iter().any(|n| n == set))
        .collect();
    let folder = tempfile::tempdir().expect("a folder for what is built");
    eprintln!("measuring with this bench: {}", sets.join(", "));
    let ours = ours::measure(folder.path(), &sets);
    eprintln!("building liboqs' speed programs");
    let programs = build::build(folder.path());
    eprintln!("running them in the same guest");
    let theirs = guest::run(folder.path(), &programs, &ours);
    let (table, out) = compare::compare(&ours, &theirs);
    print!("{table}");
    match out {
        0 => ExitCode::SUCCESS,
        n => {
            eprintln!("error: {n} operations are off without a reason");
            ExitCode::FAILURE
        }
    }
}

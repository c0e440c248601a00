//! What operations cost, by order of magnitude, before anything has run: for `--dry-run`, and for how long to wait for a pilot.
use super::Item;
use wire::catalog::{Algorithm, Family, Operation};

/// Instructions of one iteration, to within a factor of ten or so: read off pilot runs under the emulator at each family's
/// smallest set, and scaled by the level. No figure that is archived or shown as measured rests on these.
#[must_use]
pub fn count((algorithm, _, operation): Item) -> u64 {
    let Some(algorithm) = Algorithm::by_id(algorithm) else {
        return 0;
    };
    let small = algorithm.name.ends_with('s') || algorithm.name.ends_with("small");
    let thousands: [u64; 3] = match algorithm.family {
        Family::Null | Family::Faulty => [0, 0, 0],
        Family::MlKem | Family::Kyber => [150, 160, 200],
        Family::Bike => [25_000, 5_000, 80_000],
        Family::Hqc => [10_000, 20_000, 30_000],
        Family::FrodoKem => [15_000, 18_000, 18_000],
        Family::ClassicMcEliece => [500_000, 500, 60_000],
        Family::NtruPrime => [15_000, 2_000, 4_000],
        Family::MlDsa | Family::Dilithium => [1_000, 4_000, 1_000],
        Family::Falcon => [30_000, 1_500, 200],
        Family::SphincsPlus if small => [800_000, 6_000_000, 6_000],
        Family::SphincsPlus => [12_000, 300_000, 18_000],
        Family::Mayo => [750, 2_600, 950],
        Family::Cross if small => [200, 120_000, 80_000],
        Family::Cross => [200, 30_000, 20_000],
        Family::Uov => [150_000, 5_000, 3_000],
        Family::X25519 | Family::Ed25519 => [300, 300, 600],
        Family::Ecdh | Family::Ecdsa => [1_500, 1_500, 2_500],
        Family::Rsa => [2_000_000, 40_000, 1_500],
    };
    let column = match operation {
        Operation::Keygen | Operation::Nothing => 0,
        Operation::Encaps | Operation::Sign | Operation::Derive => 1,
        Operation::Decaps | Operation::Verify => 2,
    };
    let scale = match algorithm.level {
        0..=2 => 1,
        3 => 3,
        _ => 8,
    };
    thousands[column] * 1000 * scale
}

/// What has to be done before the first iteration of `item` with pools of one: its key pair, and the ciphertext or signature.
#[must_use]
pub fn preparation((algorithm, provider, operation): Item) -> u64 {
    let cost = |operation| count((algorithm, provider, operation));
    match operation {
        Operation::Nothing | Operation::Keygen => 0,
        Operation::Encaps | Operation::Sign => cost(Operation::Keygen),
        Operation::Derive => 2 * cost(Operation::Keygen),
        Operation::Decaps => cost(Operation::Keygen) + cost(Operation::Encaps),
        Operation::Verify => cost(Operation::Keygen) + cost(Operation::Sign),
    }
}

//! NIST's vectors of its validation programme (ACVP) for FIPS 203 and 204, as far as a library's plain interface can express them:
//! randomness that a vector gives takes the place of the random generator.
use super::board::native;
use super::nist::hex;
use super::target::{Scheme, Target};
use super::vectors;
use serde_json::Value;
use std::collections::BTreeMap;
use wire::catalog::{Algorithm, Operation, Provider};
use wire::message::{Dispatch, FaultKind, Randomness, Slot};

/// What signing draws where the vector is of the deterministic variant (FIPS 204, algorithm 2).
const NOTHING_DRAWN: [u8; 32] = [0; 32];

/// Vectors that held and that were left out, by what they are about.
#[derive(Default)]
struct Tally {
    held: BTreeMap<String, usize>,
    left_out: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

impl Tally {
    fn check(&mut self, what: &str, scheme: Scheme, case: &Value, holds: bool) {
        match holds {
            true => {
                let held = self.held.entry(format!("{what}, {}", scheme.provider));
                *held.or_default() += 1;
            }
            false => {
                let number = &case["tcId"];
                self.wrong
                    .push(format!("{what} {}, vector {number}", scheme.name()));
            }
        }
    }

    fn held(&self, what: &str) -> usize {
        self.held.get(what).copied().unwrap_or_default()
    }
}

fn field(value: &Value, name: &str) -> Vec<u8> {
    let digits = value[name].as_str();
    hex::bytes(digits.unwrap_or_else(|| panic!("{name} in {value}")))
}

fn drawn(bytes: Vec<u8>) -> Randomness {
    Randomness::Bytes(bytes)
}

/// (group, vector) of a file.
fn cases(file: &Value) -> impl Iterator<Item = (&Value, &Value)> {
    let groups = file["testGroups"].as_array().expect("groups");
    groups.iter().flat_map(|group| {
        let cases = group["tests"].as_array().expect("vectors");
        cases.iter().map(move |case| (group, case))
    })
}

/// The group's parameter set by each provider that has it.
fn schemes(group: &Value) -> impl Iterator<Item = Scheme> {
    let name = group["parameterSet"].as_str().expect("a parameter set");
    let algorithm = Algorithm::by_name(name).expect("of the catalogue");
    algorithm.providers.iter().map(|(provider, _)| Scheme {
        algorithm,
        provider: *provider,
    })
}

fn ml_kem_keys(target: &mut Target, tally: &mut Tally) {
    let file = vectors::json("ACVP_Vectors/ML-KEM-keyGen-FIPS203/internalProjection.json");
    for (group, case) in cases(&file) {
        for scheme in schemes(group) {
            let seed = [field(case, "d"), field(case, "z")].concat();
            target.perform(scheme, Operation::Keygen, drawn(seed));
            let holds = target.fetch(Slot::PublicKey) == field(case, "ek")
                && target.fetch(Slot::SecretKey) == field(case, "dk");
            tally.check("ML-KEM keyGen", scheme, case, holds);
        }
    }
}

fn ml_kem_secrets(target: &mut Target, tally: &mut Tally) {
    let file = vectors::json("ACVP_Vectors/ML-KEM-encapDecap-FIPS203/internalProjection.json");
    for (group, case) in cases(&file) {
        let encapsulates = group["function"] == "encapsulation";
        for scheme in schemes(group) {
            if encapsulates {
                target.store(Slot::PublicKey, &field(case, "ek"));
                target.perform(scheme, Operation::Encaps, drawn(field(case, "m")));
                let holds = target.fetch(Slot::Ciphertext) == field(case, "c")
                    && target.fetch(Slot::SharedSecret) == field(case, "k");
                tally.check("ML-KEM encapsulation", scheme, case, holds);
            }
            // Vectors of encapsulation have a key of their own, those of decapsulation one for the group.
            let key = if encapsulates { case } else { group };
            target.store(Slot::SecretKey, &field(key, "dk"));
            target.store(Slot::Ciphertext, &field(case, "c"));
            target.perform(scheme, Operation::Decaps, drawn(Vec::new()));
            let holds = target.fetch(Slot::SharedSecret) == field(case, "k");
            tally.check("ML-KEM decapsulation", scheme, case, holds);
        }
    }
}

fn ml_dsa_keys(target: &mut Target, tally: &mut Tally) {
    let file = vectors::json("ACVP_Vectors/ML-DSA-keyGen-FIPS204/internalProjection.json");
    for (group, case) in cases(&file) {
        for scheme in schemes(group) {
            target.perform(scheme, Operation::Keygen, drawn(field(case, "seed")));
            let holds = target.fetch(Slot::PublicKey) == field(case, "pk")
                && target.fetch(Slot::SecretKey) == field(case, "sk");
            tally.check("ML-DSA keyGen", scheme, case, holds);
        }
    }
}

/// Why the plain interface, which signs a message with an empty context, cannot express a vector.
fn beyond(group: &Value, case: &Value) -> Option<&'static str> {
    match (
        group["signatureInterface"].as_str(),
        group["preHash"].as_str(),
    ) {
        (Some("internal"), _) if group["externalMu"] == true => {
            Some("internal interface, hash given")
        }
        (Some("internal"), _) => Some("internal interface"),
        (_, Some("preHash")) => Some("message hashed before"),
        _ if case["context"] != "" => Some("a context"),
        _ => None,
    }
}

fn ml_dsa_signatures(target: &mut Target, tally: &mut Tally) {
    for operation in [Operation::Sign, Operation::Verify] {
        let (what, file) = match operation {
            Operation::Sign => ("ML-DSA sigGen", "ML-DSA-sigGen-FIPS204"),
            _ => ("ML-DSA sigVer", "ML-DSA-sigVer-FIPS204"),
        };
        let file = vectors::json(&format!("ACVP_Vectors/{file}/internalProjection.json"));
        for (group, case) in cases(&file) {
            if let Some(why) = beyond(group, case) {
                *tally.left_out.entry(format!("{what}: {why}")).or_default() += 1;
                continue;
            }
            for scheme in schemes(group) {
                target.store(Slot::Message, &field(case, "message"));
                let signature = field(case, "signature");
                let holds = if operation == Operation::Sign {
                    let random = match group["deterministic"] == true {
                        true => NOTHING_DRAWN.to_vec(),
                        false => field(case, "rnd"),
                    };
                    target.store(Slot::SecretKey, &field(case, "sk"));
                    target.perform(scheme, operation, drawn(random));
                    target.fetch(Slot::Signature) == signature
                } else {
                    let expected = match case["testPassed"] == true {
                        true => Ok(()),
                        false => Err(FaultKind::ProviderFailed),
                    };
                    target.store(Slot::PublicKey, &field(case, "pk"));
                    target.store(Slot::Signature, &signature);
                    target.attempt(scheme, operation, drawn(Vec::new())) == expected
                };
                tally.check(what, scheme, case, holds);
            }
        }
    }
}

#[test]
#[ignore = "slow: boots the emulated board"]
fn vectors_of_nist_hold() {
    let mut tally = Tally::default();
    native().run(Dispatch::Detected, |target| {
        ml_kem_keys(target, &mut tally);
        ml_kem_secrets(target, &mut tally);
        ml_dsa_keys(target, &mut tally);
        ml_dsa_signatures(target, &mut tally);
    });
    println!("held: {:#?}\nleft out: {:#?}", tally.held, tally.left_out);
    assert_eq!(tally.wrong, Vec::<String>::new());
    for provider in [Provider::Liboqs, Provider::Pqclean] {
        assert_eq!(tally.held(&format!("ML-KEM keyGen, {provider}")), 75);
        assert_eq!(tally.held(&format!("ML-KEM encapsulation, {provider}")), 75);
        assert_eq!(
            tally.held(&format!("ML-KEM decapsulation, {provider}")),
            105
        );
    }
    assert_eq!(tally.held("ML-DSA keyGen, liboqs"), 75);
    // Of 360 and 180, few have an empty context.
    assert_eq!(tally.held("ML-DSA sigGen, liboqs"), 6);
    assert_eq!(tally.held("ML-DSA sigVer, liboqs"), 3);
    assert_eq!(tally.left_out.values().sum::<usize>(), 360 + 180 - 6 - 3);
}

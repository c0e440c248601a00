//! Two providers of one algorithm: each works with the other's keys, ciphertexts and signatures, and both give liboqs' known answers,
//! unless the catalogue says that they follow different texts.
use super::board::native;
use super::liboqs::{Published, answer};
use super::nist;
use super::tamper::notices_tampering;
use super::target::{Scheme, Target};
use wire::catalog::{ALGORITHMS, Algorithm, Kind, Operation, Provider};
use wire::message::{Dispatch, Randomness, Slot};

fn pairs() -> impl Iterator<Item = (&'static Algorithm, [Provider; 2])> {
    ALGORITHMS
        .iter()
        .filter_map(|algorithm| match algorithm.providers {
            [(first, _), (second, _)] => Some((algorithm, [*first, *second])),
            _ => None,
        })
}

/// `one` makes a key pair, with which both do their half; whether the halves meet.
fn meet(target: &mut Target, one: Scheme, other: Scheme) -> bool {
    let seed = Randomness::NistDrbg(nist::entropy().to_vec());
    target.perform(one, Operation::Keygen, seed);
    if one.algorithm.kind == Kind::Kem {
        target.perform(other, Operation::Encaps, Randomness::Continue);
        let secret = target.fetch(Slot::SharedSecret);
        target.perform(one, Operation::Decaps, Randomness::Continue);
        let mine = target.fetch(Slot::SharedSecret);
        // The secret key is understood by the other, too.
        target.perform(other, Operation::Decaps, Randomness::Continue);
        mine == secret && target.fetch(Slot::SharedSecret) == secret
    } else {
        target.store(Slot::Message, b"what one signs the other verifies");
        let mut attempt =
            |scheme, operation| target.attempt(scheme, operation, Randomness::Continue);
        attempt(one, Operation::Sign).is_ok()
            && attempt(other, Operation::Verify).is_ok()
            && attempt(other, Operation::Sign).is_ok()
            && attempt(one, Operation::Verify).is_ok()
    }
}

/// What is no longer Kyber of round 3 in PQClean is the draft of FIPS 203 of 2023: it encapsulates as ML-KEM does, and derives its keys
/// from a seed otherwise.
fn relative(scheme: Scheme) -> Option<Scheme> {
    let differs =
        scheme.algorithm.standard_at(scheme.provider) != scheme.algorithm.family.standard();
    let name = scheme
        .algorithm
        .name
        .strip_prefix("Kyber")
        .filter(|_| differs)?;
    Some(Scheme::new(&format!("ML-KEM-{name}"), Provider::Liboqs))
}

/// Whether both make the same keys of the same randomness.
fn same_keys(target: &mut Target, one: Scheme, other: Scheme) -> bool {
    let keys = [one, other].map(|scheme| {
        let seed = Randomness::NistDrbg(nist::entropy().to_vec());
        target.perform(scheme, Operation::Keygen, seed);
        target.fetch(Slot::PublicKey)
    });
    keys[0] == keys[1]
}

#[test]
#[ignore = "slow: boots the emulated board"]
fn providers_of_one_algorithm_understand_each_other() {
    let published = Published::read();
    let (mut same, mut apart) = (Vec::new(), Vec::new());
    native().run(Dispatch::Detected, |target| {
        for (algorithm, providers) in pairs() {
            let [one, other] = providers.map(|provider| Scheme {
                algorithm,
                provider,
            });
            let meets = meet(target, one, other) && meet(target, other, one);
            let known = answer(target, other) == published.of(algorithm);
            let mut wrong = Vec::new();
            notices_tampering(target, other, &mut wrong);
            assert_eq!(wrong, Vec::<String>::new());
            println!(
                "{}: with {} {meets}, known answer {known}; {}",
                other.name(),
                one.provider,
                algorithm.standard_at(other.provider)
            );
            // What the catalogue says of the two must be what they do.
            let Some(relative) = relative(other) else {
                assert!(meets && known, "{}", other.name());
                same.push(algorithm.name);
                continue;
            };
            assert!(
                !meets && !known,
                "{}: labelled as another scheme",
                other.name()
            );
            assert!(meet(target, relative, other) && meet(target, other, relative));
            assert!(!same_keys(target, relative, other), "{}", other.name());
            apart.push(algorithm.name);
        }
    });
    assert_eq!((same.len(), apart.len()), (7, 3), "{same:?}, {apart:?}");
}

//! Invariants of the catalogue.
use std::collections::BTreeSet;
use wire::catalog::{ALGORITHMS, Algorithm, Family, Kind, Operation, Provider};

fn of(provider: Provider) -> usize {
    ALGORITHMS
        .iter()
        .filter(|a| a.name_at(provider).is_some())
        .count()
}

#[test]
fn ids_and_names_are_unique() {
    let ids: BTreeSet<_> = ALGORITHMS.iter().map(|a| a.id).collect();
    let names: BTreeSet<_> = ALGORITHMS
        .iter()
        .map(|a| a.name.to_ascii_lowercase())
        .collect();
    assert_eq!(ids.len(), ALGORITHMS.len());
    assert_eq!(names.len(), ALGORITHMS.len());
    for provider in Provider::ALL {
        let native: Vec<_> = ALGORITHMS
            .iter()
            .filter_map(|a| Some((a.kind.name(), a.name_at(provider)?)))
            .collect();
        let distinct: BTreeSet<_> = native.iter().collect();
        assert_eq!(
            distinct.len(),
            native.len(),
            "{provider} has a name for two algorithms"
        );
    }
}

#[test]
fn the_providers_are_complete() {
    assert_eq!(of(Provider::Liboqs), 85);
    assert_eq!(of(Provider::Classical), 6);
    assert_eq!(of(Provider::Pqclean), 10);
    assert_eq!(of(Provider::Null), 1);
    let kems = ALGORITHMS.iter().filter(|a| a.kind == Kind::Kem).count();
    assert_eq!(kems, 29);
}

/// The reading of the publication's "about 70 configurations" (`docs/method.md`): parameter sets per family.
#[test]
fn families_have_the_published_number_of_sets() {
    let sets = |family| ALGORITHMS.iter().filter(|a| a.family == family).count();
    let expected = [
        (Family::MlKem, 3),
        (Family::Bike, 3),
        (Family::Hqc, 3),
        (Family::FrodoKem, 6),
        (Family::ClassicMcEliece, 10),
        (Family::MlDsa, 3),
        (Family::Falcon, 4),
        (Family::SphincsPlus, 12),
        (Family::Mayo, 4),
        (Family::Cross, 18),
        (Family::X25519, 1),
        (Family::Ecdh, 1),
        (Family::Ed25519, 1),
        (Family::Ecdsa, 1),
    ];
    for (family, number) in expected {
        assert_eq!(sets(family), number, "{}", family.name());
    }
    assert_eq!(expected.iter().map(|(_, n)| n).sum::<usize>(), 70);
}

#[test]
fn lookups_find_what_is_listed() {
    for algorithm in ALGORITHMS {
        let by_id = Algorithm::by_id(algorithm.id).expect("listed");
        assert_eq!(by_id.name, algorithm.name);
        let shouted = algorithm.name.to_ascii_uppercase();
        assert_eq!(
            Algorithm::by_name(&shouted).expect("listed").id,
            algorithm.id
        );
    }
    assert!(Algorithm::by_name("ML-KEM-769").is_none());
}

#[test]
fn sizes_and_levels_fit_the_kind() {
    for a in ALGORITHMS {
        let sizes = a.sizes;
        assert!(a.level <= 5, "{}", a.name);
        assert!(!a.providers.is_empty(), "{}", a.name);
        assert!(
            !a.name.contains(['*', '?', '[', ',', ' ']),
            "{}: unusable in a pattern",
            a.name
        );
        match a.kind {
            Kind::Kem => assert!(
                sizes.ciphertext > 0 && sizes.shared_secret > 0,
                "{}",
                a.name
            ),
            Kind::Signature => assert!(sizes.signature > 0, "{}", a.name),
            Kind::Agreement => assert!(sizes.shared_secret > 0, "{}", a.name),
            Kind::Null => assert_eq!(sizes.public_key, 0, "{}", a.name),
        }
        for operation in a.family.random_time() {
            assert!(
                a.kind.operations().contains(operation),
                "{}: {operation}",
                a.name
            );
        }
    }
}

#[test]
fn every_operation_is_of_some_kind() {
    let kinds = [Kind::Kem, Kind::Signature, Kind::Agreement, Kind::Null];
    for operation in Operation::ALL {
        assert!(kinds.iter().any(|k| k.operations().contains(&operation)));
    }
    let names: BTreeSet<_> = Operation::ALL.iter().map(|o| o.name()).collect();
    assert_eq!(names.len(), Operation::ALL.len());
}

#[test]
fn one_name_of_two_schemes_is_labelled_by_provider() {
    let differ = ALGORITHMS.iter().filter(|a| {
        let labels: BTreeSet<_> = a.providers.iter().map(|p| a.standard_at(p.0)).collect();
        labels.len() > 1
    });
    let names: Vec<_> = differ.map(|a| a.name).collect();
    assert_eq!(names, ["Kyber512", "Kyber768", "Kyber1024"]);
}

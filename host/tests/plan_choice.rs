//! What a plan and the options make of the catalogue, and how many iterations the pilot leads to.
use host::model::{Environment, Place, Stack};
use host::plan::{
    BUILTIN, Item, NULL, Plan, PlanError, RANDOM_BUDGETS, cost, cost_alone, estimate, step_down,
    work,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use wire::catalog::{ALGORITHMS, Algorithm, Family, Kind, Operation, Provider};
use wire::message::Dispatch;

fn quick() -> Plan {
    Plan::load("quick").expect("comes with the program")
}

fn names(items: &[Item]) -> BTreeSet<&'static str> {
    let name = |item: &Item| Algorithm::by_id(item.0).expect("listed").name;
    items.iter().map(name).collect()
}

fn resolve(patterns: &[&str], providers: &[Provider]) -> Result<Vec<Item>, PlanError> {
    let patterns: Vec<_> = patterns.iter().map(ToString::to_string).collect();
    quick().resolve(&patterns, providers)
}

#[test]
fn every_plan_that_comes_with_the_program_loads() {
    for (name, _) in BUILTIN {
        let plan = Plan::load(name).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(plan.name, *name);
        assert!(plan.resolve(&[], &[]).is_ok());
    }
}

#[test]
fn quick_covers_ten_families_and_the_classical_four() {
    let items = quick().resolve(&[], &[]).expect("resolves");
    assert!(items.contains(&NULL));
    let families: BTreeSet<_> = items
        .iter()
        .map(|i| Algorithm::by_id(i.0).expect("listed").family.name())
        .collect();
    for family in [
        Family::MlKem,
        Family::Bike,
        Family::Hqc,
        Family::FrodoKem,
        Family::ClassicMcEliece,
        Family::MlDsa,
        Family::Falcon,
        Family::SphincsPlus,
        Family::Mayo,
        Family::Cross,
        Family::X25519,
        Family::Ecdh,
        Family::Ed25519,
        Family::Ecdsa,
    ] {
        assert!(families.contains(family.name()), "{}", family.name());
    }
    assert_eq!(names(&items).len(), 15);
    assert_eq!(items.len(), 1 + 10 * 3 + 2 * 2 + 2 * 3);
}

#[test]
fn paper_is_the_seventy_configurations() {
    let plan = Plan::load("paper").expect("comes with the program");
    let items = plan.resolve(&[], &[]).expect("resolves");
    let mut sets: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names(&items) {
        let algorithm = Algorithm::by_name(name).expect("listed");
        *sets.entry(algorithm.family.name()).or_default() += 1;
    }
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
        (Family::Null, 1),
    ];
    assert_eq!(sets, expected.map(|(f, n)| (f.name(), n)).into());
    assert_eq!(sets.values().sum::<usize>(), 70 + 1);
    assert_eq!(
        items.len(),
        25 * 3 + 41 * 3 + 2 * 2 + 2 * 3 + 1,
        "all operations, from one provider each"
    );
}

#[test]
fn full_is_everything_that_every_provider_has() {
    let items = Plan::load("full")
        .expect("comes with the program")
        .resolve(&[], &[])
        .expect("resolves");
    let all: BTreeSet<_> = ALGORITHMS
        .iter()
        .filter(|a| a.kind != Kind::Null)
        .flat_map(|a| a.providers.iter().map(|(provider, _)| (a.id, *provider)))
        .chain([(NULL.0, NULL.1)])
        .collect();
    let chosen: BTreeSet<_> = items.iter().map(|i| (i.0, i.1)).collect();
    assert_eq!(chosen, all);
}

/// What `paper` says of places: detected everywhere, portable where the hypothesis is about it, stock as the baseline of others.
#[test]
fn a_plan_names_places() {
    let plan = Plan::load("paper").expect("comes with the program");
    let shown =
        |environments: &[Environment], dispatches: &[Dispatch], stacks: &[Stack]| -> Vec<String> {
            let places = plan.places_in(environments, dispatches, stacks);
            places.iter().map(|p| p.place.to_string()).collect()
        };
    assert_eq!(
        shown(&Environment::ALL, &[], &[]),
        [
            "bare-metal/detected/shared",
            "native/detected/shared",
            "container/detected/shared",
            "unikernel/detected/shared",
            "unikraft/detected/shared",
            "native/portable/shared",
            "unikernel/portable/shared",
            "native/detected/stock",
            "container/detected/stock",
        ]
    );
    let metal = [Environment::BareMetal];
    assert_eq!(shown(&metal, &[], &[]), ["bare-metal/detected/shared"]);
    // What is named by hand replaces all of it.
    let portable = [Dispatch::Portable];
    assert_eq!(
        shown(
            &[Environment::Native, Environment::Container],
            &portable,
            &[]
        ),
        ["native/portable/shared", "container/portable/shared"]
    );
    assert_eq!(
        shown(&metal, &[], &[Stack::Stock]),
        ["bare-metal/detected/stock"]
    );
    let first = plan.places_in(&Environment::ALL[1..], &[], &[])[0];
    assert_eq!((first.place, first.at_most), (Place::BASELINE, None));
}

#[test]
fn misspelt_words_of_a_plan_are_named() {
    let text = format!(
        "{}\n[[places]]\nenvironments = [\"native\"]\ndispatches = [\"portabel\"]\n",
        BUILTIN[0].1
    );
    let message = Plan::parse("mine.toml", &text)
        .expect_err("no such dispatch")
        .to_string();
    assert!(message.contains("did you mean portable"), "{message}");
    let message = Plan::parse(
        "mine.toml",
        &text
            .replace("portabel", "portable")
            .replace("\"native", "\"nativ"),
    )
    .expect_err("no such environment")
    .to_string();
    assert!(message.contains("nativ"), "{message}");
    let message = Plan::parse(
        "mine.toml",
        &text.replace("dispatches = [\"portabel", "dispatch = [\"portabel"),
    )
    .expect_err("no such field")
    .to_string();
    assert!(message.contains("did you mean dispatches"), "{message}");
    let none = text.replace("[\"portabel\"]", "[]");
    assert!(Plan::parse("mine.toml", &none).is_err());
}

/// A plan goes into the archive as JSON, and comes back when its run is resumed.
#[test]
fn a_plan_survives_the_archive() {
    for (name, _) in BUILTIN {
        let plan = Plan::load(name).expect("comes with the program");
        let json = serde_json::to_string(&plan).expect("plain fields");
        assert_eq!(
            serde_json::from_str::<Plan>(&json).expect("its own JSON"),
            plan
        );
    }
}

#[test]
fn operations_of_random_time_get_more_draws_where_they_are_cheap() {
    let items = resolve(&["ML-DSA-65", "Falcon-512"], &[]).expect("resolves");
    let number = |count: u64, operation: Operation| {
        let pilot = items.iter().map(|i| (*i, count)).collect();
        let fixed = quick().fix(&items, &pilot, None).operations;
        let found = fixed.iter().find(|p| p.operation == operation);
        let planned = found.expect("planned");
        planned.iterations - planned.warm_up
    };
    assert_eq!(number(5_000_000, Operation::Sign), 200);
    assert_eq!(number(5_000_000, Operation::Verify), 10);
    // 200 draws of this would cost more than twenty budgets.
    assert_eq!(number(6_000_001, Operation::Sign), 5);
    assert_eq!(number(100_000_001, Operation::Sign), 1);
}

#[test]
fn patterns_choose_from_the_whole_catalogue() {
    let kems = resolve(&["ml-kem-*"], &[]).expect("matches");
    assert_eq!(
        names(&kems),
        BTreeSet::from(["ML-KEM-1024", "ML-KEM-512", "ML-KEM-768"])
    );
    let both = resolve(&["ML-KEM-768", "uov-i?"], &[]).expect("matches");
    assert_eq!(
        names(&both),
        BTreeSet::from(["ML-KEM-768", "UOV-Ip", "UOV-Is"])
    );
    let all = resolve(&["*"], &[]).expect("matches");
    let real = ALGORITHMS.iter().filter(|a| a.kind != Kind::Null);
    assert_eq!(
        names(&all).len(),
        real.count(),
        "null is no algorithm, and nothing that misbehaves on purpose is"
    );
    let own: BTreeSet<_> = all.iter().map(|i| (i.0, i.1)).collect();
    assert_eq!(own.len(), names(&all).len(), "each from its own provider");
    assert_eq!(resolve(&["null"], &[]).expect("by its name"), [NULL]);
    let twice = resolve(&["ML-KEM-768", "ML-KEM-7*"], &[]).expect("matches");
    assert_eq!(twice.len(), 3, "nothing is measured twice");
}

#[test]
fn providers_narrow_the_choice() {
    let classical = resolve(&[], &[Provider::Classical]).expect("four are classical");
    assert_eq!(
        names(&classical),
        BTreeSet::from(["ECDH-P256", "ECDSA-P256", "Ed25519", "X25519"])
    );
    let error = resolve(&["ML-KEM-768"], &[Provider::Classical]).expect_err("not classical");
    assert_eq!(
        error.to_string(),
        "no algorithm that matches `ML-KEM-768` comes from classical; it comes from liboqs, pqclean"
    );
}

#[test]
fn a_provider_without_any_of_the_plan_is_answered_with_those_that_have_it() {
    let error = resolve(&[], &[Provider::Faulty]).expect_err("nothing comes from it");
    let message = error.to_string();
    assert!(
        message.contains("comes from null, liboqs, pqclean, classical"),
        "{message}"
    );
}

#[test]
fn absurdly_many_invocations_are_refused() {
    let (_, text) = BUILTIN[0];
    let text = text.replace("invocations = 1\n", "invocations = 4294967295\n");
    let error = Plan::parse("my.toml", &text).expect_err("too many");
    assert!(error.to_string().contains("invocations"), "{error}");
}

#[test]
fn a_misspelt_name_is_answered_with_the_nearest() {
    let error = resolve(&["ML-KEM-769"], &[]).expect_err("no such algorithm");
    insta::assert_snapshot!(error, @"no algorithm matches `ML-KEM-769`; did you mean ML-KEM-768, ML-KEM-512 or ML-KEM-1024?; `host algorithms` lists them all");
    let error = resolve(&["[ML"], &[]).expect_err("no pattern");
    assert!(error.to_string().contains("`[ML`"), "{error}");
    let error = Plan::load("quik").expect_err("no such plan");
    insta::assert_snapshot!(error, @"unknown plan `quik`; did you mean quick?; there are: quick, paper, full, or a path to a .toml file");
    let error = Plan::load("./none.toml").expect_err("no such file");
    assert!(error.to_string().contains("./none.toml"), "{error}");
}

#[test]
fn an_unknown_field_is_answered_with_the_nearest() {
    let text = BUILTIN[0].1.replace("warm_up =", "warmup =");
    let error = Plan::parse("mine.toml", &text).expect_err("unknown field");
    let message = error.to_string();
    assert!(message.contains("mine.toml, line 3"), "{message}");
    assert!(message.contains("did you mean warm_up"), "{message}");
    for (field, value) in [
        ("keys", "0"),
        ("min_iterations", "2000"),
        ("max_iterations", "70000"),
    ] {
        let text: String = BUILTIN[0]
            .1
            .lines()
            .map(|line| match line.starts_with(&format!("{field} =")) {
                true => format!("{field} = {value}\n"),
                false => format!("{line}\n"),
            })
            .collect();
        assert!(
            Plan::parse("mine.toml", &text).is_err(),
            "{field} = {value}"
        );
    }
}

fn item(name: &str, operation: Operation) -> Item {
    let algorithm = Algorithm::by_name(name).expect("listed");
    (algorithm.id, algorithm.providers[0].0, operation)
}

#[test]
fn numbers_follow_the_pilot() {
    let items = resolve(&["ML-KEM-768", "Classic-McEliece-348864", "null"], &[]).expect("resolves");
    let pilot = BTreeMap::from([
        (NULL, 20),
        (item("ML-KEM-768", Operation::Keygen), 198_400),
        (item("ML-KEM-768", Operation::Encaps), 211_330),
        (item("ML-KEM-768", Operation::Decaps), 255_980),
        (
            item("Classic-McEliece-348864", Operation::Keygen),
            480_000_000,
        ),
        (item("Classic-McEliece-348864", Operation::Encaps), 400_000),
    ]);
    let fixed = quick().fix(&items, &pilot, None);
    assert_eq!(fixed.reduced_by, 1);
    let numbers: Vec<_> = fixed
        .operations
        .iter()
        .map(|p| (p.operation.name(), p.iterations, p.warm_up, p.keys))
        .collect();
    assert_eq!(
        numbers,
        [
            ("keygen", 201, 1, 201),
            ("encaps", 201, 1, 201),
            ("decaps", 201, 1, 201),
            ("keygen", 1, 0, 1),
            // Random time: 200 draws, where the budget alone would pay for 100.
            ("encaps", 201, 1, 1),
            // Its pilot failed: one iteration shows the fault.
            ("decaps", 1, 0, 1),
            ("nothing", 1001, 1, 1),
        ]
    );
    // The same with counts that differ by what another environment may add.
    let shifted = pilot.iter().map(|(i, n)| (*i, n + n / 500)).collect();
    let again = quick().fix(&items, &shifted, None);
    for (a, b) in fixed.operations.iter().zip(&again.operations) {
        assert_eq!(
            (a.iterations, a.keys, a.inputs),
            (b.iterations, b.keys, b.inputs)
        );
    }
}

/// Keys that keygen has made need not be made again for encaps; a fresh start makes all that it needs.
#[test]
fn pools_cost_what_they_lack() {
    let items = resolve(&["ML-KEM-768"], &[]).expect("resolves");
    let pilot: BTreeMap<_, _> = items.iter().copied().zip([100, 10, 1]).collect();
    let all = quick().fix(&items, &pilot, None).operations;
    let [keygen, encaps, decaps] = all[..] else {
        panic!("{all:?}");
    };
    assert_eq!(
        (keygen.iterations, keygen.keys, keygen.inputs),
        (1001, 1001, 1001)
    );
    assert_eq!(cost(&keygen, &all), 1001 * 100);
    assert_eq!(cost(&encaps, &all), 1001 * 10);
    assert_eq!(cost(&decaps, &all), 1001);
    assert_eq!(cost_alone(&encaps, &all), 1001 * 10 + 1001 * 100);
    assert_eq!(cost_alone(&decaps, &all), 1001 + 1001 * 100 + 1001 * 10);
    assert_eq!(work(&all), 1001 * 111);
}

/// Verifying one signature again and again is one draw, however often.
#[test]
fn no_input_is_looked_at_twice() {
    let plan = quick();
    let items = plan.resolve(&[], &[]).expect("resolves");
    let pilot: BTreeMap<_, _> = items.iter().map(|i| (*i, estimate::count(*i))).collect();
    for p in plan.fix(&items, &pilot, None).operations {
        let works_on_inputs = [Operation::Decaps, Operation::Verify, Operation::Derive];
        if works_on_inputs.contains(&p.operation) && p.iterations > 2 {
            assert!(p.inputs >= p.iterations, "{p:?}");
        }
    }
}

#[test]
fn a_limit_of_time_means_fewer_iterations() {
    let items = resolve(&["ML-KEM-768"], &[]).expect("resolves");
    let pilot: BTreeMap<_, _> = items.iter().map(|i| (*i, 200_000)).collect();
    let full = quick().fix(&items, &pilot, None);
    let limit = work(&full.operations) / 5;
    let less = quick().fix(&items, &pilot, Some(limit));
    assert!(less.reduced_by > 1);
    assert!(work(&less.operations) <= limit);
    let least = quick().fix(&items, &pilot, Some(0));
    assert!(
        least.operations.iter().all(|p| p.iterations == 2),
        "{least:?}"
    );
}

#[test]
fn steps_are_one_two_five() {
    let steps: BTreeSet<_> = (0..=1000).map(step_down).collect();
    assert_eq!(
        steps.into_iter().collect::<Vec<_>>(),
        [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    );
}

proptest! {
    #[test]
    fn steps_stay_within_a_factor_of_two_and_a_half(n in 1u64..u64::MAX / 4) {
        let step = step_down(n);
        prop_assert!(step <= n && n / 5 * 2 <= step.saturating_add(step / 2), "{step} for {n}");
    }

    #[test]
    fn no_operation_spends_more_than_its_share(counts in proptest::collection::vec(1u64..2_000_000_000, 47)) {
        let plan = quick();
        let items = plan.resolve(&[], &[]).expect("resolves");
        let pilot: BTreeMap<_, _> = items.iter().copied().zip(counts).collect();
        for p in plan.fix(&items, &pilot, None).operations {
            let once = p.iterations == 1;
            let measured = u64::from(p.iterations - p.warm_up);
            prop_assert_eq!(once, p.pilot_count > plan.once_above);
            let random = Algorithm::by_id(p.algorithm).is_some_and(|a| a.has_random_time(p.operation));
            let budget = if random { plan.budget * RANDOM_BUDGETS } else { plan.budget };
            prop_assert!(once || measured <= 3 || measured * p.pilot_count <= budget);
            prop_assert!(cost(&p, &[p]) >= p.pilot_count);
            prop_assert!(cost_alone(&p, &[p]) >= cost(&p, &[p]));
        }
    }
}

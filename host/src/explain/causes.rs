//! The causes, and what each predicts.
//!
//! Ratios of instructions were measured with this bench on its emulated board (Cortex-A72, liboqs 0.13.0, `--dispatch detected,portable`, one to
//! four parameter sets a family), and widened by about a tenth for the sets that were not; those of code for general registers come from
//! a build of liboqs with `-mgeneral-regs-only`. They are versioned with this file: another liboqs or compiler asks for new ones.

/// What has to have been at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The providers were shown fewer CPU features.
    Features,
    /// The code was compiled for general registers alone.
    Registers,
    /// Another stack lies under the provider.
    Stack,
    /// The outputs differ.
    Work,
    /// The clock includes more than the operation.
    Beside,
    /// The machine changed while it measured.
    Time,
    /// Another library.
    Library,
}

/// A candidate cause.
#[derive(Clone, Copy, Debug)]
pub struct Cause {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What has to have been at work.
    pub at: At,
    /// What it does to the families that it says anything of.
    predictions: &'static [Prediction],
    /// What it does to all others.
    others: Option<(f64, f64)>,
    /// Whether it can be behind an overhead of any size, of which it says nothing.
    pub says_nothing_of_size: bool,
    /// The command that would put it to the test.
    pub test: &'static str,
}

/// What a cause does to the operations of one family: the ratio lies between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    family: &'static str,
    /// Part of the algorithm's name that tells sets of one family apart; the first line that fits counts.
    containing: &'static str,
    /// The operation.
    operation: &'static str,
    /// Smallest ratio.
    pub low: f64,
    /// Largest ratio.
    pub high: f64,
}

impl Prediction {
    /// Whether all that was seen lies within the bounds.
    #[must_use]
    pub fn holds(&self, seen_low: f64, seen_high: f64) -> bool {
        self.low <= seen_low && seen_high <= self.high
    }
}

impl Cause {
    /// What the cause predicts for an operation; `None` where it says nothing.
    #[must_use]
    pub fn prediction(
        &self,
        family: &str,
        algorithm: &str,
        operation: &'static str,
        provider: &str,
    ) -> Option<Prediction> {
        let listed = self.predictions.iter().find(|p| {
            (p.family, p.operation) == (family, operation) && algorithm.contains(p.containing)
        });
        // What is listed was measured with liboqs and the classical libraries; PQClean's crates choose their code when they are compiled.
        match listed.filter(|_| provider != "pqclean") {
            Some(listed) => Some(*listed),
            None => self.others.map(|(low, high)| Prediction {
                family: "",
                containing: "",
                operation,
                low,
                high,
            }),
        }
    }
}

/// Sets of one family that the causes tell apart, by a name of their own.
#[must_use]
pub fn group(family: &str, algorithm: &str) -> String {
    match family {
        "FrodoKEM" if algorithm.contains("AES") => "FrodoKEM with AES".to_owned(),
        "FrodoKEM" => "FrodoKEM with SHAKE".to_owned(),
        "UOV" if algorithm.contains("skc") => "UOV, both keys compressed".to_owned(),
        "UOV" if algorithm.contains("pkc") => "UOV, public key compressed".to_owned(),
        family => family.to_owned(),
    }
}

const fn of(
    family: &'static str,
    containing: &'static str,
    operation: &'static str,
    low: f64,
    high: f64,
) -> Prediction {
    Prediction {
        family,
        containing,
        operation,
        low,
        high,
    }
}

const HIDDEN: &[Prediction] = &[
    of("ML-KEM", "", "keygen", 1.3, 1.7),
    of("ML-KEM", "", "encaps", 1.35, 1.75),
    of("ML-KEM", "", "decaps", 1.35, 1.75),
    of("Kyber", "", "keygen", 2.8, 3.6),
    of("Kyber", "", "encaps", 2.8, 3.5),
    of("Kyber", "", "decaps", 3.6, 4.8),
    of("FrodoKEM", "AES", "keygen", 9.0, 15.5),
    of("FrodoKEM", "AES", "encaps", 9.0, 15.5),
    of("FrodoKEM", "AES", "decaps", 9.0, 15.5),
    of("Falcon", "", "keygen", 1.5, 2.8),
    of("Falcon", "", "sign", 19.0, 26.0),
    of("Falcon", "", "verify", 1.2, 1.45),
    of("MAYO", "", "keygen", 13.0, 20.0),
    of("MAYO", "", "sign", 7.0, 11.0),
    of("MAYO", "", "verify", 9.0, 18.5),
    of("Dilithium", "", "keygen", 1.6, 2.1),
    of("Dilithium", "", "sign", 2.7, 3.5),
    of("Dilithium", "", "verify", 1.8, 2.4),
    of("UOV", "skc", "keygen", 5.0, 14.0),
    of("UOV", "skc", "sign", 6.5, 17.0),
    of("UOV", "pkc", "keygen", 5.0, 14.0),
    of("UOV", "pkc", "sign", 3.5, 11.0),
    of("UOV", "pkc", "verify", 18.0, 25.0),
    of("UOV", "", "keygen", 5.0, 14.0),
    of("UOV", "", "sign", 3.5, 11.0),
    of("UOV", "", "verify", 1.1, 2.0),
    // Its nonce is derived with SHA-256, for which there are instructions.
    of("ECDSA", "", "sign", 1.0, 1.12),
];

const REGISTERS: &[Prediction] = &[
    of("ML-KEM", "", "keygen", 1.8, 2.2),
    of("ML-KEM", "", "encaps", 1.8, 2.2),
    of("ML-KEM", "", "decaps", 1.8, 2.2),
    of("BIKE", "", "keygen", 1.2, 1.4),
    of("BIKE", "", "encaps", 1.2, 1.4),
    of("BIKE", "", "decaps", 1.2, 1.4),
    of("HQC", "", "keygen", 1.25, 1.45),
    of("HQC", "", "encaps", 1.25, 1.45),
    of("HQC", "", "decaps", 1.25, 1.45),
    of("Falcon", "", "sign", 19.0, 26.0),
    of("ML-DSA", "", "keygen", 0.98, 1.1),
    of("ML-DSA", "", "sign", 0.98, 1.1),
    of("ML-DSA", "", "verify", 0.98, 1.1),
];

/// All causes, in the order of tables.
pub const CAUSES: &[Cause] = &[
    Cause {
        name: "hidden-features",
        about: "CPU features are hidden, so the provider takes its portable code path; others do not change",
        at: At::Features,
        predictions: HIDDEN,
        others: Some((0.97, 1.03)),
        says_nothing_of_size: false,
        test: "flash-and-bench --dispatch detected,portable, on the same algorithms",
    },
    Cause {
        name: "general-registers",
        about: "the provider was compiled for general registers alone, without vector and AES instructions",
        at: At::Registers,
        predictions: REGISTERS,
        others: None,
        says_nothing_of_size: false,
        test: "flash-and-bench --liboqs general-registers, then compare the two runs",
    },
    Cause {
        name: "stock-library",
        about: "the system's C library, allocator and random numbers lie under the provider",
        at: At::Stack,
        predictions: &[],
        others: Some((0.8, 1.3)),
        says_nothing_of_size: false,
        test: "flash-and-bench --stack shared,stock, on the same algorithms",
    },
    Cause {
        name: "other-work",
        about: "the sides did not do the same work: other keys, messages or randomness",
        at: At::Work,
        predictions: &[],
        others: None,
        says_nothing_of_size: true,
        test: "flash-and-bench with one --seed for both sides",
    },
    Cause {
        name: "other-implementation",
        about: "the sides are different libraries; that says nothing of any other family",
        at: At::Library,
        predictions: &[],
        others: None,
        says_nothing_of_size: true,
        test: "flash-and-bench --provider liboqs,pqclean, on the same algorithms",
    },
    Cause {
        name: "beside-the-operation",
        about: "interrupts, page faults or exits to a hypervisor are counted along; longer operations meet more of them, so that all ratios are alike",
        at: At::Beside,
        predictions: &[],
        others: None,
        says_nothing_of_size: true,
        test: "on hardware, compare user-level cycles with CNTVCT over the same iterations",
    },
    Cause {
        name: "drift",
        about: "the machine got slower or faster while it measured, alike for all families",
        at: At::Time,
        predictions: &[],
        others: None,
        says_nothing_of_size: true,
        test: "measure again, in blocks, on a cooled board with a fixed frequency",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_counts_and_other_providers_do_not_change() {
        let hidden = &CAUSES[0];
        let of = |family, algorithm, operation, provider| {
            hidden
                .prediction(family, algorithm, operation, provider)
                .unwrap()
        };
        assert!(of("Falcon", "Falcon-512", "sign", "liboqs").holds(22.9, 25.0));
        assert!(of("FrodoKEM", "FrodoKEM-640-AES", "keygen", "liboqs").low > 2.0);
        assert!(of("FrodoKEM", "FrodoKEM-640-SHAKE", "keygen", "liboqs").holds(1.0, 1.0));
        assert!(of("UOV", "UOV-Ip-pkc", "verify", "liboqs").low > 10.0);
        assert!(of("UOV", "UOV-Ip", "verify", "liboqs").high < 3.0);
        assert!(of("Falcon", "Falcon-512", "sign", "pqclean").holds(1.0, 1.0));
        assert!(of("BIKE", "BIKE-L1", "encaps", "liboqs").holds(1.0, 1.0));
    }

    #[test]
    fn bounds_are_in_order_and_every_family_is_known() {
        for p in CAUSES.iter().flat_map(|c| c.predictions) {
            assert!(p.low <= p.high, "{p:?}");
            let known = wire::catalog::ALGORITHMS
                .iter()
                .any(|a| a.family.name() == p.family);
            assert!(known, "{p:?}");
        }
    }
}

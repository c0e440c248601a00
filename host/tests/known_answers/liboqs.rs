//! liboqs' own known answers, all of them: `tests/KATs` of its sources has, for every parameter set, the SHA-256 of what its
//! programs `kat_kem` and `kat_sig` print, which is a response file of NIST's competition with one entry.
use super::board::{Board, metal, native};
use super::nist::{self, Drbg, SEED, hex};
use super::tamper;
use super::target::{Scheme, Target};
use super::vectors;
use host::report::algorithms::dispatches;
use sha2::{Digest as _, Sha256};
use std::time::Instant;
use wire::catalog::{ALGORITHMS, Algorithm, Family, Kind, Operation, Provider};
use wire::message::{Dispatch, Randomness, Slot};

/// Bytes of the generator of HQC that are laid out beforehand: several times what its operations draw.
const HQC_BYTES: usize = 2000;
/// Bytes of the first message of a response file.
const MESSAGE: usize = 33;

/// What a response file says of one entry.
struct Response(String);

impl Response {
    fn field(&mut self, name: &str, bytes: &[u8]) {
        self.number(name, hex::of(bytes).to_uppercase());
    }

    fn number(&mut self, name: &str, value: impl std::fmt::Display) {
        self.0 += &format!("{name} = {value}\n");
    }
}

/// Performs what the known answer is about and gives the digest of its response file. Afterwards the slots hold the key pair, the
/// ciphertext with its secret, or the message with its signature.
pub fn answer(target: &mut Target, scheme: Scheme) -> String {
    let algorithm = scheme.algorithm;
    let mut outer = Drbg::new(&nist::entropy());
    let (seed, randomness) = match algorithm.family {
        Family::Hqc => {
            let seed = nist::shake(&nist::entropy(), SEED);
            let bytes = nist::shake(&seed.as_slice().try_into().expect("48 bytes"), HQC_BYTES);
            (seed, Randomness::Bytes(bytes))
        }
        _ => {
            let seed = outer.request(SEED);
            (seed.clone(), Randomness::NistDrbg(seed))
        }
    };
    let mut response = Response(String::new());
    response.number("count", 0);
    response.field("seed", &seed);
    if algorithm.kind == Kind::Kem {
        target.perform(scheme, Operation::Keygen, randomness);
        response.field("pk", &target.fetch(Slot::PublicKey));
        response.field("sk", &target.fetch(Slot::SecretKey));
        target.perform(scheme, Operation::Encaps, Randomness::Continue);
        let secret = target.fetch(Slot::SharedSecret);
        response.field("ct", &target.fetch(Slot::Ciphertext));
        response.field("ss", &secret);
        target.perform(scheme, Operation::Decaps, Randomness::Continue);
        assert_eq!(
            target.fetch(Slot::SharedSecret),
            secret,
            "{}",
            scheme.name()
        );
    } else {
        let message = outer.request(MESSAGE);
        response.number("mlen", MESSAGE);
        response.field("msg", &message);
        target.perform(scheme, Operation::Keygen, randomness);
        response.field("pk", &target.fetch(Slot::PublicKey));
        response.field("sk", &target.fetch(Slot::SecretKey));
        target.store(Slot::Message, &message);
        target.perform(scheme, Operation::Sign, Randomness::Continue);
        let signed = signed(algorithm, &message, &target.fetch(Slot::Signature));
        response.number("smlen", signed.len());
        response.field("sm", &signed);
        target.perform(scheme, Operation::Verify, Randomness::Continue);
    }
    hex::of(&Sha256::digest(response.0.as_bytes()))
}

/// A signed message, put together as the submission does it.
fn signed(algorithm: &Algorithm, message: &[u8], signature: &[u8]) -> Vec<u8> {
    // Length of what follows the nonce, the nonce, the message, then the signature's body with a first byte of its own.
    let falcon = |first: u8| {
        let (nonce, body) = signature[1..].split_at(40);
        let length = (body.len() as u16 + 1).to_be_bytes();
        [&length, nonce, message, &[first], body].concat()
    };
    match (algorithm.family, algorithm.name) {
        (_, "Falcon-512") => falcon(0x29),
        (_, "Falcon-1024") => falcon(0x2a),
        (Family::Cross | Family::Uov, _) => [message, signature].concat(),
        _ => [signature, message].concat(),
    }
}

/// The digests that liboqs' authors publish.
pub struct Published {
    kem: serde_json::Value,
    sig: serde_json::Value,
}

impl Published {
    pub fn read() -> Self {
        Self {
            kem: vectors::json("KATs/kem/kats.json"),
            sig: vectors::json("KATs/sig/kats.json"),
        }
    }

    pub fn of(&self, algorithm: &Algorithm) -> &str {
        let name = algorithm.name_at(Provider::Liboqs).expect("of liboqs");
        let list = match algorithm.kind {
            Kind::Kem => &self.kem,
            _ => &self.sig,
        };
        let digest = list[name]["single"].as_str();
        digest.unwrap_or_else(|| panic!("no known answer for {name}"))
    }

    fn number(&self) -> usize {
        let entries = |list: &serde_json::Value| list.as_object().expect("an object").len();
        entries(&self.kem) + entries(&self.sig)
    }
}

/// Every parameter set of liboqs; with `Portable`, those whose code differs then.
fn schemes(dispatch: Dispatch) -> impl Iterator<Item = Scheme> {
    let all = ALGORITHMS
        .iter()
        .filter(|algorithm| algorithm.name_at(Provider::Liboqs).is_some());
    all.filter(move |a| dispatches(a, Provider::Liboqs).contains(&dispatch.name()))
        .map(|algorithm| Scheme {
            algorithm,
            provider: Provider::Liboqs,
        })
}

/// Which sets gave another answer than the published one, and how many gave that.
fn check(
    board: &mut Board,
    dispatch: Dispatch,
    published: &Published,
    after: impl Fn(&mut Target, Scheme, &mut Vec<String>),
) -> (usize, Vec<String>) {
    let (mut right, mut wrong) = (0, Vec::new());
    board.run(dispatch, |target| {
        for scheme in schemes(dispatch) {
            match answer(target, scheme) == published.of(scheme.algorithm) {
                true => right += 1,
                false => wrong.push(format!("{}: another answer", scheme.name())),
            }
            after(target, scheme, &mut wrong);
        }
    });
    (right, wrong)
}

#[test]
#[ignore = "slow: every parameter set, in both programs and both dispatches"]
fn both_programs_give_the_known_answers_and_notice_tampering() {
    let published = Published::read();
    assert_eq!(published.number(), schemes(Dispatch::Detected).count());
    let began = Instant::now();
    let told = |place: &str, dispatch: Dispatch, (right, wrong): (usize, Vec<String>)| {
        let seconds = began.elapsed().as_secs();
        println!(
            "{place}, {}: {right} known answers of liboqs reproduced ({seconds} s since the start)",
            dispatch.name()
        );
        assert_eq!(wrong, Vec::<String>::new(), "{place}, {}", dispatch.name());
        assert_eq!(right, schemes(dispatch).count());
    };
    // A machine of two cores has room for both emulators.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut metal = metal();
            let result = check(&mut metal, Dispatch::Detected, &published, |_, _, _| {});
            told("bare-metal", Dispatch::Detected, result);
        });
        scope.spawn(|| {
            let mut native = native();
            let result = check(
                &mut native,
                Dispatch::Detected,
                &published,
                tamper::notices_tampering,
            );
            told("native", Dispatch::Detected, result);
            let result = check(&mut native, Dispatch::Portable, &published, |_, _, _| {});
            told("native", Dispatch::Portable, result);
        });
    });
}

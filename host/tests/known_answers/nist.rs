//! The generators of randomness behind published known answers, written for the test alone: the target has its own.
use aes::Aes256;
use aes::cipher::{BlockCipherEncrypt as _, KeyInit as _};
use sha3::Shake256;
use sha3::digest::{ExtendableOutput as _, Update as _, XofReader as _};

/// Bytes that seed either generator.
pub const SEED: usize = 48;

/// What every file of known answers starts from: 0, 1, 2 and so on.
pub fn entropy() -> [u8; SEED] {
    std::array::from_fn(|i| i as u8)
}

/// CTR_DRBG with AES-256, without derivation function (SP 800-90A, 10.2.1).
pub struct Drbg {
    key: [u8; 32],
    v: u128,
}

impl Drbg {
    pub fn new(seed: &[u8; SEED]) -> Self {
        let mut drbg = Self { key: [0; 32], v: 0 };
        drbg.update(seed);
        drbg
    }

    /// Answers one request; where requests are cut matters.
    pub fn request(&mut self, length: usize) -> Vec<u8> {
        let bytes = self.blocks(length);
        self.update(&[0; SEED]);
        bytes
    }

    fn blocks(&mut self, length: usize) -> Vec<u8> {
        let cipher = Aes256::new(&self.key.into());
        let mut bytes = Vec::new();
        while bytes.len() < length {
            self.v = self.v.wrapping_add(1);
            let mut block = self.v.to_be_bytes().into();
            cipher.encrypt_block(&mut block);
            bytes.extend_from_slice(&block);
        }
        bytes.truncate(length);
        bytes
    }

    fn update(&mut self, provided: &[u8; SEED]) {
        let mut state = self.blocks(SEED);
        state.iter_mut().zip(provided).for_each(|(s, p)| *s ^= p);
        self.key.copy_from_slice(&state[..32]);
        self.v = u128::from_be_bytes(state[32..].try_into().expect("16 bytes"));
    }
}

/// The first bytes of the generator that HQC's authors used instead: SHAKE256 of the seed and a byte 1. Requests may be cut anywhere.
pub fn shake(seed: &[u8; SEED], length: usize) -> Vec<u8> {
    let mut hash = Shake256::default();
    hash.update(seed);
    hash.update(&[1]);
    let mut bytes = vec![0; length];
    hash.finalize_xof().read(&mut bytes);
    bytes
}

/// The first bytes of SHAKE256 of nothing, by NIST's example values for FIPS 202.
#[test]
fn the_extendable_output_is_shake256() {
    let mut bytes = [0; 16];
    Shake256::default().finalize_xof().read(&mut bytes);
    assert_eq!(hex::of(&bytes), "46b9dd2b0ba88d13233b3feb743eeb24");
}

/// The first seeds of every response file of NIST's competition, and the first message of its signature files.
#[test]
fn the_first_requests_are_those_of_published_files() {
    let mut drbg = Drbg::new(&entropy());
    assert_eq!(
        hex::of(&drbg.request(48)),
        "061550234d158c5ec95595fe04ef7a25767f2e24cc2bc479d09d86dc9abcfde7056a8c266f9ef97ed08541dbd2e1ffa1"
    );
    assert_eq!(
        hex::of(&drbg.request(33)),
        "d81c4d8d734fcbfbeade3d3f8a039faa2a2c9957e835ad55b22e75bf57bb556ac8"
    );
}

/// Hexadecimal digits.
pub mod hex {
    /// Lower-case digits of `bytes`.
    pub fn of(bytes: &[u8]) -> String {
        let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).expect("below 16");
        bytes
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
            .collect()
    }

    /// The bytes that `digits` say.
    pub fn bytes(digits: &str) -> Vec<u8> {
        assert!(
            digits.is_ascii() && digits.len().is_multiple_of(2),
            "{digits}"
        );
        (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits"))
            .collect()
    }
}

//! NIST's generator for known answers: AES-256-CTR_DRBG without derivation function and without prediction resistance
//! (SP 800-90A, section 10.2.1). Not for measuring: where its output is cut into requests matters.
use aes::Aes256;
use aes::cipher::{BlockCipherEncrypt as _, KeyInit as _};

/// Bytes of entropy that it starts from.
pub const SEED_BYTES: usize = 48;
const BLOCK: usize = 16;
const KEY: usize = 32;

/// The generator.
#[derive(Clone)]
pub struct Drbg {
    key: [u8; KEY],
    counter: [u8; BLOCK],
}

impl Drbg {
    /// Starts from `entropy`.
    #[must_use]
    pub fn new(entropy: &[u8; SEED_BYTES]) -> Self {
        let mut drbg = Self {
            key: [0; KEY],
            counter: [0; BLOCK],
        };
        drbg.update(Some(entropy));
        drbg
    }

    /// One request of `out.len()` bytes.
    pub fn fill(&mut self, out: &mut [u8]) {
        let cipher = Aes256::new(&self.key.into());
        for chunk in out.chunks_mut(BLOCK) {
            let block = next_block(&cipher, &mut self.counter);
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
        self.update(None);
    }

    fn update(&mut self, provided: Option<&[u8; SEED_BYTES]>) {
        let cipher = Aes256::new(&self.key.into());
        let mut state = [0; SEED_BYTES];
        for chunk in state.chunks_exact_mut(BLOCK) {
            chunk.copy_from_slice(&next_block(&cipher, &mut self.counter));
        }
        if let Some(provided) = provided {
            state.iter_mut().zip(provided).for_each(|(s, p)| *s ^= p);
        }
        self.key.copy_from_slice(&state[..KEY]);
        self.counter.copy_from_slice(&state[KEY..]);
    }
}

/// Counts up and encrypts the counter.
fn next_block(cipher: &Aes256, counter: &mut [u8; BLOCK]) -> [u8; BLOCK] {
    *counter = u128::from_be_bytes(*counter).wrapping_add(1).to_be_bytes();
    let mut block = (*counter).into();
    cipher.encrypt_block(&mut block);
    block.into()
}

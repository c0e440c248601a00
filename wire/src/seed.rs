//! The generator of paired randomness.
//!
//! Iteration `i` of an operation draws the same bytes in every environment, dispatch and invocation: a stream of ChaCha20
//! whose key is SHA-256 over (domain, seed, algorithm, purpose, index). For measuring, never for keys that protect anything.
use chacha20::cipher::{KeyIvInit, StreamCipher};
use sha2::{Digest, Sha256};

const DOMAIN: &[u8] = b"pq-bench paired randomness 1";

/// What a stream of randomness is for. The byte goes into its key: append-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Key pair `index`.
    Key = 0,
    /// Randomness of encaps, iteration `index`.
    Encaps = 1,
    /// Randomness of sign, iteration `index`.
    Sign = 2,
    /// The 32-byte message of sign, iteration `index`.
    Message = 3,
    /// The other side's key pair in an agreement, iteration `index`.
    Peer = 4,
    /// An operation that draws no randomness by its definition; what it draws all the same is recorded.
    Other = 5,
}

/// The stream for one purpose, as a cipher whose key stream is the randomness.
pub struct Stream(chacha20::ChaCha20);

impl Stream {
    /// The stream of (`seed`, `algorithm`, `purpose`, `index`); `algorithm` is the canonical name.
    #[must_use]
    pub fn new(seed: u64, algorithm: &str, purpose: Purpose, index: u32) -> Self {
        let mut hash = Sha256::new();
        hash.update(DOMAIN);
        hash.update(seed.to_le_bytes());
        hash.update([algorithm.len() as u8]);
        hash.update(algorithm.as_bytes());
        hash.update([purpose as u8]);
        hash.update(index.to_le_bytes());
        let key: [u8; 32] = hash.finalize().into();
        Self(chacha20::ChaCha20::new(&key.into(), &[0; 12].into()))
    }

    /// The next bytes of the stream.
    pub fn fill(&mut self, out: &mut [u8]) {
        out.fill(0);
        self.0.apply_keystream(out);
    }
}

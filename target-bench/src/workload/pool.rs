//! Key pairs and inputs that iterations share. Made when first needed, by the operation that would be measured, from the same
//! randomness; kept for the next operation of the same algorithm.
use super::timer;
use crate::providers::{Failed, Scheme};
use crate::tape;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use wire::catalog::{Algorithm, AlgorithmId, Provider};
use wire::message::RunRequest;
use wire::seed::{Purpose, Stream};

/// A key pair.
#[derive(Clone)]
pub struct KeyPair {
    pub public: Vec<u8>,
    pub secret: Vec<u8>,
}

/// What decaps, verify and derive work on.
#[derive(Clone)]
pub struct Input {
    /// Ciphertext, signature or the peer's public key.
    pub data: Vec<u8>,
    /// The secret or the message that belongs to it.
    pub expected: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Owner {
    provider: Provider,
    algorithm: AlgorithmId,
    seed: u64,
    keys: u32,
}

/// The pool of one algorithm at a time.
#[derive(Default)]
pub struct Pool {
    owner: Option<Owner>,
    keys: BTreeMap<u32, KeyPair>,
    inputs: BTreeMap<u32, Input>,
}

/// Message of sign, iteration `index`.
pub fn message(seed: u64, algorithm: &Algorithm, index: u32) -> [u8; 32] {
    let mut message = [0; 32];
    Stream::new(seed, algorithm.name, Purpose::Message, index).fill(&mut message);
    message
}

impl Pool {
    /// Forgets everything unless it belongs to what `request` asks for.
    pub fn claim(&mut self, request: &RunRequest) {
        let owner = Owner {
            provider: request.provider,
            algorithm: request.algorithm,
            seed: request.seed,
            keys: request.keys,
        };
        if self.owner != Some(owner) {
            *self = Self {
                owner: Some(owner),
                ..Self::default()
            };
        }
    }

    /// Keeps a key pair that keygen has made, if it is one of the pool's.
    pub fn offer_key(&mut self, request: &RunRequest, index: u32, pair: &KeyPair) {
        if index < request.keys {
            self.keys.entry(index).or_insert_with(|| pair.clone());
        }
    }

    /// Keeps an input that encaps or sign has made, if it is one of the pool's.
    pub fn offer_input(&mut self, request: &RunRequest, index: u32, data: &[u8], expected: &[u8]) {
        if index < request.inputs {
            self.inputs.entry(index).or_insert_with(|| Input {
                data: data.to_vec(),
                expected: expected.to_vec(),
            });
        }
    }

    /// Key pair `index % keys`.
    pub fn key(
        &mut self,
        request: &RunRequest,
        algorithm: &Algorithm,
        scheme: &Scheme,
        index: u32,
    ) -> Result<KeyPair, Failed> {
        let index = index % request.keys;
        if let Some(pair) = self.keys.get(&index) {
            return Ok(pair.clone());
        }
        let pair = make_key(request.seed, algorithm, scheme, Purpose::Key, index)?;
        self.keys.insert(index, pair.clone());
        Ok(pair)
    }

    /// Input `index % inputs`, and the key pair that it was made with.
    pub fn input(
        &mut self,
        request: &RunRequest,
        algorithm: &Algorithm,
        scheme: &Scheme,
        index: u32,
    ) -> Result<(Input, KeyPair), Failed> {
        let index = index % request.inputs;
        let pair = self.key(request, algorithm, scheme, index)?;
        if let Some(input) = self.inputs.get(&index) {
            return Ok((input.clone(), pair));
        }
        let sizes = &algorithm.sizes;
        let input = match scheme {
            Scheme::Kem(kem) => {
                let mut data = vec![0; sizes.ciphertext as usize];
                let mut expected = vec![0; sizes.shared_secret as usize];
                tape::prepare(request.seed, algorithm.name, Purpose::Encaps, index);
                let mut done = Err(Failed);
                timer::run(|| done = kem.encaps(&mut data, &mut expected, &pair.public));
                done?;
                Input { data, expected }
            }
            Scheme::Signature(signature) => {
                let mut data = vec![0; sizes.signature as usize];
                let message = message(request.seed, algorithm, index);
                tape::prepare(request.seed, algorithm.name, Purpose::Sign, index);
                let mut length = Err(Failed);
                timer::run(|| length = signature.sign(&mut data, &message, &pair.secret));
                data.truncate(length?);
                Input {
                    data,
                    expected: message.to_vec(),
                }
            }
            Scheme::Agreement(agreement) => {
                let peer = make_key(request.seed, algorithm, scheme, Purpose::Peer, index)?;
                let mut expected = vec![0; sizes.shared_secret as usize];
                let mut done = Err(Failed);
                timer::run(|| done = agreement.derive(&mut expected, &peer.secret, &pair.public));
                done?;
                Input {
                    data: peer.public,
                    expected,
                }
            }
            Scheme::Null | Scheme::Faulty(_) => Input {
                data: Vec::new(),
                expected: Vec::new(),
            },
        };
        self.inputs.insert(index, input.clone());
        Ok((input, pair))
    }
}

fn make_key(
    seed: u64,
    algorithm: &Algorithm,
    scheme: &Scheme,
    purpose: Purpose,
    index: u32,
) -> Result<KeyPair, Failed> {
    let mut pair = KeyPair {
        public: vec![0; algorithm.sizes.public_key as usize],
        secret: vec![0; algorithm.sizes.secret_key as usize],
    };
    tape::prepare(seed, algorithm.name, purpose, index);
    let mut done = Err(Failed);
    timer::run(|| {
        done = match scheme {
            Scheme::Kem(kem) => kem.keygen(&mut pair.public, &mut pair.secret),
            Scheme::Signature(signature) => signature.keygen(&mut pair.public, &mut pair.secret),
            Scheme::Agreement(agreement) => agreement.keygen(&mut pair.public, &mut pair.secret),
            Scheme::Null | Scheme::Faulty(_) => Ok(()),
        };
    });
    done.map(|()| pair)
}

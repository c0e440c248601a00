//! Single operations on bytes that the host gives: known answers, tampering, one provider against another.
use super::timer;
use crate::memory::measured;
use crate::providers::{self, Failed, Scheme};
use crate::tape::{self, Drbg};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use wire::catalog::{Algorithm, Operation};
use wire::message::{
    Answer, Content, Fault, FaultKind, MAX_PIECE, PerformRequest, Randomness, Refusal, Slot,
};

/// Most bytes of a slot: more than the largest key.
const MAX_SLOT: usize = 4 << 20;

/// The slots, and what is done with them.
#[derive(Default)]
pub struct Performer {
    slots: [Vec<u8>; Slot::ALL.len()],
}

impl Performer {
    fn slot(&mut self, slot: Slot) -> &mut Vec<u8> {
        &mut self.slots[slot as usize]
    }

    /// Puts bytes into a slot; at offset 0 it is emptied first.
    ///
    /// # Errors
    /// Where the bytes would leave a gap, or the slot would hold too much.
    pub fn store(&mut self, slot: Slot, offset: u32, bytes: &[u8]) -> Result<(), Refusal> {
        let content = self.slot(slot);
        let offset = offset as usize;
        if offset > content.len() || offset + bytes.len() > MAX_SLOT {
            return Err(Refusal::OutOfRange);
        }
        content.truncate(offset);
        content.extend_from_slice(bytes);
        Ok(())
    }

    /// Changes bytes that are there.
    ///
    /// # Errors
    /// Where they are not all within the slot.
    pub fn overwrite(&mut self, slot: Slot, offset: u32, bytes: &[u8]) -> Result<(), Refusal> {
        let offset = offset as usize;
        self.slot(slot)
            .get_mut(offset..offset + bytes.len())
            .ok_or(Refusal::OutOfRange)?
            .copy_from_slice(bytes);
        Ok(())
    }

    /// Sends what a slot holds.
    pub fn fetch(&mut self, slot: Slot, mut send: impl FnMut(&Answer)) {
        for (piece, bytes) in self.slot(slot).chunks(MAX_PIECE).enumerate() {
            send(&Answer::Content(Content {
                slot,
                offset: (piece * MAX_PIECE) as u32,
                bytes: bytes.to_vec(),
            }));
        }
    }

    /// Performs one operation.
    ///
    /// # Errors
    /// Where the request asks for what this program cannot do, or an input has another length than the catalogue says.
    pub fn perform(
        &mut self,
        request: &PerformRequest,
        mut send: impl FnMut(&Answer),
    ) -> Result<(), Refusal> {
        let algorithm = Algorithm::by_id(request.algorithm).ok_or(Refusal::UnknownAlgorithm)?;
        if !algorithm.kind.operations().contains(&request.operation) {
            return Err(Refusal::UnknownOperation);
        }
        // SAFETY: schemes are the only holders of measured memory, and the last one was dropped with the last command.
        unsafe { measured::restart() };
        let scheme =
            providers::open(request.provider, algorithm).ok_or(Refusal::UnknownAlgorithm)?;
        match &request.randomness {
            Randomness::Continue => {}
            Randomness::Bytes(bytes) => tape::give(bytes.clone()),
            Randomness::NistDrbg(entropy) => {
                let entropy = entropy.as_slice().try_into();
                tape::give_nist(Drbg::new(entropy.map_err(|_| Refusal::OutOfRange)?));
            }
        }
        let done = self.carry_out(&scheme, algorithm, request.operation)?;
        let fault = |kind, text: &str| {
            Answer::Fault(Fault {
                kind,
                iteration: 0,
                code: 0,
                address: 0,
                text: String::from(text),
            })
        };
        if tape::exhausted() {
            let text = "the operation drew more randomness than it was given";
            send(&fault(FaultKind::RandomnessExhausted, text));
        } else if done.is_err() {
            let text = "the provider reported failure";
            send(&fault(FaultKind::ProviderFailed, text));
        }
        Ok(())
    }

    /// The input in a slot, which must have this length.
    fn input(&mut self, slot: Slot, length: u32) -> Result<Vec<u8>, Refusal> {
        let content = self.slot(slot).clone();
        match content.len() == length as usize {
            true => Ok(content),
            false => Err(Refusal::OutOfRange),
        }
    }

    fn carry_out(
        &mut self,
        scheme: &Scheme,
        algorithm: &Algorithm,
        operation: Operation,
    ) -> Result<Result<(), Failed>, Refusal> {
        let sizes = &algorithm.sizes;
        let zeros = |length: u32| vec![0u8; length as usize];
        let mut done = Err(Failed);
        match (scheme, operation) {
            (Scheme::Null, _) => return Ok(Ok(())),
            (Scheme::Faulty(misbehaviour), _) => timer::run(|| done = misbehaviour.act()),
            (_, Operation::Keygen) => {
                let (mut public, mut secret) = (zeros(sizes.public_key), zeros(sizes.secret_key));
                timer::run(|| {
                    done = match scheme {
                        Scheme::Kem(kem) => kem.keygen(&mut public, &mut secret),
                        Scheme::Signature(scheme) => scheme.keygen(&mut public, &mut secret),
                        Scheme::Agreement(scheme) => scheme.keygen(&mut public, &mut secret),
                        Scheme::Null | Scheme::Faulty(_) => Ok(()),
                    };
                });
                *self.slot(Slot::PublicKey) = public;
                *self.slot(Slot::SecretKey) = secret;
            }
            (Scheme::Kem(kem), Operation::Encaps) => {
                let public = self.input(Slot::PublicKey, sizes.public_key)?;
                let mut ciphertext = zeros(sizes.ciphertext);
                let mut shared = zeros(sizes.shared_secret);
                timer::run(|| done = kem.encaps(&mut ciphertext, &mut shared, &public));
                *self.slot(Slot::Ciphertext) = ciphertext;
                *self.slot(Slot::SharedSecret) = shared;
            }
            (Scheme::Kem(kem), Operation::Decaps) => {
                let secret = self.input(Slot::SecretKey, sizes.secret_key)?;
                let ciphertext = self.input(Slot::Ciphertext, sizes.ciphertext)?;
                let mut shared = zeros(sizes.shared_secret);
                timer::run(|| done = kem.decaps(&mut shared, &ciphertext, &secret));
                *self.slot(Slot::SharedSecret) = shared;
            }
            (Scheme::Signature(scheme), Operation::Sign) => {
                let secret = self.input(Slot::SecretKey, sizes.secret_key)?;
                let message = self.slot(Slot::Message).clone();
                let mut signature = zeros(sizes.signature);
                let mut length = Err(Failed);
                timer::run(|| length = scheme.sign(&mut signature, &message, &secret));
                signature.truncate(length.unwrap_or_default());
                done = length.map(|_| ());
                *self.slot(Slot::Signature) = signature;
            }
            (Scheme::Signature(scheme), Operation::Verify) => {
                let public = self.input(Slot::PublicKey, sizes.public_key)?;
                let message = self.slot(Slot::Message).clone();
                let signature = self.slot(Slot::Signature).clone();
                timer::run(|| done = scheme.verify(&message, &signature, &public));
            }
            (Scheme::Agreement(scheme), Operation::Derive) => {
                let secret = self.input(Slot::SecretKey, sizes.secret_key)?;
                let peer = self.input(Slot::PublicKey, sizes.public_key)?;
                let mut shared = zeros(sizes.shared_secret);
                timer::run(|| done = scheme.derive(&mut shared, &secret, &peer));
                *self.slot(Slot::SharedSecret) = shared;
            }
            _ => return Err(Refusal::UnknownOperation),
        }
        Ok(done)
    }
}

//! The libraries that are measured, behind small traits of bytes.
//!
//! Lengths are the catalogue's: a caller gives buffers of exactly those sizes. Randomness comes from [`crate::tape`].
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use wire::catalog::{ALGORITHMS, Algorithm, Provider};
use wire::hello::ProviderVersion;
use wire::message::Offer;

mod classical;
mod faulty;
#[cfg(freestanding)]
mod liboqs;
#[cfg(target_arch = "aarch64")]
mod pqclean;
mod rsa;

pub use faulty::Misbehaviour;

/// The provider reported failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

/// The length that C code says it has written, if the buffer holds as much.
#[cfg(freestanding)]
fn within(length: usize, buffer: &[u8]) -> Result<usize, Failed> {
    (length <= buffer.len()).then_some(length).ok_or(Failed)
}

/// Puts what was made at the start of `buffer`; gives its length.
fn put(made: &[u8], buffer: &mut [u8]) -> Result<usize, Failed> {
    buffer
        .get_mut(..made.len())
        .ok_or(Failed)?
        .copy_from_slice(made);
    Ok(made.len())
}

/// A key encapsulation mechanism.
pub trait Kem {
    /// Makes a key pair.
    ///
    /// # Errors
    /// Where the provider reports failure, as in all of these.
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed>;
    /// Encapsulates a fresh secret.
    ///
    /// # Errors
    /// See above.
    fn encaps(&self, ciphertext: &mut [u8], shared: &mut [u8], public: &[u8])
    -> Result<(), Failed>;
    /// Recovers the secret.
    ///
    /// # Errors
    /// See above.
    fn decaps(&self, shared: &mut [u8], ciphertext: &[u8], secret: &[u8]) -> Result<(), Failed>;
}

/// A signature scheme.
pub trait Signature {
    /// Makes a key pair.
    ///
    /// # Errors
    /// Where the provider reports failure, as in all of these.
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed>;
    /// Signs; the signature's length.
    ///
    /// # Errors
    /// See above.
    fn sign(&self, signature: &mut [u8], message: &[u8], secret: &[u8]) -> Result<usize, Failed>;
    /// Verifies.
    ///
    /// # Errors
    /// Where the signature is not valid.
    fn verify(&self, message: &[u8], signature: &[u8], public: &[u8]) -> Result<(), Failed>;
}

/// A Diffie-Hellman agreement.
pub trait Agreement {
    /// Makes a key pair.
    ///
    /// # Errors
    /// Where the provider reports failure, as in all of these.
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed>;
    /// Derives the shared secret.
    ///
    /// # Errors
    /// See above.
    fn derive(&self, shared: &mut [u8], secret: &[u8], peer: &[u8]) -> Result<(), Failed>;
}

/// An opened algorithm.
pub enum Scheme {
    /// A KEM.
    Kem(Box<dyn Kem>),
    /// A signature scheme.
    Signature(Box<dyn Signature>),
    /// An agreement.
    Agreement(Box<dyn Agreement>),
    /// The empty operation.
    Null,
    /// An operation that misbehaves.
    Faulty(Misbehaviour),
}

/// Opens an algorithm; `None` where the provider does not have it in this program.
#[must_use]
pub fn open(provider: Provider, algorithm: &Algorithm) -> Option<Scheme> {
    match (provider, algorithm.name_at(provider)?) {
        (Provider::Null, _) => Some(Scheme::Null),
        #[cfg(freestanding)]
        (Provider::Liboqs, name) => liboqs::open(algorithm, name),
        #[cfg(target_arch = "aarch64")]
        (Provider::Pqclean, _) => pqclean::open(algorithm),
        (Provider::Classical, _) => classical::open(algorithm),
        (Provider::Faulty, name) => Misbehaviour::by_name(name).map(Scheme::Faulty),
        #[cfg(not(target_arch = "aarch64"))]
        _ => None,
    }
}

/// What this program can run.
#[must_use]
pub fn offers() -> Vec<Offer> {
    let mut offers = Vec::new();
    for algorithm in ALGORITHMS {
        for (provider, _) in algorithm.providers {
            if open(*provider, algorithm).is_some() {
                offers.push(Offer {
                    algorithm: algorithm.id,
                    provider: *provider,
                });
            }
        }
    }
    offers
}

/// The providers' versions.
#[must_use]
pub fn versions() -> Vec<ProviderVersion> {
    let version = |provider, version: &str| ProviderVersion {
        provider,
        version: String::from(version),
    };
    alloc::vec![
        version(Provider::Null, env!("CARGO_PKG_VERSION")),
        #[cfg(freestanding)]
        version(Provider::Liboqs, &liboqs::version()),
        #[cfg(target_arch = "aarch64")]
        version(Provider::Pqclean, pqclean::VERSIONS),
        version(Provider::Classical, classical::VERSIONS),
    ]
}

//! X25519, ECDH-P256, Ed25519 and ECDSA-P256 from dalek and RustCrypto; RSA is in a file of its own.
//!
//! Secrets are 32 bytes from the tape. ECDSA signs deterministically (RFC 6979), Ed25519 by its definition.
use super::rsa::Rsa;
use super::{Agreement, Failed, Scheme, Signature, put};
use crate::tape;
use alloc::boxed::Box;
use ed25519_dalek::Signer as _;
use ed25519_dalek::Verifier as _;
use p256::elliptic_curve::Group as _;
use p256::elliptic_curve::sec1::ToSec1Point as _;
use wire::catalog::{Algorithm, Family};

/// Versions of the crates, as locked.
pub const VERSIONS: &str = "x25519-dalek 3, ed25519-dalek 3, p256 0.14, rsa 0.10";

/// Opens an algorithm. P-256's table of multiples of the generator is made on first use: here, so that it is no
/// part of an operation.
pub fn open(algorithm: &Algorithm) -> Option<Scheme> {
    let family = algorithm.family;
    if matches!(family, Family::Ecdh | Family::Ecdsa) {
        core::hint::black_box(p256::ProjectivePoint::mul_by_generator(&p256::Scalar::ONE));
    }
    match family {
        Family::X25519 => Some(Scheme::Agreement(Box::new(X25519))),
        Family::Ecdh => Some(Scheme::Agreement(Box::new(EcdhP256))),
        Family::Ed25519 => Some(Scheme::Signature(Box::new(Ed25519))),
        Family::Ecdsa => Some(Scheme::Signature(Box::new(EcdsaP256))),
        Family::Rsa => Some(Scheme::Signature(Box::new(Rsa::new(
            algorithm.sizes.signature,
        )))),
        _ => None,
    }
}

fn bytes32(from: &[u8]) -> Result<[u8; 32], Failed> {
    from.try_into().map_err(|_| Failed)
}

fn draw32() -> [u8; 32] {
    let mut bytes = [0; 32];
    tape::draw(&mut bytes);
    bytes
}

struct X25519;

impl Agreement for X25519 {
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed> {
        let key = x25519_dalek::StaticSecret::from(draw32());
        secret.copy_from_slice(key.as_bytes());
        public.copy_from_slice(x25519_dalek::PublicKey::from(&key).as_bytes());
        Ok(())
    }
    fn derive(&self, shared: &mut [u8], secret: &[u8], peer: &[u8]) -> Result<(), Failed> {
        let key = x25519_dalek::StaticSecret::from(bytes32(secret)?);
        let secret = key.diffie_hellman(&x25519_dalek::PublicKey::from(bytes32(peer)?));
        shared.copy_from_slice(secret.as_bytes());
        Ok(())
    }
}

/// A secret key below the group's order: all but one draw in 2^32 is one.
fn draw_p256() -> p256::SecretKey {
    loop {
        if let Ok(key) = p256::SecretKey::from_slice(&draw32()) {
            return key;
        }
    }
}

fn keygen_p256(public: &mut [u8], secret: &mut [u8]) {
    let key = draw_p256();
    secret.copy_from_slice(&key.to_bytes());
    public.copy_from_slice(key.public_key().to_sec1_point(false).as_bytes());
}

struct EcdhP256;

impl Agreement for EcdhP256 {
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed> {
        keygen_p256(public, secret);
        Ok(())
    }
    fn derive(&self, shared: &mut [u8], secret: &[u8], peer: &[u8]) -> Result<(), Failed> {
        let key = p256::SecretKey::from_slice(secret).map_err(|_| Failed)?;
        let peer = p256::PublicKey::from_sec1_bytes(peer).map_err(|_| Failed)?;
        let secret = p256::ecdh::diffie_hellman(key.to_nonzero_scalar(), peer.as_affine());
        shared.copy_from_slice(secret.raw_secret_bytes());
        Ok(())
    }
}

struct Ed25519;

impl Signature for Ed25519 {
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed> {
        let key = ed25519_dalek::SigningKey::from_bytes(&draw32());
        secret.copy_from_slice(key.as_bytes());
        public.copy_from_slice(key.verifying_key().as_bytes());
        Ok(())
    }
    fn sign(&self, signature: &mut [u8], message: &[u8], secret: &[u8]) -> Result<usize, Failed> {
        let key = ed25519_dalek::SigningKey::from_bytes(&bytes32(secret)?);
        let made = key.try_sign(message).map_err(|_| Failed)?.to_bytes();
        put(&made, signature)
    }
    fn verify(&self, message: &[u8], signature: &[u8], public: &[u8]) -> Result<(), Failed> {
        let key = ed25519_dalek::VerifyingKey::from_bytes(&bytes32(public)?).map_err(|_| Failed)?;
        let signature = ed25519_dalek::Signature::from_slice(signature).map_err(|_| Failed)?;
        key.verify(message, &signature).map_err(|_| Failed)
    }
}

struct EcdsaP256;

impl Signature for EcdsaP256 {
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed> {
        keygen_p256(public, secret);
        Ok(())
    }
    fn sign(&self, signature: &mut [u8], message: &[u8], secret: &[u8]) -> Result<usize, Failed> {
        let key = p256::ecdsa::SigningKey::from_slice(secret).map_err(|_| Failed)?;
        let made: p256::ecdsa::Signature = key.try_sign(message).map_err(|_| Failed)?;
        let made = made.to_bytes();
        put(&made, signature)
    }
    fn verify(&self, message: &[u8], signature: &[u8], public: &[u8]) -> Result<(), Failed> {
        let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(public).map_err(|_| Failed)?;
        let signature = p256::ecdsa::Signature::from_slice(signature).map_err(|_| Failed)?;
        key.verify(message, &signature).map_err(|_| Failed)
    }
}

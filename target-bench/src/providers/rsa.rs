//! RSA signatures from RustCrypto: RSASSA-PSS with SHA-256 and a salt of 32 bytes, blinded, as TLS 1.3 has them (RFC 8017, 8.1).
//!
//! Keys are plain numbers, big-endian and of fixed length, since lengths are the catalogue's: public `n | e`, secret `n | e | d | p | q`. The crate
//! reads, checks and prepares the key within each operation, as all providers begin with a key's bytes.
use super::{Failed, Signature, put};
use crate::tape;
use alloc::vec;
use alloc::vec::Vec;
use core::convert::Infallible;
use rsa::rand_core::{TryCryptoRng, TryRng};
use rsa::sha2::Sha256;
use rsa::traits::{PrivateKeyParts, PublicKeyParts};
use rsa::{BoxedUint, PrivateKey, PublicKey};

/// Bytes of the public exponent, 65537.
const EXPONENT: usize = 3;

/// RSA with a modulus of `bytes` bytes.
pub struct Rsa {
    bytes: usize,
}

impl Rsa {
    /// By the catalogue's length of a signature, which is that of the modulus.
    pub fn new(signature: u32) -> Self {
        Self {
            bytes: signature as usize,
        }
    }
}

/// What is drawn from the tape.
struct Tape;

impl TryRng for Tape {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        tape::draw(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        tape::draw(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        tape::draw(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Tape {}

/// Writes a number at the end of `out`, zeros before it.
fn write(number: &BoxedUint, out: &mut [u8]) -> Result<(), Failed> {
    let bytes = number.to_be_bytes_trimmed_vartime();
    let at = out.len().checked_sub(bytes.len()).ok_or(Failed)?;
    let (zeros, place) = out.split_at_mut(at);
    zeros.fill(0);
    place.copy_from_slice(&bytes);
    Ok(())
}

fn read(bytes: &[u8]) -> Result<BoxedUint, Failed> {
    BoxedUint::from_be_slice(bytes, bytes.len() as u32 * 8).map_err(|_| Failed)
}

/// The key's numbers, cut at these lengths.
fn cut<'a>(mut bytes: &'a [u8], lengths: &[usize]) -> Result<Vec<&'a [u8]>, Failed> {
    let mut parts = Vec::with_capacity(lengths.len());
    for length in lengths {
        let (part, rest) = bytes.split_at_checked(*length).ok_or(Failed)?;
        parts.push(part);
        bytes = rest;
    }
    bytes.is_empty().then_some(parts).ok_or(Failed)
}

impl Signature for Rsa {
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed> {
        let n = self.bytes;
        let key = PrivateKey::new(&mut Tape, n * 8).map_err(|_| Failed)?;
        let [p, q] = key.primes() else {
            return Err(Failed);
        };
        let mut rest = secret;
        for (number, length) in [
            (key.n().as_ref(), n),
            (key.e(), EXPONENT),
            (key.d(), n),
            (p.as_ref(), n / 2),
            (q.as_ref(), n / 2),
        ] {
            let (place, after) = rest.split_at_mut_checked(length).ok_or(Failed)?;
            write(number, place)?;
            rest = after;
        }
        let (modulus, exponent) = public.split_at_mut_checked(n).ok_or(Failed)?;
        write(key.n().as_ref(), modulus)?;
        write(key.e(), exponent)
    }

    fn sign(&self, signature: &mut [u8], message: &[u8], secret: &[u8]) -> Result<usize, Failed> {
        let n = self.bytes;
        let parts = cut(secret, &[n, EXPONENT, n, n / 2, n / 2])?;
        let [modulus, e, d, p, q] = parts[..] else {
            return Err(Failed);
        };
        let primes = vec![read(p)?, read(q)?];
        let key = PrivateKey::from_components(read(modulus)?, read(e)?, read(d)?, primes)
            .map_err(|_| Failed)?;
        let made = key.pss_sign_with_rng::<Sha256, _>(&mut Tape, message);
        let made = made.map_err(|_| Failed)?;
        put(&made, signature)
    }

    fn verify(&self, message: &[u8], signature: &[u8], public: &[u8]) -> Result<(), Failed> {
        let parts = cut(public, &[self.bytes, EXPONENT])?;
        let [modulus, e] = parts[..] else {
            return Err(Failed);
        };
        let key = PublicKey::new(read(modulus)?, read(e)?).map_err(|_| Failed)?;
        key.pss_verify::<Sha256>(message, signature)
            .map_err(|_| Failed)
    }
}

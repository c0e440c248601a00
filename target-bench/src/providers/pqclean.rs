//! PQClean's portable C, through the foreign functions of the crates `pqcrypto-*`: into buffers that are there already. Its random
//! bytes come from a routine that the programs define (see `freestanding/libc.rs`), as liboqs' do.
use super::{Failed, Kem, Scheme, Signature, within};
use alloc::boxed::Box;
use core::ffi::c_int;
use pqcrypto_falcon::ffi as falcon;
use pqcrypto_kyber::ffi as kyber;
use pqcrypto_mlkem::ffi as mlkem;
use wire::catalog::{Algorithm, Sizes};

/// Versions of the crates, as Cargo.toml pins them.
pub const VERSIONS: &str = "pqcrypto-kyber 0.8.1, pqcrypto-falcon 0.4.1, pqcrypto-mlkem 0.1.1";

/// Opens an algorithm. Where the crate's sizes are not the catalogue's, nothing is opened: a buffer would be too small.
pub fn open(algorithm: &Algorithm) -> Option<Scheme> {
    KEMS.iter()
        .find(|(name, _, _)| *name == algorithm.name)
        .map(|(_, sizes, kem)| (sizes, Scheme::Kem(Box::new(*kem))))
        .or_else(|| {
            SIGNATURES
                .iter()
                .find(|(name, _, _)| *name == algorithm.name)
                .map(|(_, sizes, scheme)| (sizes, Scheme::Signature(Box::new(*scheme))))
        })
        .and_then(|(sizes, scheme)| (*sizes == algorithm.sizes).then_some(scheme))
}

fn result(status: c_int) -> Result<(), Failed> {
    if status == 0 { Ok(()) } else { Err(Failed) }
}

/// The three functions of a KEM.
#[derive(Clone, Copy)]
struct KemFunctions {
    keypair: unsafe extern "C" fn(*mut u8, *mut u8) -> c_int,
    encaps: unsafe extern "C" fn(*mut u8, *mut u8, *const u8) -> c_int,
    decaps: unsafe extern "C" fn(*mut u8, *const u8, *const u8) -> c_int,
}

/// The three functions of a signature scheme.
#[derive(Clone, Copy)]
struct SignatureFunctions {
    keypair: unsafe extern "C" fn(*mut u8, *mut u8) -> c_int,
    sign: unsafe extern "C" fn(*mut u8, *mut usize, *const u8, usize, *const u8) -> c_int,
    verify: unsafe extern "C" fn(*const u8, usize, *const u8, usize, *const u8) -> c_int,
}

macro_rules! kem {
    ($name:literal, $crate_ffi:ident, $keypair:ident, $encaps:ident, $decaps:ident, [$public:ident, $secret:ident, $ciphertext:ident, $shared:ident]) => {
        (
            $name,
            Sizes {
                public_key: $crate_ffi::$public as u32,
                secret_key: $crate_ffi::$secret as u32,
                ciphertext: $crate_ffi::$ciphertext as u32,
                signature: 0,
                shared_secret: $crate_ffi::$shared as u32,
            },
            KemFunctions {
                keypair: $crate_ffi::$keypair,
                encaps: $crate_ffi::$encaps,
                decaps: $crate_ffi::$decaps,
            },
        )
    };
}

macro_rules! signature {
    ($name:literal, $keypair:ident, $sign:ident, $verify:ident, [$public:ident, $secret:ident, $signature:ident]) => {
        (
            $name,
            Sizes {
                public_key: falcon::$public as u32,
                secret_key: falcon::$secret as u32,
                ciphertext: 0,
                signature: falcon::$signature as u32,
                shared_secret: 0,
            },
            SignatureFunctions {
                keypair: falcon::$keypair,
                sign: falcon::$sign,
                verify: falcon::$verify,
            },
        )
    };
}

const KEMS: &[(&str, Sizes, KemFunctions)] = &[
    kem!(
        "ML-KEM-512",
        mlkem,
        PQCLEAN_MLKEM512_CLEAN_crypto_kem_keypair,
        PQCLEAN_MLKEM512_CLEAN_crypto_kem_enc,
        PQCLEAN_MLKEM512_CLEAN_crypto_kem_dec,
        [
            PQCLEAN_MLKEM512_CLEAN_CRYPTO_PUBLICKEYBYTES,
            PQCLEAN_MLKEM512_CLEAN_CRYPTO_SECRETKEYBYTES,
            PQCLEAN_MLKEM512_CLEAN_CRYPTO_CIPHERTEXTBYTES,
            PQCLEAN_MLKEM512_CLEAN_CRYPTO_BYTES
        ]
    ),
    kem!(
        "ML-KEM-768",
        mlkem,
        PQCLEAN_MLKEM768_CLEAN_crypto_kem_keypair,
        PQCLEAN_MLKEM768_CLEAN_crypto_kem_enc,
        PQCLEAN_MLKEM768_CLEAN_crypto_kem_dec,
        [
            PQCLEAN_MLKEM768_CLEAN_CRYPTO_PUBLICKEYBYTES,
            PQCLEAN_MLKEM768_CLEAN_CRYPTO_SECRETKEYBYTES,
            PQCLEAN_MLKEM768_CLEAN_CRYPTO_CIPHERTEXTBYTES,
            PQCLEAN_MLKEM768_CLEAN_CRYPTO_BYTES
        ]
    ),
    kem!(
        "ML-KEM-1024",
        mlkem,
        PQCLEAN_MLKEM1024_CLEAN_crypto_kem_keypair,
        PQCLEAN_MLKEM1024_CLEAN_crypto_kem_enc,
        PQCLEAN_MLKEM1024_CLEAN_crypto_kem_dec,
        [
            PQCLEAN_MLKEM1024_CLEAN_CRYPTO_PUBLICKEYBYTES,
            PQCLEAN_MLKEM1024_CLEAN_CRYPTO_SECRETKEYBYTES,
            PQCLEAN_MLKEM1024_CLEAN_CRYPTO_CIPHERTEXTBYTES,
            PQCLEAN_MLKEM1024_CLEAN_CRYPTO_BYTES
        ]
    ),
    kem!(
        "Kyber512",
        kyber,
        PQCLEAN_KYBER512_CLEAN_crypto_kem_keypair,
        PQCLEAN_KYBER512_CLEAN_crypto_kem_enc,
        PQCLEAN_KYBER512_CLEAN_crypto_kem_dec,
        [
            PQCLEAN_KYBER512_CLEAN_CRYPTO_PUBLICKEYBYTES,
            PQCLEAN_KYBER512_CLEAN_CRYPTO_SECRETKEYBYTES,
            PQCLEAN_KYBER512_CLEAN_CRYPTO_CIPHERTEXTBYTES,
            PQCLEAN_KYBER512_CLEAN_CRYPTO_BYTES
        ]
    ),
    kem!(
        "Kyber768",
        kyber,
        PQCLEAN_KYBER768_CLEAN_crypto_kem_keypair,
        PQCLEAN_KYBER768_CLEAN_crypto_kem_enc,
        PQCLEAN_KYBER768_CLEAN_crypto_kem_dec,
        [
            PQCLEAN_KYBER768_CLEAN_CRYPTO_PUBLICKEYBYTES,
            PQCLEAN_KYBER768_CLEAN_CRYPTO_SECRETKEYBYTES,
            PQCLEAN_KYBER768_CLEAN_CRYPTO_CIPHERTEXTBYTES,
            PQCLEAN_KYBER768_CLEAN_CRYPTO_BYTES
        ]
    ),
    kem!(
        "Kyber1024",
        kyber,
        PQCLEAN_KYBER1024_CLEAN_crypto_kem_keypair,
        PQCLEAN_KYBER1024_CLEAN_crypto_kem_enc,
        PQCLEAN_KYBER1024_CLEAN_crypto_kem_dec,
        [
            PQCLEAN_KYBER1024_CLEAN_CRYPTO_PUBLICKEYBYTES,
            PQCLEAN_KYBER1024_CLEAN_CRYPTO_SECRETKEYBYTES,
            PQCLEAN_KYBER1024_CLEAN_CRYPTO_CIPHERTEXTBYTES,
            PQCLEAN_KYBER1024_CLEAN_CRYPTO_BYTES
        ]
    ),
];

const SIGNATURES: &[(&str, Sizes, SignatureFunctions)] = &[
    signature!(
        "Falcon-512",
        PQCLEAN_FALCON512_CLEAN_crypto_sign_keypair,
        PQCLEAN_FALCON512_CLEAN_crypto_sign_signature,
        PQCLEAN_FALCON512_CLEAN_crypto_sign_verify,
        [
            PQCLEAN_FALCON512_CLEAN_CRYPTO_PUBLICKEYBYTES,
            PQCLEAN_FALCON512_CLEAN_CRYPTO_SECRETKEYBYTES,
            PQCLEAN_FALCON512_CLEAN_CRYPTO_BYTES
        ]
    ),
    signature!(
        "Falcon-1024",
        PQCLEAN_FALCON1024_CLEAN_crypto_sign_keypair,
        PQCLEAN_FALCON1024_CLEAN_crypto_sign_signature,
        PQCLEAN_FALCON1024_CLEAN_crypto_sign_verify,
        [
            PQCLEAN_FALCON1024_CLEAN_CRYPTO_PUBLICKEYBYTES,
            PQCLEAN_FALCON1024_CLEAN_CRYPTO_SECRETKEYBYTES,
            PQCLEAN_FALCON1024_CLEAN_CRYPTO_BYTES
        ]
    ),
    signature!(
        "Falcon-padded-512",
        PQCLEAN_FALCONPADDED512_CLEAN_crypto_sign_keypair,
        PQCLEAN_FALCONPADDED512_CLEAN_crypto_sign_signature,
        PQCLEAN_FALCONPADDED512_CLEAN_crypto_sign_verify,
        [
            PQCLEAN_FALCONPADDED512_CLEAN_CRYPTO_PUBLICKEYBYTES,
            PQCLEAN_FALCONPADDED512_CLEAN_CRYPTO_SECRETKEYBYTES,
            PQCLEAN_FALCONPADDED512_CLEAN_CRYPTO_BYTES
        ]
    ),
    signature!(
        "Falcon-padded-1024",
        PQCLEAN_FALCONPADDED1024_CLEAN_crypto_sign_keypair,
        PQCLEAN_FALCONPADDED1024_CLEAN_crypto_sign_signature,
        PQCLEAN_FALCONPADDED1024_CLEAN_crypto_sign_verify,
        [
            PQCLEAN_FALCONPADDED1024_CLEAN_CRYPTO_PUBLICKEYBYTES,
            PQCLEAN_FALCONPADDED1024_CLEAN_CRYPTO_SECRETKEYBYTES,
            PQCLEAN_FALCONPADDED1024_CLEAN_CRYPTO_BYTES
        ]
    ),
];

// SAFETY of the calls below: buffers have the catalogue's lengths, which `open` compared with the crates' own.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the comment above covers them"
)]
impl Kem for KemFunctions {
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed> {
        result(unsafe { (self.keypair)(public.as_mut_ptr(), secret.as_mut_ptr()) })
    }
    fn encaps(
        &self,
        ciphertext: &mut [u8],
        shared: &mut [u8],
        public: &[u8],
    ) -> Result<(), Failed> {
        result(unsafe {
            (self.encaps)(
                ciphertext.as_mut_ptr(),
                shared.as_mut_ptr(),
                public.as_ptr(),
            )
        })
    }
    fn decaps(&self, shared: &mut [u8], ciphertext: &[u8], secret: &[u8]) -> Result<(), Failed> {
        result(unsafe { (self.decaps)(shared.as_mut_ptr(), ciphertext.as_ptr(), secret.as_ptr()) })
    }
}

// SAFETY of the calls below: as for the KEMs; `sign` writes at most the longest signature.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the comment above covers them"
)]
impl Signature for SignatureFunctions {
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed> {
        result(unsafe { (self.keypair)(public.as_mut_ptr(), secret.as_mut_ptr()) })
    }
    fn sign(&self, signature: &mut [u8], message: &[u8], secret: &[u8]) -> Result<usize, Failed> {
        let mut length = signature.len();
        let status = unsafe {
            (self.sign)(
                signature.as_mut_ptr(),
                &mut length,
                message.as_ptr(),
                message.len(),
                secret.as_ptr(),
            )
        };
        result(status).and_then(|()| within(length, signature))
    }
    fn verify(&self, message: &[u8], signature: &[u8], public: &[u8]) -> Result<(), Failed> {
        result(unsafe {
            (self.verify)(
                signature.as_ptr(),
                signature.len(),
                message.as_ptr(),
                message.len(),
                public.as_ptr(),
            )
        })
    }
}

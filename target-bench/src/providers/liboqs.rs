//! liboqs, through the foreign functions of the crate `oqs`: by name, since its enumeration lacks the padded Falcons, and into
//! buffers that are there already, since its safe wrapper allocates in each call.
use super::{Failed, Kem, Scheme, Signature, within};
use crate::tape;
use alloc::boxed::Box;
use alloc::ffi::CString;
use alloc::string::String;
use core::ffi::CStr;
use core::ptr::NonNull;
use oqs::ffi::common::{OQS_STATUS, OQS_init, OQS_version};
use oqs::ffi::kem::{
    OQS_KEM, OQS_KEM_decaps, OQS_KEM_encaps, OQS_KEM_free, OQS_KEM_keypair, OQS_KEM_new,
};
use oqs::ffi::rand::OQS_randombytes_custom_algorithm;
use oqs::ffi::sig::{
    OQS_SIG, OQS_SIG_free, OQS_SIG_keypair, OQS_SIG_new, OQS_SIG_sign, OQS_SIG_verify,
};
use wire::catalog::{Algorithm, Kind};

fn result(status: OQS_STATUS) -> Result<(), Failed> {
    if status == OQS_STATUS::OQS_SUCCESS {
        Ok(())
    } else {
        Err(Failed)
    }
}

/// liboqs' version.
pub fn version() -> String {
    // SAFETY: a constant string.
    unsafe { CStr::from_ptr(OQS_version()) }
        .to_string_lossy()
        .into_owned()
}

/// Opens an algorithm by liboqs' name for it. Where liboqs' sizes are not the catalogue's, the catalogue is wrong and nothing
/// is opened: a buffer would be too small.
pub fn open(algorithm: &Algorithm, name: &str) -> Option<Scheme> {
    let name = CString::new(name).ok()?;
    let sizes = &algorithm.sizes;
    // SAFETY: `draw_raw` has the type that liboqs asks for, and writes only the buffer that it is given.
    unsafe {
        OQS_init();
        // Otherwise it draws from the system by itself.
        if !tape::is_system() {
            OQS_randombytes_custom_algorithm(Some(tape::draw_raw));
        }
    }
    match algorithm.kind {
        Kind::Kem => {
            // SAFETY: a name that ends in zero; null for one that is unknown.
            let kem = OqsKem(NonNull::new(unsafe { OQS_KEM_new(name.as_ptr()) })?);
            // SAFETY: liboqs filled it in.
            let has = unsafe { kem.0.as_ref() };
            let fits = has.length_public_key == sizes.public_key as usize
                && has.length_secret_key == sizes.secret_key as usize
                && has.length_ciphertext == sizes.ciphertext as usize
                && has.length_shared_secret == sizes.shared_secret as usize;
            fits.then(|| Scheme::Kem(Box::new(kem)))
        }
        Kind::Signature => {
            // SAFETY: a name that ends in zero; null for one that is unknown.
            let sig = OqsSig(NonNull::new(unsafe { OQS_SIG_new(name.as_ptr()) })?);
            // SAFETY: liboqs filled it in.
            let has = unsafe { sig.0.as_ref() };
            let fits = has.length_public_key == sizes.public_key as usize
                && has.length_secret_key == sizes.secret_key as usize
                && has.length_signature == sizes.signature as usize;
            fits.then(|| Scheme::Signature(Box::new(sig)))
        }
        Kind::Agreement | Kind::Null => None,
    }
}

struct OqsKem(NonNull<OQS_KEM>);

impl Drop for OqsKem {
    fn drop(&mut self) {
        // SAFETY: made by OQS_KEM_new, given back once.
        unsafe { OQS_KEM_free(self.0.as_ptr()) }
    }
}

// SAFETY of the calls below: buffers have the catalogue's lengths, which `open` compared with liboqs' own.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the comment above covers them"
)]
impl Kem for OqsKem {
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed> {
        result(unsafe {
            OQS_KEM_keypair(self.0.as_ptr(), public.as_mut_ptr(), secret.as_mut_ptr())
        })
    }
    fn encaps(
        &self,
        ciphertext: &mut [u8],
        shared: &mut [u8],
        public: &[u8],
    ) -> Result<(), Failed> {
        result(unsafe {
            OQS_KEM_encaps(
                self.0.as_ptr(),
                ciphertext.as_mut_ptr(),
                shared.as_mut_ptr(),
                public.as_ptr(),
            )
        })
    }
    fn decaps(&self, shared: &mut [u8], ciphertext: &[u8], secret: &[u8]) -> Result<(), Failed> {
        result(unsafe {
            OQS_KEM_decaps(
                self.0.as_ptr(),
                shared.as_mut_ptr(),
                ciphertext.as_ptr(),
                secret.as_ptr(),
            )
        })
    }
}

struct OqsSig(NonNull<OQS_SIG>);

impl Drop for OqsSig {
    fn drop(&mut self) {
        // SAFETY: made by OQS_SIG_new, given back once.
        unsafe { OQS_SIG_free(self.0.as_ptr()) }
    }
}

// SAFETY of the calls below: as for the KEMs; `sign` writes at most the longest signature.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the comment above covers them"
)]
impl Signature for OqsSig {
    fn keygen(&self, public: &mut [u8], secret: &mut [u8]) -> Result<(), Failed> {
        result(unsafe {
            OQS_SIG_keypair(self.0.as_ptr(), public.as_mut_ptr(), secret.as_mut_ptr())
        })
    }
    fn sign(&self, signature: &mut [u8], message: &[u8], secret: &[u8]) -> Result<usize, Failed> {
        let mut length = signature.len();
        let status = unsafe {
            OQS_SIG_sign(
                self.0.as_ptr(),
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
            OQS_SIG_verify(
                self.0.as_ptr(),
                message.as_ptr(),
                message.len(),
                signature.as_ptr(),
                signature.len(),
                public.as_ptr(),
            )
        })
    }
}

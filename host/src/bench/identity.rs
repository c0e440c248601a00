//! Names and seeds of runs.
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::hash::{BuildHasher, RandomState};

/// A number that nobody chose.
#[must_use]
pub fn random() -> u64 {
    // The standard library seeds its hash maps from the system's randomness.
    RandomState::new().hash_one(std::process::id())
}

/// The id of a run that begins at `now`: `20261130T215501Z-qemu-virt-3f9a1c`. The last part is there to tell runs of one second apart.
#[must_use]
pub fn run_id(now: Timestamp, board: &str, chance: u64) -> String {
    let time = now.strftime("%Y%m%dT%H%M%SZ");
    format!("{time}-{board}-{:06x}", chance & 0xff_ffff)
}

/// The id as it travels on the link: the first 16 bytes of its SHA-256.
#[must_use]
pub fn wire_id(run: &str) -> [u8; 16] {
    let mut id = [0; 16];
    id.copy_from_slice(&Sha256::digest(run.as_bytes())[..16]);
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_when_and_on_what() {
        let now = Timestamp::from_second(1_796_075_701).expect("in range");
        let id = run_id(now, "qemu-virt", 0xaa3f_9a1c);
        assert_eq!(id, "20261130T215501Z-qemu-virt-3f9a1c");
        assert_ne!(wire_id(&id), [0; 16]);
        assert_ne!(wire_id(&id), wire_id("another"));
        assert_ne!(random(), random());
    }
}

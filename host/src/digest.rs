//! SHA-256 of files and bytes, as text: by it an archive says which file it means.
use crate::hex::hex;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Of bytes.
#[must_use]
pub fn of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Length and digest of a file.
///
/// # Errors
/// Where it cannot be read.
pub fn of_file(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((bytes, hex(&hash.finalize()))),
            read => {
                hash.update(&buffer[..read]);
                bytes += read as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest of no bytes, as FIPS 180-4's examples have it.
    #[test]
    fn digests_are_written_in_hexadecimal() {
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(of(b""), nothing);
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(of_file(file.path()).unwrap(), (0, nothing.to_owned()));
    }
}

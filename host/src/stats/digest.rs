//! One digest for an operation, from the digests of the commands that ran it.
use sha2::Digest as _;
use wire::message::Digest;

/// Two commands ran the same iterations and their outputs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("iterations {first} to {} gave different outputs", u64::from(*first) + u64::from(*iterations) - 1)]
pub struct Conflict {
    /// First iteration.
    pub first: u32,
    /// How many.
    pub iterations: u32,
}

/// The digest of iterations from 0 on: that of the one command that ran them all, else SHA-256 of the digests of the
/// commands that ran them, concatenated in order of iterations. Where several lists of commands are possible, the longest
/// command from each place on counts. `None` where iteration 0 has no digest.
///
/// # Errors
/// Where two commands ran the same iterations with different outputs.
pub fn of_commands(digests: &[Digest]) -> Result<Option<[u8; 32]>, Conflict> {
    let mut sorted: Vec<&Digest> = digests.iter().filter(|d| d.iterations > 0).collect();
    sorted.sort_by_key(|d| (d.first, std::cmp::Reverse(d.iterations)));
    for pair in sorted.windows(2) {
        let [a, b] = pair else { continue };
        if (a.first, a.iterations) == (b.first, b.iterations) && a.sha256 != b.sha256 {
            return Err(Conflict {
                first: a.first,
                iterations: a.iterations,
            });
        }
    }
    let mut chain: Vec<&Digest> = Vec::new();
    let mut next = 0u64;
    for digest in sorted {
        if u64::from(digest.first) == next {
            next += u64::from(digest.iterations);
            chain.push(digest);
        }
    }
    Ok(match chain.as_slice() {
        [] => None,
        [one] => Some(one.sha256),
        several => {
            let mut hash = sha2::Sha256::new();
            for digest in several {
                hash.update(digest.sha256);
            }
            Some(hash.finalize().into())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(first: u32, iterations: u32, byte: u8) -> Digest {
        Digest {
            first,
            iterations,
            sha256: [byte; 32],
        }
    }

    #[test]
    fn one_command_gives_its_own_digest_and_several_a_digest_of_digests() {
        assert_eq!(
            of_commands(&[digest(0, 8, 1), digest(0, 8, 1)]),
            Ok(Some([1; 32]))
        );
        let joined: [u8; 32] = sha2::Sha256::digest([[1; 32], [2; 32]].concat()).into();
        assert_eq!(
            of_commands(&[digest(4, 4, 2), digest(0, 4, 1)]),
            Ok(Some(joined))
        );
        assert_eq!(of_commands(&[]), Ok(None));
        assert_eq!(of_commands(&[digest(3, 4, 2)]), Ok(None));
    }

    #[test]
    fn a_conflict_is_named() {
        assert_eq!(
            of_commands(&[digest(0, 4, 1), digest(0, 4, 2)]),
            Err(Conflict {
                first: 0,
                iterations: 4
            })
        );
    }

    #[test]
    fn a_repeated_part_of_a_longer_command_changes_nothing() {
        assert_eq!(
            of_commands(&[digest(0, 4, 9), digest(0, 8, 1)]),
            Ok(Some([1; 32]))
        );
    }
}

//! What a changed ciphertext, signature or message leads to. Works on what a known answer leaves in the slots.
use super::target::{Scheme, Target};
use wire::catalog::{Family, Kind, Operation};
use wire::message::{FaultKind, Randomness, Slot};

/// KEMs that say so where a ciphertext is not what encapsulation would have made: the others give a secret that nobody else has.
fn fails_openly(family: Family) -> bool {
    family == Family::Hqc
}

/// Changes the lowest bit of a byte at the beginning, in the middle and at the end of the ciphertext or signature, and of the message:
/// a KEM must give another secret, or fail where that is its way; a signature must be refused. Then puts all back and sees that it
/// works again.
pub fn notices_tampering(target: &mut Target, scheme: Scheme, wrong: &mut Vec<String>) {
    let (slots, operation): (&[Slot], _) = match scheme.algorithm.kind {
        Kind::Kem => (&[Slot::Ciphertext], Operation::Decaps),
        _ => (&[Slot::Signature, Slot::Message], Operation::Verify),
    };
    let good = target.fetch(Slot::SharedSecret);
    for slot in slots {
        let bytes = target.fetch(*slot);
        for offset in [0, bytes.len() / 2, bytes.len() - 1] {
            target.put(*slot, offset, bytes[offset] ^ 1);
            let done = target.attempt(scheme, operation, Randomness::Continue);
            let noticed = match scheme.algorithm.kind {
                Kind::Kem if !fails_openly(scheme.algorithm.family) => {
                    done == Ok(()) && target.fetch(Slot::SharedSecret) != good
                }
                _ => done == Err(FaultKind::ProviderFailed),
            };
            if !noticed {
                wrong.push(format!(
                    "{}: a bit of byte {offset} of {} of {slot:?} was changed, and {operation} gave {done:?}",
                    scheme.name(),
                    bytes.len()
                ));
            }
            target.put(*slot, offset, bytes[offset]);
        }
    }
    // The control: what was refused was the change.
    target.perform(scheme, operation, Randomness::Continue);
    if scheme.algorithm.kind == Kind::Kem && target.fetch(Slot::SharedSecret) != good {
        wrong.push(format!(
            "{}: the good ciphertext gives another secret",
            scheme.name()
        ));
    }
}

//! What a changed ciphertext, signature or message leads to. Works on what a known answer leaves in the slots.
use super::target::{Scheme, Target};
use wire::catalog::{Kind, Operation};
use wire::message::{FaultKind, Randomness, Slot};

/// Changes the lowest bit of a byte at the beginning, in the middle and at the end of the ciphertext or signature, and of the message:
/// a KEM must give another secret or none, a signature must be refused. Then puts all back and sees that it works again.
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
            let noticed = match (scheme.algorithm.kind, done) {
                (Kind::Kem, Ok(())) => target.fetch(Slot::SharedSecret) != good,
                (Kind::Kem, Err(FaultKind::ProviderFailed)) => {
                    println!("{}: fails at byte {offset} of the ciphertext", scheme.name());
                    true
                }
                (_, done) => done == Err(FaultKind::ProviderFailed),
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
        wrong.push(format!("{}: the good ciphertext gives another secret", scheme.name()));
    }
}

//! A program that performs single operations on bytes of ours.
use host::link::Session;
use std::time::Duration;
use wire::catalog::{Algorithm, Operation, Provider};
use wire::message::{FaultKind, PerformRequest, Randomness, Slot};

/// The longest operations take minutes where other programs want the machine, too.
const PATIENCE: Duration = Duration::from_secs(600);

/// A scheme: what and by whom.
#[derive(Clone, Copy)]
pub struct Scheme {
    pub algorithm: &'static Algorithm,
    pub provider: Provider,
}

impl Scheme {
    pub fn new(name: &str, provider: Provider) -> Self {
        let algorithm = Algorithm::by_name(name).unwrap_or_else(|| panic!("{name} is not there"));
        Self {
            algorithm,
            provider,
        }
    }

    pub fn name(&self) -> String {
        format!("{} of {}", self.algorithm.name, self.provider)
    }
}

/// The program.
pub struct Target<'a>(Session<'a>);

impl<'a> Target<'a> {
    pub fn new(session: Session<'a>) -> Self {
        Self(session)
    }

    pub fn stop(mut self) {
        self.0.stop().expect("it stops");
    }

    pub fn store(&mut self, slot: Slot, bytes: &[u8]) {
        self.0.store(slot, bytes).expect("bytes arrive");
    }

    pub fn fetch(&mut self, slot: Slot) -> Vec<u8> {
        self.0.fetch(slot).expect("bytes come back")
    }

    /// Changes one byte of a slot.
    pub fn put(&mut self, slot: Slot, offset: usize, byte: u8) {
        let done = self.0.overwrite(slot, offset as u32, &[byte]);
        done.expect("a byte is changed");
    }

    /// Performs an operation; what went wrong, if something did.
    pub fn attempt(
        &mut self,
        scheme: Scheme,
        operation: Operation,
        randomness: Randomness,
    ) -> Result<(), FaultKind> {
        let request = PerformRequest {
            algorithm: scheme.algorithm.id,
            provider: scheme.provider,
            operation,
            randomness,
        };
        let performed = self.0.perform(&request, PATIENCE);
        let performed = performed.unwrap_or_else(|e| panic!("{} {operation}: {e}", scheme.name()));
        performed.fault.map_or(Ok(()), |fault| Err(fault.kind))
    }

    /// Performs an operation that must succeed.
    pub fn perform(&mut self, scheme: Scheme, operation: Operation, randomness: Randomness) {
        let done = self.attempt(scheme, operation, randomness);
        assert_eq!(done, Ok(()), "{} {operation}", scheme.name());
    }
}

//! What a Run brings, sorted, and whether it is all that was asked for. Pure.
use wire::catalog::Algorithm;
use wire::message::{Answer, Digest, Fault, Marker, Memory, RunRequest};
use wire::samples::SampleBatch;

/// What a Run brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The samples, packed, in the order of iterations.
    pub samples: Vec<SampleBatch>,
    /// Digest of the outputs.
    pub digest: Option<Digest>,
    /// Memory of the operation.
    pub memory: Option<Memory>,
    /// Instants.
    pub markers: Vec<Marker>,
    /// What went wrong on the target, if something did; the rest may then be missing.
    pub fault: Option<Fault>,
    /// The target's remarks.
    pub log: Vec<String>,
    /// Remarks that are still encoded: see [`Answer::Defmt`].
    pub encoded_log: Vec<u8>,
    /// Addresses of code that ran in the first iteration, the outermost first.
    pub trail: Vec<u64>,
}

/// What became of an operation that was performed once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Performed {
    /// What went wrong, if something did.
    pub fault: Option<Fault>,
    /// Remarks, encoded.
    pub encoded_log: Vec<u8>,
}

impl Performed {
    /// Sorts answers.
    pub(super) fn from_answers(answers: Vec<Answer>) -> Self {
        let Parts {
            fault, encoded_log, ..
        } = Parts::from_answers(answers);
        Self { fault, encoded_log }
    }
}

impl Parts {
    /// Sorts answers.
    pub(super) fn from_answers(answers: Vec<Answer>) -> Self {
        let mut parts = Self::default();
        for answer in answers {
            match answer {
                Answer::Samples(batch) => parts.samples.push(batch),
                Answer::Digest(digest) => parts.digest = Some(digest),
                Answer::Memory(memory) => parts.memory = Some(memory),
                Answer::Marker(marker) => parts.markers.push(marker),
                Answer::Fault(fault) => parts.fault = Some(fault),
                Answer::Log(line) => parts.log.push(line),
                Answer::Defmt(bytes) => parts.encoded_log.extend(bytes),
                Answer::Trail(trail) => parts.trail = trail.addresses,
                Answer::Footprint(_)
                | Answer::Content(_)
                | Answer::Offers(_)
                | Answer::Done { .. }
                | Answer::Refused { .. } => {}
            }
        }
        parts
    }

    /// What does not fit `request`, if something does not. After a fault anything may be missing.
    pub(super) fn misfit(&self, request: &RunRequest) -> Option<String> {
        let mut next = request.first;
        for batch in &self.samples {
            if batch.first != next {
                return Some(format!(
                    "samples from iteration {} on where {next} comes next",
                    batch.first
                ));
            }
            if let Err(error) = batch.unpack() {
                return Some(error.to_string());
            }
            next = next.wrapping_add(batch.samples);
        }
        if self.fault.is_some() {
            return None;
        }
        let arrived = next.wrapping_sub(request.first);
        if arrived != request.iterations {
            return Some(format!("{arrived} samples of {}", request.iterations));
        }
        match &self.digest {
            None => Some("no digest".to_owned()),
            Some(d) if (d.first, d.iterations) != (request.first, request.iterations) => {
                Some(format!(
                    "a digest over {} iterations from {} on",
                    d.iterations, d.first
                ))
            }
            Some(_) => None,
        }
    }
}

/// The request in messages: `ML-KEM-768 encaps (liboqs), 50 iterations`.
pub(super) fn describe(request: &RunRequest) -> String {
    let algorithm = Algorithm::by_id(request.algorithm).map_or("unknown", |a| a.name);
    let RunRequest {
        provider,
        operation,
        iterations,
        ..
    } = request;
    format!("{algorithm} {operation} ({provider}), {iterations} iterations")
}

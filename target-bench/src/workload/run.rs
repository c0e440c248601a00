//! Carries out one Run command.
use super::pool::{self, KeyPair, Pool};
use super::{timer, trail};
use crate::memory::{measured, stack};
use crate::platform::Counters;
use crate::providers::{self, Failed, Scheme};
use crate::{arch, tape};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use sha2::{Digest as _, Sha256};
use wire::catalog::{Algorithm, Operation};
use wire::message::{
    Answer, Digest, Fault, FaultKind, Marker, MarkerKind, Memory, Refusal, RunRequest,
};
use wire::samples::{FLAG_COUNTER, FLAG_TAPE, MAX_SAMPLES, Sample, SampleBatch};
use wire::seed::Purpose;
use wire::units::Ticks;

/// Most iterations of one command: their answers must stay at hand until the host has them all.
const MAX_ITERATIONS: u32 = 1 << 16;
/// Most executions of one iteration.
const MAX_EXECUTIONS: u32 = 1 << 16;
/// Most keys and inputs of a pool.
const MAX_POOL: u32 = 1 << 12;

/// Carries out Runs; keeps the pool between them.
#[derive(Default)]
pub struct Runner {
    pool: Pool,
}

/// What one iteration produced, and how it was counted.
struct Iteration {
    sample: Sample,
    /// What goes into the digest.
    output: Vec<u8>,
}

enum Trouble {
    Provider,
    Wrong(&'static str),
}

impl From<Failed> for Trouble {
    fn from(_: Failed) -> Self {
        Self::Provider
    }
}

impl Runner {
    /// Runs the iterations, each `executions` times within one sample, and hands each answer to `send` as soon as it is complete.
    ///
    /// # Errors
    /// Where the request asks for something that this program cannot do.
    pub fn run(
        &mut self,
        request: &RunRequest,
        executions: u32,
        counters: Counters,
        mut send: impl FnMut(&Answer),
    ) -> Result<(), Refusal> {
        let algorithm = Algorithm::by_id(request.algorithm).ok_or(Refusal::UnknownAlgorithm)?;
        if !algorithm.kind.operations().contains(&request.operation) {
            return Err(Refusal::UnknownOperation);
        }
        let end = request.first.checked_add(request.iterations);
        let sound = (1..=MAX_ITERATIONS).contains(&request.iterations)
            && (1..=MAX_EXECUTIONS).contains(&executions)
            && (1..=MAX_POOL).contains(&request.keys)
            && (1..=MAX_POOL).contains(&request.inputs);
        let (Some(end), true) = (end, sound) else {
            return Err(Refusal::OutOfRange);
        };
        // SAFETY: schemes are the only holders of measured memory, and the last one was dropped with the last Run.
        unsafe { measured::restart() };
        let scheme =
            providers::open(request.provider, algorithm).ok_or(Refusal::UnknownAlgorithm)?;
        self.pool.claim(request);

        let now = || Ticks(arch::ticks());
        send(&Answer::Marker(Marker {
            kind: MarkerKind::RunStart,
            at: now(),
        }));
        let mut digest = Sha256::new();
        let mut samples: Vec<Sample> = Vec::with_capacity(MAX_SAMPLES);
        let mut batch_first = request.first;
        let mut counter_fault = None;
        for index in request.first..end {
            let first = index == request.first;
            match self.iterate(
                request, executions, algorithm, &scheme, counters, index, first, &mut send,
            ) {
                Ok(Iteration { sample, output }) => {
                    if sample.flags & FLAG_COUNTER != 0 && counter_fault.is_none() {
                        counter_fault = Some(index);
                    }
                    digest.update(&output);
                    samples.push(sample);
                }
                Err(trouble) => {
                    let (kind, text) = match trouble {
                        Trouble::Provider => {
                            (FaultKind::ProviderFailed, "the provider reported failure")
                        }
                        Trouble::Wrong(text) => (FaultKind::WrongResult, text),
                    };
                    let fault = Fault {
                        kind,
                        iteration: index,
                        code: 0,
                        address: 0,
                        text: String::from(text),
                    };
                    send(&Answer::Fault(fault));
                    return Ok(());
                }
            }
            if samples.len() == MAX_SAMPLES || index + 1 == end {
                if let Some(batch) = SampleBatch::pack(batch_first, &samples) {
                    send(&Answer::Samples(batch));
                }
                samples.clear();
                batch_first = index + 1;
            }
        }
        send(&Answer::Marker(Marker {
            kind: MarkerKind::RunEnd,
            at: now(),
        }));
        if let Some(iteration) = counter_fault {
            let text = String::from(
                "the counter stood still, went back or wrapped; the samples concerned are flagged",
            );
            send(&Answer::Fault(Fault {
                kind: FaultKind::Counter,
                iteration,
                code: 0,
                address: 0,
                text,
            }));
        }
        send(&Answer::Digest(Digest {
            first: request.first,
            iterations: request.iterations,
            sha256: digest.finalize().into(),
        }));
        Ok(())
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "one call, and each argument is another thing"
    )]
    fn iterate(
        &mut self,
        request: &RunRequest,
        executions: u32,
        algorithm: &Algorithm,
        scheme: &Scheme,
        counters: Counters,
        index: u32,
        first: bool,
        send: &mut impl FnMut(&Answer),
    ) -> Result<Iteration, Trouble> {
        let seed = request.seed;
        let sizes = &algorithm.sizes;
        // Memory is looked at in the first iteration alone; it is the same in all of them but for the randomness.
        let mut measure = |purpose: Purpose, operation: &mut dyn FnMut()| {
            tape::prepare(seed, algorithm.name, purpose, index);
            if first {
                stack::paint();
                measured::mark();
            }
            let held = measured::usage().held;
            // One execution is called as it is: the loop would be counted too.
            let mut sample = match executions {
                1 => timer::sample(counters, &mut *operation),
                _ => timer::sample(counters, || {
                    for _ in 0..executions {
                        tape::rewind();
                        operation();
                    }
                }),
            };
            if tape::overdrawn() {
                sample.flags |= FLAG_TAPE;
            }
            if first {
                let usage = measured::usage();
                send(&Answer::Memory(Memory {
                    stack_bytes: stack::depth() as u32,
                    heap_bytes: (usage.peak - held) as u32,
                    allocations: usage.allocations / executions,
                    random_bytes: tape::drawn() as u32,
                }));
                send(&Answer::Trail(trail::of_last_operation()));
            }
            sample
        };
        let mut done = Err(Failed);
        match (scheme, request.operation) {
            (Scheme::Null, _) => {
                let sample = measure(Purpose::Other, &mut || ());
                Ok(Iteration {
                    sample,
                    output: Vec::new(),
                })
            }
            (Scheme::Faulty(misbehaviour), _) => {
                let sample = measure(Purpose::Other, &mut || done = misbehaviour.act());
                done?;
                Ok(Iteration {
                    sample,
                    output: Vec::new(),
                })
            }
            (_, Operation::Keygen) => {
                let mut pair = KeyPair {
                    public: vec![0; sizes.public_key as usize],
                    secret: vec![0; sizes.secret_key as usize],
                };
                let (public, secret) = (&mut pair.public, &mut pair.secret);
                let sample = match scheme {
                    Scheme::Kem(kem) => {
                        measure(Purpose::Key, &mut || done = kem.keygen(public, secret))
                    }
                    Scheme::Signature(sig) => {
                        measure(Purpose::Key, &mut || done = sig.keygen(public, secret))
                    }
                    Scheme::Agreement(dh) => {
                        measure(Purpose::Key, &mut || done = dh.keygen(public, secret))
                    }
                    Scheme::Null | Scheme::Faulty(_) => Sample::default(),
                };
                done?;
                self.pool.offer_key(request, index, &pair);
                let mut output = pair.public;
                output.extend(pair.secret);
                Ok(Iteration { sample, output })
            }
            (Scheme::Kem(kem), Operation::Encaps) => {
                let pair = self.pool.key(request, algorithm, scheme, index)?;
                let mut ciphertext = vec![0; sizes.ciphertext as usize];
                let mut shared = vec![0; sizes.shared_secret as usize];
                let sample = measure(Purpose::Encaps, &mut || {
                    done = kem.encaps(&mut ciphertext, &mut shared, &pair.public);
                });
                done?;
                self.pool.offer_input(request, index, &ciphertext, &shared);
                ciphertext.extend(shared);
                Ok(Iteration {
                    sample,
                    output: ciphertext,
                })
            }
            (Scheme::Kem(kem), Operation::Decaps) => {
                let (input, pair) = self.pool.input(request, algorithm, scheme, index)?;
                let mut shared = vec![0; sizes.shared_secret as usize];
                let sample = measure(Purpose::Other, &mut || {
                    done = kem.decaps(&mut shared, &input.data, &pair.secret);
                });
                done?;
                if shared != input.expected {
                    return Err(Trouble::Wrong("decaps gave another secret than encaps"));
                }
                Ok(Iteration {
                    sample,
                    output: shared,
                })
            }
            (Scheme::Signature(sig), Operation::Sign) => {
                let pair = self.pool.key(request, algorithm, scheme, index)?;
                let message = pool::message(seed, algorithm, index);
                let mut signature = vec![0; sizes.signature as usize];
                let mut length = Err(Failed);
                let sample = measure(Purpose::Sign, &mut || {
                    length = sig.sign(&mut signature, &message, &pair.secret);
                });
                signature.truncate(length?);
                self.pool.offer_input(request, index, &signature, &message);
                Ok(Iteration {
                    sample,
                    output: signature,
                })
            }
            (Scheme::Signature(sig), Operation::Verify) => {
                let (input, pair) = self.pool.input(request, algorithm, scheme, index)?;
                let sample = measure(Purpose::Other, &mut || {
                    done = sig.verify(&input.expected, &input.data, &pair.public);
                });
                done.map_err(|_| Trouble::Wrong("verify refused a signature that sign has made"))?;
                // Verify has no output but that it succeeded: what was verified says which work it was.
                Ok(Iteration {
                    sample,
                    output: input.data,
                })
            }
            (Scheme::Agreement(dh), Operation::Derive) => {
                let (input, pair) = self.pool.input(request, algorithm, scheme, index)?;
                let mut shared = vec![0; sizes.shared_secret as usize];
                let sample = measure(Purpose::Other, &mut || {
                    done = dh.derive(&mut shared, &pair.secret, &input.data);
                });
                done?;
                if shared != input.expected {
                    return Err(Trouble::Wrong("the two sides derived different secrets"));
                }
                Ok(Iteration {
                    sample,
                    output: shared,
                })
            }
            _ => Err(Trouble::Provider),
        }
    }
}

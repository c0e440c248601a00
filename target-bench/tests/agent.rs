//! The target's side of the protocol, on the machine that runs the tests: the real agent, workload and classical provider
//! behind a platform made of two byte queues.
#![cfg(not(target_arch = "aarch64"))]

// Links the critical sections of a machine with threads.
use critical_section as _;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use target_bench::platform::{Counters, Platform, Source};
use target_bench::report::Agent;
use wire::catalog::{Algorithm, Operation, Provider};
use wire::frame::{Decoder, Frame, encode};
use wire::hello::{Clocks, Hello, Surroundings};
use wire::message::{Answer, Command, Dispatch, Identify, Refusal, RunRequest};
use wire::units::{Clock, Counter, Scope};

/// A platform whose link is two channels and whose end is a panic of its thread.
struct Queues {
    input: Receiver<u8>,
    output: Sender<Vec<u8>>,
}

impl Platform for Queues {
    fn read(&mut self, buffer: &mut [u8]) -> usize {
        match self.input.recv() {
            Ok(byte) => buffer[0] = byte,
            Err(_) => panic!("the host hung up"),
        }
        1
    }
    fn write(&mut self, bytes: &[u8]) {
        let _ = self.output.send(bytes.to_vec());
    }
    fn counters(&self) -> Counters {
        Counters {
            count: Source::Ticks,
            total: Source::None,
        }
    }
    fn count_instructions(&mut self) -> bool {
        false
    }
    fn clocks(&self) -> Clocks {
        let clock = Clock {
            counter: Counter::Tsc,
            rate: None,
            scope: Scope::All,
        };
        Clocks {
            count: clock,
            total: clock,
            ticks: clock,
            denied: String::new(),
        }
    }
    fn footprint(&self) -> wire::message::Footprint {
        wire::message::Footprint::default()
    }
    fn surroundings(&self) -> Surroundings {
        Surroundings {
            exception_level: 0,
            entry_level: 0,
            hypervisor: None,
            kernel: None,
            machine: None,
            namespaces: Vec::new(),
            cgroup: None,
            seccomp: None,
            capabilities: None,
            page_size: 4096,
        }
    }
    fn features(&self) -> u64 {
        0
    }
    fn boot(&self) -> Option<[u8; 16]> {
        None
    }
    fn build_id(&self) -> [u8; 20] {
        [1; 20]
    }
    fn program(&self) -> &'static str {
        "test"
    }
    fn stop(&mut self, status: u8) -> ! {
        panic!("stopped with {status}")
    }
    fn restart(&mut self) -> ! {
        panic!("restarted")
    }
}

/// The host's end.
struct Host {
    input: Sender<u8>,
    output: Receiver<Vec<u8>>,
    decoder: Decoder,
    agent: JoinHandle<()>,
}

impl Host {
    fn start() -> Self {
        let (input, agent_input) = channel();
        let (agent_output, output) = channel();
        // The operations' stack and the heaps are one each: one agent at a time, which the tests' lock sees to.
        let agent = std::thread::spawn(move || {
            Agent::new(Queues {
                input: agent_input,
                output: agent_output,
            })
            .serve()
        });
        Self {
            input,
            output,
            decoder: Decoder::new(),
            agent,
        }
    }

    fn frame(&mut self) -> Frame {
        loop {
            for byte in self.output.recv().expect("the agent answers") {
                if let Some(frame) = self.decoder.push(byte) {
                    return frame.expect("a whole frame");
                }
            }
        }
    }

    fn send(&self, sequence: u32, command: &Command) {
        self.send_bytes(&encode(sequence, &command.to_bytes().unwrap()).unwrap());
    }

    fn send_bytes(&self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.input.send(*byte).expect("the agent listens"));
    }

    /// All answers up to Done or Refused.
    fn answers(&mut self) -> Vec<(u32, Answer)> {
        let mut answers = Vec::new();
        loop {
            let frame = self.frame();
            let Ok(answer) = Answer::from_bytes(&frame.body) else {
                continue;
            };
            let last = matches!(answer, Answer::Done { .. } | Answer::Refused { .. });
            answers.push((frame.sequence, answer));
            if last {
                return answers;
            }
        }
    }

    fn identified() -> Self {
        let mut host = Self::start();
        Hello::from_bytes(&host.frame().body).expect("the first frame is a Hello");
        host.send(0, &identify(Dispatch::Detected));
        let hello = Hello::from_bytes(&host.frame().body).expect("Identify is answered by a Hello");
        assert_eq!((hello.body.run, hello.body.invocation), ([9; 16], 4));
        assert!(
            matches!(host.frame().body.as_slice(), body if Answer::from_bytes(body) == Ok(Answer::Done { command: 0 }))
        );
        host
    }
}

fn identify(dispatch: Dispatch) -> Command {
    Command::Identify(Identify {
        run: [9; 16],
        invocation: 4,
        dispatch,
    })
}

fn run(name: &str, operation: Operation, iterations: u32) -> Command {
    let algorithm = Algorithm::by_name(name).expect("an algorithm of the catalogue");
    Command::Run(RunRequest {
        algorithm: algorithm.id,
        provider: algorithm.providers[0].0,
        operation,
        seed: 7,
        first: 0,
        iterations,
        keys: 2,
        inputs: 3,
    })
}

fn digest(answers: &[(u32, Answer)]) -> [u8; 32] {
    answers
        .iter()
        .find_map(|(_, answer)| {
            if let Answer::Digest(digest) = answer {
                Some(digest.sha256)
            } else {
                None
            }
        })
        .expect("a digest")
}

static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn alone() -> impl Drop {
    ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[test]
fn nothing_runs_before_identify() {
    let _alone = alone();
    let mut host = Host::start();
    host.frame();
    host.send(0, &run("null", Operation::Nothing, 1));
    assert_eq!(
        host.answers()[0].1,
        Answer::Refused {
            command: 0,
            reason: Refusal::NotIdentified
        }
    );
    host.send(1, &Command::List);
    assert_eq!(
        host.answers()[0].1,
        Answer::Refused {
            command: 1,
            reason: Refusal::NotIdentified
        }
    );
}

#[test]
fn every_classical_operation_runs_and_repeats_its_digest() {
    let _alone = alone();
    let mut host = Host::identified();
    let mut sequence = 1;
    for name in ["X25519", "ECDH-P256", "Ed25519", "ECDSA-P256"] {
        for operation in Algorithm::by_name(name).unwrap().kind.operations() {
            let mut digests = Vec::new();
            for _ in 0..2 {
                host.send(sequence, &run(name, *operation, 5));
                let answers = host.answers();
                let samples: usize = answers
                    .iter()
                    .filter_map(|(_, a)| {
                        if let Answer::Samples(batch) = a {
                            Some(batch.unpack().unwrap().len())
                        } else {
                            None
                        }
                    })
                    .sum();
                assert_eq!(samples, 5, "{name} {operation}");
                assert!(
                    !answers.iter().any(|(_, a)| matches!(a, Answer::Fault(_))),
                    "{name} {operation}: {answers:?}"
                );
                assert_eq!(
                    answers.last().unwrap().1,
                    Answer::Done { command: sequence }
                );
                digests.push(digest(&answers));
                sequence += 1;
            }
            assert_eq!(digests[0], digests[1], "{name} {operation}");
        }
    }
}

#[test]
fn iterations_are_the_same_however_they_are_cut() {
    let _alone = alone();
    let mut host = Host::identified();
    // Iteration 3 alone, and as part of 0..5: the same signature.
    host.send(1, &run("Ed25519", Operation::Sign, 200));
    let answers = host.answers();
    let batches = answers
        .iter()
        .filter(|(_, a)| matches!(a, Answer::Samples(_)))
        .count();
    assert_eq!(batches, 2, "200 samples need two batches");
    let Command::Run(request) = run("Ed25519", Operation::Sign, 1) else {
        unreachable!()
    };
    let one = |host: &mut Host, sequence, first| {
        host.send(
            sequence,
            &Command::Run(RunRequest {
                first,
                ..request.clone()
            }),
        );
        digest(&host.answers())
    };
    let (third, fourth) = (one(&mut host, 2, 3), one(&mut host, 3, 4));
    assert_ne!(third, fourth);
    assert_eq!(one(&mut host, 4, 3), third);
}

#[test]
fn what_is_impossible_is_refused_by_name() {
    let _alone = alone();
    let mut host = Host::identified();
    let Command::Run(good) = run("X25519", Operation::Keygen, 1) else {
        unreachable!()
    };
    let cases = [
        (
            RunRequest {
                operation: Operation::Sign,
                ..good.clone()
            },
            Refusal::UnknownOperation,
        ),
        (
            RunRequest {
                algorithm: wire::catalog::AlgorithmId(9999),
                ..good.clone()
            },
            Refusal::UnknownAlgorithm,
        ),
        (
            RunRequest {
                provider: Provider::Pqclean,
                ..good.clone()
            },
            Refusal::UnknownAlgorithm,
        ),
        (
            RunRequest {
                iterations: 0,
                ..good.clone()
            },
            Refusal::OutOfRange,
        ),
        (
            RunRequest {
                keys: 0,
                ..good.clone()
            },
            Refusal::OutOfRange,
        ),
        (
            RunRequest {
                inputs: 0,
                ..good.clone()
            },
            Refusal::OutOfRange,
        ),
        (
            RunRequest {
                iterations: u32::MAX,
                ..good.clone()
            },
            Refusal::OutOfRange,
        ),
        (
            RunRequest {
                first: u32::MAX,
                ..good
            },
            Refusal::OutOfRange,
        ),
    ];
    for (sequence, (request, reason)) in (1..).zip(cases) {
        host.send(sequence, &Command::Run(request));
        assert_eq!(
            host.answers(),
            [(
                sequence + 2,
                Answer::Refused {
                    command: sequence,
                    reason
                }
            )]
        );
    }
    host.send(20, &identify(Dispatch::Portable));
    assert_eq!(
        host.answers()[0].1,
        Answer::Refused {
            command: 20,
            reason: Refusal::DispatchFixed
        }
    );
}

#[test]
fn lost_frames_are_sent_again_and_commands_are_not_carried_out_twice() {
    let _alone = alone();
    let mut host = Host::identified();
    let command = run("X25519", Operation::Derive, 3);
    host.send(1, &command);
    let first = host.answers();
    // The same command again: the same frames, sequence numbers included.
    host.send(1, &command);
    assert_eq!(host.answers(), first);
    // One frame again.
    let (sequence, answer) = &first[2];
    host.send(
        2,
        &Command::Resend {
            sequence: *sequence,
        },
    );
    let again = host.frame();
    assert_eq!(
        (again.sequence, Answer::from_bytes(&again.body)),
        (*sequence, Ok(answer.clone()))
    );
    // One that is no longer held.
    host.send(3, &Command::Resend { sequence: 0 });
    assert_eq!(
        host.answers()[0].1,
        Answer::Refused {
            command: 3,
            reason: Refusal::Gone
        }
    );
    // Garbage, a broken frame, a whole frame that is no command.
    host.send_bytes(b"garbage\0");
    assert_eq!(
        host.answers()[0].1,
        Answer::Refused {
            command: 0,
            reason: Refusal::BrokenFrame
        }
    );
    host.send_bytes(&encode(5, &[200, 1, 2]).unwrap());
    assert_eq!(
        host.answers()[0].1,
        Answer::Refused {
            command: 5,
            reason: Refusal::NotUnderstood
        }
    );
    // And it still works.
    host.send(6, &command);
    assert_eq!(digest(&host.answers()), digest(&first));
}

#[test]
fn a_counter_that_stands_still_is_a_fault() {
    let _alone = alone();
    let sample = target_bench::workload::sample(
        Counters {
            count: Source::None,
            total: Source::None,
        },
        || (),
    );
    assert_eq!(
        sample.flags & wire::samples::FLAG_COUNTER,
        wire::samples::FLAG_COUNTER
    );
    assert_eq!((sample.count, sample.total, sample.ticks), (0, 0, 0));
}

#[test]
fn stop_ends_the_program_after_it_has_answered() {
    let _alone = alone();
    let mut host = Host::identified();
    host.send(1, &Command::Stop);
    assert_eq!(host.answers()[0].1, Answer::Done { command: 1 });
    assert!(host.agent.join().is_err(), "this platform ends by a panic");
}

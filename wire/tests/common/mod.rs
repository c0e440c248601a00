//! One example of every message, and strategies that make arbitrary ones.
#![allow(
    dead_code,
    reason = "each test program uses its own part of this module"
)]
use proptest::collection::vec;
use proptest::prelude::*;
use wire::catalog::{AlgorithmId, Operation, Provider};
use wire::hello::{Body, Clocks, Cpu, Hello, Prefix, ProviderVersion, Surroundings};
use wire::message::{
    Answer, Command, Content, Digest, Dispatch, Fault, FaultKind, Footprint, Identify, MAX_PIECE,
    MAX_TRAIL, MainClock, Marker, MarkerKind, Memory, Offer, PerformRequest, Randomness, Refusal,
    RunRequest, Slot, Trail,
};
use wire::samples::{MAX_SAMPLES, Sample, SampleBatch};
use wire::units::{Clock, Counter, Hertz, Scope, Ticks};

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

pub const DISPATCHES: [Dispatch; 2] = [Dispatch::Detected, Dispatch::Portable];

pub const FAULTS: [FaultKind; 10] = [
    FaultKind::ProviderFailed,
    FaultKind::WrongResult,
    FaultKind::Counter,
    FaultKind::StackExhausted,
    FaultKind::HeapExhausted,
    FaultKind::Exception,
    FaultKind::Panic,
    FaultKind::Aborted,
    FaultKind::Hung,
    FaultKind::RandomnessExhausted,
];

pub const REFUSALS: [Refusal; 9] = [
    Refusal::BrokenFrame,
    Refusal::NotUnderstood,
    Refusal::NotIdentified,
    Refusal::DispatchFixed,
    Refusal::UnknownAlgorithm,
    Refusal::UnknownOperation,
    Refusal::OutOfRange,
    Refusal::Gone,
    Refusal::NoInstructionCounter,
];

pub const COUNTERS: [Counter; 8] = [
    Counter::None,
    Counter::Pmccntr,
    Counter::InstRetired,
    Counter::Cntvct,
    Counter::PerfCyclesMapped,
    Counter::PerfInstructionsMapped,
    Counter::Tsc,
    Counter::Monotonic,
];

pub const SCOPES: [Scope; 4] = [Scope::User, Scope::UserKernel, Scope::Guest, Scope::All];

pub fn run_request() -> RunRequest {
    RunRequest {
        algorithm: AlgorithmId(2),
        provider: Provider::Liboqs,
        operation: Operation::Encaps,
        seed: 0x0123_4567_89ab_cdef,
        first: 0,
        iterations: 300,
        keys: 4,
        inputs: 8,
    }
}

pub fn hello() -> Hello {
    let clock = |counter, rate, scope| Clock {
        counter,
        rate,
        scope,
    };
    Hello {
        prefix: Prefix {
            version: 1,
            build_id: [0xb1; 20],
        },
        body: Body {
            board: "qemu-virt".into(),
            program: "linux".into(),
            surroundings: Surroundings {
                exception_level: 0,
                entry_level: 0,
                hypervisor: Some("KVM".into()),
                kernel: Some("Linux 6.1.0".into()),
                machine: None,
                namespaces: vec![("mnt".into(), 4_026_531_841)],
                cgroup: Some("/".into()),
                seccomp: Some(2),
                capabilities: Some(0x1ff),
                page_size: 4096,
            },
            clocks: Clocks {
                count: clock(Counter::Pmccntr, None, Scope::User),
                total: clock(Counter::InstRetired, None, Scope::UserKernel),
                ticks: clock(Counter::Cntvct, Some(Hertz(62_500_000)), Scope::All),
                denied: String::new(),
            },
            cpu: Cpu {
                midr: 0x410f_d083,
                features_seen: vec!["asimd".into(), "aes".into()],
                features_used: vec!["asimd".into()],
            },
            dispatch: Dispatch::Portable,
            providers: vec![ProviderVersion {
                provider: Provider::Liboqs,
                version: "0.13.0".into(),
            }],
            run: [0x52; 16],
            invocation: 3,
            boot: [0xb0; 16],
            stack_size: 4 << 20,
            heap_size: 16 << 20,
        },
    }
}

pub fn samples() -> Vec<Sample> {
    vec![
        Sample {
            count: 1000,
            total: 1100,
            ticks: 17,
            flags: 0,
        },
        Sample {
            count: 1007,
            total: 1090,
            ticks: 18,
            flags: 1,
        },
        Sample {
            count: 1003,
            total: 1203,
            ticks: 19,
            flags: 0,
        },
    ]
}

/// Every variant of Command, and every variant of what it carries.
pub fn commands() -> Vec<(String, Command)> {
    let mut all = Vec::new();
    for dispatch in DISPATCHES {
        all.push((
            format!("command.identify.{}", dispatch.name()),
            Command::Identify(Identify {
                run: *b"0123456789abcdef",
                invocation: 7,
                dispatch,
            }),
        ));
    }
    all.push(("command.list".into(), Command::List));
    for provider in Provider::ALL {
        all.push((
            format!("command.run.{provider}"),
            Command::Run(RunRequest {
                provider,
                ..run_request()
            }),
        ));
    }
    for operation in Operation::ALL {
        all.push((
            format!("command.run.{operation}"),
            Command::Run(RunRequest {
                operation,
                ..run_request()
            }),
        ));
    }
    all.push(("command.resend".into(), Command::Resend { sequence: 200 }));
    all.push(("command.stop".into(), Command::Stop));
    all.push(("command.restart".into(), Command::Restart));
    for slot in Slot::ALL {
        all.push((format!("command.fetch.{slot:?}"), Command::Fetch { slot }));
    }
    let bytes = vec![1, 0, 255];
    all.push((
        "command.store".into(),
        Command::Store {
            slot: Slot::Message,
            offset: 4000,
            bytes: bytes.clone(),
        },
    ));
    all.push((
        "command.overwrite".into(),
        Command::Overwrite {
            slot: Slot::Message,
            offset: 4000,
            bytes: bytes.clone(),
        },
    ));
    for (name, randomness) in [
        ("continue", Randomness::Continue),
        ("bytes", Randomness::Bytes(bytes)),
        ("nist", Randomness::NistDrbg(vec![7; 48])),
    ] {
        all.push((
            format!("command.perform.{name}"),
            Command::Perform(PerformRequest {
                algorithm: AlgorithmId(2),
                provider: Provider::Pqclean,
                operation: Operation::Decaps,
                randomness,
            }),
        ));
    }
    all.push(("command.footprint".into(), Command::Footprint));
    all.push((
        "command.run_repeated".into(),
        Command::RunRepeated {
            request: run_request(),
            executions: 20,
        },
    ));
    for clock in [MainClock::Best, MainClock::Instructions] {
        all.push((
            format!("command.identify_counting.{}", clock.name()),
            Command::IdentifyCounting {
                identify: Identify {
                    run: *b"0123456789abcdef",
                    invocation: 7,
                    dispatch: Dispatch::Detected,
                },
                clock,
            },
        ));
    }
    all
}

/// Every variant of Answer, and every variant of what it carries.
pub fn answers() -> Vec<(String, Answer)> {
    let mut all = vec![
        (
            "answer.samples".to_string(),
            Answer::Samples(SampleBatch::pack(128, &samples()).expect("three samples fit")),
        ),
        (
            "answer.digest".into(),
            Answer::Digest(Digest {
                first: 0,
                iterations: 300,
                sha256: [0xd1; 32],
            }),
        ),
        (
            "answer.memory".into(),
            Answer::Memory(Memory {
                stack_bytes: 9000,
                heap_bytes: 1024,
                allocations: 2,
                random_bytes: 64,
            }),
        ),
    ];
    for (name, kind) in [
        ("run-start", MarkerKind::RunStart),
        ("run-end", MarkerKind::RunEnd),
    ] {
        let marker = Marker {
            kind,
            at: Ticks(62_500_000),
        };
        all.push((format!("answer.marker.{name}"), Answer::Marker(marker)));
    }
    for kind in FAULTS {
        all.push((
            format!("answer.fault.{kind:?}"),
            Answer::Fault(Fault {
                kind,
                iteration: 5,
                code: 11,
                address: 0x4008_0000,
                text: "why".into(),
            }),
        ));
    }
    all.push(("answer.log".into(), Answer::Log("hello".into())));
    all.push((
        "answer.offers".into(),
        Answer::Offers(vec![
            Offer {
                algorithm: AlgorithmId(0),
                provider: Provider::Null,
            },
            Offer {
                algorithm: AlgorithmId(203),
                provider: Provider::Classical,
            },
        ]),
    ));
    all.push(("answer.done".into(), Answer::Done { command: 130 }));
    for reason in REFUSALS {
        all.push((
            format!("answer.refused.{reason:?}"),
            Answer::Refused { command: 9, reason },
        ));
    }
    all.push((
        "answer.trail".into(),
        Answer::Trail(Trail {
            addresses: vec![0x4008_0000, 0x4008_1234],
        }),
    ));
    all.push(("answer.footprint".into(), Answer::Footprint(footprint(1))));
    all.push((
        "answer.content".into(),
        Answer::Content(Content {
            slot: Slot::Signature,
            offset: 4000,
            bytes: vec![1, 0, 255],
        }),
    ));
    all.push(("answer.defmt".into(), Answer::Defmt(vec![2, 0, 7, 1])));
    all
}

/// A footprint with a number of its own in each field.
fn footprint(first: u64) -> Footprint {
    let next = |n| Some(first.wrapping_add(n));
    Footprint {
        read_only: next(0),
        writable: next(1),
        resident: next(2),
        proportional: next(3),
        peak: None,
        group_peak: next(4),
        entered: next(5).map(Ticks),
        ready: next(6).map(Ticks),
    }
}

fn text() -> impl Strategy<Value = String> {
    ".{0,40}"
}

prop_compose! {
    pub fn any_sample()(count: u64, total: u64, ticks: u64, flags: u8) -> Sample {
        Sample { count, total, ticks, flags }
    }
}

/// Samples as they look in practice: close to each other, total above count, ticks a fraction of total.
pub fn plausible_samples() -> impl Strategy<Value = Vec<Sample>> {
    (
        1u64..1 << 34,
        vec((0u64..5000, 0u64..300, 0u64..3), 1..=MAX_SAMPLES),
    )
        .prop_map(|(base, rows)| {
            rows.into_iter()
                .map(|(jitter, extra, tick)| Sample {
                    count: base + jitter,
                    total: base + jitter + extra,
                    ticks: (base + jitter) / 16 + tick,
                    flags: 0,
                })
                .collect()
        })
}

pub fn any_samples() -> impl Strategy<Value = Vec<Sample>> {
    prop_oneof![vec(any_sample(), 1..=MAX_SAMPLES), plausible_samples()]
}

pub fn any_command() -> impl Strategy<Value = Command> {
    let dispatch = prop::sample::select(&DISPATCHES[..]);
    let run = (
        any::<u16>(),
        prop::sample::select(&Provider::ALL[..]),
        prop::sample::select(&Operation::ALL[..]),
        any::<u64>(),
        any::<[u32; 4]>(),
    )
        .prop_map(
            |(algorithm, provider, operation, seed, [first, iterations, keys, inputs])| {
                RunRequest {
                    algorithm: AlgorithmId(algorithm),
                    provider,
                    operation,
                    seed,
                    first,
                    iterations,
                    keys,
                    inputs,
                }
            },
        );
    prop_oneof![
        (any::<[u8; 16]>(), any::<u32>(), dispatch).prop_map(|(run, invocation, dispatch)| {
            Command::Identify(Identify {
                run,
                invocation,
                dispatch,
            })
        }),
        Just(Command::List),
        run.clone().prop_map(Command::Run),
        (run, any::<u32>()).prop_map(|(request, executions)| Command::RunRepeated {
            request,
            executions,
        }),
        any::<u32>().prop_map(|sequence| Command::Resend { sequence }),
        Just(Command::Stop),
        Just(Command::Restart),
        Just(Command::Footprint),
        slot().prop_map(|slot| Command::Fetch { slot }),
        (slot(), any::<u32>(), piece()).prop_map(|(slot, offset, bytes)| Command::Store {
            slot,
            offset,
            bytes
        }),
        (slot(), any::<u32>(), piece()).prop_map(|(slot, offset, bytes)| Command::Overwrite {
            slot,
            offset,
            bytes
        }),
        (any::<u16>(), randomness()).prop_map(|(algorithm, randomness)| {
            Command::Perform(PerformRequest {
                algorithm: AlgorithmId(algorithm),
                provider: Provider::Liboqs,
                operation: Operation::Sign,
                randomness,
            })
        }),
    ]
}

fn slot() -> impl Strategy<Value = Slot> {
    prop::sample::select(&Slot::ALL[..])
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..MAX_PIECE)
}

fn randomness() -> impl Strategy<Value = Randomness> {
    prop_oneof![
        Just(Randomness::Continue),
        vec(any::<u8>(), 0..200).prop_map(Randomness::Bytes),
        vec(any::<u8>(), 48).prop_map(Randomness::NistDrbg),
    ]
}

pub fn any_answer() -> impl Strategy<Value = Answer> {
    let offers = vec(
        (any::<u16>(), prop::sample::select(&Provider::ALL[..])).prop_map(
            |(algorithm, provider)| Offer {
                algorithm: AlgorithmId(algorithm),
                provider,
            },
        ),
        0..100,
    );
    prop_oneof![
        (any::<u32>(), any_samples()).prop_map(|(first, samples)| Answer::Samples(
            SampleBatch::pack(first, &samples).expect("1 to MAX_SAMPLES samples")
        )),
        (any::<u32>(), any::<u32>(), any::<[u8; 32]>()).prop_map(|(first, iterations, sha256)| {
            Answer::Digest(Digest {
                first,
                iterations,
                sha256,
            })
        }),
        any::<[u32; 4]>().prop_map(|[stack_bytes, heap_bytes, allocations, random_bytes]| {
            Answer::Memory(Memory {
                stack_bytes,
                heap_bytes,
                allocations,
                random_bytes,
            })
        }),
        (any::<bool>(), any::<u64>()).prop_map(|(start, at)| Answer::Marker(Marker {
            kind: if start {
                MarkerKind::RunStart
            } else {
                MarkerKind::RunEnd
            },
            at: Ticks(at),
        })),
        (
            prop::sample::select(&FAULTS[..]),
            any::<u32>(),
            any::<u64>(),
            any::<u64>(),
            text()
        )
            .prop_map(
                |(kind, iteration, code, address, text)| Answer::Fault(Fault {
                    kind,
                    iteration,
                    code,
                    address,
                    text,
                })
            ),
        text().prop_map(Answer::Log),
        offers.prop_map(Answer::Offers),
        any::<u32>().prop_map(|command| Answer::Done { command }),
        (any::<u32>(), prop::sample::select(&REFUSALS[..]))
            .prop_map(|(command, reason)| Answer::Refused { command, reason }),
        vec(any::<u64>(), 0..=MAX_TRAIL).prop_map(|addresses| Answer::Trail(Trail { addresses })),
        any::<u64>().prop_map(|first| Answer::Footprint(footprint(first))),
        (slot(), any::<u32>(), piece()).prop_map(|(slot, offset, bytes)| Answer::Content(
            Content {
                slot,
                offset,
                bytes
            }
        )),
        piece().prop_map(Answer::Defmt),
    ]
}

pub fn any_hello() -> impl Strategy<Value = Hello> {
    (
        any::<[u8; 20]>(),
        any::<[u8; 16]>(),
        any::<[u8; 16]>(),
        (
            text(),
            proptest::option::of(text()),
            vec((text(), any::<u64>()), 0..8),
        ),
        (
            prop::sample::select(&COUNTERS[..]),
            prop::sample::select(&SCOPES[..]),
            proptest::option::of(any::<u64>()),
        ),
        any::<(u32, u32, u32, u64)>(),
    )
        .prop_map(
            |(
                build_id,
                run,
                boot,
                (board, kernel, namespaces),
                (counter, scope, rate),
                numbers,
            )| {
                let mut hello = hello();
                hello.prefix.build_id = build_id;
                hello.body.run = run;
                hello.body.boot = boot;
                hello.body.board = board;
                hello.body.surroundings.kernel = kernel;
                hello.body.surroundings.namespaces = namespaces;
                hello.body.clocks.count = Clock {
                    counter,
                    scope,
                    rate: rate.map(Hertz),
                };
                hello.body.invocation = numbers.0;
                hello.body.stack_size = numbers.1;
                hello.body.heap_size = numbers.2;
                hello.body.cpu.midr = numbers.3;
                hello
            },
        )
}

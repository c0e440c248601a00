//! A session against a scripted target in memory, over lines good and bad.
mod link_support;
use host::link::fault::{Faults, Faulty};
use host::link::record::Record;
use host::link::replay::Replay;
use host::link::{LinkError, Parts, Port, Session, Stop};
use link_support::{InMemory, Script, digest, identify, limits, request, sample};
use std::time::{Duration, Instant};
use wire::catalog::ALGORITHMS;
use wire::message::RunRequest;
use wire::samples::Sample;

const PATIENCE: Duration = Duration::from_millis(250);
const BOOT: Duration = Duration::from_secs(5);

fn samples(parts: &Parts) -> Vec<Sample> {
    parts
        .samples
        .iter()
        .flat_map(|b| b.unpack().expect("the session checked it"))
        .collect()
}

fn assert_whole(parts: &Parts, request: &RunRequest) {
    let expected: Vec<_> = (request.first..request.first + request.iterations)
        .map(sample)
        .collect();
    assert_eq!(samples(parts), expected);
    assert_eq!(parts.digest, Some(digest(request)));
    assert!(parts.memory.is_some());
}

fn never() -> impl FnMut() -> Result<(), Stop> {
    || Ok(())
}

#[test]
fn a_good_line_needs_no_repairs() {
    let mut port = InMemory::new(Script::default());
    let target = port.target.clone();
    let mut watch = never();
    let mut session = Session::open(&mut port, &mut watch, limits());
    let greeting = session.hello(&identify(), BOOT).expect("a Hello");
    assert_eq!(greeting.hello.body.run, identify().run);
    assert_eq!(session.list().expect("offers").len(), ALGORITHMS.len());
    let mut heard = Vec::new();
    let request = request(300);
    let parts = session
        .run(&request, PATIENCE, &mut |n| heard.push(n))
        .expect("parts");
    assert_whole(&parts, &request);
    assert_eq!(heard, [128, 256, 300]);
    session.stop().expect("stops");
    assert_eq!(session.take_events(), Vec::<String>::new());
    assert_eq!(target.lock().expect("no panic").executed, 1);
}

#[test]
fn a_target_that_booted_long_ago_is_asked() {
    let mut port = InMemory::new(Script {
        shy: true,
        ..Script::default()
    });
    let mut watch = never();
    let mut session = Session::open(&mut port, &mut watch, limits());
    session.hello(&identify(), BOOT).expect("a Hello");
}

/// Whatever is lost, doubled or flipped, either way: what arrives in the end is what was measured, and the target
/// carried each command out as often as the session says.
#[test]
fn a_bad_line_delivers_the_same() {
    for (kind, flipped, lost, doubled) in [
        ("flipped", 2000, 0, 0),
        ("lost", 0, 2000, 0),
        ("doubled", 0, 0, 2000),
        ("all", 1000, 1000, 1000),
    ] {
        let mut repairs = 0;
        for seed in 0..12 {
            let faults = Faults {
                seed,
                flipped,
                lost,
                doubled,
            };
            let mut port = Faulty::new(InMemory::new(Script::default()), faults);
            let mut watch = never();
            let mut session = Session::open(&mut port, &mut watch, limits());
            session
                .hello(&identify(), BOOT)
                .unwrap_or_else(|e| panic!("{kind} {seed}: {e}"));
            for iterations in [1, 200, 600] {
                let request = request(iterations);
                let parts = session
                    .run(&request, PATIENCE, &mut |_| {})
                    .unwrap_or_else(|e| {
                        panic!(
                            "{kind} {seed} {iterations}: {e}; {:?}",
                            session.take_events()
                        )
                    });
                assert_whole(&parts, &request);
            }
            repairs += session.take_events().len();
        }
        assert!(repairs > 10, "{kind}: the faults hit nothing");
    }
}

/// A repeated command is not carried out twice.
#[test]
fn a_lost_done_costs_no_second_execution() {
    struct LosesOneDone {
        port: InMemory,
        lost: bool,
    }
    impl Port for LosesOneDone {
        fn name(&self) -> &str {
            "loses one Done"
        }
        fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> std::io::Result<usize> {
            let length = self.port.read(buffer, timeout)?;
            // The whole answer to the Run is read at once; its last frame is the Done.
            if length > 100
                && !self.lost
                && buffer[..length].iter().filter(|b| **b == 0).count() > 3
            {
                self.lost = true;
                let end = buffer[..length - 1]
                    .iter()
                    .rposition(|b| *b == 0)
                    .expect("an earlier frame");
                return Ok(end + 1);
            }
            Ok(length)
        }
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
            self.port.write(bytes)
        }
    }
    let mut port = LosesOneDone {
        port: InMemory::new(Script::default()),
        lost: false,
    };
    let target = port.port.target.clone();
    let mut watch = never();
    let mut session = Session::open(&mut port, &mut watch, limits());
    session.hello(&identify(), BOOT).expect("a Hello");
    let request = request(300);
    let parts = session.run(&request, PATIENCE, &mut |_| {}).expect("parts");
    assert_whole(&parts, &request);
    let events = session.take_events();
    assert!(
        events.iter().any(|e| e.contains("sent again")),
        "{events:?}"
    );
    assert_eq!(target.lock().expect("no panic").executed, 1);
}

/// Answers that the target no longer holds are not made up: the command is run again.
#[test]
fn what_is_gone_is_run_again() {
    let mut port = Faulty::new(
        InMemory::new(Script {
            holds: Some(1),
            ..Script::default()
        }),
        Faults {
            seed: 5,
            flipped: 250,
            ..Faults::default()
        },
    );
    let mut watch = never();
    let mut session = Session::open(&mut port, &mut watch, limits());
    session.hello(&identify(), BOOT).expect("a Hello");
    let request = request(600);
    let mut again = 0;
    for _ in 0..12 {
        let parts = session.run(&request, PATIENCE, &mut |_| {}).expect("parts");
        assert_whole(&parts, &request);
        again += session
            .take_events()
            .iter()
            .filter(|e| e.contains("run again"))
            .count();
    }
    assert!(again > 0, "the faults hit nothing");
}

#[test]
fn a_hopeless_line_is_an_error_not_a_guess() {
    let mut port = Faulty::new(
        InMemory::new(Script {
            holds: Some(2),
            ..Script::default()
        }),
        Faults {
            seed: 1,
            lost: 3000,
            ..Faults::default()
        },
    );
    let mut watch = never();
    let mut session = Session::open(&mut port, &mut watch, limits());
    session.hello(&identify(), BOOT).expect("a Hello");
    let error = session
        .run(&request(4000), PATIENCE, &mut |_| {})
        .expect_err("too bad a line");
    assert!(
        matches!(error, LinkError::Lossy { .. } | LinkError::Silent { .. }),
        "{error}"
    );
    assert!(!error.is_restartable());
}

#[test]
fn a_reset_is_noticed() {
    let mut port = InMemory::new(Script {
        reset_in_run: Some(2),
        ..Script::default()
    });
    let mut watch = never();
    let mut session = Session::open(&mut port, &mut watch, limits());
    session.hello(&identify(), BOOT).expect("a Hello");
    session
        .run(&request(10), PATIENCE, &mut |_| {})
        .expect("the first run");
    let error = session
        .run(&request(10), PATIENCE, &mut |_| {})
        .expect_err("a reset");
    assert!(matches!(error, LinkError::Reset { .. }), "{error}");
    assert!(error.to_string().contains("ML-KEM-768 encaps"), "{error}");
}

#[test]
fn silence_names_port_command_and_wait() {
    let mut port = InMemory::new(Script {
        silent_from_run: Some(1),
        ..Script::default()
    });
    let mut watch = never();
    let mut session = Session::open(&mut port, &mut watch, limits());
    session.hello(&identify(), BOOT).expect("a Hello");
    let begin = Instant::now();
    let error = session
        .run(&request(10), Duration::from_millis(20), &mut |_| {})
        .expect_err("silence");
    assert!(begin.elapsed() < Duration::from_secs(5));
    let LinkError::Silent { sent, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*sent, limits().sends);
    let message = error.to_string();
    for part in ["memory", "ML-KEM-768 encaps", "8 times", "baud rate"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn no_target_at_all_is_silence() {
    struct Nobody;
    impl Port for Nobody {
        fn name(&self) -> &str {
            "/dev/nobody"
        }
        fn read(&mut self, _: &mut [u8], timeout: Duration) -> std::io::Result<usize> {
            std::thread::sleep(timeout);
            Ok(0)
        }
        fn write(&mut self, _: &[u8]) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut watch = never();
    let mut port = Nobody;
    let mut session = Session::open(&mut port, &mut watch, limits());
    let error = session
        .hello(&identify(), Duration::from_millis(300))
        .expect_err("nobody there");
    assert!(error.to_string().contains("/dev/nobody"), "{error}");
}

#[test]
fn a_fault_is_a_part_not_an_error() {
    let mut port = InMemory::new(Script {
        fault_in_run: Some(1),
        ..Script::default()
    });
    let mut watch = never();
    let mut session = Session::open(&mut port, &mut watch, limits());
    session.hello(&identify(), BOOT).expect("a Hello");
    let parts = session
        .run(&request(10), PATIENCE, &mut |_| {})
        .expect("parts");
    assert_eq!(parts.fault.expect("a fault").iteration, 3);
    let parts = session
        .run(&request(10), PATIENCE, &mut |_| {})
        .expect("the rest goes on");
    assert_whole(&parts, &request(10));
}

#[test]
fn the_watch_ends_a_wait() {
    for (stop, expected) in [
        (Stop::Interrupted, "interrupted"),
        (
            Stop::Ended("the program exited".into()),
            "the program exited",
        ),
    ] {
        let mut port = InMemory::new(Script {
            silent_from_run: Some(1),
            ..Script::default()
        });
        let begin = Instant::now();
        let mut watch = || match begin.elapsed() > Duration::from_millis(100) {
            true => Err(stop.clone()),
            false => Ok(()),
        };
        let mut session = Session::open(&mut port, &mut watch, limits());
        session.hello(&identify(), BOOT).expect("a Hello");
        let error = session
            .run(&request(10), Duration::from_secs(60), &mut |_| {})
            .expect_err("the watch says so");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(begin.elapsed() < Duration::from_secs(3));
    }
}

/// A recorded session plays again without the target, and notices when the host says something else.
#[test]
fn a_recording_replays() {
    let mut recording = Vec::new();
    let drive = |port: &mut dyn Port, iterations: u32| {
        let mut watch = never();
        let mut session = Session::open(port, &mut watch, limits());
        session.hello(&identify(), BOOT)?;
        session.run(&request(iterations), PATIENCE, &mut |_| {})
    };
    let mut port = Record::new(InMemory::new(Script::default()), &mut recording);
    let first = drive(&mut port, 200).expect("parts");
    drop(port);
    let text = String::from_utf8(recording).expect("text");

    let mut replay = Replay::new("recording", &text).expect("a recording");
    assert_eq!(drive(&mut replay, 200).expect("parts"), first);
    assert!(replay.is_over());

    let mut replay = Replay::new("recording", &text).expect("a recording");
    let error = drive(&mut replay, 201).expect_err("another request");
    assert!(error.to_string().contains("recording"), "{error}");
    assert!(Replay::new("broken", "< 01\n? 02\n").is_err());
}

//! The same over a real pty, opened as a board's UART would be.
mod link_support;
use host::link::fault::{Faults, Faulty};
use host::link::serial::Serial;
use host::link::{LinkError, Session};
use link_support::{Script, Target, identify, limits, request};
use serialport::{SerialPort as _, TTYPort};
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const BOOT: Duration = Duration::from_secs(5);

/// A target behind a pty, on a thread of its own.
struct Board {
    path: String,
    gone: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Board {
    fn new(script: Script) -> Self {
        let (mut master, slave) = TTYPort::pair().expect("a pty");
        let path = slave.name().expect("a pty has a path");
        let gone = Arc::new(AtomicBool::new(false));
        let over = gone.clone();
        let thread = std::thread::spawn(move || {
            // Held open so that the master outlives moments without a host.
            let _slave = slave;
            let mut target = Target::new(script);
            master
                .set_timeout(Duration::from_millis(10))
                .expect("a timeout");
            let mut out = target.hear(&[]);
            while !over.load(Ordering::Relaxed) {
                master.write_all(&out).expect("the host reads");
                let mut buffer = [0; 256];
                let length = master.read(&mut buffer).unwrap_or(0);
                out = target.hear(&buffer[..length]);
            }
        });
        Self {
            path,
            gone,
            thread: Some(thread),
        }
    }

    fn end(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the target did not panic");
        }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.end();
    }
}

#[test]
fn a_pty_is_a_port() {
    let board = Board::new(Script::default());
    let mut port = Serial::open(&board.path, 115_200).expect("opens");
    let mut watch = || Ok(());
    let mut session = Session::open(&mut port, &mut watch, limits());
    session.hello(&identify(), BOOT).expect("a Hello");
    let parts = session
        .run(&request(5000), Duration::from_secs(5), &mut |_| {})
        .expect("parts");
    assert_eq!(parts.samples.iter().map(|b| b.samples).sum::<u32>(), 5000);
    assert_eq!(session.take_events(), Vec::<String>::new());
}

#[test]
fn a_bad_pty_delivers_the_same() {
    let board = Board::new(Script::default());
    let port = Serial::open(&board.path, 115_200).expect("opens");
    let mut port = Faulty::new(
        port,
        Faults {
            seed: 3,
            flipped: 300,
            lost: 300,
            doubled: 300,
        },
    );
    let mut watch = || Ok(());
    let mut session = Session::open(&mut port, &mut watch, limits());
    session.hello(&identify(), BOOT).expect("a Hello");
    let parts = session
        .run(&request(5000), Duration::from_secs(1), &mut |_| {})
        .expect("parts");
    assert_eq!(parts.samples.iter().map(|b| b.samples).sum::<u32>(), 5000);
    assert!(!session.take_events().is_empty(), "the faults hit nothing");
}

#[test]
fn a_board_that_vanishes_is_noticed() {
    let mut board = Board::new(Script::default());
    let mut port = Serial::open(&board.path, 115_200).expect("opens");
    let mut watch = || Ok(());
    let mut session = Session::open(&mut port, &mut watch, limits());
    session.hello(&identify(), BOOT).expect("a Hello");
    board.end();
    let error = session
        .run(&request(10), Duration::from_secs(60), &mut |_| {})
        .expect_err("nobody there");
    assert!(matches!(error, LinkError::Port { .. }), "{error}");
    assert!(error.to_string().contains(&board.path), "{error}");
}

#[test]
fn a_missing_port_is_named() {
    let error = Serial::open("/dev/ttyNONE7", 115_200).expect_err("no such port");
    assert!(error.to_string().contains("/dev/ttyNONE7"), "{error}");
}

//! The bytes on the link, pinned: reordering a variant or a field fails here instead of corrupting data between a host and
//! a target of different age. A line may be added to a file in `golden/`; none may ever change within a protocol version.
mod common;
use common::{answers, commands, hello, hex, samples};
use std::fmt::Write as _;
use wire::hello::{Hello, HelloError, Prefix};
use wire::message::{Answer, Command};
use wire::samples::SampleBatch;
use wire::seed::{Purpose, Stream};

fn lines<T>(messages: &[(String, T)], bytes: impl Fn(&T) -> Vec<u8>) -> String {
    messages.iter().fold(String::new(), |mut all, (name, m)| {
        writeln!(all, "{name} {}", hex(&bytes(m))).expect("writing to a String");
        all
    })
}

/// The second half of each golden line, as bytes.
fn recorded(golden: &str) -> Vec<Vec<u8>> {
    let byte = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).expect("hex digits");
        u8::from_str_radix(digits, 16).expect("hex digits")
    };
    golden
        .lines()
        .map(|line| line.split_once(' ').expect("a name, a space, hex digits").1)
        .map(|digits| digits.as_bytes().chunks(2).map(byte).collect())
        .collect()
}

/// `UPDATE_GOLDEN=1` writes the file anew, for a line that was added on purpose.
fn check(file: &str, golden: &str, actual: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        std::fs::write(path, actual).expect("the golden file can be written");
        return;
    }
    for (golden, actual) in golden.lines().zip(actual.lines()) {
        assert_eq!(actual, golden, "{file}");
    }
    assert_eq!(actual.lines().count(), golden.lines().count(), "{file}");
}

#[test]
fn commands_keep_their_bytes() {
    let golden = include_str!("golden/commands.txt");
    let actual = lines(&commands(), |c| c.to_bytes().expect("encodes"));
    check("tests/golden/commands.txt", golden, &actual);
    for (bytes, (name, command)) in recorded(golden).iter().zip(commands()) {
        assert_eq!(Command::from_bytes(bytes).as_ref(), Ok(&command), "{name}");
    }
}

#[test]
fn answers_keep_their_bytes() {
    let golden = include_str!("golden/answers.txt");
    let actual = lines(&answers(), |a| a.to_bytes().expect("encodes"));
    check("tests/golden/answers.txt", golden, &actual);
    for (bytes, (name, answer)) in recorded(golden).iter().zip(answers()) {
        assert_eq!(Answer::from_bytes(bytes).as_ref(), Ok(&answer), "{name}");
    }
}

#[test]
fn frames_and_hello_keep_their_bytes() {
    let frame = |sequence, body: &[u8]| wire::frame::encode(sequence, body).expect("short body");
    let golden = include_str!("golden/frames.txt");
    let long: Vec<u8> = (0..300u32).map(|i| (i % 256) as u8).collect();
    let hello_bytes = hello().to_bytes().expect("encodes");
    let actual = lines(
        &[
            ("hello".into(), hello_bytes.clone()),
            ("frame.empty".into(), frame(0, &[])),
            ("frame.zeros".into(), frame(1, &[0, 0, 0])),
            ("frame.done".into(), frame(0x0403_0201, &[7, 1])),
            ("frame.long".into(), frame(u32::MAX, &long)),
            ("frame.hello".into(), frame(0, &hello_bytes)),
        ],
        Clone::clone,
    );
    check("tests/golden/frames.txt", golden, &actual);
    assert_eq!(Hello::from_bytes(&recorded(golden)[0]), Ok(hello()));
}

#[test]
fn seed_streams_keep_their_bytes() {
    let stream = |seed, name: &str, purpose, index| {
        let mut bytes = vec![0; 32];
        Stream::new(seed, name, purpose, index).fill(&mut bytes);
        bytes
    };
    let golden = include_str!("golden/streams.txt");
    let mut all = Vec::new();
    for (label, purpose) in [
        ("key", Purpose::Key),
        ("encaps", Purpose::Encaps),
        ("sign", Purpose::Sign),
        ("message", Purpose::Message),
        ("peer", Purpose::Peer),
        ("other", Purpose::Other),
    ] {
        all.push((
            format!("7.ML-KEM-768.{label}.0"),
            stream(7, "ML-KEM-768", purpose, 0),
        ));
    }
    all.push((
        "7.ML-KEM-768.key.1".into(),
        stream(7, "ML-KEM-768", Purpose::Key, 1),
    ));
    all.push((
        "8.ML-KEM-768.key.0".into(),
        stream(8, "ML-KEM-768", Purpose::Key, 0),
    ));
    all.push((
        "7.ML-DSA-65.key.0".into(),
        stream(7, "ML-DSA-65", Purpose::Key, 0),
    ));
    let mut seen: Vec<_> = all.iter().map(|(_, bytes)| bytes.clone()).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), all.len(), "two streams are the same");
    check(
        "tests/golden/streams.txt",
        golden,
        &lines(&all, Clone::clone),
    );
}

/// A stream read in pieces is the stream read at once: the target may refill its tape.
#[test]
fn streams_do_not_depend_on_the_size_of_reads() {
    let mut whole = [0; 200];
    Stream::new(1, "X25519", Purpose::Peer, 2).fill(&mut whole);
    let mut stream = Stream::new(1, "X25519", Purpose::Peer, 2);
    let mut pieces = [0xff; 200];
    for piece in pieces.chunks_mut(37) {
        stream.fill(piece);
    }
    assert_eq!(whole, pieces);
}

#[test]
fn the_prefix_is_readable_in_every_version() {
    let prefix = Prefix {
        version: 999,
        build_id: [3; 20],
    };
    let mut bytes = prefix.to_bytes().to_vec();
    bytes.extend_from_slice(b"a body of the future");
    let (read, rest) = Prefix::split(&bytes).expect("a prefix");
    assert_eq!((read, rest), (prefix, &b"a body of the future"[..]));
    let error = Hello::from_bytes(&bytes).expect_err("a version of the future");
    assert_eq!(
        error,
        HelloError::Version {
            found: 999,
            supported: wire::SUPPORTED
        }
    );
    assert!(error.to_string().contains("rebuild"), "{error}");
}

/// An answer and a Hello share the same place on the link: the first byte tells them apart for ever.
#[test]
fn no_answer_looks_like_a_hello() {
    for (name, answer) in answers() {
        let bytes = answer.to_bytes().expect("encodes");
        assert!(Prefix::split(&bytes).is_none(), "{name}");
        assert!(
            bytes[0] < wire::hello::MAGIC[0],
            "{name}: variant {}",
            bytes[0]
        );
    }
}

/// The layout that docs/wire.md describes, worked out by hand.
#[test]
fn a_batch_is_packed_as_documented() {
    let batch = SampleBatch::pack(128, &samples()).expect("three samples fit");
    // Counts 1000, 1007, 1003: base 1000, differences 0, 7, 3 in 3 bits, least significant bit first.
    assert_eq!(
        (
            batch.count.base,
            batch.count.width,
            batch.count.packed.as_slice()
        ),
        (1000, 3, &[0b1111_1000, 0][..])
    );
    // total - count = 100, 83, 200: zig-zag 200, 166, 400.
    assert_eq!((batch.total.base, batch.total.width), (166, 8));
    assert_eq!(batch.flagged, [(1, 1)]);
    assert_eq!(batch.unpack(), Ok(samples()));
}

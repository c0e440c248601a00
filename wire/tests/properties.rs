//! What holds for every message and every byte string: round trips, no panics, and a decoder that finds its place again.
mod common;
use common::{any_answer, any_command, any_hello, any_samples};
use proptest::collection::vec;
use proptest::prelude::*;
use wire::frame::{Decoder, Frame, FrameError, MAX_BODY, MAX_ENCODED, encode};
use wire::hello::Hello;
use wire::message::{Answer, Command};
use wire::samples::{Column, MAX_SAMPLES, Sample, SampleBatch};

fn decode_all(decoder: &mut Decoder, bytes: &[u8]) -> Vec<Result<Frame, FrameError>> {
    bytes.iter().filter_map(|b| decoder.push(*b)).collect()
}

fn frames(decoded: Vec<Result<Frame, FrameError>>) -> Vec<Frame> {
    decoded.into_iter().filter_map(Result::ok).collect()
}

fn any_frame() -> impl Strategy<Value = Frame> {
    let body = prop_oneof![
        vec(any::<u8>(), 0..64),
        vec(any::<u8>(), 0..=MAX_BODY),
        vec(Just(0u8), 0..600),
        vec(1u8..=255, 240..300)
    ];
    (any::<u32>(), body).prop_map(|(sequence, body)| Frame { sequence, body })
}

fn bytes_of(frame: &Frame) -> Vec<u8> {
    encode(frame.sequence, &frame.body).expect("body within MAX_BODY")
}

proptest! {
    #[test]
    fn commands_come_back(command in any_command()) {
        let bytes = command.to_bytes().expect("encodes");
        prop_assert_eq!(Command::from_bytes(&bytes), Ok(command));
    }

    #[test]
    fn answers_come_back_and_fit_a_frame(answer in any_answer()) {
        let bytes = answer.to_bytes().expect("encodes");
        prop_assert!(bytes.len() <= MAX_BODY, "{} bytes", bytes.len());
        prop_assert_eq!(Answer::from_bytes(&bytes), Ok(answer));
    }

    #[test]
    fn hellos_come_back(hello in any_hello()) {
        let bytes = hello.to_bytes().expect("encodes");
        prop_assert_eq!(Hello::from_bytes(&bytes), Ok(hello));
    }

    /// A message with something behind it is refused: the two sides would differ about where it ends.
    #[test]
    fn left_over_bytes_are_refused(answer in any_answer(), command in any_command(), extra in vec(any::<u8>(), 1..9)) {
        let mut bytes = answer.to_bytes().expect("encodes");
        bytes.extend(&extra);
        prop_assert!(Answer::from_bytes(&bytes).is_err());
        let mut bytes = command.to_bytes().expect("encodes");
        bytes.extend(&extra);
        prop_assert!(Command::from_bytes(&bytes).is_err());
    }

    #[test]
    fn any_bytes_are_a_message_or_an_error(bytes in vec(any::<u8>(), 0..400)) {
        let _ = Command::from_bytes(&bytes);
        let _ = Hello::from_bytes(&bytes);
        if let Ok(Answer::Samples(batch)) = Answer::from_bytes(&bytes) {
            let _ = batch.unpack();
        }
    }

    #[test]
    fn any_batch_unpacks_or_is_an_error(
        first: u32, samples in 0u32..300, tick_part: u64, flagged in vec(any::<(u32, u8)>(), 0..3),
        columns in vec((any::<u64>(), 0u8..80, vec(any::<u8>(), 0..40)), 3),
    ) {
        let mut columns = columns.into_iter().map(|(base, width, packed)| Column { base, width, packed });
        let mut column = || columns.next().expect("three columns");
        let batch = SampleBatch { first, samples, count: column(), total: column(), ticks: column(), tick_part, flagged };
        if let Ok(unpacked) = batch.unpack() {
            prop_assert_eq!(unpacked.len(), samples as usize);
        }
    }

    #[test]
    fn batches_come_back(first: u32, samples in any_samples()) {
        let batch = SampleBatch::pack(first, &samples).expect("1 to MAX_SAMPLES samples");
        prop_assert_eq!(batch.first, first);
        prop_assert_eq!(batch.unpack(), Ok(samples));
    }

    #[test]
    fn frames_come_back(sent in vec(any_frame(), 0..6)) {
        let bytes: Vec<u8> = sent.iter().flat_map(bytes_of).collect();
        let mut decoder = Decoder::new();
        prop_assert_eq!(frames(decode_all(&mut decoder, &bytes)), sent);
        prop_assert!(!decoder.is_partial());
    }

    #[test]
    fn a_frame_holds_one_zero_at_its_end_and_no_more_than_the_limit(frame in any_frame()) {
        let bytes = bytes_of(&frame);
        prop_assert_eq!(bytes.iter().position(|b| *b == 0), Some(bytes.len() - 1));
        prop_assert!(bytes.len() <= MAX_ENCODED + 1);
    }

    /// Whatever came before, one zero is enough: every later frame is delivered.
    #[test]
    fn after_garbage_and_a_zero_all_frames_arrive(garbage in vec(any::<u8>(), 0..9000), sent in vec(any_frame(), 1..4)) {
        let mut decoder = Decoder::new();
        decode_all(&mut decoder, &garbage);
        decoder.push(0);
        let bytes: Vec<u8> = sent.iter().flat_map(bytes_of).collect();
        prop_assert_eq!(frames(decode_all(&mut decoder, &bytes)), sent);
    }

    /// Without that zero the garbage costs the first frame at most.
    #[test]
    fn garbage_costs_one_frame(garbage in vec(any::<u8>(), 0..200), sent in vec(any_frame(), 2..5)) {
        let mut bytes = garbage;
        bytes.extend(sent.iter().flat_map(bytes_of));
        let got = frames(decode_all(&mut Decoder::new(), &bytes));
        prop_assert!(got.ends_with(&sent[1..]));
        prop_assert!(got.len() <= sent.len());
    }

    /// A frame in which bits flipped does not pass, and costs no other frame than the two that share a lost zero.
    #[test]
    fn no_flipped_frame_passes(
        before in any_frame(), hit in any_frame(), after in vec(any_frame(), 2..4),
        flips in vec((any::<prop::sample::Index>(), 0u8..8), 1..4),
    ) {
        let mut broken = bytes_of(&hit);
        let length = broken.len();
        for (at, bit) in flips {
            broken[at.index(length)] ^= 1 << bit;
        }
        prop_assume!(broken != bytes_of(&hit));
        let mut bytes = bytes_of(&before);
        bytes.extend(&broken);
        bytes.extend(after.iter().flat_map(bytes_of));
        let got = frames(decode_all(&mut Decoder::new(), &bytes));
        prop_assert_eq!(&got[0], &before);
        prop_assert!(got.ends_with(&after[1..]));
        prop_assert!(got[1..].iter().all(|frame| after.contains(frame)), "a broken frame passed");
    }

    /// The same for frames from which bytes were lost.
    #[test]
    fn no_cut_frame_passes(
        hit in any_frame(), after in vec(any_frame(), 2..4),
        from: prop::sample::Index, lost in 1usize..20,
    ) {
        let whole = bytes_of(&hit);
        let from = from.index(whole.len());
        let to = (from + lost).min(whole.len());
        let mut bytes = [&whole[..from], &whole[to..]].concat();
        bytes.extend(after.iter().flat_map(bytes_of));
        let decoded = decode_all(&mut Decoder::new(), &bytes);
        let got = frames(decoded);
        prop_assert!(got.ends_with(&after[1..]));
        prop_assert!(got.iter().all(|frame| after.contains(frame)), "a cut frame passed");
    }
}

#[test]
fn bodies_have_a_limit() {
    assert!(encode(0, &vec![1; MAX_BODY]).is_some());
    assert!(encode(0, &vec![1; MAX_BODY + 1]).is_none());
}

/// The decoder's memory is bounded: an endless line without a zero is one error, and then frames arrive again.
#[test]
fn an_endless_line_is_one_error() {
    let mut decoder = Decoder::new();
    let noise = vec![0x55; 3 * MAX_ENCODED];
    assert!(decode_all(&mut decoder, &noise).is_empty());
    assert_eq!(decoder.push(0), Some(Err(FrameError::TooLong)));
    let frame = Frame {
        sequence: 4,
        body: vec![1, 2, 3],
    };
    assert_eq!(frames(decode_all(&mut decoder, &bytes_of(&frame))), [frame]);
}

#[test]
fn batches_have_a_size() {
    assert!(SampleBatch::pack(0, &[]).is_none());
    assert!(SampleBatch::pack(0, &vec![Sample::default(); MAX_SAMPLES]).is_some());
    assert!(SampleBatch::pack(0, &vec![Sample::default(); MAX_SAMPLES + 1]).is_none());
}

/// Constant samples cost nothing each: what a deterministic board sends is small.
#[test]
fn constant_samples_are_small() {
    let sample = Sample {
        count: 198_400,
        total: 198_412,
        ticks: 12_400,
        flags: 0,
    };
    let batch = SampleBatch::pack(0, &[sample; MAX_SAMPLES]).expect("a full batch");
    let bytes = Answer::Samples(batch).to_bytes().expect("encodes");
    assert!(bytes.len() < 32, "{} bytes", bytes.len());
}

/// The worst batch, at the widest encoding of every field, still fits a frame.
#[test]
fn the_worst_batch_fits_a_frame() {
    let extreme = |i: usize| Sample {
        count: if i.is_multiple_of(2) { u64::MAX } else { 0 },
        total: if i.is_multiple_of(3) { u64::MAX / 2 } else { 3 },
        ticks: if i.is_multiple_of(5) { u64::MAX } else { 1 },
        flags: 0xff,
    };
    let samples: Vec<_> = (0..MAX_SAMPLES).map(extreme).collect();
    let batch = SampleBatch::pack(u32::MAX, &samples).expect("a full batch");
    assert_eq!(batch.unpack(), Ok(samples));
    let bytes = Answer::Samples(batch).to_bytes().expect("encodes");
    assert!(bytes.len() <= MAX_BODY, "{} bytes", bytes.len());
}

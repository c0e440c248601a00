//! Frames: `COBS(sequence, body, CRC-32 over both) 0x00`.
//!
//! The sequence is a `u32`, little-endian, counted by the sender from 0 at its start. The CRC is CRC-32/ISO-HDLC,
//! little-endian. COBS keeps 0x00 out of the frame, so a receiver that has lost its place waits for the next 0x00.
//! A broken frame is reported, never repaired: the receiver asks for it again by its sequence number.
use alloc::vec::Vec;

/// Longest body of a frame, in bytes.
pub const MAX_BODY: usize = 4096;

const SEQUENCE: usize = 4;
const CHECK: usize = 4;
const MAX_RAW: usize = SEQUENCE + MAX_BODY + CHECK;
/// Longest frame on the link, the closing zero left out.
pub const MAX_ENCODED: usize = cobs::max_encoding_length(MAX_RAW);

const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);

/// A frame that arrived whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The sender's count of frames.
    pub sequence: u32,
    /// The message, still encoded.
    pub body: Vec<u8>,
}

/// Why what arrived between two zeros is not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Longer than any frame: the rest up to the next zero is dropped.
    #[error("longer than any frame can be ({MAX_ENCODED} bytes)")]
    TooLong,
    /// Not COBS, or cut short.
    #[error("not a COBS string, or cut short")]
    Malformed,
    /// The CRC does not fit the content.
    #[error("checksum mismatch")]
    Checksum,
}

/// Encodes one frame, its closing zero included. `None` if `body` is longer than [`MAX_BODY`].
#[must_use]
pub fn encode(sequence: u32, body: &[u8]) -> Option<Vec<u8>> {
    if body.len() > MAX_BODY {
        return None;
    }
    let mut raw = Vec::with_capacity(SEQUENCE + body.len() + CHECK);
    raw.extend_from_slice(&sequence.to_le_bytes());
    raw.extend_from_slice(body);
    let check = CRC.checksum(&raw);
    raw.extend_from_slice(&check.to_le_bytes());
    let mut encoded = cobs::encode_vec(&raw);
    encoded.push(0);
    Some(encoded)
}

/// Decodes what stood between two zeros.
fn decode(encoded: &[u8]) -> Result<Frame, FrameError> {
    let raw = cobs::decode_vec(encoded).map_err(|_| FrameError::Malformed)?;
    let (content, check) = raw
        .split_last_chunk::<CHECK>()
        .ok_or(FrameError::Malformed)?;
    let (sequence, body) = content
        .split_first_chunk::<SEQUENCE>()
        .ok_or(FrameError::Malformed)?;
    if CRC.checksum(content) != u32::from_le_bytes(*check) {
        return Err(FrameError::Checksum);
    }
    if body.len() > MAX_BODY {
        return Err(FrameError::TooLong);
    }
    Ok(Frame {
        sequence: u32::from_le_bytes(*sequence),
        body: body.to_vec(),
    })
}

/// Cuts a stream of bytes into frames. Bounded: holds at most one frame's bytes.
#[derive(Debug, Default)]
pub struct Decoder {
    pending: Vec<u8>,
    overrun: bool,
}

impl Decoder {
    /// An empty decoder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one byte; gives a frame, or the reason why there is none, where the byte ends one.
    /// Empty stretches between zeros are silent: a sender may send zeros to clear the line.
    pub fn push(&mut self, byte: u8) -> Option<Result<Frame, FrameError>> {
        if byte != 0 {
            if self.pending.len() < MAX_ENCODED {
                self.pending.push(byte);
            } else {
                self.overrun = true;
            }
            return None;
        }
        let overrun = core::mem::take(&mut self.overrun);
        if overrun {
            self.pending.clear();
            return Some(Err(FrameError::TooLong));
        }
        if self.pending.is_empty() {
            return None;
        }
        let result = decode(&self.pending);
        self.pending.clear();
        Some(result)
    }

    /// Whether bytes of an unfinished frame are held.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        !self.pending.is_empty()
    }
}

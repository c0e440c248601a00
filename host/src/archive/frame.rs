//! Entries of the journal, as bytes. Pure.
//!
//! An entry is laid out as a frame of the link (`wire::frame`), without that one's limit on length:
//! `COBS(sequence u32 LE, body, CRC-32/ISO-HDLC over both, u32 LE) 0x00`. A zero stands only between entries, so reading
//! goes on behind a damaged one.
use std::fmt;
use std::io::{self, BufRead};

const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
const SEQUENCE: usize = 4;
const CHECK: usize = 4;

/// Encodes one entry, its closing zero included.
#[must_use]
pub fn encode(sequence: u32, body: &[u8]) -> Vec<u8> {
    let mut raw = Vec::with_capacity(SEQUENCE + body.len() + CHECK);
    raw.extend_from_slice(&sequence.to_le_bytes());
    raw.extend_from_slice(body);
    raw.extend_from_slice(&CRC.checksum(&raw).to_le_bytes());
    let mut encoded = cobs::encode_vec(&raw);
    encoded.push(0);
    encoded
}

fn decode(encoded: &[u8]) -> Result<(u32, Vec<u8>), Defect> {
    let mut raw = cobs::decode_vec(encoded).map_err(|_| Defect::Malformed)?;
    let (content, check) = raw.split_last_chunk::<CHECK>().ok_or(Defect::Malformed)?;
    let (sequence, _) = content
        .split_first_chunk::<SEQUENCE>()
        .ok_or(Defect::Malformed)?;
    if CRC.checksum(content) != u32::from_le_bytes(*check) {
        return Err(Defect::Checksum);
    }
    let sequence = u32::from_le_bytes(*sequence);
    raw.truncate(raw.len() - CHECK);
    raw.drain(..SEQUENCE);
    Ok((sequence, raw))
}

/// What is wrong with a stretch of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Not a COBS string, or too short for an entry.
    Malformed,
    /// The CRC does not fit the content.
    Checksum,
    /// The entry is whole and its body is no record of this version.
    NotARecord,
    /// The file ends within an entry.
    CutShort,
    /// Whole entries are missing before this one.
    Missing {
        /// How many.
        entries: u32,
    },
    /// The entry's number is lower than that of one before it.
    OutOfOrder,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("an entry that cannot be decoded"),
            Self::Checksum => f.write_str("an entry whose checksum does not fit"),
            Self::NotARecord => f.write_str("an entry that is no record of this version"),
            Self::CutShort => f.write_str("an entry that was cut short"),
            Self::Missing { entries } => write!(f, "{entries} entries missing before it"),
            Self::OutOfOrder => f.write_str("an entry out of order"),
        }
    }
}

/// A damaged stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Where it begins, in bytes from the start of the file.
    pub offset: u64,
    /// How long it is, in bytes; 0 where something is missing.
    pub bytes: u64,
    /// What is wrong.
    pub defect: Defect,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "offset {}, {} bytes: {}",
            self.offset, self.bytes, self.defect
        )
    }
}

/// All damage of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// The damaged stretches, in order.
    pub broken: Vec<Broken>,
    /// Bytes up to the end of the last entry that has its closing zero: what follows was cut short.
    pub whole_bytes: u64,
    /// The sequence number that the next entry should have.
    pub next_sequence: u32,
}

impl Damage {
    /// Whether the journal is whole.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.broken.is_empty()
    }

    /// Whether all that is wrong is an unfinished last entry, as a killed program leaves.
    #[must_use]
    pub fn is_only_cut(&self) -> bool {
        matches!(self.broken.as_slice(), [one] if one.defect == Defect::CutShort)
    }
}

/// Reads entries one after another; `take` gets each whole one's body and says whether it is a record. Holds one entry.
///
/// # Errors
/// Where `input` cannot be read.
pub fn read(mut input: impl BufRead, mut take: impl FnMut(Vec<u8>) -> bool) -> io::Result<Damage> {
    let mut damage = Damage::default();
    let mut offset = 0u64;
    let mut excused = false;
    let mut encoded = Vec::new();
    loop {
        encoded.clear();
        let bytes = input.read_until(0, &mut encoded)? as u64;
        if bytes == 0 {
            return Ok(damage);
        }
        let mut broken = |defect, bytes| {
            damage.broken.push(Broken {
                offset,
                bytes,
                defect,
            });
        };
        if encoded.pop() != Some(0) {
            broken(Defect::CutShort, bytes);
            return Ok(damage);
        }
        match decode(&encoded) {
            Err(defect) => {
                broken(defect, bytes);
                // How many entries a damaged stretch held is not known: a zero may have been made or lost.
                excused = true;
            }
            Ok((sequence, body)) => {
                let expected = damage.next_sequence;
                if sequence < expected {
                    broken(Defect::OutOfOrder, bytes);
                } else {
                    if sequence > expected && !excused {
                        broken(
                            Defect::Missing {
                                entries: sequence - expected,
                            },
                            0,
                        );
                    }
                    if !take(body) {
                        damage.broken.push(Broken {
                            offset,
                            bytes,
                            defect: Defect::NotARecord,
                        });
                    }
                    damage.next_sequence = sequence.saturating_add(1);
                }
                excused = false;
            }
        }
        offset += bytes;
        damage.whole_bytes = offset;
    }
}

//! Bytes as printable characters, for a link that is a console: what reads and writes there may echo, turn CR into LF, put CR before LF, take
//! a byte for the end of the file, and say things of its own.
//!
//! A byte becomes two characters, its upper four bits first. Who wrote them and which half they are is in the upper bits of each
//! (`0x20` to `0x5f` in all), so an echo is no answer, and everything else is passed over: two halves make a byte only side by side.
//!
//! | | upper half | lower half |
//! |---|---|---|
//! | target to host | `0x20` + bits | `0x30` + bits |
//! | host to target | `0x40` + bits | `0x50` + bits |

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The target.
    Target,
    /// The host.
    Host,
}

impl From {
    fn base(self) -> u8 {
        match self {
            Self::Target => 0x20,
            Self::Host => 0x40,
        }
    }
}

/// The two characters of a byte.
#[must_use]
pub fn spell(from: From, byte: u8) -> [u8; 2] {
    let base = from.base();
    [base | byte >> 4, (base + 0x10) | byte & 15]
}

/// Reads what one side writes.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    from: From,
    upper: Option<u8>,
}

impl Reader {
    /// One that understands `from` alone.
    #[must_use]
    pub fn new(from: From) -> Self {
        Self { from, upper: None }
    }

    /// Takes a character; gives the byte that it completes.
    pub fn take(&mut self, character: u8) -> Option<u8> {
        let upper = self.upper.take();
        let base = self.from.base();
        match character.wrapping_sub(base) {
            bits @ 0..16 => {
                self.upper = Some(bits << 4);
                None
            }
            bits @ 16..32 => upper.map(|upper| upper | bits & 15),
            _ => None,
        }
    }

    /// Replaces the characters at the start of `buffer` by the bytes that they are; gives their number.
    pub fn take_all(&mut self, buffer: &mut [u8], characters: usize) -> usize {
        let mut bytes = 0;
        for place in 0..characters.min(buffer.len()) {
            if let Some(byte) = self.take(buffer[place]) {
                // Two characters were read for each byte, so this place was read before.
                buffer[bytes] = byte;
                bytes += 1;
            }
        }
        bytes
    }
}

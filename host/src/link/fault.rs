//! Damages what passes a port, by a seeded plan: for tests of everything that has to survive a bad line.
use super::Port;
use std::io;
use std::time::Duration;

/// How often a byte is hit, in hits per million bytes, and what hits it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Seed of the plan: equal seeds damage equal bytes.
    pub seed: u64,
    /// One bit of the byte flips.
    pub flipped: u32,
    /// The byte is lost.
    pub lost: u32,
    /// The byte arrives twice.
    pub doubled: u32,
}

/// A port that damages what passes in both directions.
pub struct Faulty<P> {
    port: P,
    faults: Faults,
    state: u64,
    pending: Vec<u8>,
}

impl<P: Port> Faulty<P> {
    /// Damages the traffic of `port`.
    pub fn new(port: P, faults: Faults) -> Self {
        Self {
            port,
            faults,
            state: faults.seed,
            pending: Vec::new(),
        }
    }

    /// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn damage(&mut self, bytes: &[u8]) -> Vec<u8> {
        let Faults {
            flipped,
            lost,
            doubled,
            ..
        } = self.faults;
        let mut damaged = Vec::with_capacity(bytes.len());
        for byte in bytes {
            let draw = self.draw();
            let hit = (draw % 1_000_000) as u32;
            if hit < flipped {
                damaged.push(byte ^ 1 << (draw >> 61));
            } else if hit < flipped + lost {
                // Nothing arrives.
            } else if hit < flipped + lost + doubled {
                damaged.extend([byte, byte]);
            } else {
                damaged.push(*byte);
            }
        }
        damaged
    }
}

impl<P: Port> Port for Faulty<P> {
    fn name(&self) -> &str {
        self.port.name()
    }

    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> io::Result<usize> {
        if self.pending.is_empty() {
            let mut raw = [0; 1024];
            let length = self.port.read(&mut raw, timeout)?;
            self.pending = self.damage(&raw[..length]);
        }
        let length = self.pending.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.pending[..length]);
        self.pending.drain(..length);
        Ok(length)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let damaged = self.damage(bytes);
        self.port.write(&damaged)
    }
}

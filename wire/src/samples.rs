//! Samples, and how a batch of them is packed.
//!
//! A batch holds three columns. Each is stored as its smallest value and, for every sample, the difference to it in as many
//! bits as the largest difference needs: a constant column costs nothing per sample. What can be predicted is left out first:
//! `total` is stored as its difference to `count`, and `ticks` as the error of `total` scaled by the batch's own ratio.
use alloc::{vec, vec::Vec};
use serde::{Deserialize, Serialize};

/// Most samples in one batch: three columns of 64-bit differences still fit a frame.
pub const MAX_SAMPLES: usize = 128;

/// One iteration, as counted. Raw: nothing is subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Count of the main clock.
    pub count: u64,
    /// The same iteration at all exception levels that can be seen.
    pub total: u64,
    /// The same iteration in ticks.
    pub ticks: u64,
    /// Doubts, a set of the `FLAG_` bits.
    pub flags: u8,
}

/// The iteration drew more randomness than had been prepared; expanding it was counted too.
pub const FLAG_TAPE: u8 = 1;
/// A counter did not move, went back or wrapped: the values are no measurement.
pub const FLAG_COUNTER: u8 = 2;

/// Differences to a base, in `width` bits each, least significant bit first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The smallest value.
    pub base: u64,
    /// Bits a difference, 0 to 64.
    pub width: u8,
    /// The differences.
    pub packed: Vec<u8>,
}

/// A packed batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleBatch {
    /// Iteration of the first sample.
    pub first: u32,
    /// Number of samples, at most [`MAX_SAMPLES`].
    pub samples: u32,
    /// Column of counts.
    pub count: Column,
    /// Column of `total - count`, as two's complement shifted to unsigned by zig-zag.
    pub total: Column,
    /// Column of `ticks - predicted`, zig-zag; predicted = floor(total x `tick_part` / 2^32).
    pub ticks: Column,
    /// Ticks per unit of total, times 2^32.
    pub tick_part: u64,
    /// (index within the batch, flags) of the samples that have any.
    pub flagged: Vec<(u32, u8)>,
}

/// Why a batch cannot be unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// More samples than a batch can hold, or none.
    #[error("a batch of {0} samples; 1 to {MAX_SAMPLES} are possible")]
    Size(u32),
    /// A width above 64, or bytes that do not fit the number of samples.
    #[error("a column whose bytes do not fit its number of samples")]
    Column,
    /// A flag on a sample that is not there.
    #[error("a flag on sample {0}, which is not in the batch")]
    Flag(u32),
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unzigzag(value: u64) -> i64 {
    ((value >> 1) as i64) ^ -((value & 1) as i64)
}

fn predicted(total: u64, tick_part: u64) -> u64 {
    ((u128::from(total) * u128::from(tick_part)) >> 32) as u64
}

impl Column {
    fn pack(values: &[u64]) -> Self {
        let base = values.iter().copied().min().unwrap_or(0);
        let spread = values.iter().map(|v| v - base).max().unwrap_or(0);
        let width = (64 - spread.leading_zeros()) as usize;
        let mut packed = vec![0u8; (width * values.len()).div_ceil(8)];
        for (index, value) in values.iter().enumerate() {
            let difference = value - base;
            for bit in 0..width {
                let at = index * width + bit;
                packed[at / 8] |= (((difference >> bit) & 1) as u8) << (at % 8);
            }
        }
        Self {
            base,
            width: width as u8,
            packed,
        }
    }

    fn unpack(&self, samples: usize) -> Result<Vec<u64>, PackError> {
        let width = usize::from(self.width);
        if width > 64 || self.packed.len() != (width * samples).div_ceil(8) {
            return Err(PackError::Column);
        }
        let bit = |at: usize| u64::from(self.packed[at / 8] >> (at % 8) & 1);
        let difference =
            |index: usize| (0..width).fold(0u64, |sum, b| sum | bit(index * width + b) << b);
        Ok((0..samples)
            .map(|index| self.base.wrapping_add(difference(index)))
            .collect())
    }
}

impl SampleBatch {
    /// Packs `samples`, the first of which is iteration `first`; `None` if there are none or more than [`MAX_SAMPLES`].
    #[must_use]
    pub fn pack(first: u32, samples: &[Sample]) -> Option<Self> {
        if samples.is_empty() || samples.len() > MAX_SAMPLES {
            return None;
        }
        let (ticks, total) = samples.iter().fold((0u128, 0u128), |(ticks, total), s| {
            (ticks + u128::from(s.ticks), total + u128::from(s.total))
        });
        let tick_part = (ticks << 32)
            .checked_div(total)
            .map_or(0, |part| u64::try_from(part).unwrap_or(0));
        let column = |value: &dyn Fn(&Sample) -> u64| {
            Column::pack(&samples.iter().map(value).collect::<Vec<_>>())
        };
        Some(Self {
            first,
            samples: samples.len() as u32,
            count: column(&|s| s.count),
            total: column(&|s| zigzag(s.total.wrapping_sub(s.count) as i64)),
            ticks: column(&|s| zigzag(s.ticks.wrapping_sub(predicted(s.total, tick_part)) as i64)),
            tick_part,
            flagged: (0..)
                .zip(samples)
                .filter(|(_, s)| s.flags != 0)
                .map(|(i, s)| (i, s.flags))
                .collect(),
        })
    }

    /// The samples.
    ///
    /// # Errors
    /// Where the batch is inconsistent.
    pub fn unpack(&self) -> Result<Vec<Sample>, PackError> {
        let samples = self.samples as usize;
        if samples == 0 || samples > MAX_SAMPLES {
            return Err(PackError::Size(self.samples));
        }
        let count = self.count.unpack(samples)?;
        let total = self.total.unpack(samples)?;
        let ticks = self.ticks.unpack(samples)?;
        let mut unpacked: Vec<Sample> = (0..samples)
            .map(|i| {
                let total = count[i].wrapping_add(unzigzag(total[i]) as u64);
                let ticks =
                    predicted(total, self.tick_part).wrapping_add(unzigzag(ticks[i]) as u64);
                Sample {
                    count: count[i],
                    total,
                    ticks,
                    flags: 0,
                }
            })
            .collect();
        for (index, flags) in &self.flagged {
            unpacked
                .get_mut(*index as usize)
                .ok_or(PackError::Flag(*index))?
                .flags = *flags;
        }
        Ok(unpacked)
    }
}

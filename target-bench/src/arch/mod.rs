//! The processor: registers, counters, stacks. Assembly lives here and nowhere else.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
pub use aarch64::*;

#[cfg(not(target_arch = "aarch64"))]
mod hosted;
#[cfg(not(target_arch = "aarch64"))]
pub use hosted::*;

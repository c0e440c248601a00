//! One Run: keys and inputs from the pool, iterations on the painted stack, samples, digest, memory.

mod pool;
mod run;
mod timer;

pub use run::Runner;
pub use timer::sample;

//! One Run: keys and inputs from the pool, iterations on the painted stack, samples, digest, memory. And single operations on given
//! bytes, untimed, for those who check what the providers compute.

mod perform;
mod pool;
mod run;
mod timer;
mod trail;

pub use perform::Performer;
pub use run::Runner;
pub use timer::sample;

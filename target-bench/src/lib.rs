//! What runs on the board: the workload, the providers and the answers to the host, for every environment.
//!
//! - `arch`: registers, counters, stacks. Assembly lives here.
//! - `memory`, `tape`: what stands under every provider, the same in every environment.
//! - `platform`: what an environment gives: bytes in and out, clocks, facts. MMIO only in `bare`, system calls only in `linux`.
//! - `providers`: the libraries that are measured, behind small traits. Foreign functions are called here.
//! - `workload`: pools of keys, timing, one Run. Sees traits only.
//! - `report`: obeys the host: commands in, frames out.
//!
//! Deliberately absent: threads, a C library, and any knowledge of which environment the host meant.
#![no_std]

extern crate alloc;

pub mod arch;
pub mod board {
    //! Constants of the board that this program was built for.
    include!(concat!(env!("OUT_DIR"), "/board.rs"));
}
pub mod fault;
pub mod log;
pub mod memory;
pub mod platform;
pub mod providers;
pub mod report;
pub mod tape;
pub mod workload;

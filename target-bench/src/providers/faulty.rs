//! Operations that misbehave on purpose, each in one way that a provider can: a bench has to survive them, name them, and go on.
use super::Failed;
use crate::fault;
use crate::memory::measured;
use core::hint::black_box;

/// One way to misbehave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misbehaviour {
    /// Writes to an address where nothing is.
    Crash,
    /// Never comes to an end.
    Hang,
    /// Calls itself until the stack is used up.
    Stack,
    /// Allocates until nothing is left, and gives up as C code does.
    Heap,
    /// Calls a routine that ends the program.
    Abort,
    /// Reports failure.
    Failure,
}

impl Misbehaviour {
    /// By the catalogue's name for it.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "crash" => Self::Crash,
            "hang" => Self::Hang,
            "stack" => Self::Stack,
            "heap" => Self::Heap,
            "abort" => Self::Abort,
            "failure" => Self::Failure,
            _ => return None,
        })
    }

    /// Misbehaves.
    pub fn act(self) -> Result<(), Failed> {
        match self {
            Self::Crash => {
                // An address that no environment of ours maps.
                let nowhere = black_box(0x7f_dead_0000_usize) as *mut u8;
                // SAFETY: none; being caught is the purpose.
                unsafe { nowhere.write_volatile(1) };
                Ok(())
            }
            Self::Hang => loop {
                core::hint::spin_loop();
            },
            Self::Stack => {
                black_box(deeper(1));
                Ok(())
            }
            Self::Heap => {
                while !black_box(measured::allocate(16, 1 << 20)).is_null() {}
                fault::aborted("abort", 0)
            }
            Self::Abort => fault::aborted("abort", 0),
            Self::Failure => Err(Failed),
        }
    }
}

#[allow(unconditional_recursion, reason = "that is the misbehaviour")]
#[inline(never)]
fn deeper(depth: u64) -> u64 {
    let room = black_box([depth; 64]);
    deeper(room[7] + 1) + black_box(room)[3]
}

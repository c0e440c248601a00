//! Puts a board under our program: the emulator.
mod arguments;
mod console;
mod error;
mod qemu;
mod qmp;
mod raw;

pub use arguments::{Kernel, bare, guest, linux, unikraft};
pub use console::tail;
pub use error::FlashError;
pub use qemu::{CONTROL, Emulator, LINK};
pub use raw::{RawError, raw};

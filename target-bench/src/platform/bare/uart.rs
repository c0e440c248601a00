//! PL011, as firmware left its baud rate. Polled: an interrupt would be counted.
use crate::board;

const DATA: usize = 0x00;
const FLAGS: usize = 0x18;
const LINE_CONTROL: usize = 0x2c;
const CONTROL: usize = 0x30;
const RECEIVE_EMPTY: u32 = 1 << 4;
const TRANSMIT_FULL: u32 = 1 << 5;

/// The board's UART.
pub struct Pl011(());

fn register(offset: usize) -> *mut u32 {
    (board::UART + offset) as *mut u32
}

impl Pl011 {
    /// Eight bits, no parity, FIFOs on, both directions on.
    pub fn start() -> Self {
        // SAFETY: the board file says that a PL011 is there; the map has it as device registers.
        unsafe {
            register(LINE_CONTROL).write_volatile(0b11 << 5 | 1 << 4);
            register(CONTROL).write_volatile(1 << 9 | 1 << 8 | 1);
        }
        Self(())
    }

    fn flags() -> u32 {
        // SAFETY: as above.
        unsafe { register(FLAGS).read_volatile() }
    }

    /// Takes what has arrived; 0 if nothing has.
    pub fn read(&mut self, buffer: &mut [u8]) -> usize {
        let mut read = 0;
        for slot in buffer {
            if Self::flags() & RECEIVE_EMPTY != 0 {
                break;
            }
            // SAFETY: as above.
            *slot = unsafe { register(DATA).read_volatile() } as u8;
            read += 1;
        }
        read
    }

    /// Sends, waiting for room.
    pub fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            while Self::flags() & TRANSMIT_FULL != 0 {
                core::hint::spin_loop();
            }
            // SAFETY: as above.
            unsafe { register(DATA).write_volatile(u32::from(*byte)) };
        }
    }
}

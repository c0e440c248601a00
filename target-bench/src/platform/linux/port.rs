//! The port to the host: a virtio serial port, a UART, or standard input and output.
use super::sys;
use core::ffi::CStr;
use wire::letters::{From, Reader, spell};

/// An open port.
pub struct Port {
    input: usize,
    output: usize,
    /// What reads letters, where the port is a console that is fit for no other bytes.
    letters: Option<Reader>,
}

/// Standard input and output as they are.
const STANDARD: &[u8] = b"-";
/// Standard input and output where they are a console that echoes and translates.
const CONSOLE: &[u8] = b"console";

/// How long to wait where the other side is not there.
const PAUSE: u64 = 2_000_000;
const EINTR: i32 = 4;

impl Port {
    /// Opens `path`; standard input and output for `-`, and in letters for `console`.
    pub fn open(path: &CStr) -> Result<Self, i32> {
        let path_is = |name| path.to_bytes() == name;
        if path_is(STANDARD) || path_is(CONSOLE) {
            return Ok(Self {
                input: 0,
                output: 1,
                letters: path_is(CONSOLE).then(|| Reader::new(From::Host)),
            });
        }
        let file = sys::open(path, sys::READ_WRITE)?;
        make_raw(file);
        Ok(Self {
            input: file,
            output: file,
            letters: None,
        })
    }

    /// Waits for bytes.
    pub fn read(&mut self, buffer: &mut [u8]) -> usize {
        loop {
            let read = self.read_raw(buffer);
            let read = match &mut self.letters {
                None => read,
                Some(letters) => letters.take_all(buffer, read),
            };
            if read != 0 {
                return read;
            }
        }
    }

    /// End of file means that the other side is not there yet, except on standard input, where it is gone. A console has no end.
    fn read_raw(&mut self, buffer: &mut [u8]) -> usize {
        loop {
            match sys::read(self.input, buffer) {
                Ok(0) if self.input == 0 && self.letters.is_none() => sys::exit(0),
                Ok(0) => sys::sleep(PAUSE),
                Ok(read) => return read,
                Err(EINTR) => {}
                Err(_) => sys::sleep(PAUSE),
            }
        }
    }

    /// Sends all bytes, waiting for room.
    pub fn write(&mut self, bytes: &[u8]) {
        if self.letters.is_none() {
            return self.write_raw(bytes);
        }
        for piece in bytes.chunks(64) {
            let mut spelled = [[0; 2]; 64];
            for (two, byte) in spelled.iter_mut().zip(piece) {
                *two = spell(From::Target, *byte);
            }
            self.write_raw(spelled[..piece.len()].as_flattened());
        }
    }

    fn write_raw(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match sys::write(self.output, bytes) {
                Ok(written) => bytes = &bytes[written.min(bytes.len())..],
                Err(EINTR) => {}
                Err(_) => sys::sleep(PAUSE),
            }
        }
    }

    /// Waits until a terminal has sent everything; other ports have done so already.
    pub fn drain(&mut self) {
        const TCSBRK: usize = 0x5409;
        let _ = sys::ioctl_number(self.output, TCSBRK, 1);
    }
}

/// Turns echo, line editing and translation off where the port is a terminal.
fn make_raw(file: usize) {
    const TCGETS: usize = 0x5401;
    const TCSETS: usize = 0x5402;
    const CHARACTER_SIZE: u32 = 0o60;
    const CHARACTER_8: u32 = 0o60;
    const PARITY: u32 = 0o400;
    const RECEIVER: u32 = 0o200;
    // The kernel's struct termios: four flag words, line discipline, 19 control characters.
    let mut settings = [0u8; 36];
    if sys::ioctl(file, TCGETS, &mut settings).is_err() {
        return;
    }
    let mut flags = [0u8; 4];
    flags.copy_from_slice(&settings[8..12]);
    let control = (u32::from_ne_bytes(flags) & !(CHARACTER_SIZE | PARITY)) | CHARACTER_8 | RECEIVER;
    settings[..8].fill(0);
    settings[8..12].copy_from_slice(&control.to_ne_bytes());
    settings[12..16].fill(0);
    const VTIME: usize = 17 + 5;
    const VMIN: usize = 17 + 6;
    settings[VTIME] = 0;
    settings[VMIN] = 1;
    let _ = sys::ioctl(file, TCSETS, &mut settings);
}

//! Puts a board under our program: the emulator.

//! Starts the program in an environment of a Linux board.

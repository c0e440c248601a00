//! Builds the target programs: toolchain choice, cargo call, what the image is.

pub mod same_code;

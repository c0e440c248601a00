//! What a processor exception says of itself.

/// ESR_EL1's exception class, in words.
#[must_use]
pub fn class_name(syndrome: u64) -> &'static str {
    match (syndrome >> 26) & 0x3f {
        0x00 => "undefined instruction",
        0x07 => "floating point or SIMD trapped",
        0x0e => "illegal execution state",
        0x15 => "system call",
        0x18 => "system register access trapped",
        0x20 | 0x21 => "instruction fetch from an unmapped address",
        0x22 => "program counter not aligned",
        0x24 | 0x25 => "access to an unmapped address",
        0x26 => "stack pointer not aligned",
        0x2f => "SError",
        0x3c => "breakpoint instruction",
        _ => "exception",
    }
}

//! Entry of the freestanding image, from EL2 or EL1.
//!
//! The rest of the program runs at EL1 on SP_EL0; SP_EL1 belongs to exceptions, so that a stack that ran out can still be
//! reported.

/// Defines `_start`, which calls `bare_main(entry_level) -> !` with memory zeroed and the MMU off. A macro, since only the
/// freestanding program has these symbols.
#[macro_export]
macro_rules! bare_start {
    () => {
        ::core::arch::global_asm!(include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/arch/aarch64/start.s"
        )));
    };
}

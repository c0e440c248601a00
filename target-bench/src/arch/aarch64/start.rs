//! Entry of the two programs.
//!
//! The freestanding image comes from EL2 or EL1; the rest of it runs at EL1 on SP_EL0; SP_EL1 belongs to exceptions, so that a
//! stack that ran out can still be reported.

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

/// Defines `_start`, which calls `linux_main(initial stack pointer) -> !`. A macro, since only the Linux program has the symbol.
#[macro_export]
macro_rules! linux_start {
    () => {
        ::core::arch::global_asm!(
            ".global _start",
            "_start:",
            "mov x29, #0",
            "mov x30, #0",
            "mov x0, sp",
            "b linux_main"
        );
    };
}

//! Entry of the programs.
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

/// The same for a program that may lie anywhere: it first moves the pointers in its own data, of which the linker has left a list
/// (`.rela.dyn`, entries of offset, kind and addend; ELF for the Arm 64-bit Architecture, R_AARCH64_RELATIVE).
#[macro_export]
macro_rules! movable_start {
    () => {
        ::core::arch::global_asm!(
            ".global _start",
            "_start:",
            "mov x29, #0",
            "mov x30, #0",
            "adrp x1, __image_start",
            "add x1, x1, :lo12:__image_start",
            "adrp x2, __relocations_start",
            "add x2, x2, :lo12:__relocations_start",
            "adrp x3, __relocations_end",
            "add x3, x3, :lo12:__relocations_end",
            "2:",
            "cmp x2, x3",
            "b.hs 3f",
            "ldp x4, x5, [x2], #16",
            "ldr x6, [x2], #8",
            "cmp x5, #1027",
            "b.ne 4f",
            "add x6, x6, x1",
            "str x6, [x1, x4]",
            "b 2b",
            "3:",
            "mov x0, sp",
            "b linux_main",
            // Nothing else is left by a linker that has seen all of a static program.
            "4:",
            "brk #1"
        );
    };
}

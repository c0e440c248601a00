//! Entry of the Linux program.

/// Defines `_start`, which calls `linux_main(initial stack pointer) -> !` with the stack aligned as the ABI wants it. A macro,
/// since only the Linux program has the symbol.
#[macro_export]
macro_rules! linux_start {
    () => {
        ::core::arch::global_asm!(
            ".global _start",
            "_start:",
            "xor ebp, ebp",
            "mov rdi, rsp",
            "and rsp, -16",
            "call linux_main",
            "ud2"
        );
    };
}

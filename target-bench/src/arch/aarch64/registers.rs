//! System registers that only identify or report.
use core::arch::asm;

macro_rules! read {
    ($(#[$doc:meta])* $name:ident, $register:literal) => {
        $(#[$doc])*
        #[must_use]
        #[inline(always)]
        pub fn $name() -> u64 {
            let value: u64;
            // SAFETY: reading this register has no side effect.
            unsafe { asm!(concat!("mrs {}, ", $register), out(reg) value, options(nomem, nostack, preserves_flags)) };
            value
        }
    };
}

read!(
    /// CNTFRQ_EL0: ticks of CNTVCT_EL0 in a second, as firmware declared it.
    cntfrq, "cntfrq_el0");
read!(
    /// MIDR_EL1: which core this is. At EL0, Linux answers in the kernel's stead.
    midr, "midr_el1");
read!(
    /// ID_AA64ISAR0_EL1: instruction set extensions. At EL0, Linux answers in the kernel's stead.
    isar0, "id_aa64isar0_el1");
read!(
    /// ID_AA64PFR0_EL1: exception levels, floating point, SVE.
    pfr0, "id_aa64pfr0_el1");
read!(
    /// ID_AA64DFR0_EL1: debug features, the PMU's version among them. EL1 only.
    dfr0, "id_aa64dfr0_el1");

/// The exception level. At EL0 an illegal instruction, and 0 if that is stepped over.
#[must_use]
pub fn exception_level() -> u64 {
    let value: u64;
    // SAFETY: reading this register has no side effect; where it is refused, `value` keeps what it has.
    unsafe {
        asm!("mov {v}, xzr", "mrs {v}, CurrentEL", v = out(reg) value, options(nomem, nostack, preserves_flags));
    };
    value >> 2 & 3
}

/// AT_HWCAP as Linux derives it from the identification registers (arch/arm64 elf_hwcaps): floating point, Advanced SIMD, AES,
/// PMULL, SHA1, SHA2, CRC32, atomics, SHA3, SHA512.
#[must_use]
pub fn hardware_capabilities() -> u64 {
    let field = |register: u64, shift: u32| (register >> shift) & 15;
    let (isar0, pfr0) = (isar0(), pfr0());
    let mut capabilities = 0;
    let mut set = |bit: u32, present: bool| capabilities |= u64::from(present) << bit;
    set(0, field(pfr0, 16) != 15);
    set(1, field(pfr0, 20) != 15);
    set(3, field(isar0, 4) >= 1);
    set(4, field(isar0, 4) >= 2);
    set(5, field(isar0, 8) >= 1);
    set(6, field(isar0, 12) >= 1);
    set(7, field(isar0, 16) >= 1);
    set(8, field(isar0, 20) >= 2);
    set(17, field(isar0, 32) >= 1);
    set(21, field(isar0, 12) >= 2);
    capabilities
}

/// Names of the bits of AT_HWCAP that matter to cryptography, as /proc/cpuinfo writes them.
pub const CAPABILITY_NAMES: &[(u32, &str)] = &[
    (0, "fp"),
    (1, "asimd"),
    (3, "aes"),
    (4, "pmull"),
    (5, "sha1"),
    (6, "sha2"),
    (7, "crc32"),
    (8, "atomics"),
    (17, "sha3"),
    (21, "sha512"),
    (22, "sve"),
];

//! What CPUID says: features, the hypervisor underneath, the time stamp counter's rate.
//! Source: Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E; the leaves from 0x4000_0000 are the hypervisors' own custom.
use core::arch::x86_64::{__cpuid_count, _xgetbv, CpuidResult};

/// AES instructions.
pub const AES: u32 = 0;
/// AVX, and the system keeps its registers.
pub const AVX: u32 = 1;
/// AVX2, likewise.
pub const AVX2: u32 = 2;
/// AVX-512 F, BW and DQ, likewise.
pub const AVX512: u32 = 3;
/// First set of bit manipulation instructions.
pub const BMI1: u32 = 4;
/// Second set.
pub const BMI2: u32 = 5;
/// Carry-less multiplication.
pub const PCLMULQDQ: u32 = 6;
/// The same on vectors.
pub const VPCLMULQDQ: u32 = 7;
/// Population count.
pub const POPCNT: u32 = 8;
/// Additions with two carries.
pub const ADX: u32 = 9;
/// SSE.
pub const SSE: u32 = 10;
/// SSE2.
pub const SSE2: u32 = 11;
/// SSE3.
pub const SSE3: u32 = 12;
/// SHA-1 and SHA-256 instructions.
pub const SHA: u32 = 13;
/// Random numbers from the CPU.
pub const RDRAND: u32 = 14;

/// Names of the bits above, as /proc/cpuinfo writes them (`pni` is SSE3).
pub const CAPABILITY_NAMES: &[(u32, &str)] = &[
    (AES, "aes"),
    (AVX, "avx"),
    (AVX2, "avx2"),
    (AVX512, "avx512f+bw+dq"),
    (BMI1, "bmi1"),
    (BMI2, "bmi2"),
    (PCLMULQDQ, "pclmulqdq"),
    (VPCLMULQDQ, "vpclmulqdq"),
    (POPCNT, "popcnt"),
    (ADX, "adx"),
    (SSE, "sse"),
    (SSE2, "sse2"),
    (SSE3, "pni"),
    (SHA, "sha_ni"),
    (RDRAND, "rdrand"),
];

fn cpuid(leaf: u32) -> CpuidResult {
    #[allow(unused_unsafe, reason = "older compilers call it unsafe")]
    // SAFETY: every x86-64 has the instruction, and it changes nothing.
    unsafe {
        __cpuid_count(leaf, 0)
    }
}

/// A leaf, if the CPU has it: the first of each range says which is the last.
fn leaf(number: u32) -> Option<CpuidResult> {
    let last = cpuid(number & 0xf000_0000).eax;
    (number <= last).then(|| cpuid(number))
}

/// The features, one bit each.
#[must_use]
pub fn hardware_capabilities() -> u64 {
    const NOTHING: CpuidResult = CpuidResult {
        eax: 0,
        ebx: 0,
        ecx: 0,
        edx: 0,
    };
    let (one, seven) = (leaf(1).unwrap_or(NOTHING), leaf(7).unwrap_or(NOTHING));
    let bit = |register: u32, number: u32| register >> number & 1 == 1;
    // Vector registers are of use only where the system saves them.
    let saved = if bit(one.ecx, 27) {
        // SAFETY: OSXSAVE says that XGETBV may be used.
        unsafe { extended_control() }
    } else {
        0
    };
    let (ymm, zmm) = (saved & 0x6 == 0x6, saved & 0xe6 == 0xe6);
    let wide = bit(seven.ebx, 16) && bit(seven.ebx, 17) && bit(seven.ebx, 30);
    let mut capabilities = 0;
    let mut set = |number: u32, present: bool| capabilities |= u64::from(present) << number;
    set(AES, bit(one.ecx, 25));
    set(AVX, ymm && bit(one.ecx, 28));
    set(AVX2, ymm && bit(seven.ebx, 5));
    set(AVX512, zmm && wide);
    set(BMI1, bit(seven.ebx, 3));
    set(BMI2, bit(seven.ebx, 8));
    set(PCLMULQDQ, bit(one.ecx, 1));
    set(VPCLMULQDQ, ymm && bit(seven.ecx, 10));
    set(POPCNT, bit(one.ecx, 23));
    set(ADX, bit(seven.ebx, 19));
    set(SSE, bit(one.edx, 25));
    set(SSE2, bit(one.edx, 26));
    set(SSE3, bit(one.ecx, 0));
    set(SHA, bit(seven.ebx, 29));
    set(RDRAND, bit(one.ecx, 30));
    capabilities
}

/// XCR0.
#[target_feature(enable = "xsave")]
fn extended_control() -> u64 {
    // SAFETY: register 0 exists wherever the instruction does.
    unsafe { _xgetbv(0) }
}

/// The hypervisor's own name for itself, 12 bytes filled with zeros; none where the CPU claims to have none.
#[must_use]
pub fn hypervisor() -> Option<[u8; 12]> {
    if leaf(1)?.ecx >> 31 == 0 {
        return None;
    }
    let name = cpuid(0x4000_0000);
    let mut bytes = [0; 12];
    for (four, register) in bytes
        .chunks_exact_mut(4)
        .zip([name.ebx, name.ecx, name.edx])
    {
        four.copy_from_slice(&register.to_le_bytes());
    }
    Some(bytes)
}

/// Whether the time stamp counter runs at one rate, whatever the core's frequency and sleep.
#[must_use]
pub fn invariant_tsc() -> bool {
    leaf(0x8000_0007).is_some_and(|power| power.edx >> 8 & 1 == 1)
}

/// The time stamp counter's rate in Hz, where the CPU says it: crystal clock times numerator over denominator (leaf 0x15).
#[must_use]
pub fn tsc_rate() -> Option<u64> {
    let ratio = leaf(0x15)?;
    let (denominator, numerator, crystal) = (ratio.eax, ratio.ebx, ratio.ecx);
    if denominator == 0 || numerator == 0 || crystal == 0 {
        return None;
    }
    Some(u64::from(crystal) * u64::from(numerator) / u64::from(denominator))
}

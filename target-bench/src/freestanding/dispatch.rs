//! Hides CPU features from liboqs where CPUID, which no program can bend, is what it asks.
//!
//! The linker sends every call of `OQS_CPU_has_extension` here (`--wrap`, target-bench/build.rs). All of liboqs asks it and nothing
//! else does. What the Rust providers ask CPUID themselves is not hidden: they have one dispatch in the catalogue.
use core::ffi::c_int;
use target_bench::arch::features as cpu;
use target_bench::platform;

unsafe extern "C" {
    fn __real_OQS_CPU_has_extension(extension: c_int) -> c_int;
}

/// The feature behind each number of liboqs' `OQS_CPU_EXT`, from 1 (oqs/common.h).
const FEATURES: [u32; 13] = [
    cpu::ADX,
    cpu::AES,
    cpu::AVX,
    cpu::AVX2,
    cpu::AVX512,
    cpu::BMI1,
    cpu::BMI2,
    cpu::PCLMULQDQ,
    cpu::VPCLMULQDQ,
    cpu::POPCNT,
    cpu::SSE,
    cpu::SSE2,
    cpu::SSE3,
];

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_OQS_CPU_has_extension(extension: c_int) -> c_int {
    let feature = usize::try_from(extension)
        .ok()
        .and_then(|e| FEATURES.get(e.checked_sub(1)?));
    let shown = feature.is_some_and(|bit| platform::features_used() >> bit & 1 == 1);
    if shown {
        // SAFETY: liboqs' own function, with the argument that it was called with.
        unsafe { __real_OQS_CPU_has_extension(extension) }
    } else {
        0
    }
}

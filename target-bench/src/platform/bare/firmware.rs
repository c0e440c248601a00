//! PSCI, who answers it, and what stands for it where nobody does.
use super::Conduit;
use crate::arch::{counter, registers, semihosting};
use core::arch::asm;

const PSCI_VERSION: u32 = 0x8400_0000;
const PSCI_SYSTEM_OFF: u32 = 0x8400_0008;
const PSCI_SYSTEM_RESET: u32 = 0x8400_0009;
const PSCI_FEATURES: u32 = 0x8400_000a;
const SMCCC_VERSION: u32 = 0x8000_0000;
/// Vendor-specific hypervisor service: its UID.
const HYPERVISOR_UID: u32 = 0x8600_ff01;
const KVM_UID: [u32; 4] = [0xb66f_b428, 0xe911_c52e, 0x564b_caa9, 0x743a_004d];

/// SMC Calling Convention 1.1: the first four registers come back, the rest may be lost.
fn call(smc: bool, function: u32, argument: u32) -> [u32; 4] {
    let (mut r0, mut r1, r2, r3) = (u64::from(function), u64::from(argument), 0u64, 0u64);
    let (mut o2, mut o3) = (r2, r3);
    macro_rules! conduit {
        ($instruction:literal) => {
            asm!($instruction, inlateout("x0") r0, inlateout("x1") r1, inlateout("x2") o2, inlateout("x3") o3,
                lateout("x4") _, lateout("x5") _, lateout("x6") _, lateout("x7") _, lateout("x8") _, lateout("x9") _,
                lateout("x10") _, lateout("x11") _, lateout("x12") _, lateout("x13") _, lateout("x14") _,
                lateout("x15") _, lateout("x16") _, lateout("x17") _, options(nostack))
        };
    }
    // SAFETY: a call of the convention changes these registers alone; the functions used touch no memory of ours.
    unsafe {
        if smc {
            conduit!("smc #0");
        } else {
            conduit!("hvc #0");
        }
    }
    [r0 as u32, r1 as u32, o2 as u32, o3 as u32]
}

/// The hypervisor underneath, where the image was entered at EL1. Asked step by step: firmware of an emulator answers PSCI, and
/// takes a call that it does not know for an undefined instruction.
pub fn hypervisor() -> Option<&'static str> {
    let at_least_1_0 = call(false, PSCI_VERSION, 0)[0] >= 1 << 16;
    let has_smccc = at_least_1_0 && (call(false, PSCI_FEATURES, SMCCC_VERSION)[0] as i32) >= 0;
    if !has_smccc {
        return None;
    }
    match call(false, HYPERVISOR_UID, 0) {
        KVM_UID => Some("KVM"),
        [u32::MAX, ..] => None,
        _ => Some("unknown hypervisor"),
    }
}

/// Powers the machine off, or has its emulator end with `status`.
pub fn power_off(conduit: Conduit, status: u8) -> ! {
    end(conduit, PSCI_SYSTEM_OFF, status)
}

/// Resets the machine. An emulator that can only be ended is started again by whoever started it.
pub fn reset(conduit: Conduit) -> ! {
    end(conduit, PSCI_SYSTEM_RESET, 0)
}

fn end(conduit: Conduit, function: u32, status: u8) -> ! {
    match conduit {
        Conduit::Smc => {
            call(true, function, 0);
        }
        Conduit::Hvc => {
            call(false, function, 0);
        }
        Conduit::Semihosting => {
            linger();
            semihosting::exit(status);
        }
        Conduit::None => {}
    }
    loop {
        core::hint::spin_loop();
    }
}

/// An emulator that ends takes with it what the host has not yet read from its port. A fifth of a second is long for a host that
/// reads all the time.
fn linger() {
    let rate = registers::cntfrq();
    let begin = counter::ticks();
    while counter::ticks().wrapping_sub(begin) < rate / 5 {
        core::hint::spin_loop();
    }
}

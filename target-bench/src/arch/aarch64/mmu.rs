//! An identity map in blocks of 2 MiB, and the caches on.
//!
//! Hardware caches nothing while the MMU is off, faults on unaligned access and has no working exclusives; an emulator hides
//! all three.
use core::arch::asm;
use core::ptr::addr_of_mut;

/// Bytes of a block.
pub const BLOCK: u64 = 2 << 20;
const GIB: u64 = 1 << 30;
/// Gigabytes of address space that can be mapped.
const GIBS: usize = 4;

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Device registers: nGnRnE, never executed.
    Device,
    /// Memory: write-back, inner shareable.
    Memory,
    /// Nothing: an access faults.
    Nothing,
}

#[repr(C, align(4096))]
struct Tables {
    level1: [u64; 512],
    level2: [[u64; 512]; GIBS],
}
static mut TABLES: Tables = Tables {
    level1: [0; 512],
    level2: [[0; 512]; GIBS],
};

fn entry(address: u64, content: Content) -> u64 {
    const VALID_BLOCK: u64 = 1;
    const ACCESSED: u64 = 1 << 10;
    const INNER_SHAREABLE: u64 = 0b11 << 8;
    const NEVER_EXECUTE: u64 = 0b11 << 53;
    const MEMORY_ATTRIBUTES: u64 = 1 << 2;
    match content {
        Content::Device => address | NEVER_EXECUTE | ACCESSED | VALID_BLOCK,
        Content::Memory => address | ACCESSED | INNER_SHAREABLE | MEMORY_ATTRIBUTES | VALID_BLOCK,
        Content::Nothing => 0,
    }
}

/// Maps the first 4 GiB, each block as `content` says for its address, and turns MMU and caches on.
///
/// # Safety
/// Once, at EL1 with the MMU off, by the only core. `content` must call memory what holds code, data and stacks, and nothing
/// else.
pub unsafe fn turn_on(content: impl Fn(u64) -> Content) {
    // Attribute 0: device nGnRnE; attribute 1: normal, write-back, allocate.
    const MAIR: u64 = 0xff00;
    // 39-bit addresses from TTBR0 in 4 KiB granules, walks cached; TTBR1 off; 36-bit physical addresses.
    const TCR: u64 = 25 | (1 << 8) | (1 << 10) | (0b11 << 12) | (1 << 23) | (1 << 32);
    // SAFETY: the only core, and nobody else names the tables.
    let tables = unsafe { &mut *addr_of_mut!(TABLES) };
    for (gib, table) in (0u64..).zip(&mut tables.level2) {
        for (block, slot) in (0u64..).zip(table.iter_mut()) {
            let address = gib * GIB + block * BLOCK;
            *slot = entry(address, content(address));
        }
        tables.level1[gib as usize] = table.as_ptr() as u64 | 0b11;
    }
    // SAFETY: the tables map all that the program uses; the registers are EL1's own.
    unsafe {
        asm!(
            "msr mair_el1, {mair}",
            "msr tcr_el1, {tcr}",
            "msr ttbr0_el1, {table}",
            "dsb sy",
            "tlbi vmalle1",
            "ic iallu",
            "dsb sy",
            "isb",
            "mrs {s}, sctlr_el1",
            "orr {s}, {s}, #(1 << 0)",  // MMU
            "orr {s}, {s}, #(1 << 2)",  // data cache
            "orr {s}, {s}, #(1 << 12)", // instruction cache
            "bic {s}, {s}, #(1 << 1)",  // no alignment faults
            "msr sctlr_el1, {s}",
            "isb",
            mair = in(reg) MAIR,
            tcr = in(reg) TCR,
            table = in(reg) tables.level1.as_ptr() as u64,
            s = out(reg) _,
            options(nostack)
        );
    }
}

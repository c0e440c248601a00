//! The memory routines of the x86-64 program under other names, against loops that cannot be wrong.
#![cfg(target_arch = "x86_64")]

use proptest::prelude::*;
use std::cmp::Ordering;

std::arch::global_asm!(
    ".macro routine name\n .global tested_\\name\n .type tested_\\name, @function\n .balign 16\n tested_\\name:\n .endm",
    include_str!("../src/freestanding/memory-x86_64.s")
);

unsafe extern "C" {
    fn tested_memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8;
    fn tested_memmove(to: *mut u8, from: *const u8, size: usize) -> *mut u8;
    fn tested_memset(to: *mut u8, byte: i32, size: usize) -> *mut u8;
    fn tested_memcmp(left: *const u8, right: *const u8, size: usize) -> i32;
    fn tested_bcmp(left: *const u8, right: *const u8, size: usize) -> i32;
}

/// Bytes in front of and behind what a routine may touch.
const EDGE: usize = 24;
const LONGEST: usize = 300;

fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 37 + i / 251) as u8).collect()
}

#[test]
fn every_length_is_copied_and_filled_and_nothing_beyond_it() {
    for size in 0..LONGEST {
        let from = bytes(size + 2 * EDGE);
        for skew in 0..8 {
            let mut to = vec![0xee; size + 2 * EDGE];
            let place = to[EDGE..].as_mut_ptr();
            // SAFETY: `size` bytes lie behind both pointers.
            let back = unsafe { tested_memcpy(place, from[skew..].as_ptr(), size) };
            assert_eq!(back, place);
            assert_eq!(
                to[EDGE..EDGE + size],
                from[skew..skew + size],
                "memcpy of {size}"
            );
            // SAFETY: as above.
            let back = unsafe { tested_memset(place, 0x1_5a, size) };
            assert_eq!(back, place);
            assert!(
                to[EDGE..EDGE + size].iter().all(|b| *b == 0x5a),
                "memset of {size}"
            );
            let edges = to[..EDGE].iter().chain(&to[EDGE + size..]);
            assert!(edges.copied().all(|b| b == 0xee), "beyond {size} bytes");
        }
    }
}

#[test]
fn memmove_takes_every_overlap() {
    for size in 0..LONGEST {
        for from in 0..2 * EDGE {
            let mut actual = bytes(size + 2 * EDGE);
            let mut expected = actual.clone();
            expected.copy_within(from..from + size, EDGE);
            let base = actual.as_mut_ptr();
            // SAFETY: both stretches lie in the vector.
            let back = unsafe { tested_memmove(base.add(EDGE), base.add(from), size) };
            assert_eq!(back, base.wrapping_add(EDGE));
            assert_eq!(actual, expected, "{size} bytes from {from} to {EDGE}");
        }
    }
}

fn compared(left: &[u8], right: &[u8]) -> (Ordering, bool) {
    let size = left.len().min(right.len());
    // SAFETY: `size` bytes lie behind both pointers.
    let (order, other) = unsafe {
        (
            tested_memcmp(left.as_ptr(), right.as_ptr(), size),
            tested_bcmp(left.as_ptr(), right.as_ptr(), size),
        )
    };
    (order.cmp(&0), other != 0)
}

#[test]
fn the_first_byte_that_differs_decides() {
    for size in 0..80 {
        let left = bytes(size);
        assert_eq!(compared(&left, &left), (Ordering::Equal, false));
        for place in 0..size {
            for change in [1, 0x7f, 0x80, 0xff] {
                let mut right = left.clone();
                right[place] = right[place].wrapping_add(change);
                // What comes behind says the opposite, and must not count.
                right[place + 1..].iter_mut().for_each(|b| *b = !*b);
                assert_eq!(
                    compared(&left, &right),
                    (left.cmp(&right), true),
                    "{size}, {place}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_compare_as_rust_compares_them(left in prop::collection::vec(0u8..3, 0..200), right in prop::collection::vec(0u8..3, 0..200)) {
        let size = left.len().min(right.len());
        prop_assert_eq!(compared(&left, &right).0, left[..size].cmp(&right[..size]));
    }
}

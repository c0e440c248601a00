//! Which functions ran, from what they left on the painted stack. A call stores the address to return to; what a later call did not
//! overwrite is still there afterwards. So the outer functions of an operation, such as the one that says which code path was taken,
//! can be named without adding an instruction to what is measured.
use crate::arch;
use crate::memory::layout::layout;
use crate::memory::stack;
use alloc::vec::Vec;
use wire::message::{MAX_TRAIL, Trail};

/// The trail of the operation that ran last on the painted stack.
pub fn of_last_operation() -> Trail {
    let layout = layout();
    let mut addresses: Vec<u64> = Vec::new();
    for word in stack::residue(stack::depth()) {
        let returns = layout.code.contains(&word) && arch::follows_call(word, &layout.code);
        let address = word.wrapping_sub(layout.bias);
        if returns && !addresses.contains(&address) {
            addresses.push(address);
            if addresses.len() == MAX_TRAIL {
                break;
            }
        }
    }
    Trail { addresses }
}

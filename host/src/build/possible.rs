//! Which places there are at all, given what programs a kind of machine has. Pure.
use crate::model::{Environment, Place, Stack};
use crate::tools::Target;
use boards::{Board, Reach};
use wire::message::Dispatch;

/// Why there is no such place on `board`, whose programs are built for `target`, if there is none.
///
/// There is one program for x86-64, the one for Linux with our own memory routines. The stack `stock` is what an operating system brings,
/// and there nothing stands between a provider and what the system says of the CPU.
#[must_use]
pub fn impossible(board: &Board, target: Target, place: Place) -> Option<&'static str> {
    let Place {
        environment,
        dispatch,
        stack,
    } = place;
    match (target, environment, dispatch, stack) {
        (
            Target::X86_64,
            Environment::BareMetal | Environment::Unikernel | Environment::Unikraft,
            ..,
        ) => Some("its program is for 64-bit Arm, and this machine is an x86-64 one"),
        (_, _, _, Stack::Shared) => None,
        (Target::X86_64, ..) => Some(
            "the program with the stack `stock` is for 64-bit Arm, and this machine is an x86-64 one",
        ),
        (_, Environment::Container, ..) if board.reached_by.contains(&Reach::Local) => {
            Some("a container of this machine holds the static program and no C library")
        }
        (_, Environment::BareMetal | Environment::Unikernel | Environment::Unikraft, ..) => {
            Some("without an operating system there is no C library but ours")
        }
        (_, _, Dispatch::Portable, _) => Some(
            "the system's C library tells providers of the CPU's features, which cannot be hidden there",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_machine_has_its_places() {
        let possible = |board: &str, target| {
            let board = boards::load(board).unwrap();
            let mut number = 0;
            for environment in Environment::ALL {
                for dispatch in [Dispatch::Detected, Dispatch::Portable] {
                    for stack in [Stack::Shared, Stack::Stock] {
                        let place = Place {
                            environment,
                            dispatch,
                            stack,
                        };
                        number += usize::from(impossible(&board, target, place).is_none());
                    }
                }
            }
            number
        };
        // Shared everywhere by both dispatches, and stock twice.
        assert_eq!(possible("qemu-virt", Target::Aarch64), 5 * 2 + 2);
        // There is no stock container on the machine itself.
        assert_eq!(possible("local", Target::Aarch64), 5 * 2 + 1);
        // Native and container, shared, by both dispatches.
        assert_eq!(possible("local", Target::X86_64), 2 * 2);
    }
}

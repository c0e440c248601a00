//! What must hold between the fields of a board, beyond each being of its type.
use crate::{Board, Environment, Range};

const PAGE: u64 = 4096;
const MIB: u64 = 1 << 20;

/// A board file whose fields contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A list that must have an entry has none.
    #[error("`{field}` is empty; give at least one")]
    Empty {
        /// The field.
        field: &'static str,
    },
    /// A name that cannot be a part of a run's, which is a folder's.
    #[error(
        "`board`: a name is made of letters, digits, `-` and `_`, 64 at most, and {0:?} is none"
    )]
    Name(String),
    /// A list that has an entry twice.
    #[error("`{field}` has `{name}` twice")]
    Twice {
        /// The field.
        field: &'static str,
        /// The entry.
        name: &'static str,
    },
    /// A number that divides or sizes something is 0.
    #[error("`{field}` is 0")]
    Zero {
        /// The field.
        field: &'static str,
    },
    /// An address or size that page tables cannot express.
    #[error("`{field}`: {value:#x} is not a multiple of the page size, {PAGE:#x}")]
    Unaligned {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
    },
    /// A range that reaches past the last address.
    #[error("`{field}`: {base:#x} + {size:#x} reaches past the last address")]
    PastTheEnd {
        /// The field.
        field: &'static str,
        /// First address.
        base: u64,
        /// Bytes.
        size: u64,
    },
    /// Two ranges that share addresses.
    #[error(
        "ranges {:#x}..{:#x} and {:#x}..{:#x} of [[image.memory]] and [[image.devices]] overlap",
        .0.base, .0.end(), .1.base, .1.end()
    )]
    Overlap(Range, Range),
    /// The image would not lie in memory.
    #[error("`image.load_address` = {0:#x} lies in no range of [[image.memory]]")]
    LoadAddress(u64),
    /// The cores that wait would not be reached.
    #[error("`cpu.spin_table` has {0:#x}, which lies in no range of [[image.memory]]")]
    SpinTable(u64),
    /// A device outside the ranges that are mapped as devices.
    #[error("`{field}` = {address:#x} lies in no range of [[image.devices]]")]
    Unmapped {
        /// The field.
        field: &'static str,
        /// Its value.
        address: u64,
    },
    /// A machine with less memory than the image expects.
    #[error("`{field}` = {mib} MiB, but [[image.memory]] promises {needed_mib} MiB to the image")]
    TooSmall {
        /// The field.
        field: &'static str,
        /// Its value.
        mib: u64,
        /// What the image expects.
        needed_mib: u64,
    },
    /// An environment without the section that it needs.
    #[error("environment `{environment}` needs `{needs}`")]
    Needs {
        /// The environment.
        environment: &'static str,
        /// The section or field.
        needs: &'static str,
    },
}

/// Checks a board.
///
/// # Errors
/// The first problem found.
pub fn check(board: &Board) -> Result<(), Problem> {
    lists(board)?;
    ranges(board)?;
    image(board)?;
    devices(board)?;
    machines(board)
}

fn lists(board: &Board) -> Result<(), Problem> {
    let empty = |field, is_empty| {
        if is_empty {
            Err(Problem::Empty { field })
        } else {
            Ok(())
        }
    };
    empty("board", board.name.is_empty())?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if board.name.len() > 64 || !board.name.chars().all(fits) {
        return Err(Problem::Name(board.name.clone()));
    }
    empty("reached_by", board.reached_by.is_empty())?;
    empty("environments", board.environments.is_empty())?;
    for (index, environment) in board.environments.iter().enumerate() {
        if board.environments[..index].contains(environment) {
            return Err(Problem::Twice {
                field: "environments",
                name: environment.name(),
            });
        }
    }
    empty("image.memory", board.image.memory.is_empty())?;
    if let Some(rate) = board.clocks.cntfrq_hz {
        nonzero("clocks.cntfrq_hz", rate)?;
    }
    if let Some(instructions) = board.clocks.instructions_per_tick {
        nonzero("clocks.instructions_per_tick", instructions.into())?;
    }
    Ok(())
}

fn ranges(board: &Board) -> Result<(), Problem> {
    let image = &board.image;
    let named = [
        ("image.memory", &image.memory),
        ("image.devices", &image.devices),
    ];
    for (field, list) in named {
        for range in list {
            nonzero(field, range.size)?;
            aligned(field, range.base)?;
            aligned(field, range.size)?;
            range
                .base
                .checked_add(range.size)
                .ok_or(Problem::PastTheEnd {
                    field,
                    base: range.base,
                    size: range.size,
                })?;
        }
    }
    let all: Vec<&Range> = image.memory.iter().chain(&image.devices).collect();
    for (index, first) in all.iter().enumerate() {
        if let Some(second) = all[index + 1..].iter().find(|other| first.overlaps(other)) {
            return Err(Problem::Overlap(**first, **second));
        }
    }
    Ok(())
}

fn image(board: &Board) -> Result<(), Problem> {
    let image = &board.image;
    aligned("image.load_address", image.load_address)?;
    for entry in &board.cpu.spin_table {
        if !image.memory.iter().any(|range| range.contains(*entry)) {
            return Err(Problem::SpinTable(*entry));
        }
    }
    // Whether the whole image fits behind that address, the linker finds out.
    image
        .home()
        .map(|_| ())
        .ok_or(Problem::LoadAddress(image.load_address))
}

fn devices(board: &Board) -> Result<(), Problem> {
    let mapped = |field, address| {
        let devices = &board.image.devices;
        if devices.iter().any(|range| range.contains(address)) {
            Ok(())
        } else {
            Err(Problem::Unmapped { field, address })
        }
    };
    mapped("uart.base", board.uart.base)?;
    if let Some(virtio) = &board.virtio_mmio {
        nonzero("virtio_mmio.stride", virtio.stride)?;
        nonzero("virtio_mmio.slots", virtio.slots.into())?;
        mapped("virtio_mmio.base", virtio.base)?;
        let last = u64::from(virtio.slots)
            .checked_mul(virtio.stride)
            .and_then(|bytes| virtio.base.checked_add(bytes - 1))
            .ok_or(Problem::PastTheEnd {
                field: "virtio_mmio",
                base: virtio.base,
                size: virtio.stride,
            })?;
        mapped("virtio_mmio.slots", last)?;
    }
    Ok(())
}

fn machines(board: &Board) -> Result<(), Problem> {
    let needed_mib = board
        .image
        .memory
        .iter()
        .fold(0_u64, |sum, range| sum.saturating_add(range.size))
        .div_ceil(MIB);
    let large_enough = |field, mib| {
        if mib < needed_mib {
            Err(Problem::TooSmall {
                field,
                mib,
                needed_mib,
            })
        } else {
            Ok(())
        }
    };
    if let Some(qemu) = &board.qemu {
        nonzero("qemu.cpus", qemu.cpus.into())?;
        large_enough("qemu.bare_memory_mib", qemu.bare_memory_mib)?;
    }
    if let Some(guest) = &board.guest {
        large_enough("guest.memory_mib", guest.memory_mib)?;
    }
    for environment in &board.environments {
        let needs = match environment {
            Environment::Unikernel | Environment::Unikraft if board.guest.is_none() => "[guest]",
            Environment::Unikernel if board.virtio_mmio.is_none() => "[virtio_mmio]",
            Environment::Native
            | Environment::Container
            | Environment::Unikernel
            | Environment::Unikraft
                if board
                    .qemu
                    .as_ref()
                    .is_some_and(|qemu| qemu.linux_memory_mib.is_none()) =>
            {
                "qemu.linux_memory_mib"
            }
            _ => continue,
        };
        return Err(Problem::Needs {
            environment: environment.name(),
            needs,
        });
    }
    if board.reached_by.contains(&crate::Reach::Qemu) && board.qemu.is_none() {
        return Err(Problem::Needs {
            environment: "qemu (in `reached_by`)",
            needs: "[qemu]",
        });
    }
    Ok(())
}

fn nonzero(field: &'static str, value: u64) -> Result<(), Problem> {
    if value == 0 {
        return Err(Problem::Zero { field });
    }
    Ok(())
}

fn aligned(field: &'static str, value: u64) -> Result<(), Problem> {
    if value.is_multiple_of(PAGE) {
        return Ok(());
    }
    Err(Problem::Unaligned { field, value })
}

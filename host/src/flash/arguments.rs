//! QEMU's arguments for a board. Pure: from the board file and paths to a command line, which goes into the manifest too.
use super::FlashError;
use super::qemu::{CONTROL, LINK};
use boards::{Board, Conduit, Guest, Qemu};
use std::path::Path;

/// What Linux is booted from.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    /// The kernel's image.
    pub image: &'a Path,
    /// The initial file system.
    pub initrd: &'a Path,
    /// The kernel's command line.
    pub append: &'a str,
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn path(path: &Path) -> String {
    // QEMU takes a comma in an option's value where it is written twice.
    path.display().to_string().replace(',', ",,")
}

/// The machine, and no device that was not asked for. `-no-shutdown`: when the program powers off, its last words stay in the
/// port until they are read; the emulator is ended by us.
fn machine(qemu: &Qemu, memory_mib: u64) -> Vec<String> {
    let mut arguments = words("-display none -nodefaults -no-reboot -no-shutdown");
    arguments.extend(["-smp".to_owned(), qemu.cpus.to_string()]);
    arguments.extend(["-M".to_owned(), qemu.machine.clone()]);
    arguments.extend(["-cpu".to_owned(), qemu.cpu.clone()]);
    arguments.extend(["-m".to_owned(), memory_mib.to_string()]);
    arguments.extend(words("-accel tcg,thread=single"));
    if let Some(icount) = &qemu.icount {
        arguments.extend(["-icount".to_owned(), icount.clone()]);
    }
    arguments
}

/// The board with the freestanding image, in the format that the board takes, on it: its UART is the link.
///
/// # Errors
/// Where the board is not emulated.
pub fn bare(board: &Board, image: &Path) -> Result<Vec<String>, FlashError> {
    let qemu = emulated(board, false)?;
    let mut arguments = machine(qemu, qemu.bare_memory_mib);
    arguments.extend(words(&format!(
        "-chardev pty,id={LINK} -serial chardev:{LINK}"
    )));
    if board.power.conduit == Conduit::Semihosting {
        arguments.extend(words("-semihosting-config enable=on,target=native"));
    }
    arguments.extend(["-kernel".to_owned(), image.display().to_string()]);
    Ok(arguments)
}

/// The board with Linux on it: link and control are virtio ports, the console goes to a file.
///
/// # Errors
/// Where the board is not emulated, or has no Linux.
pub fn linux(board: &Board, kernel: Kernel<'_>, console: &Path) -> Result<Vec<String>, FlashError> {
    let qemu = emulated(board, true)?;
    let memory = qemu
        .linux_memory_mib
        .ok_or_else(|| not_emulated(board, true))?;
    let mut arguments = machine(qemu, memory);
    arguments.extend([
        "-chardev".to_owned(),
        format!("file,id=console,path={}", path(console)),
    ]);
    arguments.extend(words("-serial chardev:console -device virtio-serial-pci"));
    for label in [LINK, CONTROL] {
        arguments.extend(words(&format!(
            "-chardev pty,id={label} -device virtserialport,chardev={label},name=org.pqbench.{label}"
        )));
    }
    for (option, file) in [("-kernel", kernel.image), ("-initrd", kernel.initrd)] {
        arguments.extend([option.to_owned(), file.display().to_string()]);
    }
    arguments.extend(["-append".to_owned(), kernel.append.to_owned()]);
    Ok(arguments)
}

/// The guest that a machine with KVM offers to the freestanding image: its virtio console is the link.
///
/// # Errors
/// Where the board says nothing of a guest.
pub fn guest(board: &Board, image: &Path) -> Result<Vec<String>, FlashError> {
    let guest = of_guest(board)?;
    let mut arguments = kvm(guest, guest.memory_mib);
    arguments.extend(words(&format!(
        "-global virtio-mmio.force-legacy=false -device virtio-serial-device,max_ports=1 -chardev pty,id={LINK} -device virtconsole,chardev={LINK}"
    )));
    arguments.extend(["-kernel".to_owned(), image.display().to_string()]);
    Ok(arguments)
}

/// The guest that a machine with KVM offers to a Unikraft kernel, with `memory_mib` MiB: its console is the link.
///
/// # Errors
/// Where the board says nothing of a guest.
pub fn unikraft(
    board: &Board,
    kernel: &Path,
    program: &Path,
    memory_mib: u64,
) -> Result<Vec<String>, FlashError> {
    let mut arguments = kvm(of_guest(board)?, memory_mib);
    arguments.extend(words(&format!(
        "-chardev pty,id={LINK} -serial chardev:{LINK}"
    )));
    for (option, file) in [("-kernel", kernel), ("-initrd", program)] {
        arguments.extend([option.to_owned(), file.display().to_string()]);
    }
    Ok(arguments)
}

/// A machine for a guest, and no device that was not asked for.
fn kvm(guest: &Guest, memory_mib: u64) -> Vec<String> {
    let mut arguments = words("-display none -nodefaults -no-reboot -no-shutdown -accel kvm");
    arguments.extend(["-M".to_owned(), guest.machine.clone()]);
    arguments.extend(["-cpu".to_owned(), guest.cpu.clone()]);
    arguments.extend(["-m".to_owned(), memory_mib.to_string()]);
    arguments
}

fn of_guest(board: &Board) -> Result<&Guest, FlashError> {
    board
        .guest
        .as_ref()
        .ok_or_else(|| not_emulated(board, false))
}

fn emulated(board: &Board, linux: bool) -> Result<&Qemu, FlashError> {
    board
        .qemu
        .as_ref()
        .ok_or_else(|| not_emulated(board, linux))
}

fn not_emulated(board: &Board, linux: bool) -> FlashError {
    FlashError::NotEmulated {
        board: board.name.clone(),
        linux,
    }
}

//! Board files and the one way to read them.
//!
//! A board is data: what it is, how it is reached, where its memory and devices lie. A [`Board`] that this crate hands out
//! has been checked: no field is unknown, no ranges overlap, the image lies in memory. The crate knows nothing of a desk
//! (serial ports, addresses, meters): that is `bench.toml`'s.
#![forbid(unsafe_code)]

mod check;
mod error;

pub use check::Problem;
pub use error::BoardError;

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The boards that come with the program: name and text of the file, sorted by name.
pub const BUILTIN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// A piece of hardware or an emulated machine. `boards/README.md` says what each field means in a file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// The name; equal to the file's, without `.toml`.
    #[serde(rename = "board")]
    pub name: String,
    /// One sentence for people.
    pub description: String,
    /// Whether it is a program that plays the hardware.
    pub emulated: bool,
    /// How a program gets onto it, best way first.
    pub reached_by: Vec<Reach>,
    /// What can run code on it, in the order of tables.
    pub environments: Vec<Environment>,
    /// How far it was tried on real hardware, one sentence.
    pub tried: String,
    /// The processor.
    pub cpu: Cpu,
    /// Its clocks.
    pub clocks: Clocks,
    /// What a freestanding image needs to know.
    pub image: Image,
    /// The console of the freestanding image.
    pub uart: Uart,
    /// Where virtio devices may be, if there can be any.
    pub virtio_mmio: Option<VirtioMmio>,
    /// How the board is switched off.
    pub power: Power,
    /// How QEMU plays it, if it does.
    pub qemu: Option<Qemu>,
    /// The machine that the board's Linux offers to the unikernel.
    pub guest: Option<Guest>,
    /// Where it was read from; none for a board that comes with the program.
    #[serde(skip)]
    pub source: Option<PathBuf>,
}

/// How a program gets onto a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// The host starts an emulator.
    Qemu,
    /// The board's Linux, over the network.
    Ssh,
    /// A debug probe loads the image.
    Probe,
    /// The image is written to an SD card.
    Sd,
    /// A boot loader takes the image over the serial line.
    Serial,
    /// The board is the machine that the host program runs on.
    Local,
}

/// What runs the code on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Environment {
    /// Our image owns the CPU.
    BareMetal,
    /// A Linux process.
    Native,
    /// An OCI container on that Linux.
    Container,
    /// Our image as a guest of QEMU/KVM on that Linux.
    Unikernel,
    /// A Unikraft kernel that the user supplies.
    Unikraft,
}

impl Environment {
    /// The name in files, options and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BareMetal => "bare-metal",
            Self::Native => "native",
            Self::Container => "container",
            Self::Unikernel => "unikernel",
            Self::Unikraft => "unikraft",
        }
    }
}

impl Reach {
    /// The name in files, options and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Qemu => "qemu",
            Self::Ssh => "ssh",
            Self::Probe => "probe",
            Self::Sd => "sd",
            Self::Serial => "serial",
            Self::Local => "local",
        }
    }
}

/// The processor.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// The model, as Arm names it, in lower case.
    pub model: String,
    /// Where the firmware's other cores, those that wait in a spin table, look for the address to go to. Empty where they sleep
    /// until they are started.
    #[serde(default)]
    pub spin_table: Vec<u64>,
}

/// The board's clocks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Clocks {
    /// What PMCCNTR_EL0 counts here.
    pub pmccntr: CounterUnit,
    /// Rate of CNTVCT_EL0, Hz; none where only the machine itself knows.
    pub cntfrq_hz: Option<u64>,
    /// Instructions in a tick of CNTVCT_EL0, where an emulator ties the two together.
    pub instructions_per_tick: Option<u32>,
}

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CounterUnit {
    /// Cycles of the core.
    Cycles,
    /// Instructions, as a deterministic emulator retires them.
    Instructions,
}

impl CounterUnit {
    /// The name in files and manifests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Instructions => "instructions",
        }
    }
}

/// What a freestanding image needs to know: its linker script and its memory map are made of this.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// Where its first byte lies.
    pub load_address: u64,
    /// What is handed to whatever loads it.
    #[serde(default)]
    pub format: Format,
    /// Memory, mapped cacheable. The image lies in one of these.
    pub memory: Vec<Range>,
    /// Devices, mapped uncached.
    pub devices: Vec<Range>,
    /// Further arguments for the linker of the image, as the compiler driver takes them.
    #[serde(default)]
    pub link_arguments: Vec<String>,
}

impl Image {
    /// The memory that the image lies in.
    #[must_use]
    pub fn home(&self) -> Option<&Range> {
        self.memory
            .iter()
            .find(|range| range.contains(self.load_address))
    }
}

/// What a board's loader takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// The ELF file.
    #[default]
    Elf,
    /// The bytes of memory from the load address on, and nothing else; they are entered at the first.
    Raw,
}

/// A stretch of physical addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// First address.
    pub base: u64,
    /// Bytes.
    pub size: u64,
}

impl Range {
    /// The address past the last; saturating.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.base.saturating_add(self.size)
    }

    /// Whether `address` lies in it.
    #[must_use]
    pub fn contains(&self, address: u64) -> bool {
        (self.base..self.end()).contains(&address)
    }

    /// Whether the two share an address.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.base < other.end() && other.base < self.end()
    }
}

/// The console of the freestanding image.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Uart {
    /// The kind of device.
    pub kind: UartKind,
    /// Address of its registers.
    pub base: u64,
}

/// Kinds of UART that the freestanding image drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UartKind {
    /// Arm PrimeCell UART, PL011.
    Pl011,
}

/// Where virtio devices may be found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VirtioMmio {
    /// Address of the first slot.
    pub base: u64,
    /// Bytes from slot to slot.
    pub stride: u64,
    /// Number of slots.
    pub slots: u32,
}

/// How the board is switched off.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Power {
    /// How the firmware (PSCI) is called by an image that was entered at EL2.
    pub conduit: Conduit,
}

/// How PSCI is called, or what stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conduit {
    /// By secure monitor call.
    Smc,
    /// By hypervisor call.
    Hvc,
    /// There is no PSCI, but an emulator or a debugger that takes semihosting calls: the image ends it.
    Semihosting,
    /// There is no PSCI: the image stops in a wait loop.
    None,
}

/// How QEMU plays the board.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Qemu {
    /// The program.
    pub binary: String,
    /// `-M`.
    pub machine: String,
    /// `-cpu`.
    pub cpu: String,
    /// `-smp`: cores that the machine insists on, though one works.
    #[serde(default = "one")]
    pub cpus: u32,
    /// `-icount`, if the clock is tied to instructions.
    pub icount: Option<String>,
    /// `-m` when the freestanding image owns the machine, MiB.
    pub bare_memory_mib: u64,
    /// `-m` when Linux runs on it, MiB; none if Linux cannot.
    pub linux_memory_mib: Option<u64>,
}

fn one() -> u32 {
    1
}

/// The machine that the board's Linux offers to the unikernel, by QEMU under KVM.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Guest {
    /// `-M`.
    pub machine: String,
    /// `-cpu`.
    pub cpu: String,
    /// `-m`, MiB.
    pub memory_mib: u64,
}

impl Board {
    /// Reads and checks the text of a board file; `file` names it in errors.
    ///
    /// # Errors
    /// [`BoardError::UnknownField`], [`BoardError::Syntax`] or [`BoardError::Check`].
    pub fn parse(file: &str, text: &str) -> Result<Self, BoardError> {
        let board: Self =
            toml::from_str(text).map_err(|error| BoardError::from_toml(file, text, &error))?;
        check::check(&board).map_err(|problem| BoardError::Check {
            file: file.to_owned(),
            problem,
        })?;
        Ok(board)
    }

    /// What [`load`] takes to give this board again, from whatever folder: its name or the absolute path of its file.
    #[must_use]
    pub fn reference(&self) -> String {
        self.source.as_ref().map_or_else(
            || self.name.clone(),
            |path| {
                std::path::absolute(path)
                    .unwrap_or_else(|_| path.clone())
                    .display()
                    .to_string()
            },
        )
    }
}

/// Names of the boards that come with the program, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// Finds a board: by name among those that come with the program, or, where `name` has a `/` or ends in `.toml`, in that
/// file.
///
/// # Errors
/// [`BoardError::UnknownBoard`] with the nearest name, [`BoardError::Read`], or those of [`Board::parse`].
pub fn load(name: &str) -> Result<Board, BoardError> {
    if name.contains('/') || name.ends_with(".toml") {
        return load_file(Path::new(name));
    }
    match BUILTIN.iter().find(|(builtin, _)| *builtin == name) {
        Some((builtin, text)) => Board::parse(&format!("{builtin}.toml"), text),
        None => Err(BoardError::unknown_board(name)),
    }
}

fn load_file(path: &Path) -> Result<Board, BoardError> {
    let text = std::fs::read_to_string(path).map_err(|source| BoardError::Read {
        path: path.to_owned(),
        source,
    })?;
    let board = Board::parse(&path.display().to_string(), &text)?;
    Ok(Board {
        source: Some(path.to_owned()),
        ..board
    })
}

//! The emulated board with the freestanding image on it: every start is a boot.
use super::machine::{Machine, MachineError};
use crate::flash::{Emulator, FlashError, LINK, bare, guest, raw, unikraft};
use crate::launch::conditions;
use crate::launch::{Unikraft, unikraft_memory_mib};
use crate::link::serial::Serial;
use crate::link::{Letters, Port, Stop, Watch};
use crate::model::{Conditions, Place};
use boards::{Board, Conduit, Format};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A pty takes any rate.
pub(super) const BAUD: u32 = 115_200;

/// How long the image may take to power off.
const END: Duration = Duration::from_secs(5);

/// What plays a guest on the machine itself.
pub const KVM_QEMU: &str = "qemu-system-aarch64";

/// Statuses with which an image ends its emulator, where that is how it switches off: told to, and after a fault.
const ENDED_BY_IMAGE: [i32; 2] = [0, 70];

/// Wraps a port, to record or to damage what passes; as it is, where nobody wants either.
pub type Wrap = Arc<dyn Fn(Box<dyn Port>) -> Box<dyn Port> + Send + Sync>;

/// What a guest of the machine itself is started with.
#[derive(Clone, Copy, Debug)]
pub enum Guest<'a> {
    /// The freestanding image.
    Image(&'a Path),
    /// A kernel of the user's and the program that it loads.
    Unikraft(Unikraft<'a>),
}

/// The board.
pub struct BareBoard {
    program: String,
    arguments: Vec<String>,
    errors: PathBuf,
    /// Whether the link is a console.
    spelled: bool,
    wrap: Wrap,
    running: Option<(Letters, Running)>,
    facts: Vec<(String, String)>,
    /// Whether the emulator ends with its image.
    image_ends_emulator: bool,
    /// On the machine itself: the processor that its guest is pinned to, if it is to one.
    here: Option<Option<u32>>,
}

struct Running {
    emulator: Emulator,
    /// On the machine itself: the processor that it is pinned to, if it is to one.
    here: Option<Option<u32>>,
}

impl BareBoard {
    /// The board with `image`; working files go to `scratch`.
    ///
    /// # Errors
    /// Where the board is not emulated, or its loader wants a raw image and there can be none.
    pub fn new(
        board: &Board,
        image: &Path,
        scratch: &Path,
        wrap: Wrap,
    ) -> Result<Self, MachineError> {
        let image = loadable(board, image, scratch)?;
        let arguments = bare(board, &image)?;
        let program = board.qemu.as_ref().map(|q| q.binary.clone());
        Ok(Self {
            program: program.unwrap_or_default(),
            arguments,
            errors: scratch.join("bare-metal.errors.txt"),
            spelled: false,
            wrap,
            running: None,
            facts: Vec::new(),
            image_ends_emulator: board.power.conduit == Conduit::Semihosting,
            here: None,
        })
    }

    /// The guest that this machine offers by KVM: every start is one of QEMU, pinned to the processor `cpu` if there is one.
    ///
    /// # Errors
    /// Where the board says nothing of a guest.
    pub fn guest(
        board: &Board,
        started: Guest<'_>,
        scratch: &Path,
        wrap: Wrap,
        cpu: Option<u32>,
    ) -> Result<Self, MachineError> {
        let mut words = vec![KVM_QEMU.to_owned()];
        words.extend(match started {
            Guest::Image(image) => guest(board, image)?,
            Guest::Unikraft(Unikraft { kernel, program }) => {
                let memory = unikraft_memory_mib(board).unwrap_or_default();
                unikraft(board, kernel, program, memory)?
            }
        });
        if let Some(cpu) = cpu {
            let pinned = ["taskset".to_owned(), "-c".to_owned(), cpu.to_string()];
            words.splice(..0, pinned);
        }
        Ok(Self {
            program: words.remove(0),
            arguments: words,
            errors: scratch.join("guest.errors.txt"),
            spelled: matches!(started, Guest::Unikraft(_)),
            wrap,
            running: None,
            facts: Vec::new(),
            image_ends_emulator: true,
            here: Some(cpu),
        })
    }
}

/// The file that the board's loader takes: the image itself, or a raw one beside the working files.
fn loadable(board: &Board, image: &Path, scratch: &Path) -> Result<PathBuf, MachineError> {
    if board.image.format == Format::Elf {
        return Ok(image.to_owned());
    }
    let file = |path: &Path| {
        let path = path.to_owned();
        move |source| MachineError::Scratch { path, source }
    };
    let elf = fs::read(image).map_err(file(image))?;
    let bytes = raw(&elf, board.image.load_address).map_err(|source| FlashError::Raw {
        image: image.to_owned(),
        source,
    })?;
    let path = scratch.join("kernel8.img");
    fs::write(&path, bytes).map_err(file(&path))?;
    Ok(path)
}

pub(super) fn open(path: &str) -> Result<Serial, MachineError> {
    Serial::open(path, BAUD).map_err(|source| MachineError::Port {
        port: path.to_owned(),
        source,
    })
}

impl Machine for BareBoard {
    fn start(&mut self, place: Place, _: u32) -> Result<(), MachineError> {
        self.running = None;
        let mut emulator = Emulator::start(&self.program, &self.arguments, &self.errors)?;
        let port = open(emulator.pty(LINK)?)?;
        let fact = (
            format!("qemu.{}", place.environment),
            emulator.command_line().to_owned(),
        );
        if !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
        emulator.go()?;
        let here = self.here;
        let mut port = Letters::new((self.wrap)(Box::new(port)));
        port.spell(self.spelled);
        self.running = Some((port, Running { emulator, here }));
        Ok(())
    }

    fn link(&mut self) -> Option<(&mut dyn Port, &mut dyn Watch)> {
        let (port, running) = self.running.as_mut()?;
        Some((port, running))
    }

    fn board_ended(&mut self) -> Option<String> {
        let (_, Running { emulator, .. }) = self.running.as_mut()?;
        // An image that ended takes nothing away: the next start brings a new emulator anyway.
        let by_image = emulator
            .exit_code()
            .is_some_and(|code| ENDED_BY_IMAGE.contains(&code));
        if self.image_ends_emulator && by_image {
            return None;
        }
        emulator.exited()
    }

    fn end(&mut self, told: bool) -> Result<(), MachineError> {
        let begin = Instant::now();
        while told
            && begin.elapsed() < END
            && let Some((_, Running { emulator, .. })) = &mut self.running
            && emulator.stopped().is_none()
        {
            std::thread::sleep(Duration::from_millis(10));
        }
        // An image that does not end by itself ends with its machine.
        self.running = None;
        Ok(())
    }

    fn take_facts(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.facts)
    }
}

impl Watch for Running {
    fn look(&mut self) -> Result<(), Stop> {
        self.emulator
            .stopped()
            .map_or(Ok(()), |how| Err(Stop::Ended(how)))
    }

    fn conditions(&mut self) -> Option<Conditions> {
        let process = Some(self.emulator.pid());
        self.here
            .map(|processor| conditions(Path::new("/"), processor, process))
    }
}

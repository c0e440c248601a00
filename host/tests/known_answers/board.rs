//! Starts the programs that are measured: `linux` in native, `bare` on the metal.
use super::target::Target;
use host::bench::{BareBoard, Interrupt, LinuxBoard, Machine, Scratch, Wrap};
use host::build::{Liboqs, Programs, Toolchain, build};
use host::launch;
use host::link::{Limits, Session};
use host::model::{Environment, Place};
use host::progress::Progress;
use host::setup::{cache, guest};
use host::tools::Search;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use wire::message::{Dispatch, Identify};

/// From power-on to the first Hello, on a machine that is busy.
const BOOT: Duration = Duration::from_secs(180);

const NATIVE: Place = Place::BASELINE;
const METAL: Place = Place {
    environment: Environment::BareMetal,
    ..Place::BASELINE
};

/// A machine with the programs that it can start.
pub struct Board {
    machine: Box<dyn Machine>,
    place: Place,
    starts: u32,
    _scratch: Scratch,
}

fn definition() -> boards::Board {
    boards::load("qemu-virt").expect("comes with the program")
}

fn programs() -> &'static Programs {
    static PROGRAMS: OnceLock<Programs> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let toolchain = Toolchain::choose(&Search::from_env()).expect("setup has run");
        build(
            &toolchain,
            &definition(),
            &Liboqs::default(),
            Progress::new(true),
        )
        .expect("the programs build")
    })
}

fn wrap() -> Wrap {
    Arc::new(|port| port)
}

/// Linux, booted, on which `linux` runs as a process.
pub fn native() -> Board {
    let (definition, programs) = (definition(), programs());
    let scratch = Scratch::new().expect("a scratch folder");
    let cache = cache::folder().expect("a cache folder");
    let guest = guest::find(&cache).expect("setup has made the guest");
    let initrd = scratch.path().join("initrd.cpio");
    let carried = launch::Carried {
        linux: &programs.linux.path,
        stock: &programs.stock.as_ref().expect("for Arm").path,
        bare: &programs.bare.as_ref().expect("for Arm").path,
        unikraft: None,
    };
    let overlay = launch::overlay(&carried, &definition);
    launch::write_initrd(&guest.base_initrd, &overlay.expect("an overlay"), &initrd)
        .expect("an initrd");
    let interrupt = Interrupt::default();
    let board = LinuxBoard::new(
        &definition,
        &guest.kernel,
        &initrd,
        scratch.path(),
        &interrupt,
        wrap(),
    );
    Board::new(Box::new(board.expect("emulated")), NATIVE, scratch)
}

/// A board that boots `bare` at each start.
pub fn metal() -> Board {
    let scratch = Scratch::new().expect("a scratch folder");
    let image = &programs().bare.as_ref().expect("for Arm").path;
    let board = BareBoard::new(&definition(), image, scratch.path(), wrap());
    Board::new(Box::new(board.expect("emulated")), METAL, scratch)
}

impl Board {
    fn new(machine: Box<dyn Machine>, place: Place, scratch: Scratch) -> Self {
        Self {
            machine,
            place,
            starts: 0,
            _scratch: scratch,
        }
    }

    /// Starts the program, lets `work` talk to it, and ends it.
    pub fn run<T>(&mut self, dispatch: Dispatch, work: impl FnOnce(&mut Target) -> T) -> T {
        let place = Place {
            dispatch,
            ..self.place
        };
        self.machine.start(place, self.starts).expect("it starts");
        let (port, watch) = self.machine.link().expect("a link");
        let mut session = Session::open(port, watch, Limits::default());
        let identify = Identify {
            run: [9; 16],
            invocation: self.starts,
            dispatch,
        };
        let greeting = session.hello(&identify, BOOT).expect("a Hello");
        assert_eq!(
            greeting.hello.body.cpu.features_used.is_empty(),
            dispatch == Dispatch::Portable,
            "what the providers are told of the CPU"
        );
        let mut target = Target::new(session);
        let result = work(&mut target);
        target.stop();
        self.machine.end(true).expect("it ends");
        self.starts += 1;
        result
    }
}

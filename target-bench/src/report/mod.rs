//! Obeys the host: reads frames, carries commands out, sends answers, and keeps them until the next command.
use crate::log;
use crate::memory;
use crate::memory::layout::layout;
use crate::platform::{self, Platform};
use crate::workload::{Performer, Runner};
use crate::{arch, board, fault, providers};
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use wire::frame::{self, Decoder, Frame};
use wire::hello::{Body, Cpu, Hello, Prefix};
use wire::message::{
    Answer, Command, Dispatch, Fault, Footprint, Identify, MAX_PIECE, MainClock, Refusal,
    RunRequest,
};
use wire::units::Ticks;

/// Bytes of answers kept for the host to ask for again.
const KEPT_BYTES: usize = 512 << 10;

/// Sends frames, and keeps those of the present command.
struct Sender {
    next: u32,
    kept: VecDeque<(u32, Vec<u8>)>,
    kept_bytes: usize,
}

impl Sender {
    fn send(&mut self, platform: &mut impl Platform, body: &[u8]) {
        let Some(encoded) = frame::encode(self.next, body) else {
            return;
        };
        platform.write(&encoded);
        self.kept_bytes += encoded.len();
        self.kept.push_back((self.next, encoded));
        while self.kept_bytes > KEPT_BYTES
            && let Some((_, oldest)) = self.kept.pop_front()
        {
            self.kept_bytes -= oldest.len();
        }
        self.next = self.next.wrapping_add(1);
    }

    fn answer(&mut self, platform: &mut impl Platform, answer: &Answer) {
        if let Ok(body) = answer.to_bytes() {
            self.send(platform, &body);
        }
    }

    fn forget(&mut self) {
        self.kept.clear();
        self.kept_bytes = 0;
    }
}

/// A program that answers the host.
pub struct Agent<P> {
    platform: P,
    sender: Sender,
    runner: Runner,
    performer: Performer,
    /// When it was ready for commands.
    ready: Ticks,
    identity: Option<Identify>,
    /// The command carried out last, as it came.
    last: Option<Frame>,
    /// Sequence number of the command under way, for the fault that ends it.
    current: u32,
}

impl<P: Platform> Agent<P> {
    /// An agent that has said nothing yet.
    pub fn new(platform: P) -> Self {
        let sender = Sender {
            next: 0,
            kept: VecDeque::new(),
            kept_bytes: 0,
        };
        Self {
            platform,
            sender,
            runner: Runner::default(),
            performer: Performer::default(),
            ready: Ticks(0),
            identity: None,
            last: None,
            current: 0,
        }
    }

    /// Says Hello and obeys until told to stop.
    pub fn serve(&mut self) -> ! {
        // SAFETY: `self` lives as long as the program, since this function does not return.
        unsafe { fault::install(Self::report_fault, (&raw mut *self).cast()) };
        platform::set_features_used(self.platform.features());
        // A zero first: it ends whatever firmware left on the line.
        self.platform.write(&[0]);
        self.hello();
        self.ready = Ticks(arch::ticks());
        let mut decoder = Decoder::new();
        let mut buffer = [0u8; 256];
        loop {
            let read = self.platform.read(&mut buffer);
            for byte in &buffer[..read] {
                match decoder.push(*byte) {
                    None => {}
                    Some(Err(_)) => self.refuse(0, Refusal::BrokenFrame),
                    Some(Ok(frame)) => self.obey(&frame),
                }
            }
        }
    }

    fn refuse(&mut self, command: u32, reason: Refusal) {
        self.sender
            .answer(&mut self.platform, &Answer::Refused { command, reason });
    }

    fn obey(&mut self, frame: &Frame) {
        let command = match Command::from_bytes(&frame.body) {
            Ok(Command::Resend { sequence }) => return self.resend(frame.sequence, sequence),
            Ok(command) => command,
            Err(_) => return self.refuse(frame.sequence, Refusal::NotUnderstood),
        };
        if self.last.as_ref() == Some(frame) {
            // The host did not get the answers: carrying the command out again would do the work twice.
            for (_, kept) in &self.sender.kept {
                self.platform.write(kept);
            }
            return;
        }
        self.sender.forget();
        self.current = frame.sequence;
        let done = Answer::Done {
            command: frame.sequence,
        };
        let carried_out = self.carry_out(&command);
        self.send_log();
        match carried_out {
            Ok(()) => {
                self.last = Some(frame.clone());
                self.sender.answer(&mut self.platform, &done);
            }
            Err(reason) => self.refuse(frame.sequence, reason),
        }
        match command {
            Command::Stop => self.platform.stop(0),
            Command::Restart => self.platform.restart(),
            _ => {}
        }
    }

    /// Sends the remarks that have come together.
    fn send_log(&mut self) {
        for piece in log::take().chunks(MAX_PIECE) {
            self.sender
                .answer(&mut self.platform, &Answer::Defmt(piece.to_vec()));
        }
    }

    fn resend(&mut self, command: u32, sequence: u32) {
        match self.sender.kept.iter().find(|(kept, _)| *kept == sequence) {
            Some((_, encoded)) => self.platform.write(encoded),
            None => self.refuse(command, Refusal::Gone),
        }
    }

    fn carry_out(&mut self, command: &Command) -> Result<(), Refusal> {
        match command {
            Command::Identify(identify) => self.identify(identify),
            Command::IdentifyCounting { identify, clock } => match clock {
                MainClock::Instructions if !self.platform.count_instructions() => {
                    Err(Refusal::NoInstructionCounter)
                }
                _ => self.identify(identify),
            },
            Command::Stop | Command::Restart | Command::Resend { .. } => Ok(()),
            Command::List => {
                self.identity.as_ref().ok_or(Refusal::NotIdentified)?;
                self.sender
                    .answer(&mut self.platform, &Answer::Offers(providers::offers()));
                Ok(())
            }
            Command::Run(request) => self.run(request, 1),
            Command::RunRepeated {
                request,
                executions,
            } => self.run(request, *executions),
            Command::Store {
                slot,
                offset,
                bytes,
            } => self.performer.store(*slot, *offset, bytes),
            Command::Overwrite {
                slot,
                offset,
                bytes,
            } => self.performer.overwrite(*slot, *offset, bytes),
            Command::Fetch { slot } => {
                let Self {
                    platform,
                    sender,
                    performer,
                    ..
                } = self;
                performer.fetch(*slot, |answer| sender.answer(platform, answer));
                Ok(())
            }
            Command::Perform(request) => {
                self.identity.as_ref().ok_or(Refusal::NotIdentified)?;
                let Self {
                    platform,
                    sender,
                    performer,
                    ..
                } = self;
                performer.perform(request, |answer| sender.answer(platform, answer))
            }
            Command::Footprint => {
                let layout = layout();
                let footprint = Footprint {
                    read_only: Some(layout.read_only),
                    writable: Some(layout.writable),
                    ready: Some(self.ready),
                    ..self.platform.footprint()
                };
                self.sender
                    .answer(&mut self.platform, &Answer::Footprint(footprint));
                Ok(())
            }
        }
    }

    fn run(&mut self, request: &RunRequest, executions: u32) -> Result<(), Refusal> {
        self.identity.as_ref().ok_or(Refusal::NotIdentified)?;
        let counters = self.platform.counters();
        let Self {
            platform,
            sender,
            runner,
            ..
        } = self;
        runner.run(request, executions, counters, |answer| {
            sender.answer(platform, answer);
        })
    }

    fn identify(&mut self, identify: &Identify) -> Result<(), Refusal> {
        if let Some(known) = &self.identity
            && known.dispatch != identify.dispatch
        {
            return Err(Refusal::DispatchFixed);
        }
        if identify.dispatch == Dispatch::Portable {
            platform::set_features_used(0);
        }
        // Only the programs for the boards have the section that defmt needs. Said here and by no macro of ours, whose place in the sources
        // would be told instead of this one.
        #[cfg(target_arch = "aarch64")]
        defmt::info!(
            "invocation {=u32}, code path {=str}",
            identify.invocation,
            identify.dispatch.name()
        );
        self.identity = Some(identify.clone());
        self.hello();
        Ok(())
    }

    fn hello(&mut self) {
        let seen = self.platform.features();
        let names = |features: u64| -> Vec<String> {
            let present = |bit: u32| features >> bit & 1 == 1;
            arch::CAPABILITY_NAMES
                .iter()
                .filter(|(bit, _)| present(*bit))
                .map(|(_, name)| String::from(*name))
                .collect()
        };
        let identity = self.identity.clone();
        let (run, invocation, dispatch) = identity.map_or(([0; 16], 0, Dispatch::Detected), |i| {
            (i.run, i.invocation, i.dispatch)
        });
        // An image without a source of chance is named by the host: a reset loses the name.
        let named = || {
            let mut boot = run;
            boot.iter_mut()
                .zip(invocation.to_le_bytes())
                .for_each(|(byte, number)| *byte ^= number);
            boot
        };
        let body = Body {
            board: String::from(board::NAME),
            program: String::from(self.platform.program()),
            surroundings: self.platform.surroundings(),
            clocks: self.platform.clocks(),
            cpu: Cpu {
                midr: arch::midr(),
                features_seen: names(seen),
                features_used: names(platform::features_used()),
            },
            dispatch,
            providers: providers::versions(),
            run,
            invocation,
            boot: self.platform.boot().unwrap_or_else(named),
            stack_size: memory::STACK_BYTES as u32,
            heap_size: memory::MEASURED_BYTES as u32,
        };
        let hello = Hello {
            prefix: Prefix {
                version: wire::VERSION,
                build_id: self.platform.build_id(),
            },
            body,
        };
        if let Ok(bytes) = hello.to_bytes() {
            self.sender.send(&mut self.platform, &bytes);
        }
    }

    /// Reports the fault that ends the program.
    ///
    /// # Safety
    /// `agent` must be the Agent that `serve` installed.
    unsafe fn report_fault(agent: *mut (), fault: Fault) -> ! {
        // SAFETY: as the caller promises; whoever held it before does not run any more.
        let agent = unsafe { &mut *agent.cast::<Self>() };
        agent.send_log();
        agent
            .sender
            .answer(&mut agent.platform, &Answer::Fault(fault));
        agent.sender.answer(
            &mut agent.platform,
            &Answer::Done {
                command: agent.current,
            },
        );
        agent.platform.stop(70)
    }
}

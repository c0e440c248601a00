//! Which machine runs which environments.
use super::choice::Choice;
use super::here;
use crate::bench::{
    BareBoard, Crew, Guest, Interrupt, LinuxBoard, LocalBoard, LocalPrograms, Machine,
    MachineError, Scratch, Wrap,
};
use crate::build::{Built, Programs};
use crate::launch;
use crate::link::Port;
use crate::link::fault::{Faults, Faulty};
use crate::model::{Environment, Place, Stack};
use crate::setup::guest;
use crate::tools::Search;
use std::path::Path;
use std::sync::Arc;

/// One machine for the metal, one for all environments on Linux: the two run side by side.
pub fn crews<'a>(
    choice: &'a Choice,
    programs: &'a Programs,
    guest: Option<&'a guest::Guest>,
    scratch: &'a Scratch,
    interrupt: &'a Interrupt,
    damage: u32,
) -> Vec<Crew<'a>> {
    if here::is_local(&choice.board) {
        return local(choice, programs, scratch, damage);
    }
    let (metal, on_linux): (Vec<_>, Vec<_>) = choice
        .environments
        .iter()
        .partition(|e| **e == Environment::BareMetal);
    let wrap = wrap(damage, choice.seed);
    let mut crews = Vec::new();
    if !metal.is_empty() {
        let wrap = wrap.clone();
        crews.push(Crew {
            environments: metal,
            machine: Box::new(move || {
                let image = &needed(programs, Environment::BareMetal, Stack::Shared)?.path;
                let board = BareBoard::new(&choice.board, image, scratch.path(), wrap)?;
                Ok(Box::new(board) as Box<dyn Machine>)
            }),
        });
    }
    if let Some(guest) = guest
        && !on_linux.is_empty()
    {
        crews.push(Crew {
            environments: on_linux,
            machine: Box::new(move || linux(choice, programs, guest, scratch, interrupt, wrap)),
        });
    }
    crews
}

/// One machine for processes and containers of the machine itself, one for each kind of its guests: they take turns.
fn local<'a>(
    choice: &'a Choice,
    programs: &'a Programs,
    scratch: &'a Scratch,
    damage: u32,
) -> Vec<Crew<'a>> {
    let (guests, processes): (Vec<_>, Vec<_>) =
        choice.environments.iter().partition(|e| e.is_guest());
    let wrap = wrap(damage, choice.seed);
    let processor =
        launch::processor(Path::new("/")).filter(|_| Search::from_env().find("taskset").is_some());
    let mut crews = Vec::new();
    if !processes.is_empty() {
        let wrap = wrap.clone();
        crews.push(Crew {
            environments: processes,
            machine: Box::new(move || {
                let started = LocalPrograms {
                    linux: programs.linux.path.clone(),
                    stock: programs.stock.as_ref().map(|p| p.path.clone()),
                    name: format!("pq-bench-{}", choice.run.to_lowercase()),
                    processor,
                };
                let board = LocalBoard::new(started, scratch.path(), wrap);
                Ok(Box::new(board) as Box<dyn Machine>)
            }),
        });
    }
    for environment in guests {
        let wrap = wrap.clone();
        crews.push(Crew {
            environments: vec![environment],
            machine: Box::new(move || {
                let program = &needed(programs, environment, Stack::Shared)?.path;
                let kernel = choice.unikraft_kernel.as_deref();
                let guest = match kernel.filter(|_| environment == Environment::Unikraft) {
                    None => Guest::Image(program),
                    Some(kernel) => Guest::Unikraft(launch::Unikraft { kernel, program }),
                };
                let board =
                    BareBoard::guest(&choice.board, guest, scratch.path(), wrap, processor)?;
                Ok(Box::new(board) as Box<dyn Machine>)
            }),
        });
    }
    crews
}

/// The program of a place that is measured only where there is one.
fn needed(
    programs: &Programs,
    environment: Environment,
    stack: Stack,
) -> Result<&Built, MachineError> {
    let place = Place {
        environment,
        stack,
        ..Place::BASELINE
    };
    programs.of(place).ok_or(MachineError::NoProgram { place })
}

fn linux(
    choice: &Choice,
    programs: &Programs,
    guest: &guest::Guest,
    scratch: &Scratch,
    interrupt: &Interrupt,
    wrap: Wrap,
) -> Result<Box<dyn Machine>, MachineError> {
    let initrd = scratch.path().join("initrd.cpio");
    let unikraft = match &choice.unikraft_kernel {
        None => None,
        Some(kernel) => Some(launch::Unikraft {
            kernel,
            program: &needed(programs, Environment::Unikraft, Stack::Shared)?.path,
        }),
    };
    let carried = launch::Carried {
        linux: &programs.linux.path,
        stock: &needed(programs, Environment::Native, Stack::Stock)?.path,
        bare: &needed(programs, Environment::Unikernel, Stack::Shared)?.path,
        unikraft,
    };
    let overlay = launch::overlay(&carried, &choice.board)?;
    launch::write_initrd(&guest.base_initrd, &overlay, &initrd)?;
    drop(overlay);
    let mut board = LinuxBoard::new(
        &choice.board,
        &guest.kernel,
        &initrd,
        scratch.path(),
        interrupt,
        wrap,
    )?;
    // It takes seconds: the pilot may go on meanwhile.
    board.boot()?;
    Ok(Box::new(board))
}

fn wrap(damage: u32, seed: u64) -> Wrap {
    if damage == 0 {
        return Arc::new(|port| port);
    }
    let faults = Faults {
        seed,
        flipped: damage / 3,
        lost: damage / 3,
        doubled: damage / 3,
    };
    Arc::new(move |port: Box<dyn Port>| Box::new(Faulty::new(port, faults)) as Box<dyn Port>)
}

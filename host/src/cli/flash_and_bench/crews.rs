//! Which machine runs which environments.
use super::choice::Choice;
use crate::bench::{BareBoard, Crew, Interrupt, LinuxBoard, Machine, MachineError, Scratch, Wrap};
use crate::build::Programs;
use crate::launch;
use crate::link::Port;
use crate::link::fault::{Faults, Faulty};
use crate::link::serial::Serial;
use crate::model::Environment;
use crate::setup::guest::Guest;
use std::sync::Arc;

/// One machine for the metal, one for all environments on Linux: the two run side by side.
pub fn crews<'a>(
    choice: &'a Choice,
    programs: &'a Programs,
    guest: Option<&'a Guest>,
    scratch: &'a Scratch,
    interrupt: &'a Interrupt,
    damage: u32,
) -> Vec<Crew<'a>> {
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
                let board =
                    BareBoard::new(&choice.board, &programs.bare.path, scratch.path(), wrap)?;
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

fn linux(
    choice: &Choice,
    programs: &Programs,
    guest: &Guest,
    scratch: &Scratch,
    interrupt: &Interrupt,
    wrap: Wrap,
) -> Result<Box<dyn Machine>, MachineError> {
    let initrd = scratch.path().join("initrd.cpio");
    let overlay = launch::overlay(
        &programs.linux.path,
        &programs.stock.path,
        &programs.bare.path,
        &choice.board,
    )?;
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
        return Arc::new(|port| Box::new(port) as Box<dyn Port>);
    }
    let faults = Faults {
        seed,
        flipped: damage / 3,
        lost: damage / 3,
        doubled: damage / 3,
    };
    Arc::new(move |port: Serial| Box::new(Faulty::new(port, faults)) as Box<dyn Port>)
}

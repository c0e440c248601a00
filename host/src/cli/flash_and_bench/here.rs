//! Which environments there are: on the machine itself an engine for containers, KVM and QEMU for guests; anywhere a kernel of the user's for
//! Unikraft.
use super::choice::Choice;
use crate::bench::KVM_QEMU;
use crate::build::impossible;
use crate::launch::Engine;
use crate::model::{Environment, Place};
use crate::tools::{Search, Target};
use boards::{Board, Reach};
use std::fs::OpenOptions;

const KVM: &str = "/dev/kvm";

/// Whether the board is the machine that this program runs on.
pub fn is_local(board: &Board) -> bool {
    board.reached_by.contains(&Reach::Local)
}

/// Why there is no environment `unikraft` without a kernel for it.
const NO_KERNEL: &str = "no kernel was given for it; --unikraft-kernel PATH names one, docs/boards.md says what it has to offer";

/// Which of the chosen environments there are not, and why.
pub fn absent(choice: &Choice, search: &Search) -> Vec<(Environment, String)> {
    let board = &choice.board;
    let target = Target::of(board);
    let why = |environment: Environment| {
        let place = Place {
            environment,
            ..Place::BASELINE
        };
        if let Some(reason) = impossible(board, target, place) {
            return Some(reason.to_owned());
        }
        if environment == Environment::Unikraft && choice.unikraft_kernel.is_none() {
            return Some(NO_KERNEL.to_owned());
        }
        if !is_local(board) {
            return None;
        }
        match environment {
            Environment::BareMetal | Environment::Native => None,
            Environment::Container => Engine::find(search).err().map(|error| error.to_string()),
            Environment::Unikernel | Environment::Unikraft => no_guest(search),
        }
    };
    let chosen = choice.environments.iter();
    chosen
        .filter_map(|environment| Some((*environment, why(*environment)?)))
        .collect()
}

/// Why this machine plays no guest, if it does not.
fn no_guest(search: &Search) -> Option<String> {
    let opened = OpenOptions::new().read(true).write(true).open(KVM);
    if let Err(error) = opened {
        return Some(format!(
            "{KVM} cannot be opened ({error}); the machine has to offer virtualisation, and this user has to be in the group kvm"
        ));
    }
    let qemu = search.find(KVM_QEMU);
    qemu.is_none().then(|| {
        format!(
            "{KVM_QEMU} was not found on PATH; install it with `apt-get install qemu-system-arm`"
        )
    })
}

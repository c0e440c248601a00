//! Programs that do not outlive us.
use super::Search;
use std::process::Command;

/// `program`, which the kernel kills when the thread that starts it ends, even by SIGKILL or a panic: `setpriv` (util-linux, part of every
/// Debian) asks for that. Without it, whoever holds the child has to do.
#[must_use]
pub fn tied_to_this_thread(program: &str) -> Command {
    let search = Search::from_env();
    let exists = program.contains('/') || search.find(program).is_some();
    match search.find("setpriv") {
        // A program that does not exist is better reported by its own name.
        Some(setpriv) if exists => {
            let mut command = Command::new(setpriv);
            command.args(["--pdeathsig", "KILL", "--", program]);
            command
        }
        _ => Command::new(program),
    }
}

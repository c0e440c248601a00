//! Whether what the chosen environments need is there, and installing it where that was asked for.
use super::choice::Choice;
use super::here;
use crate::exit::{Exit, Failure, OrExit};
use crate::model::Environment;
use crate::progress::Progress;
use crate::setup::{self, Need, Package, cache, guest};
use crate::tools::Search;
use anyhow::anyhow;

/// Makes sure that all is there; gives the files of the board's Linux, where it is needed. Environments that nobody named and
/// whose Linux is missing are left out of `choice`.
///
/// # Errors
/// Where something needed is missing: says what, and what installs it.
pub fn ready(
    choice: &mut Choice,
    install: bool,
    progress: Progress,
) -> Result<Option<guest::Guest>, Failure> {
    let cache = cache::folder().or_exit(Exit::Missing)?;
    if install {
        setup::install(&choice.board, &cache, |_| true, progress).or_exit(Exit::Missing)?;
    }
    leave_out_absent(choice)?;
    let on_linux = |e: &Environment| *e != Environment::BareMetal;
    let needs = setup::needs(&choice.board, &Search::from_env(), Some(&cache));
    let mut missing: Vec<Need> = needs.into_iter().filter(|n| n.found.is_none()).collect();
    let optional = !choice.named && choice.environments.contains(&Environment::BareMetal);
    if optional || !choice.environments.iter().any(on_linux) {
        let guest = missing
            .extract_if(.., |n| n.package == Package::Guest)
            .next();
        if let Some(guest) = guest {
            let reason = format!("{} is missing; `{}` makes it", guest.name, guest.install);
            let left_out = choice.environments.extract_if(.., |e| on_linux(e));
            choice.skipped.extend(left_out.map(|e| (e, reason.clone())));
        }
    }
    if missing.is_empty() {
        let needed = choice.board.qemu.is_some() && choice.environments.iter().any(on_linux);
        return Ok(guest::find(&cache).filter(|_| needed));
    }
    let list: Vec<String> = missing
        .iter()
        .map(|n| format!("\n  {} ({}): {}", n.name, n.why, n.install))
        .collect();
    Err(Failure::new(
        Exit::Missing,
        anyhow!(
            "missing:{}\n`cargo run -p host -- setup` installs all of it, and so does `flash-and-bench --setup`",
            list.concat()
        ),
    ))
}

/// Leaves out what there is not.
///
/// # Errors
/// Where the user named it, or nothing is left.
fn leave_out_absent(choice: &mut Choice) -> Result<(), Failure> {
    let absent = here::absent(choice, &Search::from_env());
    if absent.is_empty() {
        return Ok(());
    }
    let is_absent = |e: &Environment| absent.iter().any(|(absent, _)| absent == e);
    choice.environments.retain(|e| !is_absent(e));
    if choice.named || choice.environments.is_empty() {
        let list: Vec<String> = absent
            .iter()
            .map(|(environment, reason)| format!("\n  {environment}: {reason}"))
            .collect();
        return Err(Failure::new(
            Exit::Missing,
            anyhow!("what was asked for is not here:{}", list.concat()),
        ));
    }
    choice.skipped.extend(absent);
    Ok(())
}

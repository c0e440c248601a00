//! `host setup`.
use super::output::print;
use super::{Format, Global, Outcome, table};
use crate::exit::{Exit, Failure, OrExit};
use crate::progress::Progress;
use crate::setup::{self, Need, Plan, SetupError, cache};
use crate::tools::Search;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

/// Installs what the board needs: cross toolchain, QEMU, and the Linux of the emulated board into a cache folder.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The board: a name, or the path of a board file.
    #[arg(long, default_value = "qemu-virt")]
    board: String,
    /// Only report; exit 3 if anything is missing.
    #[arg(long, conflicts_with_all = ["yes", "uninstall"])]
    check: bool,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    /// Remove the cache and the packages that set-up installed.
    #[arg(long)]
    uninstall: bool,
}

/// Runs the command.
///
/// # Errors
/// With the exit status of what failed.
pub fn run(global: &Global, arguments: Arguments) -> Outcome {
    let board = boards::load(&arguments.board).or_exit(Exit::BadCall)?;
    let cache = cache::folder().or_exit(Exit::Missing)?;
    let progress = Progress::new(global.quiet);
    if arguments.uninstall {
        let what = format!(
            "remove {} and the packages that set-up installed",
            cache.display()
        );
        if !arguments.yes && !ask(&what) {
            return Err(Failure::new(
                Exit::Missing,
                anyhow::anyhow!("nothing was removed; `--yes` removes without asking"),
            ));
        }
        setup::uninstall(&cache, progress).map_err(failure)?;
        return Ok(Exit::Done);
    }
    if !arguments.check {
        let agree = |plan: &Plan| arguments.yes || ask(&describe(plan, &cache));
        setup::install(&board, &cache, agree, progress).map_err(failure)?;
    }
    let needs = setup::needs(&board, &Search::from_env(), Some(&cache));
    print(&report(global.format, &needs, &cache).or_exit(Exit::CheckFailed)?)?;
    let missing = needs.iter().filter(|need| need.found.is_none()).count();
    if missing == 0 {
        return Ok(Exit::Done);
    }
    Err(Failure::new(
        Exit::Missing,
        anyhow::anyhow!(
            "{missing} missing; `cargo run -p host -- setup` installs what can be installed"
        ),
    ))
}

fn failure(error: SetupError) -> Failure {
    let exit = if error.no_room() {
        Exit::CheckFailed
    } else {
        Exit::Missing
    };
    Failure::new(exit, error)
}

fn describe(plan: &Plan, cache: &Path) -> String {
    let mut steps = Vec::new();
    if plan.changes_the_system() {
        steps.push(format!("run: {}", plan.command()));
    }
    if plan.guest {
        steps.push(format!(
            "download about 110 MB and make the Linux of the emulated board in {}",
            cache.display()
        ));
    }
    steps.join("; ")
}

/// Asks on the terminal; without one nobody agrees.
fn ask(what: &str) -> bool {
    if !std::io::stdin().is_terminal() {
        return false;
    }
    let _ = write!(std::io::stderr(), "{what}\nGo on? [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

fn report(format: Format, needs: &[Need], cache: &Path) -> anyhow::Result<String> {
    let bytes = cache::size(cache);
    if format == Format::Json {
        let value = serde_json::json!({
            "cache": { "folder": cache, "bytes": bytes },
            "missing": needs.iter().filter(|need| need.found.is_none()).count(),
            "needs": needs,
        });
        return Ok(serde_json::to_string_pretty(&value)? + "\n");
    }
    let rows: Vec<Vec<String>> = needs
        .iter()
        .map(|need| {
            let missing = || format!("MISSING: {}", need.install);
            let found = need.found.clone().unwrap_or_else(missing);
            vec![need.name.clone(), need.why.to_owned(), found]
        })
        .collect();
    let mut text = table::text(format, &["needed", "for", "found"], &rows);
    if format == Format::Table {
        let megabytes = bytes as f64 / 1e6;
        text += &format!("cache: {} ({megabytes:.1} MB)\n", cache.display());
    }
    Ok(text)
}

//! `--dry-run`: what would run, by order of magnitude.
use super::choice::Choice;
use super::here;
use crate::cli::{Format, Global, Outcome, output};
use crate::model::{Environment, Planned};
use crate::plan::{NULL, PlannedPlace, baseline, cost, estimate};
use crate::report::{Table, number};
use crate::setup::{Package, cache};
use crate::tools::Search;
use serde_json::json;
use wire::catalog::Algorithm;

/// Counts per second to reckon with: an emulator on a desk machine does 300 to 1000 million instructions.
const RATE: u64 = 400_000_000;
/// Seconds from power-on to a Hello, on the metal and on Linux.
const BOOT_SECONDS: u64 = 1;
const LINUX_BOOT_SECONDS: u64 = 5;
/// Bytes of a sample in journal and tables, and of all that comes once.
const BYTES_A_SAMPLE: u64 = 8;
const BYTES_AT_LEAST: u64 = 150_000;

/// The operations with their numbers, the seconds that they take, and the bytes that they leave.
fn estimated(choice: &Choice) -> (Vec<Planned>, u64, u64) {
    let pilot = choice
        .items
        .iter()
        .map(|item| (*item, estimate::count(*item).max(1)))
        .collect();
    let known = choice.history.as_ref().and_then(|h| h.plan.clone());
    let invocations = u64::from(choice.invocations());
    let all = choice.places();
    // The baseline's second arm.
    let again = u64::from(!choice.board.emulated);
    let places = invocations * (all.len() as u64 + again);
    let limit = choice
        .limit
        .map(|limit| limit.as_secs().saturating_mul(RATE) / places.max(1));
    let operations =
        known.unwrap_or_else(|| choice.plan.fix(&choice.items, &pilot, limit).operations);
    let here = |planned: &PlannedPlace| -> u64 {
        let taken = operations.iter().filter(|p| planned.takes(p, &operations));
        taken.map(|p| cost(p, &operations)).sum()
    };
    let is_on_linux = |p: &&PlannedPlace| p.place.environment != Environment::BareMetal;
    let (linux, metal): (Vec<_>, Vec<_>) = all.iter().partition(is_on_linux);
    let on_linux = linux.len() as u64;
    let pilot: u64 = choice
        .items
        .iter()
        .map(|i| estimate::count(*i) + estimate::preparation(*i))
        .sum();
    // The machines run side by side; the one with more environments ends last.
    let sum = |places: Vec<&PlannedPlace>| places.into_iter().map(here).sum::<u64>();
    let block = match choice.board.emulated {
        true => sum(linux).max(sum(metal)),
        // One after the other, and the baseline twice.
        false => {
            let arm = all.iter().filter(|p| Some(p.place) == baseline(&all));
            sum(linux) + sum(metal) + sum(arm.collect())
        }
    };
    let measuring = block.saturating_mul(invocations).saturating_add(pilot);
    let boots = match on_linux {
        0 => BOOT_SECONDS,
        n => LINUX_BOOT_SECONDS * (n + 1),
    };
    let seconds = measuring / RATE + boots;
    let samples: u64 = operations.iter().map(|p| u64::from(p.iterations)).sum();
    (
        operations,
        seconds,
        BYTES_AT_LEAST + samples * places * BYTES_A_SAMPLE,
    )
}

/// Says what would run; runs nothing.
///
/// # Errors
/// Where standard output cannot be written.
pub fn print(global: &Global, choice: &Choice) -> Outcome {
    let (operations, seconds, bytes) = estimated(choice);
    let missing: Vec<String> = crate::setup::needs(
        &choice.board,
        &Search::from_env(),
        cache::folder().ok().as_deref(),
    )
    .into_iter()
    .filter(|n| n.found.is_none())
    .filter(|n| {
        n.package != Package::Guest
            || choice
                .environments
                .iter()
                .any(|e| *e != Environment::BareMetal)
    })
    .map(|n| format!("{} ({})", n.name, n.install))
    .chain(
        here::absent(choice, &Search::from_env())
            .into_iter()
            .map(|(environment, reason)| format!("{environment}: {reason}")),
    )
    .collect();
    let environments: Vec<_> = choice.environments.iter().map(|e| e.name()).collect();
    let all = choice.places();
    let places: Vec<String> = all.iter().map(|p| p.place.to_string()).collect();
    let mut dispatches: Vec<_> = all.iter().map(|p| p.place.dispatch.name()).collect();
    dispatches.sort_unstable();
    dispatches.dedup();
    let name = |p: &Planned| Algorithm::by_id(p.algorithm).map_or("unknown", |a| a.name);
    let shown = operations
        .iter()
        .filter(|p| (p.algorithm, p.provider, p.operation) != NULL);
    if global.format == Format::Json {
        let operations: Vec<_> = shown
            .map(|p| {
                json!({
                    "algorithm": name(p), "provider": p.provider.name(), "operation": p.operation.name(),
                    "iterations": p.iterations,
                })
            })
            .collect();
        let value = json!({
            "board": choice.board.name, "environments": environments, "dispatches": dispatches, "plan": choice.plan.name,
            "places": places, "seed": choice.seed, "operations": operations, "seconds": seconds, "bytes": bytes, "missing": missing,
        });
        return output::print(&format!("{value:#}\n"));
    }
    if global.format != Format::Table {
        let mut table = Table::new(["algorithm", "provider", "operation", ">iterations"]);
        for p in shown {
            let iterations = p.iterations.to_string();
            table.push([name(p), p.provider.name(), p.operation.name(), &iterations]);
        }
        let csv = global.format == Format::Csv;
        return output::print(&if csv { table.csv() } else { table.markdown() });
    }
    let mut text = format!(
        "would measure on {} in {}, plan {}:\n",
        choice.board.name,
        places.join(", "),
        choice.plan.name
    );
    for (place, reason) in &choice.skipped_places {
        text += &format!("would be skipped: {}: {reason}\n", place.place);
    }
    let mut last = "";
    for p in shown {
        if name(p) != last {
            last = name(p);
            text += &format!(
                "{}  {last} ({}):",
                if text.ends_with('\n') { "" } else { "\n" },
                p.provider
            );
        }
        text += &format!(" {} x{}", p.operation, p.iterations);
    }
    text += &format!(
        "\nabout {seconds} s once built, and {} in {}; numbers of iterations are estimates until the pilot has run\n",
        number::bytes(bytes),
        global.archive.display()
    );
    for missing in missing {
        text += &format!("missing, would be refused or skipped: {missing}\n");
    }
    output::print(&text)
}

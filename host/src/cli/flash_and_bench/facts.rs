//! What the archive has to know of a run before it begins.
use super::choice::{CLOCK, Choice, KEPT, Kept, UNIKRAFT_KERNEL};
use crate::build::{Built, Programs};
use crate::digest;
use crate::exit::{Exit, Failure};
use crate::launch::unikraft_memory_mib;
use crate::model::Provenance;
use crate::tools::{Search, run};
use anyhow::anyhow;
use std::collections::BTreeMap;
use std::path::Path;

/// The facts that say which programs ran.
const LINUX: &str = "program.linux.sha256";
const STOCK: &str = "program.stock.sha256";
const BARE: &str = "program.bare.sha256";
const UNIKRAFT: &str = "program.unikraft.sha256";
/// The kernel under it.
const UNIKRAFT_SHA256: &str = "unikraft.kernel.sha256";

/// The provenance of a new run.
pub fn provenance(choice: &Choice, programs: &Programs) -> Provenance {
    let mut facts = programs.facts.clone();
    facts.extend(host());
    for (key, program) in all(programs) {
        facts.insert(key.to_owned(), program.sha256.clone());
    }
    facts.insert(CLOCK.to_owned(), choice.clock.name().to_owned());
    facts.insert("board.file".to_owned(), choice.board.reference());
    facts.insert(
        "host.version".to_owned(),
        env!("CARGO_PKG_VERSION").to_owned(),
    );
    if let Some(kernel) = &choice.unikraft_kernel {
        let memory = unikraft_memory_mib(&choice.board);
        let entries = [
            (UNIKRAFT_KERNEL, Some(kernel.display().to_string())),
            (UNIKRAFT_SHA256, digest::of_file(kernel).ok().map(|d| d.1)),
            ("unikraft.memory_mib", memory.map(|mib| mib.to_string())),
        ];
        let entries = entries.into_iter();
        facts.extend(entries.filter_map(|(key, value)| Some((key.to_owned(), value?))));
    }
    let qemu = choice.board.qemu.as_ref();
    if let Some(version) = qemu
        .and_then(|q| Search::from_env().find(&q.binary))
        .and_then(|program| run::version(&program))
    {
        facts.insert("qemu".to_owned(), version);
    }
    let kept = Kept {
        plan: choice.plan.clone(),
        items: choice.items.clone(),
        places: choice.places(),
    };
    if let Ok(kept) = serde_json::to_string(&kept) {
        facts.insert(KEPT.to_owned(), kept);
    }
    Provenance {
        run: choice.run.clone(),
        started: choice.started.to_string(),
        board: choice.board.name.clone(),
        emulated: choice.board.emulated,
        pmccntr_counts: choice.board.clocks.pmccntr.name().to_owned(),
        instructions_per_tick: choice.board.clocks.instructions_per_tick,
        plan: choice.plan.name.clone(),
        seed: choice.seed,
        environments: choice.environments.clone(),
        facts,
    }
}

/// The programs that there are, by the fact that names each.
fn all(programs: &Programs) -> impl Iterator<Item = (&'static str, &Built)> {
    let list = [
        (LINUX, Some(&programs.linux)),
        (STOCK, programs.stock.as_ref()),
        (BARE, programs.bare.as_ref()),
        (UNIKRAFT, programs.unikraft.as_ref()),
    ];
    list.into_iter()
        .filter_map(|(key, program)| Some((key, program?)))
}

fn host() -> BTreeMap<String, String> {
    let field = |file: &str, key: &str, separator: char| {
        let text = std::fs::read_to_string(Path::new(file)).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        let value = line.split_once(separator)?.1.trim().trim_matches('"');
        Some(value.to_owned())
    };
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    let cpus = std::thread::available_parallelism().ok();
    [
        ("host.os", field("/etc/os-release", "PRETTY_NAME", '=')),
        ("host.kernel", kernel.map(|k| k.trim().to_owned())),
        ("host.cpu", field("/proc/cpuinfo", "model name", ':')),
        ("host.cpus", cpus.map(|n| n.to_string())),
        ("host.architecture", Some(std::env::consts::ARCH.to_owned())),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key.to_owned(), value?)))
    .collect()
}

/// A run is of one pair of programs.
///
/// # Errors
/// Where the resumed run was begun with others.
pub fn same_programs(choice: &Choice, programs: &Programs) -> Result<(), Failure> {
    let begun = choice
        .history
        .as_ref()
        .and_then(|history| history.provenance.as_ref());
    let differs = |key: &str, now: &str| {
        begun.is_some_and(|p| p.facts.get(key).is_some_and(|before| before != now))
    };
    if all(programs).any(|(key, program)| differs(key, &program.sha256)) {
        return Err(Failure::new(
            Exit::CheckFailed,
            anyhow!(
                "run {} was begun with other target programs than the sources give now; go back to those sources, or start a new run",
                choice.run
            ),
        ));
    }
    if let Some(kernel) = &choice.unikraft_kernel
        && differs(
            UNIKRAFT_SHA256,
            &digest::of_file(kernel).unwrap_or_default().1,
        )
    {
        return Err(Failure::new(
            Exit::CheckFailed,
            anyhow!(
                "run {} was begun with another kernel in {}; put it back, or start a new run",
                choice.run,
                kernel.display()
            ),
        ));
    }
    Ok(())
}

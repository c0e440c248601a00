//! `manifest.json`: what the run was, in words that need no program of ours.
use super::Error;
use super::frame::Damage;
use crate::hex::hex;
use crate::model::{Environment, Measured, Provenance, Status};
use crate::stats::evidence::{Evidence, Started, algorithm_name};
use crate::stats::reading::unpack;
use crate::stats::{Reading, clock, figures, quantile};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use wire::catalog::Provider;
use wire::units::{Clock, Counter};

/// The file's name within a run's folder.
pub const FILE: &str = "manifest.json";

/// Version of the archive's layout: of this file, the tables and the journal together.
pub const SCHEMA: u32 = 1;

/// A file of the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name within the run's folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, hexadecimal.
    pub sha256: String,
}

/// What the harness itself costs an iteration: medians of the `null` provider's rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Harness {
    /// The environment.
    pub environment: Environment,
    /// The dispatch in force.
    pub dispatch: String,
    /// What lies under the provider.
    pub stack: String,
    /// Iterations that the medians rest on.
    pub iterations: usize,
    /// Median of ticks.
    pub ticks: Option<f64>,
    /// Hertz of the ticks.
    pub ticks_hz: Option<u64>,
    /// Median count of the main clock.
    pub count: Option<f64>,
    /// What the main clock counts.
    pub clock: String,
}

/// A damaged stretch of the journal that was known when the manifest was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownDamage {
    /// Where it begins.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
    /// What is wrong.
    pub defect: String,
}

impl KnownDamage {
    /// What `damage` comes to.
    pub fn list(damage: &Damage) -> Vec<Self> {
        damage
            .broken
            .iter()
            .map(|b| Self {
                offset: b.offset,
                bytes: b.bytes,
                defect: b.defect.to_string(),
            })
            .collect()
    }
}

/// The manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What the run is; facts learnt on the way have joined `facts`.
    pub run: Provenance,
    /// How it ended.
    pub status: Status,
    /// Milliseconds that measuring took.
    pub milliseconds: u64,
    /// Rows of `archive show`.
    pub rows: usize,
    /// Rows of `samples.parquet`.
    pub samples: u64,
    /// What the harness costs.
    pub harness: Vec<Harness>,
    /// The plan.
    pub plan: Vec<Value>,
    /// The invocations, with what each target found itself in.
    pub invocations: Vec<Value>,
    /// The looks of the drift monitor, as they came: invocation, when, and the ticks of each iteration.
    #[serde(default)]
    pub monitor: Vec<Value>,
    /// What a Linux board was like as each invocation began to measure and as it ended.
    #[serde(default)]
    pub conditions: Vec<Value>,
    /// Blocks that were measured while the board was throttled: their samples are in no figure.
    #[serde(default)]
    pub void: Vec<Value>,
    /// What was asked for and not measured.
    pub skipped: Vec<Value>,
    /// What the link had to put right.
    pub link: Vec<Value>,
    /// What the targets said by their log.
    #[serde(default)]
    pub log: Vec<Value>,
    /// Damage of the journal that was there when the tables were made.
    pub journal_damage: Vec<KnownDamage>,
    /// Records that contradict themselves or each other.
    pub problems: Vec<String>,
    /// The other files.
    pub files: Vec<FileEntry>,
}

impl Manifest {
    /// The manifest of a run. `files` is left empty.
    pub fn new(evidence: &Evidence, damage: &Damage, samples: u64) -> Self {
        let mut run = evidence.provenance.clone();
        run.facts.extend(evidence.facts.clone());
        Self {
            schema: SCHEMA,
            run,
            status: evidence.status,
            milliseconds: evidence.milliseconds,
            rows: figures::count(evidence),
            samples,
            harness: harness(evidence),
            plan: evidence.plan.iter().map(planned).collect(),
            invocations: evidence
                .invocations
                .values()
                .map(|s| invocation(s, evidence))
                .collect(),
            monitor: evidence.monitors.iter().map(look).collect(),
            conditions: evidence.conditions.iter().map(|c| json!(c)).collect(),
            void: evidence
                .void
                .iter()
                .map(|v| json!({ "block": v.block, "invocations": v.invocations, "reason": v.reason }))
                .collect(),
            skipped: evidence.skipped.iter().map(skipped).collect(),
            link: evidence
                .link
                .iter()
                .map(|(invocation, event)| json!({ "invocation": invocation, "event": event }))
                .collect(),
            log: evidence
                .remarks
                .iter()
                .map(|(invocation, text)| json!({ "invocation": invocation, "text": text }))
                .collect(),
            journal_damage: KnownDamage::list(damage),
            problems: evidence.problems.clone(),
            files: Vec::new(),
        }
    }

    /// Reads a manifest file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let fail = |reason: String| Error::Manifest {
            path: path.to_owned(),
            reason,
        };
        let text = std::fs::read(path).map_err(|e| Error::io("reading", path, 0, e))?;
        let value: Value = serde_json::from_slice(&text).map_err(|e| fail(e.to_string()))?;
        match value.get("schema").and_then(Value::as_u64) {
            Some(schema) if schema == u64::from(SCHEMA) => {}
            other => {
                return Err(fail(format!(
                    "archive schema {}, this version reads {SCHEMA}",
                    other.map_or("unknown".to_owned(), |s| s.to_string())
                )));
            }
        }
        serde_json::from_value(value).map_err(|e| fail(e.to_string()))
    }
}

fn harness(evidence: &Evidence) -> Vec<Harness> {
    let subjects = evidence.subjects();
    let null = subjects
        .into_iter()
        .filter(|s| s.provider == Provider::Null);
    null.filter_map(|subject| {
        let used: Vec<_> = evidence
            .readings(subject)
            .into_iter()
            .filter(Reading::counts)
            .collect();
        let first = used.first()?;
        let median = |of: &dyn Fn(&Reading) -> u64| {
            let mut values: Vec<u64> = used.iter().map(of).collect();
            values.sort_unstable();
            quantile::median(&values)
        };
        Some(Harness {
            environment: subject.environment,
            dispatch: subject.dispatch.name().to_owned(),
            stack: subject.stack.name().to_owned(),
            iterations: used.len(),
            ticks: median(&|r| r.ticks),
            ticks_hz: first.ticks_rate,
            count: median(&|r| r.count),
            clock: first.clock.name().to_owned(),
        })
    })
    .collect()
}

fn planned(p: &crate::model::Planned) -> Value {
    json!({
        "provider": p.provider.name(),
        "algorithm": algorithm_name(p.algorithm),
        "operation": p.operation.name(),
        "iterations": p.iterations,
        "warm_up": p.warm_up,
        "keys": p.keys,
        "inputs": p.inputs,
        "pilot_count": p.pilot_count,
        "executions": p.executions,
    })
}

fn look(m: &Measured) -> Value {
    let (samples, complete) = unpack(m);
    json!({
        "invocation": m.invocation,
        "at_ns": m.at_ns,
        "provider": m.subject.provider.name(),
        "algorithm": algorithm_name(m.subject.algorithm),
        "operation": m.subject.operation.name(),
        "complete": complete,
        "ticks": samples.iter().map(|(_, s)| s.ticks).collect::<Vec<_>>(),
        "counts": samples.iter().map(|(_, s)| s.count).collect::<Vec<_>>(),
        "flags": samples.iter().map(|(_, s)| s.flags).collect::<Vec<_>>(),
    })
}

fn skipped(s: &crate::stats::evidence::Skipped) -> Value {
    let mut value = json!({ "environment": s.environment.name(), "reason": s.reason });
    if let Some((algorithm, provider, operation)) = s.operation {
        value["algorithm"] = json!(algorithm_name(algorithm));
        value["provider"] = json!(provider.name());
        value["operation"] = json!(operation.name());
    }
    value
}

fn invocation(started: &Started, evidence: &Evidence) -> Value {
    let i = &started.invocation;
    let mut value = json!({
        "id": i.id,
        "environment": i.environment.name(),
        "stack": i.stack.name(),
        "at_ns": i.at_ns,
        "program_sha256": i.program_sha256,
    });
    if let Some(turn) = evidence.turns.get(&i.id) {
        value["block"] = json!(turn.block);
        value["position"] = json!(turn.position);
        value["arm"] = json!(turn.arm);
    }
    let Some(hello) = &started.hello else {
        value["hello"] = json!(hex(&i.hello));
        return value;
    };
    let (body, around) = (&hello.body, &hello.body.surroundings);
    let namespaces: BTreeMap<&str, u64> = around
        .namespaces
        .iter()
        .map(|(k, v)| (k.as_str(), *v))
        .collect();
    let clock = |clock: &Clock| {
        json!({
            "counter": clock.counter.to_string(),
            "counts": (clock.counter != Counter::None)
                .then(|| clock::name(clock.counter, &evidence.provenance).name()),
            "hz": clock.rate.map(|rate| rate.0),
            "scope": clock.scope.name(),
        })
    };
    value["boot"] = json!(hex(&body.boot));
    value["build_id"] = json!(hex(&hello.prefix.build_id));
    value["protocol"] = json!(hello.prefix.version);
    value["board"] = json!(body.board);
    value["program"] = json!(body.program);
    value["dispatch"] = json!(body.dispatch.name());
    value["providers"] = body
        .providers
        .iter()
        .map(|p| (p.provider.name(), json!(p.version)))
        .collect();
    value["stack_size"] = json!(body.stack_size);
    value["heap_size"] = json!(body.heap_size);
    value["surroundings"] = json!({
        "exception_level": around.exception_level,
        "entry_level": around.entry_level,
        "hypervisor": around.hypervisor,
        "kernel": around.kernel,
        "machine": around.machine,
        "namespaces": namespaces,
        "cgroup": around.cgroup,
        "seccomp": around.seccomp,
        "capabilities": around.capabilities.map(|set| format!("{set:#x}")),
        "page_size": around.page_size,
    });
    value["clocks"] = json!({
        "count": clock(&body.clocks.count),
        "total": clock(&body.clocks.total),
        "ticks": clock(&body.clocks.ticks),
        "denied": body.clocks.denied,
    });
    value["cpu"] = json!({
        "midr": format!("{:#010x}", body.cpu.midr),
        "features_seen": body.cpu.features_seen,
        "features_used": body.cpu.features_used,
    });
    value
}

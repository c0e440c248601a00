//! `operations.parquet`: a row for every command that ran iterations, repeats included.
use super::columns::{Batch, Field, Kind, Value, field, optional};
use super::samples::Texts;
use crate::hex::hex;
use crate::stats::evidence::{Evidence, Started, fault_name};
use crate::stats::reading::unpack;
use std::sync::Arc;

/// The file's name within a run's folder.
pub const FILE: &str = "operations.parquet";

/// The columns; `docs/archive.md` says what they mean.
pub const FIELDS: &[Field] = &[
    field("environment", Kind::Text),
    field("dispatch", Kind::Text),
    field("stack", Kind::Text),
    field("provider", Kind::Text),
    field("algorithm", Kind::Text),
    field("operation", Kind::Text),
    field("invocation", Kind::U32),
    optional("boot", Kind::Text),
    field("first", Kind::U32),
    field("iterations", Kind::U32),
    field("samples", Kind::U32),
    field("complete", Kind::Bool),
    field("at_ns", Kind::U64),
    optional("digest", Kind::Text),
    optional("digest_first", Kind::U32),
    optional("digest_iterations", Kind::U32),
    optional("stack_bytes", Kind::U32),
    optional("heap_bytes", Kind::U32),
    optional("allocations", Kind::U32),
    optional("random_bytes", Kind::U32),
    optional("fault", Kind::Text),
    optional("fault_iteration", Kind::U32),
    optional("fault_code", Kind::U64),
    optional("fault_address", Kind::U64),
    optional("fault_text", Kind::Text),
    optional("path", Kind::Text),
];

/// The whole table, in the order in which the answers arrived.
pub fn batch(evidence: &Evidence) -> Batch {
    let mut texts = Texts::default();
    let mut batch = Batch::new(FIELDS);
    for m in &evidence.measured {
        let boot = evidence
            .invocations
            .get(&m.invocation)
            .and_then(Started::boot);
        let text = |text: Option<String>| Value::Text(text.map(Arc::from));
        let fault = m.fault.as_ref();
        let (samples, complete) = unpack(m);
        batch.push(texts.subject(m.subject).into_iter().chain([
            Value::U32(Some(m.invocation)),
            text(boot),
            Value::U32(Some(m.first)),
            Value::U32(Some(m.iterations)),
            Value::U32(Some(samples.len() as u32)),
            Value::Bool(Some(complete)),
            Value::U64(Some(m.at_ns)),
            text(m.digest.map(|d| hex(&d.sha256))),
            Value::U32(m.digest.map(|d| d.first)),
            Value::U32(m.digest.map(|d| d.iterations)),
            Value::U32(m.memory.map(|m| m.stack_bytes)),
            Value::U32(m.memory.map(|m| m.heap_bytes)),
            Value::U32(m.memory.map(|m| m.allocations)),
            Value::U32(m.memory.map(|m| m.random_bytes)),
            text(fault.map(|f| fault_name(f.kind).to_owned())),
            Value::U32(fault.map(|f| f.iteration)),
            Value::U64(fault.map(|f| f.code)),
            Value::U64(fault.map(|f| f.address)),
            text(fault.map(|f| f.text.clone())),
            text((!m.path.is_empty()).then(|| m.path.join(" > "))),
        ]));
    }
    batch
}

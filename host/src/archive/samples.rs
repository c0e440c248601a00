//! `samples.parquet`: a row for every iteration that counts as measured.
use super::columns::{Batch, Field, Kind, Value, field, optional};
use crate::model::Subject;
use crate::stats::Reading;
use crate::stats::evidence::{Evidence, algorithm_name, fault_name};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The file's name within a run's folder.
pub const FILE: &str = "samples.parquet";

/// Rows of a row group: about 10 MB while it is being written.
pub const GROUP: usize = 1 << 16;

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
    field("iteration", Kind::U32),
    field("warm_up", Kind::Bool),
    field("executions", Kind::U32),
    field("clock", Kind::Text),
    field("scope", Kind::Text),
    field("count", Kind::U64),
    optional("total", Kind::U64),
    field("ticks", Kind::U64),
    field("flags", Kind::U32),
    optional("fault", Kind::Text),
];

/// Texts that are shared by many cells.
#[derive(Default)]
pub struct Texts(BTreeMap<String, Arc<str>>);

impl Texts {
    /// A cell with `text`.
    pub fn cell(&mut self, text: &str) -> Value {
        Value::Text(Some(self.shared(text)))
    }

    fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(shared) = self.0.get(text) {
            return shared.clone();
        }
        let shared: Arc<str> = Arc::from(text);
        self.0.insert(text.to_owned(), shared.clone());
        shared
    }

    /// The first columns of both tables.
    pub fn subject(&mut self, subject: Subject) -> [Value; 6] {
        [
            self.cell(subject.environment.name()),
            self.cell(subject.dispatch.name()),
            self.cell(subject.stack.name()),
            self.cell(subject.provider.name()),
            self.cell(&algorithm_name(subject.algorithm)),
            self.cell(subject.operation.name()),
        ]
    }
}

/// The next `rows` rows, or fewer at the end.
pub fn batch(
    evidence: &Evidence,
    readings: impl Iterator<Item = (Subject, Reading)>,
    rows: usize,
) -> (Batch, usize) {
    let mut texts = Texts::default();
    let boots: BTreeMap<u32, Option<Arc<str>>> = evidence
        .invocations
        .iter()
        .map(|(id, started)| (*id, started.boot().map(Arc::from)))
        .collect();
    let mut batch = Batch::new(FIELDS);
    let mut taken = 0;
    let mut named: Option<(Subject, [Value; 6])> = None;
    for (subject, r) in readings.take(rows) {
        let names = match &named {
            Some((same, names)) if *same == subject => names.clone(),
            _ => {
                let names = texts.subject(subject);
                named = Some((subject, names.clone()));
                names
            }
        };
        batch.push(names.into_iter().chain([
            Value::U32(Some(r.invocation)),
            Value::Text(boots.get(&r.invocation).cloned().flatten()),
            Value::U32(Some(r.iteration)),
            Value::Bool(Some(r.warm_up)),
            Value::U32(Some(r.executions)),
            texts.cell(r.clock.name()),
            texts.cell(r.scope.name()),
            Value::U64(Some(r.count)),
            Value::U64(r.total),
            Value::U64(Some(r.ticks)),
            Value::U32(Some(u32::from(r.flags))),
            Value::Text(r.fault.map(|kind| texts.shared(fault_name(kind)))),
        ]));
        taken += 1;
    }
    (batch, taken)
}

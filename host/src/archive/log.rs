//! `log.txt`: what happened, a line each, for people.
use super::frame::Damage;
use crate::stats::evidence::{Evidence, algorithm_name, fault_name};
use std::fmt::Write;

/// The log's text.
pub fn text(evidence: &Evidence, damage: &Damage) -> String {
    let mut events: Vec<(u64, String)> = Vec::new();
    for started in evidence.invocations.values() {
        let i = &started.invocation;
        let boot = started.boot().unwrap_or_else(|| "unknown".to_owned());
        events.push((
            i.at_ns,
            format!(
                "invocation {} in {} said Hello, boot {boot}",
                i.id, i.environment
            ),
        ));
    }
    for m in &evidence.measured {
        let s = m.subject;
        let what = format!(
            "invocation {} {} {} {} {}",
            m.invocation,
            s.environment,
            s.provider,
            algorithm_name(s.algorithm),
            s.operation
        );
        let end = u64::from(m.first) + u64::from(m.iterations);
        events.push((
            m.at_ns,
            format!(
                "{what}: iterations {} to {}",
                m.first,
                end.saturating_sub(1)
            ),
        ));
        if let Some(fault) = &m.fault {
            events.push((
                m.at_ns,
                format!(
                    "{what}: fault {} in iteration {}, code {:#x}, address {:#x}: {}",
                    fault_name(fault.kind),
                    fault.iteration,
                    fault.code,
                    fault.address,
                    fault.text
                ),
            ));
        }
    }
    events.sort_by_key(|(at, _)| *at);
    let mut text = String::new();
    // Writing to a String cannot fail.
    let mut line = |words: String| {
        let _ = writeln!(text, "{words}");
    };
    let p = &evidence.provenance;
    line(format!(
        "run {} on {}, started {}, seed {}, plan {}",
        p.run, p.board, p.started, p.seed, p.plan
    ));
    for s in &evidence.skipped {
        let what = s
            .operation
            .map_or(String::new(), |(algorithm, provider, operation)| {
                format!(" {provider} {} {operation}", algorithm_name(algorithm))
            });
        line(format!("skipped {}{what}: {}", s.environment, s.reason));
    }
    for (at, event) in events {
        line(format!("{} {event}", time(at)));
    }
    for (invocation, event) in &evidence.link {
        line(format!("link of invocation {invocation}: {event}"));
    }
    for problem in &evidence.problems {
        line(format!("problem: {problem}"));
    }
    for broken in &damage.broken {
        line(format!("journal damaged at {broken}"));
    }
    text
}

/// Nanoseconds since the Unix epoch as RFC 3339, UTC.
fn time(at_ns: u64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(at_ns))
        .map_or_else(|_| at_ns.to_string(), |t| t.to_string())
}

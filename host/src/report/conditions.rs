//! What a Linux board was like during a run, in sentences.
use crate::model::Conditions;
use crate::stats::Evidence;
use std::collections::BTreeSet;

/// The sentences; none where nothing was noted.
#[must_use]
pub fn conditions(evidence: &Evidence) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(noted) = noted(&evidence.conditions) {
        sentences.push(noted);
    }
    for void in &evidence.void {
        sentences.push(format!(
            "warning: block {} is void, and its samples are in no figure: {}",
            void.block, void.reason
        ));
    }
    sentences
}

fn noted(seen: &[Conditions]) -> Option<String> {
    let first = seen.first()?;
    let mut parts = vec![match first.processor {
        Some(processor) => format!("pinned to processor {processor}"),
        None => "not pinned to a processor".to_owned(),
    }];
    let governors: BTreeSet<&str> = seen.iter().filter_map(|c| c.governor.as_deref()).collect();
    if !governors.is_empty() {
        let names: Vec<&str> = governors.into_iter().collect();
        parts.push(format!("governor {}", names.join(", ")));
    }
    let scaled = |value: fn(&Conditions) -> Option<f64>, unit: &str, what: &str| {
        let values: Vec<f64> = seen.iter().filter_map(value).collect();
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        Some(format!("{what} {low:.1} to {high:.1} {unit}"))
    };
    parts.extend(scaled(
        |c| Some(c.kilohertz? as f64 / 1e3),
        "MHz",
        "frequency",
    ));
    parts.extend(scaled(
        |c| Some(c.millidegrees? as f64 / 1e3),
        "degrees Celsius",
        "temperature",
    ));
    let spent = |value: fn(&Conditions) -> Option<u64>| during(seen, value);
    if let Some(hundredths) = spent(|c| c.steal) {
        let seconds = hundredths as f64 / 100.0;
        parts.push(format!("{seconds:.2} s stolen by a hypervisor"));
    }
    if let Some(nanoseconds) = spent(|c| c.waited_ns) {
        let milliseconds = nanoseconds as f64 / 1e6;
        parts.push(format!("{milliseconds:.1} ms of waiting for the processor"));
    }
    if let Some(exits) = spent(|c| c.guest_exits) {
        parts.push(format!("{exits} exits of guests"));
    }
    Some(format!("the board while it measured: {}", parts.join(", ")))
}

/// What a number that only grows grew by during the invocations, all together; `None` where it is not told. One that shrank was begun anew.
fn during(seen: &[Conditions], value: fn(&Conditions) -> Option<u64>) -> Option<u64> {
    let grown = seen.iter().filter(|c| c.after).filter_map(|after| {
        let is_before = |c: &&Conditions| !c.after && c.invocation == after.invocation;
        let before = seen.iter().find(is_before)?;
        Some(value(after)?.saturating_sub(value(before)?))
    });
    grown.reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_told_and_nothing_else() {
        assert_eq!(noted(&[]), None);
        let at = |invocation, after, waited_ns, millidegrees| Conditions {
            invocation,
            after,
            processor: Some(3),
            millidegrees: Some(millidegrees),
            waited_ns: Some(waited_ns),
            ..Conditions::default()
        };
        let seen = [
            at(0, false, 1_000_000, 40_000),
            at(0, true, 3_000_000, 50_000),
            at(1, false, 500_000, 45_000),
            at(1, true, 1_500_000, 55_500),
        ];
        assert_eq!(
            noted(&seen).unwrap(),
            "the board while it measured: pinned to processor 3, temperature 40.0 to 55.5 degrees Celsius, 3.0 ms of waiting for the processor"
        );
    }
}

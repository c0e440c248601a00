//! What ran beside the operations: the kernel of a process, the host of a guest.
use crate::stats::{Evidence, quantile, rows};
use serde::Serialize;
use std::collections::BTreeMap;
use wire::catalog::Provider;

/// Share of what all exception levels counted during an operation that is not the operation's own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The place.
    pub place: String,
    /// Operations that it is taken from.
    pub operations: usize,
    /// The smallest share of an operation.
    pub low: f64,
    /// The median operation's.
    pub median: f64,
    /// The largest.
    pub high: f64,
}

/// The shares of each place whose totals are known.
pub(super) fn shares(evidence: &Evidence) -> Vec<Share> {
    let mut by_place: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for row in rows(evidence) {
        if row.subject.provider == Provider::Null {
            continue;
        }
        if let (Some(total), Some(own)) = (row.total, row.median)
            && total > 0.0
        {
            let shares = by_place.entry(row.subject.place()).or_default();
            shares.push((total - own).max(0.0) / total);
        }
    }
    let summed = by_place.into_iter().filter_map(|(place, mut shares)| {
        shares.sort_unstable_by(f64::total_cmp);
        Some(Share {
            place: place.to_string(),
            operations: shares.len(),
            low: *shares.first()?,
            median: quantile::median(&shares)?,
            high: *shares.last()?,
        })
    });
    summed.collect()
}

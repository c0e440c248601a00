//! Memory by algorithm: what its operations take, what its keys and messages measure, what its code brings into a program.
use super::super::number;
use super::super::table::Table;
use crate::model::Stack;
use crate::stats::Row;
use std::collections::BTreeMap;
use wire::catalog::Provider;
use wire::message::Dispatch;

/// A line for each algorithm of each provider. Stack and heap are the largest of all environments, over our own allocator, features as
/// detected.
pub(super) fn table(rows: &[Row], facts: &BTreeMap<String, String>) -> Table {
    let mut table = Table::new([
        "algorithm",
        "provider",
        "peak stack, by operation",
        ">peak heap",
        ">allocations",
        ">public key",
        ">secret key",
        ">ciphertext or signature",
        ">code",
        ">read-only data",
    ]);
    let wanted: Vec<&Row> = rows
        .iter()
        .filter(|r| r.subject.provider != Provider::Null)
        .filter(|r| r.subject.dispatch == Dispatch::Detected && r.stack == Stack::Shared)
        .collect();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for row in &wanted {
        let key = (row.algorithm.as_str(), row.provider);
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let same: Vec<&Row> = wanted
            .iter()
            .filter(|r| (r.algorithm.as_str(), r.provider) == key)
            .copied()
            .collect();
        let bytes = |value: Option<u32>| value.map_or("-".to_owned(), |b| number::bytes(b.into()));
        let largest = |of: fn(&Row) -> Option<u32>| same.iter().filter_map(|r| of(r)).max();
        let brought = facts.get(&format!("static.{}.{}", row.provider, row.algorithm));
        let (code, data) = brought
            .and_then(|size| size.split_once('+'))
            .and_then(|(code, data)| Some((code.parse().ok()?, data.parse().ok()?)))
            .map_or(("-".to_owned(), "-".to_owned()), |(code, data)| {
                (number::bytes(code), number::bytes(data))
            });
        table.push([
            row.algorithm.clone(),
            row.provider.to_owned(),
            stacks(&same),
            bytes(largest(|r| r.heap_bytes)),
            largest(|r| r.allocations).map_or("-".to_owned(), |n| n.to_string()),
            bytes(row.sizes.public_key),
            bytes(row.sizes.secret_key),
            bytes(row.sizes.ciphertext.or(row.sizes.signature)),
            code,
            data,
        ]);
    }
    table
}

/// `keygen 6.2 KiB, encaps 8.9 KiB, ..`
fn stacks(rows: &[&Row]) -> String {
    let mut by_operation: Vec<(&str, u32)> = Vec::new();
    for row in rows {
        let Some(bytes) = row.stack_bytes else {
            continue;
        };
        match by_operation
            .iter_mut()
            .find(|(name, _)| *name == row.operation)
        {
            Some((_, most)) => *most = bytes.max(*most),
            None => by_operation.push((row.operation, bytes)),
        }
    }
    let parts: Vec<String> = by_operation
        .into_iter()
        .map(|(name, bytes)| format!("{name} {}", number::bytes(bytes.into())))
        .collect();
    parts.join(", ")
}

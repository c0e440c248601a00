//! The catalogue.
use super::table::Table;
use crate::stats::row::RowSizes;
use serde::Serialize;
use wire::catalog::{ALGORITHMS, Algorithm, Family, Kind, Provider};

/// One algorithm by one provider. The fields are those of the JSON.
#[derive(Clone, Debug, Serialize)]
#[allow(
    missing_docs,
    reason = "each name is explained in docs/archive.md, where its readers look"
)]
pub struct Entry {
    pub algorithm: &'static str,
    pub family: &'static str,
    pub provider: &'static str,
    pub operations: Vec<&'static str>,
    pub level: u8,
    pub standard: &'static str,
    /// Operations whose time depends on what they draw.
    pub random_time: Vec<&'static str>,
    pub dispatches: &'static [&'static str],
    pub sizes: RowSizes,
    /// Code points in TLS 1.3, where it has any.
    pub tls: Option<u16>,
    pub kind: &'static str,
    pub native_name: &'static str,
}

/// Dispatches that give different code. liboqs asks at run time for NEON in the first families, for AES instructions where
/// FrodoKEM expands its matrix with AES, and for SHA-256 instructions in SPHINCS+ with SHA-2. Classical providers and the other
/// families have one code path, or choose it when they are compiled.
#[must_use]
pub fn dispatches(algorithm: &Algorithm, provider: Provider) -> &'static [&'static str] {
    let chosen_at_run_time = match algorithm.family {
        Family::Kyber
        | Family::MlKem
        | Family::Dilithium
        | Family::Falcon
        | Family::Mayo
        | Family::Uov => true,
        Family::FrodoKem => algorithm.name.ends_with("-AES"),
        Family::SphincsPlus => algorithm.name.contains("-SHA2-"),
        _ => false,
    };
    if provider == Provider::Liboqs && chosen_at_run_time {
        &["detected", "portable"]
    } else {
        &["detected"]
    }
}

/// Every algorithm by every provider that has it. The `null` provider is no algorithm and is left out.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let all = ALGORITHMS.iter().filter(|a| a.kind != Kind::Null);
    all.flat_map(|a| {
        a.providers
            .iter()
            .map(move |(provider, native_name)| entry(a, *provider, native_name))
    })
    .collect()
}

fn entry(algorithm: &Algorithm, provider: Provider, native_name: &'static str) -> Entry {
    let operations = algorithm.kind.operations();
    Entry {
        algorithm: algorithm.name,
        family: algorithm.family.name(),
        provider: provider.name(),
        operations: operations.iter().map(|o| o.name()).collect(),
        level: algorithm.level,
        standard: algorithm.standard_at(provider),
        random_time: operations
            .iter()
            .filter(|o| algorithm.has_random_time(**o))
            .map(|o| o.name())
            .collect(),
        dispatches: dispatches(algorithm, provider),
        sizes: algorithm.sizes.into(),
        tls: None,
        kind: algorithm.kind.name(),
        native_name,
    }
}

/// All fields of the catalogue, for CSV.
#[must_use]
pub fn flat(entries: &[Entry]) -> Table {
    let fields = [
        "algorithm",
        "family",
        "provider",
        "operations",
        "level",
        "standard",
        "random_time",
        "dispatches",
        "sizes.public_key",
        "sizes.secret_key",
        "sizes.ciphertext",
        "sizes.signature",
        "sizes.shared_secret",
        "tls",
        "kind",
        "native_name",
    ];
    Table::of_fields(&fields, entries)
}

/// The catalogue as a table.
#[must_use]
pub fn table(entries: &[Entry]) -> Table {
    let mut table = Table::new([
        "algorithm",
        "family",
        "provider",
        "operations",
        ">level",
        ">public key",
        ">secret key",
        ">ciphertext",
        ">signature",
        "dispatches",
        "random time",
        "standard",
    ]);
    for e in entries {
        let bytes = |size: Option<u32>| size.map_or("-".to_owned(), |b| b.to_string());
        table.push([
            e.algorithm.to_owned(),
            e.family.to_owned(),
            e.provider.to_owned(),
            e.operations.join(" "),
            e.level.to_string(),
            bytes(e.sizes.public_key),
            bytes(e.sizes.secret_key),
            bytes(e.sizes.ciphertext),
            bytes(e.sizes.signature),
            e.dispatches.join(" "),
            e.random_time.join(" "),
            e.standard.to_owned(),
        ]);
    }
    table
}

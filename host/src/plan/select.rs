//! From names and patterns to the list of operations.
use super::error::nearest;
use super::{Plan, PlanError};
use wire::catalog::{ALGORITHMS, Algorithm, AlgorithmId, Kind, Operation, Provider};

/// An operation of an algorithm from a provider.
pub type Item = (AlgorithmId, Provider, Operation);

/// What `null` is in a list: the harness's own cost.
pub const NULL: Item = (AlgorithmId(0), Provider::Null, Operation::Nothing);

impl Plan {
    /// The operations to measure, in the order of the catalogue within each pattern. `patterns`, unless empty, replace the plan's own
    /// list; `providers`, unless empty, leave out all others, and replace the plan's. Where neither names any,
    /// each algorithm is taken from its own.
    ///
    /// # Errors
    /// Where a pattern matches nothing, or nothing from `providers`.
    pub fn resolve(
        &self,
        patterns: &[String],
        providers: &[Provider],
    ) -> Result<Vec<Item>, PlanError> {
        let own = patterns.is_empty();
        let patterns = if own { &self.algorithms } else { patterns };
        let providers = match (own, providers) {
            (true, []) => &self.providers,
            _ => providers,
        };
        let (mut items, mut all) = (Vec::new(), Vec::new());
        for pattern in patterns {
            let matched = matching(pattern)?;
            all.extend(&matched);
            let chosen: Vec<_> = matched
                .iter()
                .flat_map(|a| a.providers.iter().map(move |(provider, _)| (*a, *provider)))
                .filter(|(algorithm, provider)| match providers {
                    // An algorithm's own provider is the first that has it. What misbehaves is wanted by name or not at all.
                    [] => algorithm
                        .providers
                        .first()
                        .is_some_and(|(own, _)| own == provider && *own != Provider::Faulty),
                    named => named.contains(provider),
                })
                .collect();
            // A plan's own list is narrowed by --provider; what the user names by hand must be there.
            if chosen.is_empty() && !own {
                return Err(no_provider(pattern, providers, &matched));
            }
            for (algorithm, provider) in chosen {
                for operation in algorithm.kind.operations() {
                    let item = (algorithm.id, provider, *operation);
                    if !items.contains(&item) {
                        items.push(item);
                    }
                }
            }
        }
        match items.is_empty() {
            true => Err(no_provider(&patterns.join(","), providers, &all)),
            false => Ok(items),
        }
    }
}

fn no_provider(pattern: &str, providers: &[Provider], matched: &[&Algorithm]) -> PlanError {
    let mut has: Vec<_> = matched
        .iter()
        .flat_map(|a| a.providers.iter().map(|(provider, _)| *provider))
        .collect();
    has.sort_unstable();
    has.dedup();
    PlanError::NoProvider {
        pattern: pattern.to_owned(),
        providers: providers.to_vec(),
        has,
    }
}

/// The algorithms whose names match, in the catalogue's order. `*` stands for any text, `?` for any letter; case does not matter.
fn matching(pattern: &str) -> Result<Vec<&'static Algorithm>, PlanError> {
    let glob = glob::Pattern::new(pattern).map_err(|error| PlanError::Pattern {
        pattern: pattern.to_owned(),
        message: error.msg,
    })?;
    let options = glob::MatchOptions {
        case_sensitive: false,
        ..glob::MatchOptions::new()
    };
    let is_named = |a: &&Algorithm| glob.matches_with(a.name, options);
    // `*` means every algorithm; the empty operation is none, and is asked for by its name.
    let is_wanted = |a: &&Algorithm| a.kind != Kind::Null || a.name.eq_ignore_ascii_case(pattern);
    let matched: Vec<_> = ALGORITHMS
        .iter()
        .filter(is_named)
        .filter(is_wanted)
        .collect();
    match matched.is_empty() {
        true => Err(PlanError::NoMatch {
            pattern: pattern.to_owned(),
            nearest: nearest(pattern, ALGORITHMS.iter().map(|a| a.name)),
        }),
        false => Ok(matched),
    }
}

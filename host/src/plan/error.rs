//! What can be wrong with a plan or a choice of algorithms.
use super::BUILTIN;
use wire::catalog::Provider;

/// Why there is nothing to measure.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// No plan of that name.
    #[error(
        "unknown plan `{name}`{}; there are: {known}, or a path to a .toml file",
        suggest(nearest)
    )]
    UnknownPlan {
        /// As given.
        name: String,
        /// The nearest names.
        nearest: Vec<String>,
        /// All names.
        known: String,
    },
    /// The file cannot be read.
    #[error("plan {path} cannot be read: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no TOML, or lacks something.
    #[error("plan {file}, line {line}: {message}{}", suggest(nearest))]
    Syntax {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// What the parser says.
        message: String,
        /// The nearest valid fields, where one is unknown.
        nearest: Vec<String>,
    },
    /// The numbers make no sense.
    #[error("plan {file} {problem}")]
    Unsound {
        /// The file.
        file: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// A pattern that cannot be one.
    #[error("`{pattern}` is no pattern: {message}")]
    Pattern {
        /// As given.
        pattern: String,
        /// Why.
        message: &'static str,
    },
    /// A pattern without a match.
    #[error(
        "no algorithm matches `{pattern}`{}; `host algorithms` lists them all",
        suggest(nearest)
    )]
    NoMatch {
        /// As given.
        pattern: String,
        /// The nearest names.
        nearest: Vec<String>,
    },
    /// The algorithms are there, but not from these providers.
    #[error(
        "no algorithm that matches `{pattern}` comes from {}; it comes from {}",
        list(providers),
        list(has)
    )]
    NoProvider {
        /// As given.
        pattern: String,
        /// The providers asked for.
        providers: Vec<Provider>,
        /// The providers that have it.
        has: Vec<Provider>,
    },
}

impl PlanError {
    pub(super) fn unknown_plan(name: &str) -> Self {
        let names = || BUILTIN.iter().map(|(name, _)| *name);
        Self::UnknownPlan {
            name: name.to_owned(),
            nearest: nearest(name, names()),
            known: names().collect::<Vec<_>>().join(", "),
        }
    }

    pub(super) fn from_toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        let message = error.message().trim().replace('\n', "; ");
        // Serde quotes the unknown name first, then those that it would take.
        let mut quoted = message.split('`').skip(1).step_by(2);
        let nearest = match message.starts_with("unknown field") {
            true => {
                let found = quoted.next().unwrap_or_default();
                nearest(found, quoted)
            }
            false => Vec::new(),
        };
        Self::Syntax {
            file: file.to_owned(),
            line: 1 + text.bytes().take(at).filter(|b| *b == b'\n').count(),
            message,
            nearest,
        }
    }
}

/// The valid names that look most like `found`, best first, at most three.
pub fn nearest<'a>(found: &str, valid: impl Iterator<Item = &'a str>) -> Vec<String> {
    let lower = found.to_lowercase();
    let mut scored: Vec<(f64, &str)> = valid
        .map(|name| {
            let likeness = strsim::normalized_damerau_levenshtein(&lower, &name.to_lowercase());
            (likeness, name)
        })
        .filter(|(likeness, _)| *likeness >= 0.5)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(3);
    scored
        .into_iter()
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// The end of a message: `; did you mean A, B or C?`, or nothing.
pub fn suggest(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [first @ .., last] => format!("; did you mean {} or {last}?", first.join(", ")),
    }
}

fn list(providers: &[Provider]) -> String {
    let names: Vec<_> = providers.iter().map(|p| p.name()).collect();
    names.join(", ")
}

//! What can be wrong with a board or its name, in words that say what to write instead.
use crate::{Problem, names};
use std::path::PathBuf;

/// Why there is no board.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// No board of that name comes with the program.
    #[error("no board is called `{name}`{}; boards: {known}; a file of your own is given by its path", suggest(.nearest.as_deref()))]
    UnknownBoard {
        /// The name that was asked for.
        name: String,
        /// The nearest name, if one is near.
        nearest: Option<String>,
        /// All names.
        known: String,
    },
    /// The file cannot be read.
    #[error("board file {} cannot be read", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A field or value that no board has.
    #[error("{place} has no {kind} `{found}`{}; valid: {expected}", suggest(.nearest.as_deref()))]
    Unknown {
        /// File, line and table, e.g. `my.toml:3: [power]`.
        place: String,
        /// `field` or `value`.
        kind: &'static str,
        /// What was found.
        found: String,
        /// The nearest valid one, if one is near.
        nearest: Option<String>,
        /// All valid ones.
        expected: String,
    },
    /// Not TOML, a field of the wrong type, or one that is missing.
    #[error("{place}: {message}")]
    Syntax {
        /// File, line and table, e.g. `my.toml:3: [power]`.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// Fields that contradict each other.
    #[error("{file}: {problem}")]
    Check {
        /// The file.
        file: String,
        /// The contradiction.
        problem: Problem,
    },
}

impl BoardError {
    pub(crate) fn unknown_board(name: &str) -> Self {
        Self::UnknownBoard {
            name: name.to_owned(),
            nearest: nearest(name, names()),
            known: names().collect::<Vec<_>>().join(", "),
        }
    }

    pub(crate) fn from_toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        let place = format!("{file}:{line}: {}", table_at(text, line));
        match Unknown::parse(error.message()) {
            Some(Unknown {
                kind,
                found,
                expected,
            }) => Self::Unknown {
                place,
                kind,
                nearest: nearest(&found, expected.iter().copied()),
                expected: expected.join(", "),
                found: found.clone(),
            },
            None => Self::Syntax {
                place,
                message: error.message().trim().replace('\n', "; "),
            },
        }
    }
}

/// Serde's words for a name it does not know, taken apart: it quotes the name first, then those it would take.
struct Unknown<'a> {
    kind: &'static str,
    found: String,
    expected: Vec<&'a str>,
}

impl<'a> Unknown<'a> {
    fn parse(message: &'a str) -> Option<Self> {
        let kind = if message.starts_with("unknown field") {
            "field"
        } else if message.starts_with("unknown variant") {
            "value"
        } else {
            return None;
        };
        let mut quoted = message.split('`').skip(1).step_by(2);
        Some(Self {
            kind,
            found: quoted.next()?.to_owned(),
            expected: quoted.collect(),
        })
    }
}

/// The table that what stands on line `line` belongs to: the last header before it. A header itself belongs to the table
/// above it in the tree.
fn table_at(text: &str, line: usize) -> String {
    let header = |line: &str| -> Option<String> {
        let name = line.trim().strip_prefix('[')?.split(']').next()?;
        Some(name.trim_start_matches('[').trim().to_owned())
    };
    let own = text.lines().nth(line.saturating_sub(1)).and_then(header);
    let table = match own {
        Some(own) => own.rsplit_once('.').map(|(parent, _)| parent.to_owned()),
        None => text.lines().take(line).filter_map(header).last(),
    };
    table.map_or_else(|| "the top level".to_owned(), |table| format!("[{table}]"))
}

fn nearest<'a>(found: &str, valid: impl Iterator<Item = &'a str>) -> Option<String> {
    valid
        .map(|name| (strsim::normalized_damerau_levenshtein(found, name), name))
        .filter(|(likeness, _)| *likeness >= 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name.to_owned())
}

fn suggest(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

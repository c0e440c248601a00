//! Puts a result on standard output in the form that was asked for.
use super::{Color, Format, Global, Outcome};
use crate::exit::{Exit, Failure};
use crate::progress::tell;
use crate::report::Table;
use serde::Serialize;
use std::io::{ErrorKind, IsTerminal, Write};

/// A result in its forms.
pub struct Output<'a, J: Serialize> {
    /// The JSON value.
    pub json: &'a J,
    /// For people and Markdown.
    pub table: Table,
    /// For CSV, where that shows more than the table.
    pub csv: Option<Table>,
    /// Lines around the table, for people only: before and after.
    pub around: (String, String),
}

impl<J: Serialize> Output<'_, J> {
    /// Prints it.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn print(self, global: &Global) -> Outcome {
        let text = match global.format {
            Format::Json => {
                let json = serde_json::to_string_pretty(self.json);
                json.map_err(|e| Failure::new(Exit::CheckFailed, e))? + "\n"
            }
            Format::Csv => self.csv.unwrap_or(self.table).csv(),
            Format::Md => self.table.markdown(),
            Format::Table => self.around.0 + &self.table.text(color(global)) + &self.around.1,
        };
        print(&text)
    }
}

/// Writes `text` to standard output. A reader that has seen enough, as `head` has, is no failure.
///
/// # Errors
/// Where it cannot be written.
pub fn print(text: &str) -> Outcome {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let error = anyhow::Error::new(e).context("writing to standard output");
            Err(Failure::new(Exit::CheckFailed, error))
        }
        _ => Ok(Exit::Done),
    }
}

/// Whether results are coloured.
#[must_use]
pub fn color(global: &Global) -> bool {
    match global.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            std::io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// Says `words` on standard error, unless the user wants it quiet.
pub fn say(global: &Global, words: &str) {
    if !global.quiet {
        tell(words);
    }
}

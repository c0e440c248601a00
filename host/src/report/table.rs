//! A table, and its forms.
use comfy_table::{CellAlignment, ColumnConstraint, presets};
use serde::Serialize;
use serde_json::Value;

const BOLD: &str = "\x1b[1m";
const GREEN: &str = "\x1b[32m";
const RED: &str = "\x1b[31m";
const RESET: &str = "\x1b[0m";

/// Mark of a check that passed.
pub const PASSED: &str = "✓";
/// Mark of a check that failed.
pub const FAILED: &str = "✗";

/// Head and rows, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    head: Vec<String>,
    numbers: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table. A column whose name begins with `>` holds numbers and is set flush right; the sign is not shown.
    pub fn new<S: AsRef<str>>(head: impl IntoIterator<Item = S>) -> Self {
        let (head, numbers) = head
            .into_iter()
            .map(|name| {
                let name = name.as_ref();
                (
                    name.trim_start_matches('>').to_owned(),
                    name.starts_with('>'),
                )
            })
            .unzip();
        Self {
            head,
            numbers,
            rows: Vec::new(),
        }
    }

    /// A table of fields of `items`, a line each: for CSV. A nested field is named `outer.inner`; lists are joined by `;`.
    #[must_use]
    pub fn of_fields<T: Serialize>(fields: &[&str], items: &[T]) -> Self {
        let mut table = Self::new(fields);
        for item in items {
            // What is printed is made of plain fields: it always has a JSON form.
            let value = serde_json::to_value(item).unwrap_or_default();
            table.push(fields.iter().map(|field| {
                let pointer = format!("/{}", field.replace('.', "/"));
                value.pointer(&pointer).map(plain).unwrap_or_default()
            }));
        }
        table
    }

    /// Adds a row.
    pub fn push<S: Into<String>>(&mut self, row: impl IntoIterator<Item = S>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn comfy(&self, preset: comfy_table::TableStyle, cell: impl Fn(&str) -> String) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(preset);
        table.set_header(self.head.iter().map(|c| cell(c)));
        table.add_rows(
            self.rows
                .iter()
                .map(|row| row.iter().map(|c| cell(c)).collect::<Vec<_>>()),
        );
        for (at, number) in self.numbers.iter().enumerate() {
            if let Some(column) = table.column_mut(at) {
                // Never wrapped: a cell that is cut in two is no use in a pipe.
                column.set_constraint(ColumnConstraint::ContentWidth);
                if *number {
                    column.set_cell_alignment(CellAlignment::Right);
                }
            }
        }
        table.to_string()
    }

    /// For people, with a line under the head; `color` sets the head bold and colours check marks.
    #[must_use]
    pub fn text(&self, color: bool) -> String {
        let text = self.comfy(presets::NOTHING, str::to_owned);
        let mut lines: Vec<String> = text
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
        let width = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
        if let Some(head) = lines.first_mut()
            && color
        {
            *head = format!("{BOLD}{head}{RESET}");
        }
        lines.insert(1.min(lines.len()), "─".repeat(width));
        let text = lines.join("\n") + "\n";
        if !color {
            return text;
        }
        text.replace(PASSED, &format!("{GREEN}{PASSED}{RESET}"))
            .replace(FAILED, &format!("{RED}{FAILED}{RESET}"))
    }

    /// As Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        self.comfy(presets::ASCII_MARKDOWN, |cell| {
            cell.replace('|', "\\|").replace('\n', " ")
        }) + "\n"
    }

    /// As CSV (RFC 4180, lines ended by a line feed).
    #[must_use]
    pub fn csv(&self) -> String {
        let line = |cells: &[String]| {
            cells
                .iter()
                .map(|c| quoted(c))
                .collect::<Vec<_>>()
                .join(",")
                + "\n"
        };
        line(&self.head) + &self.rows.iter().map(|row| line(row)).collect::<String>()
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(";"),
        other => other.to_string(),
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["name", ">count"]);
        table.push(["a, \"b\"", "12"]);
        table.push(["c|d", "3 ✓"]);
        table
    }

    #[test]
    fn forms() {
        assert_eq!(table().csv(), "name,count\n\"a, \"\"b\"\"\",12\nc|d,3 ✓\n");
        let md = table().markdown();
        assert!(md.contains("c\\|d"), "{md}");
        assert!(!table().text(false).contains('\x1b'));
        assert!(table().text(true).contains("\x1b[32m✓"));
    }
}

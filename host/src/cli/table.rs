//! Sets small lists in the formats that need no more than rows of text.
use super::Format;
use comfy_table::{Table, presets};

/// Rows as a table, as Markdown or as CSV (RFC 4180). JSON has types, so each command makes its own.
pub fn text(format: Format, header: &[&str], rows: &[Vec<String>]) -> String {
    if format == Format::Csv {
        let mut text = csv_line(header.iter().copied()) + "\n";
        for row in rows {
            text += &csv_line(row.iter().map(String::as_str));
            text.push('\n');
        }
        return text;
    }
    let mut table = Table::new();
    table.load_style(if format == Format::Md {
        presets::ASCII_MARKDOWN
    } else {
        presets::NOTHING
    });
    table.set_header(header.iter().copied());
    for row in rows {
        table.add_row(row);
    }
    table.trim_fmt() + "\n"
}

fn csv_line<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = fields
        .map(|field| {
            if field.contains(['"', ',', '\n', '\r']) {
                format!("\"{}\"", field.replace('"', "\"\""))
            } else {
                field.to_owned()
            }
        })
        .collect();
    quoted.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_quotes_are_quoted() {
        assert_eq!(
            csv_line(["a", "b,c", "say \"d\""].into_iter()),
            "a,\"b,c\",\"say \"\"d\"\"\""
        );
    }
}

//! Tables, for terminals and for documents.

use std::io::{self, Write};

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Aligned columns.
    Plain,
    /// Markdown.
    Markdown,
}

/// A title, column heads, and rows of as many cells.
#[derive(Clone, Debug, Default)]
pub struct Table {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(title: impl Into<String>, head: impl IntoIterator<Item = String>) -> Self {
        Self { title: title.into(), head: head.into_iter().collect(), rows: Vec::new() }
    }

    /// Appends a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes the table and an empty line.
    ///
    /// # Errors
    /// As `out` has them.
    pub fn write(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        let lines = || core::iter::once(&self.head).chain(&self.rows);
        let width = |at: usize| lines().map(|line| cell_width(&line[at])).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        match style {
            Style::Plain => writeln!(out, "{}", self.title)?,
            Style::Markdown => writeln!(out, "**{}**\n", self.title)?,
        }
        for (at, line) in lines().enumerate() {
            let cells: Vec<String> = line
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{}{cell}", " ".repeat(width - cell_width(cell))))
                .collect();
            match style {
                Style::Plain => writeln!(out, "  {}", cells.join("   "))?,
                Style::Markdown => writeln!(out, "| {} |", cells.join(" | "))?,
            }
            if at == 0 && style == Style::Markdown {
                let rules: Vec<String> = widths.iter().map(|w| "-".repeat(w + 1) + ":").collect();
                writeln!(out, "|{}|", rules.join("|"))?;
            }
        }
        writeln!(out)
    }
}

/// Tables in Markdown as CSV: each has an empty line, its title, its heads and its rows. Other text
/// is behind `#`.
#[must_use]
pub fn csv(markdown: &str) -> String {
    let quoted = |cell: &str| match cell.trim() {
        plain if !plain.contains([',', '"']) => plain.to_owned(),
        other => format!("\"{}\"", other.replace('"', "\"\"")),
    };
    let line = |line: &str| {
        let title = line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
        let cells = line.strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
        match (title, cells) {
            (Some(title), _) => format!("\n{}\n", quoted(title)),
            (_, Some(rule)) if rule.starts_with('-') => String::new(),
            (_, Some(cells)) => cells.split('|').map(quoted).collect::<Vec<_>>().join(",") + "\n",
            _ if line.is_empty() => String::new(),
            _ => format!("# {line}\n"),
        }
    };
    markdown.lines().map(line).collect()
}

fn cell_width(cell: &str) -> usize {
    cell.chars().count()
}

/// A number of bytes for a table's first column.
#[must_use]
pub fn bytes(bytes: usize) -> String {
    match bytes {
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(style: Style) -> String {
        let mut table = Table::new("Speed", ["size", "±"].map(String::from));
        table.row(["16 B", "1"].map(String::from));
        table.row(["1 KiB", "1000"].map(String::from));
        let mut out = Vec::new();
        table.write(&mut out, style).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn plain_columns_align() {
        let expected = "Speed\n   size      ±\n   16 B      1\n  1 KiB   1000\n\n";
        assert_eq!(written(Style::Plain), expected);
    }

    #[test]
    fn markdown_has_a_rule() {
        let expected = "**Speed**\n\n|  size |    ± |\n|------:|-----:|\n|  16 B |    1 |\n\
                        | 1 KiB | 1000 |\n\n";
        assert_eq!(written(Style::Markdown), expected);
    }

    #[test]
    fn csv_has_titles_heads_and_rows() {
        let page = format!("Of \"one\" run\n\n{}", written(Style::Markdown));
        let page = page.replace("1000", "1, or \"2\"");
        let expected = "# Of \"one\" run\n\nSpeed\nsize,±\n16 B,1\n1 KiB,\"1, or \"\"2\"\"\"\n";
        assert_eq!(csv(&page), expected);
    }

    #[test]
    fn sizes_are_exact() {
        let sizes = [0, 16, 1500, 1024, 65536, 1 << 20, (1 << 20) + 1].map(bytes);
        assert_eq!(sizes, ["0 B", "16 B", "1500 B", "1 KiB", "64 KiB", "1 MiB", "1048577 B"]);
    }
}

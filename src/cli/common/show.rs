//! Text in columns, in which a Chinese character is two columns wide.

use std::io::IsTerminal;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::text::translated;

/// The indentation of continuation lines, and the space between columns.
const INDENT: &str = "  ";

/// Aligns rows in columns, two spaces apart and each as wide as its widest cell. A row that is wider than
/// `width` continues on further lines.
pub fn columns<const N: usize>(rows: &[[String; N]], width: Option<usize>) -> String {
    let widths: [usize; N] =
        std::array::from_fn(|n| rows.iter().map(|row| row[n].width()).max().unwrap_or(0));
    let rows = rows.iter().map(|cells| row(cells, &widths, width));
    rows.collect()
}

/// The heads of a table in the chosen language.
pub fn heads<const N: usize>(words: [&str; N]) -> [String; N] {
    words.map(|word| translated(word).into_owned())
}

/// One row of a table whose columns have these widths. If they are wider than `width` together, the row
/// continues on further lines, indented. All rows of a table are broken at the same columns.
pub fn row(cells: &[impl AsRef<str>], widths: &[usize], width: Option<usize>) -> String {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for (n, (cell, cell_width)) in cells.iter().zip(widths).enumerate() {
        if n > 0 {
            if width.is_some_and(|width| used + INDENT.len() + cell_width > width) {
                lines.push(String::new());
                used = 0;
            }
            used += INDENT.len();
        }
        used += cell_width;
        if let Some(line) = lines.last_mut() {
            line.push_str(if n > 0 { INDENT } else { "" });
            line.push_str(&pad(cell.as_ref(), *cell_width));
        }
    }
    let lines = lines.iter().map(|line| line.trim_end()).enumerate();
    let shown = lines.filter(|(n, line)| *n == 0 || !line.is_empty());
    shown.map(|(_, line)| format!("{line}\n")).collect()
}

/// The width of the terminal in columns, or `None` if standard output is not a terminal.
pub fn terminal_width() -> Option<usize> {
    let size = std::io::stdout()
        .is_terminal()
        .then(|| console::Term::stdout().size_checked());
    size.flatten().map(|(_, columns)| usize::from(columns))
}

/// Aligns rows in columns, two spaces apart, the first column to the left and the others to the right. If
/// that is wider than `width`, the columns are split into several tables, each with the first column.
#[cfg(feature = "match")]
pub fn figures(rows: &[Vec<String>], width: Option<usize>) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width_of = |n: usize| {
        let cells = rows.iter().filter_map(|row| row.get(n));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width_of).collect();
    let width = width.unwrap_or(usize::MAX);
    let mut tables: Vec<Vec<usize>> = Vec::new();
    let mut used = 0;
    for n in 1..count {
        let needed = INDENT.len() + widths[n];
        if tables.is_empty() || used + needed > width {
            tables.push(Vec::new());
            used = widths[0];
        }
        used += needed;
        if let Some(table) = tables.last_mut() {
            table.push(n);
        }
    }
    let tables = tables
        .iter()
        .map(|table| some_figures(rows, &widths, table));
    tables.collect::<Vec<_>>().join("\n")
}

/// A table of the first column and those of `others`.
#[cfg(feature = "match")]
fn some_figures(rows: &[Vec<String>], widths: &[usize], others: &[usize]) -> String {
    let mut text = String::new();
    for row in rows {
        let cell = |n: usize| row.get(n).map_or("", String::as_str);
        let mut line = pad(cell(0), widths[0]);
        for n in others {
            line += INDENT;
            line += &pad_left(cell(*n), widths[*n]);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Joins words by two spaces; if that is wider than `width`, it continues on further lines, indented.
pub fn spaced(words: &[String], width: Option<usize>) -> String {
    let widths: Vec<usize> = words.iter().map(|word| word.width()).collect();
    row(words, &widths, width)
}

/// A line of text; if it is wider than `width`, it is broken at spaces and continues on further lines, indented.
pub fn sentence(text: &str, width: Option<usize>) -> String {
    let lines = match width {
        Some(width) if text.width() > width => wrapped(text, width.saturating_sub(INDENT.len())),
        _ => vec![text.to_owned()],
    };
    lines.join(&format!("\n{INDENT}")) + "\n"
}

/// Breaks a text at its spaces into lines of at most `width` columns; a longer word gets a line of its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Pads a text with spaces to a width.
pub fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{:missing$}", "")
}

/// Aligns a text to the right of a width.
pub fn pad_left(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{:missing$}{text}", "")
}

/// Cuts a text to a width; `…` marks the cut.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let kept = text.chars().take_while(|c| {
        let width = c.width().unwrap_or(0);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    });
    kept.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_characters_are_two_columns_wide() {
        let rows = [["车", "a1"], ["rook", "b2"], ["马８进７", ""]];
        let rows = rows.map(|row| row.map(str::to_owned));
        let whole = "车        a1\nrook      b2\n马８进７\n";
        assert_eq!(columns(&rows, None), whole);
        assert_eq!(columns(&rows, Some(12)), whole);
    }

    #[test]
    fn wide_rows_continue_on_further_lines() {
        let rows = [
            ["a", "炮二平五", "1.00", "good"],
            ["b", "马8进7", "2", ""],
            ["c", "", "", ""],
        ];
        let rows = rows.map(|row| row.map(str::to_owned));
        let broken = "a  炮二平五\n  1.00  good\nb  马8进7\n  2\nc\n";
        assert_eq!(columns(&rows, Some(16)), broken);
        let narrow = "a\n  炮二平五\n  1.00\n  good\nb\n  马8进7\n  2\nc\n";
        assert_eq!(columns(&rows, Some(1)), narrow);
        let words = ["best h2e2", "depth 8"].map(str::to_owned);
        assert_eq!(spaced(&words, None), "best h2e2  depth 8\n");
        assert_eq!(spaced(&words, Some(17)), "best h2e2\n  depth 8\n");
    }

    #[cfg(feature = "match")]
    #[test]
    fn figures_are_aligned_right() {
        let rows = [vec!["", "n"], vec!["象棋", "100", "7"], vec!["x", "5"]];
        let rows = rows.map(|row| row.into_iter().map(str::to_owned).collect());
        let whole = "        n\n象棋  100  7\nx       5\n";
        assert_eq!(figures(&rows, None), whole);
        assert_eq!(figures(&rows, Some(12)), whole);
        let parts = "        n\n象棋  100\nx       5\n\n\n象棋  7\nx\n";
        assert_eq!(figures(&rows, Some(11)), parts);
        assert_eq!(figures(&rows, Some(1)), parts, "one column at least");
        assert_eq!(figures(&[], Some(9)), "");
    }

    #[test]
    fn lines_are_broken_at_spaces() {
        assert_eq!(
            wrapped("炮二平五 马8进7 h2e2", 17),
            ["炮二平五 马8进7", "h2e2"]
        );
        assert_eq!(wrapped("abcdef gh i", 4), ["abcdef", "gh i"]);
        assert!(wrapped(" ", 4).is_empty());
        assert_eq!(sentence("a draw by rule", None), "a draw by rule\n");
        assert_eq!(sentence("a draw  by rule", Some(15)), "a draw  by rule\n");
        assert_eq!(
            sentence("a draw by rule", Some(8)),
            "a draw\n  by\n  rule\n"
        );
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut("炮二平五", 8), "炮二平五");
        assert_eq!(cut("炮二平五", 7), "炮二平…");
        assert_eq!(cut("炮二平五", 6), "炮二…");
        assert_eq!(cut("h2e2", 1), "…");
    }
}

//! Text in columns, where a Chinese character is as wide as two letters.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Sets rows in columns, two spaces apart and each as wide as its widest text; a row is a line.
pub(in crate::cli) fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] =
        std::array::from_fn(|n| rows.iter().map(|row| row[n].width()).max().unwrap_or(0));
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(widths).map(|(c, w)| pad(c, w)).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Sets rows in columns, two spaces apart, the first column to the left and the others to the right.
#[cfg(feature = "match")]
#[cfg(feature = "match")]
pub(in crate::cli) fn figures(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |n: usize| {
        rows.iter()
            .filter_map(|row| row.get(n))
            .map(|cell| cell.width())
            .max()
    };
    let widths: Vec<usize> = (0..count).map(|n| width(n).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (n, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let missing = width - cell.width();
            line += &match n {
                0 => pad(cell, *width),
                _ => format!("  {:missing$}{cell}", ""),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Fills a text with spaces to a width.
pub(in crate::cli) fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{:missing$}", "")
}

/// Cuts a text to a width; `…` stands for what is missing.
pub(in crate::cli) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let kept = text.chars().take_while(|c| {
        let width = c.width().unwrap_or(0);
        let fits = width <= room;
        room = room.saturating_sub(width);
        fits
    });
    kept.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_counts_twice() {
        let rows = [["车", "a1"], ["rook", "b2"], ["马８进７", ""]];
        let rows = rows.map(|row| row.map(str::to_owned));
        assert_eq!(columns(&rows), "车        a1\nrook      b2\n马８进７\n");
    }

    #[cfg(feature = "match")]
    #[cfg(feature = "match")]
    #[test]
    fn figures_stand_to_the_right() {
        let rows = [vec!["", "n"], vec!["象棋", "100", "7"], vec!["x", "5"]];
        let rows = rows.map(|row| row.into_iter().map(str::to_owned).collect());
        assert_eq!(figures(&rows), "        n\n象棋  100  7\nx       5\n");
    }

    #[test]
    fn what_is_too_long_is_cut() {
        assert_eq!(cut("炮二平五", 8), "炮二平五");
        assert_eq!(cut("炮二平五", 7), "炮二平…");
        assert_eq!(cut("炮二平五", 6), "炮二…");
        assert_eq!(cut("h2e2", 1), "…");
    }
}

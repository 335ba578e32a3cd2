//! Standard output, output that a later run continues, tables and the log. A Chinese character is two columns wide.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use console::{Alignment, measure_text_width, pad_str};
use env_logger::{Builder, Target};
use log::LevelFilter;

use super::files::{FileLock, is_stdout, open_log, open_special, require_not_stdout};
use super::{Context, Failure, ForceArgument};
use crate::text::{
    is_reader_gone, open_or_create, read_all, require_regular, translated, without_secrets,
};

/// Prints to standard output and flushes it; returns `false` when the reader has closed it.
pub fn print_if_read(text: &str) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if is_reader_gone(&error) => Ok(false),
        Err(error) => Err(Failure::of_output("standard output", error)),
    }
}

/// Prints to standard output. A closed standard output is not an error.
pub fn print(text: &str) -> Result<(), Failure> {
    print_if_read(text).map(|_| ())
}

/// Prints a text in the chosen language.
pub fn print_text(text: &str) -> Result<(), Failure> {
    print(&translated(text))
}

/// Prints a line in the chosen language. Ignores all errors, for work that does not depend on standard output.
#[cfg(any(feature = "cloud", feature = "training"))]
pub fn print_line(text: &str) {
    let _ = writeln!(io::stdout(), "{}", translated(text));
}

/// Maximum size of a file that is continued, in MB.
const MAX_FILE_MB: u64 = 4096;

/// The lines of a [`LineOutput`].
pub struct LineFormat<'a> {
    /// The first line of a new file with its line feed; empty if there is no such line.
    pub heading: &'a str,
    /// The text at the beginning of every file. A file without a complete line is continued only if it begins with this
    /// text or is cut off within it.
    pub beginning: &'a str,
    /// The error for a file that is not such an output.
    pub foreign: &'static str,
}

/// Output that a command writes line by line, and that a later run of the command can continue.
pub struct LineOutput {
    /// `None` for standard output.
    file: Option<File>,
    /// Keeps other runs from writing the file; `None` for standard output, a pipe or a device.
    lock: Option<FileLock>,
    /// The path for messages.
    name: String,
    /// Whether standard output is closed, so that no more lines are needed.
    pub is_closed: bool,
}

impl LineOutput {
    /// Creates the output with its heading, or with `resume` opens a file to continue it after its last complete line.
    /// A file that does not exist is created in both cases. The path `-` is standard output. `read` checks the complete
    /// lines, including the heading.
    ///
    /// # Errors
    /// The file is in use by another run, cannot be written, exists although neither `resume` nor `force` is given, or
    /// has the wrong contents.
    pub fn open<T>(
        path: &Path,
        resume: bool,
        force: ForceArgument,
        format: &LineFormat<'_>,
        read: impl FnOnce(&str) -> io::Result<T>,
    ) -> Result<(Self, T), Failure> {
        let name = path.display();
        if resume {
            require_not_stdout("--continue", path)?;
            require_regular(path).context(&name)?;
            let lock = FileLock::acquire(path)?;
            let (file, read) = reopen(path, format, read).context(&name)?;
            return Ok((Self::new(path, Some(file), Some(lock)), read));
        }
        let mut output = Self::create(path, force)?;
        output.write(format.heading)?;
        Ok((output, read(format.heading).context(name)?))
    }

    fn new(path: &Path, file: Option<File>, lock: Option<FileLock>) -> Self {
        Self { file, lock, name: path.display().to_string(), is_closed: false }
    }

    fn create(path: &Path, ForceArgument { force }: ForceArgument) -> Result<Self, Failure> {
        if is_stdout(path) {
            return Ok(Self::new(path, None, None));
        }
        if let Some(file) = open_special(path) {
            return Ok(Self::new(path, Some(file.context(path.display())?), None));
        }
        let lock = FileLock::acquire(path)?;
        let file = if force { File::create(path) } else { File::create_new(path) };
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                let why = "the file already exists; --continue resumes it, --force overwrites it";
                Failure::new(path.display(), why)
            }
            _ => Failure::new(path.display(), error),
        })?;
        Ok(Self::new(path, Some(file), Some(lock)))
    }

    /// Whether a later run can continue the output.
    pub fn can_be_continued(&self) -> bool {
        self.lock.is_some()
    }

    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        match &mut self.file {
            Some(file) => file.write_all(text.as_bytes()).context(&self.name),
            None => {
                self.is_closed = !print_if_read(text)?;
                Ok(())
            }
        }
    }
}

/// Opens a file to continue it, and drops an incomplete last line.
fn reopen<T>(
    path: &Path,
    format: &LineFormat<'_>,
    read: impl FnOnce(&str) -> io::Result<T>,
) -> io::Result<(File, T)> {
    let mut file = open_or_create(path)?;
    let mut bytes = read_all(&mut file, MAX_FILE_MB)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    // The incomplete line may end within a Chinese character.
    let (beginning, cut) = (format.beginning.as_bytes(), bytes.split_off(end));
    if end == 0 && !beginning.starts_with(&cut) && !cut.starts_with(beginning) {
        return Err(io::Error::other(format.foreign));
    }
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other(format.foreign))?;
    let read = read(if end == 0 { format.heading } else { &text })?;
    file.set_len(end as u64)?;
    file.seek(SeekFrom::Start(end as u64))?;
    if end == 0 {
        file.write_all(format.heading.as_bytes())?;
    }
    Ok((file, read))
}

/// The file of the log. The first error is reported on standard error, because the logger ignores errors.
struct LogFile {
    file: File,
    path: PathBuf,
    has_failed: bool,
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        if let (Err(error), false) = (&written, self.has_failed)
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.has_failed = true;
            let why = format_args!("the log is incomplete: {error}");
            Failure::new(self.path.display(), why).report();
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Starts appending the log to the file at `path`: the messages of this crate from level debug up, and those of other
/// crates that `RUST_LOG` selects. Passwords in addresses are removed.
///
/// # Errors
/// See [`open_log`].
pub fn start_log(path: &Path) -> Result<(), Failure> {
    let file = LogFile { file: open_log(path)?, path: path.to_owned(), has_failed: false };
    Builder::new()
        .parse_default_env()
        .filter_module("chuhe", LevelFilter::Debug)
        .target(Target::Pipe(Box::new(file)))
        .format(|out, record| {
            let now = out.timestamp_millis();
            let process = std::process::id();
            let (level, text) = (record.level(), record.args().to_string());
            let text = without_secrets(&text);
            writeln!(out, "{now} {process} {level:5} {text}")
        })
        .try_init()
        .context(path.display())
}

/// Writes panic messages to the log instead of standard error, which some clients mix with standard output.
/// Must only be called after [`start_log`].
pub fn log_panics() {
    std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
}

/// The indentation of continuation lines, and the space between columns.
const INDENT: &str = "  ";

/// Aligns rows in columns, two spaces apart and each as wide as its widest cell. If the table is wider than `width`,
/// its rows continue on further lines.
pub fn columns<const N: usize>(rows: &[[String; N]], width: Option<usize>) -> String {
    let widths: [usize; N] = std::array::from_fn(|n| {
        rows.iter().map(|row| measure_text_width(&row[n])).max().unwrap_or(0)
    });
    let rows = rows.iter().map(|cells| row(cells, &widths, width));
    rows.collect()
}

/// The column headings of a table in the chosen language.
pub fn heads<const N: usize>(words: [&str; N]) -> [String; N] {
    words.map(|word| translated(word).into_owned())
}

/// One row of a table with these column widths. If the row is wider than `width`, it continues on further lines,
/// indented. All rows of a table are broken at the same columns.
pub fn row(cells: &[impl AsRef<str>], widths: &[usize], width: Option<usize>) -> String {
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    for (n, (cell, cell_width)) in cells.iter().zip(widths).enumerate() {
        if n > 0 {
            if width.is_some_and(|width| used + INDENT.len() + cell_width > width) {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line += INDENT;
            used += INDENT.len();
        }
        line += &pad(cell.as_ref(), *cell_width);
        used += cell_width;
    }
    lines.push(line);
    let lines = lines.iter().map(|line| line.trim_end()).enumerate();
    let shown = lines.filter(|(n, line)| *n == 0 || !line.is_empty());
    shown.map(|(_, line)| format!("{line}\n")).collect()
}

/// The width of the terminal in columns, or `None` if standard output is not a terminal.
pub fn terminal_width() -> Option<usize> {
    let size = console::Term::stdout().size_checked();
    size.map(|(_, columns)| usize::from(columns))
}

/// Aligns rows in columns, two spaces apart, the first column to the left and the others to the right. If
/// that is wider than `width`, the columns are split into several tables, each with the first column.
#[cfg(feature = "match")]
pub fn number_table(rows: &[Vec<String>], width: Option<usize>) -> String {
    fn cell(row: &[String], n: usize) -> &str {
        row.get(n).map_or("", String::as_str)
    }
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width_of = |n: usize| rows.iter().map(|row| measure_text_width(cell(row, n))).max();
    let widths: Vec<usize> = (0..count).filter_map(width_of).collect();
    let width = width.unwrap_or(usize::MAX);
    // For each table, its columns without the first one.
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
    let line = |row: &Vec<String>, table: &[usize]| {
        let mut line = pad(cell(row, 0), widths[0]);
        for n in table {
            line += INDENT;
            line += &pad_left(cell(row, *n), widths[*n]);
        }
        format!("{}\n", line.trim_end())
    };
    let lines = |table: Vec<usize>| rows.iter().map(|row| line(row, &table)).collect();
    let tables: Vec<String> = tables.into_iter().map(lines).collect();
    tables.join("\n")
}

/// Joins words by two spaces, on several lines if they are wider than `width`; further lines are indented.
pub fn spaced(words: &[String], width: Option<usize>) -> String {
    let widths: Vec<usize> = words.iter().map(|word| measure_text_width(word)).collect();
    row(words, &widths, width)
}

/// A line of text, broken at spaces if it is wider than `width`; further lines are indented.
pub fn sentence(text: &str, width: Option<usize>) -> String {
    let lines = match width {
        Some(width) if measure_text_width(text) > width => {
            wrapped(text, width.saturating_sub(INDENT.len()))
        }
        _ => vec![text.to_owned()],
    };
    lines.join(&format!("\n{INDENT}")) + "\n"
}

/// Breaks a text at its spaces into lines of at most `width` columns; a longer word gets a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if measure_text_width(line) + 1 + measure_text_width(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A text after a space, except a Chinese bracket, which needs none.
pub fn after_space(text: &str) -> String {
    if text.starts_with('（') { text.to_owned() } else { format!(" {text}") }
}

/// Pads a text on its right with spaces to a width.
pub fn pad(text: &str, width: usize) -> String {
    pad_str(text, width, Alignment::Left, None).into_owned()
}

/// Pads a text on its left with spaces to a width.
pub fn pad_left(text: &str, width: usize) -> String {
    pad_str(text, width, Alignment::Right, None).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_rows_continue_on_further_lines() {
        let rows = [["车", "a1"], ["rook", "b2"], ["马８进７", ""]];
        let rows = rows.map(|row| row.map(str::to_owned));
        // A Chinese character is two columns wide.
        let whole = "车        a1\nrook      b2\n马８进７\n";
        assert_eq!(columns(&rows, None), whole);
        assert_eq!(columns(&rows, Some(12)), whole);
        let rows = [["a", "炮二平五", "1.00", "good"], ["b", "马8进7", "2", ""], ["c", "", "", ""]];
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
    fn numbers_are_aligned_right() {
        let rows = [vec!["", "n"], vec!["象棋", "100", "7"], vec!["x", "5"]];
        let rows = rows.map(|row| row.into_iter().map(str::to_owned).collect());
        let whole = "        n\n象棋  100  7\nx       5\n";
        assert_eq!(number_table(&rows, None), whole);
        assert_eq!(number_table(&rows, Some(12)), whole);
        let parts = "        n\n象棋  100\nx       5\n\n\n象棋  7\nx\n";
        assert_eq!(number_table(&rows, Some(11)), parts);
        assert_eq!(number_table(&rows, Some(1)), parts, "one column at least");
        assert_eq!(number_table(&[], Some(9)), "");
    }

    #[test]
    fn lines_are_broken_at_spaces() {
        assert_eq!(wrapped("炮二平五 马8进7 h2e2", 17), ["炮二平五 马8进7", "h2e2"]);
        assert_eq!(wrapped("abcdef gh i", 4), ["abcdef", "gh i"]);
        assert!(wrapped(" ", 4).is_empty());
        assert_eq!(sentence("a draw by rule", None), "a draw by rule\n");
        assert_eq!(sentence("a draw  by rule", Some(15)), "a draw  by rule\n");
        let broken = "a draw\n  by\n  rule\n";
        assert_eq!(sentence("a draw by rule", Some(8)), broken);
    }
}

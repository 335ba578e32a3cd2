//! The lines that the user types.

use std::io::{self, ErrorKind, IsTerminal};
use std::mem::take;

use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{Config, Editor};

use crate::cli::common::{Context, Failure};
use crate::text::{Blocking, BoundedLine, decode_line, read_bounded_line, without_byte_order_mark};

/// Maximum length of a line that is not typed in a terminal, in bytes. The rest of a longer line is left out.
const MAX_LINE: usize = 1 << 20;

#[derive(Debug)]
pub enum Entered {
    Line(String),
    /// A line with bytes that are not text.
    Unreadable,
    /// The end of the input.
    End,
    /// Ctrl-C instead of a line.
    Interrupted,
}

/// Reads lines with an editor from a terminal, and in UTF-8 or GBK from a pipe or file.
#[derive(Default)]
pub struct Input {
    history: DefaultHistory,
}

impl Input {
    /// Shows the prompt in a terminal and reads a line.
    pub fn read(&mut self, prompt: &str) -> Result<Entered, Failure> {
        if io::stdin().is_terminal() { self.edit(prompt) } else { read_piped() }
    }

    /// The editor handles Ctrl-C as long as it exists. Therefore there is one for each line, so that Ctrl-C can stop
    /// the searches between them.
    fn edit(&mut self, prompt: &str) -> Result<Entered, Failure> {
        let editor = Editor::<(), _>::with_history(Config::default(), take(&mut self.history));
        let mut editor = editor.context("the terminal")?;
        let line = editor.readline(prompt);
        if let Ok(line) = &line {
            // An error only means that the line is missing in the input history.
            let _ = editor.add_history_entry(line.as_str());
        }
        self.history = take(editor.history_mut());
        match line {
            Ok(line) => Ok(Entered::Line(line)),
            Err(ReadlineError::Eof) => Ok(Entered::End),
            Err(ReadlineError::Interrupted) => Ok(Entered::Interrupted),
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                Ok(Entered::Unreadable)
            }
            Err(error) => Err(Failure::new("the terminal", error)),
        }
    }
}

fn read_piped() -> Result<Entered, Failure> {
    let mut line = Vec::new();
    let read = read_bounded_line(&mut Blocking(io::stdin().lock()), MAX_LINE, &mut line);
    if read.context("standard input")? == BoundedLine::End {
        return Ok(Entered::End);
    }
    let (text, _) = decode_line(&line);
    Ok(Entered::Line(without_byte_order_mark(&text).to_owned()))
}

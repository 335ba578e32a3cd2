//! Books as text, a move a line.

use super::book_move::{BookEntry, BookMove, Results};
use super::table::{BookTable, name};
use crate::board::{Move, Position};
use crate::movegen::is_legal;
use crate::notation::fen::FenError;
use crate::text::{excerpt, without_byte_order_mark};

/// Why a line of a book as text is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct TextError {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: LineFault,
}

/// What is wrong with a line of a book as text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// There are too few fields.
    #[error("FEN, move and weight are wanted, separated by tabs")]
    Fields,
    /// The position cannot be read.
    #[error(transparent)]
    Position(#[from] FenError),
    /// A move that cannot be read.
    #[error("{:?} is no move", excerpt(.0))]
    NoMove(String),
    /// The move cannot be played.
    #[error("{0} is illegal")]
    Illegal(Move),
    /// A weight or count that is not a number from 0 to 4294967295.
    #[error("{:?} is no number from 0 to 4294967295", excerpt(.0))]
    NoNumber(String),
    /// The counts of results are not three.
    #[error("wins, draws and losses are wanted behind the weight")]
    Results,
}

impl BookTable {
    /// The table as text, a move a line: board and side to move, the move, its weight, and how many
    /// games were won, drawn and lost with it; separated by tabs.
    pub fn to_text(&self) -> String {
        let mut text = "# FEN\tmove\tweight\twins\tdraws\tlosses\n".to_owned();
        for BookEntry { position, moves } in self.entries() {
            let name = name(&position);
            for m in moves {
                let Results {
                    wins,
                    draws,
                    losses,
                } = m.results;
                text += &format!(
                    "{name}\t{}\t{}\t{wins}\t{draws}\t{losses}\n",
                    m.played, m.weight
                );
            }
        }
        text
    }

    /// Reads what [`Self::to_text`] writes. Lines that are empty or begin with `#` mean nothing; the
    /// games need not be told.
    ///
    /// # Errors
    /// Names the first line that is wrong.
    pub fn from_text(text: &str) -> Result<Self, TextError> {
        let mut table = Self::default();
        for (line, content) in (1..).zip(without_byte_order_mark(text).lines()) {
            let content = content.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let (position, m) = read_line(content).map_err(|fault| TextError { line, fault })?;
            table.add(&position, m);
        }
        Ok(table)
    }
}

fn read_line(line: &str) -> Result<(Position, BookMove), LineFault> {
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [fen, played, weight, results @ ..] = fields.as_slice() else {
        return Err(LineFault::Fields);
    };
    let position: Position = fen.parse()?;
    let no_move = |_| LineFault::NoMove((*played).to_owned());
    let played: Move = played.parse().map_err(no_move)?;
    if !is_legal(&position, played) {
        return Err(LineFault::Illegal(played));
    }
    let number = |text: &str| -> Result<u32, LineFault> {
        text.parse()
            .map_err(|_| LineFault::NoNumber(text.to_owned()))
    };
    let results = match results {
        [] => Results::default(),
        [wins, draws, losses] => Results {
            wins: number(wins)?,
            draws: number(draws)?,
            losses: number(losses)?,
        },
        _ => return Err(LineFault::Results),
    };
    let weight = number(weight)?;
    let m = BookMove {
        played,
        weight,
        results,
    };
    Ok((position, m))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_lines_are_named() {
        let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
        for (line, reason) in [
            ("x", "separated by tabs"),
            ("x\th2e2\t1", "rank"),
            (&format!("{fen}\tcannon\t1"), "no move"),
            (&format!("{fen}\th2e9\t1"), "illegal"),
            (&format!("{fen}\th2e2\t-1"), "no number"),
            (&format!("{fen}\th2e2\t1\t2"), "behind the weight"),
        ] {
            let error = BookTable::from_text(&format!("# \n\n{line}\n")).unwrap_err();
            assert_eq!(error.line, 3);
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
}

//! Training samples as text: a position, its score and the result of its game.

use std::fmt;
use std::io::{self, BufRead};
use std::str::FromStr;

use crate::board::Position;
use crate::notation::fen;
use crate::text::{read_line, without_byte_order_mark};

/// A training sample. As text: `FEN | score | result`, where the result can also be `1/2`, or in brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub position: Position,
    /// Score of a search, for red, in evaluation units.
    pub score: i32,
    /// Result of the game for red, from 0 to 1. Only 1, 0.5 and 0 can be converted to a game file.
    pub result: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a sample (FEN | score | result): {0}")]
pub struct ParseSampleError(String);

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {} | {}", fen::write_position(&self.position), self.score, self.result)
    }
}

impl FromStr for Sample {
    type Err = ParseSampleError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let error = |reason: &dyn fmt::Display| ParseSampleError(reason.to_string());
        let mut fields = without_byte_order_mark(line).split('|').map(str::trim);
        let mut next = |name: &str| fields.next().ok_or_else(|| error(&format!("no {name}")));
        let position = fen::parse_position(next("FEN")?).map_err(|e| error(&e))?;
        let (score, result) = (next("score")?, next("result")?);
        let score = score
            .parse()
            .map_err(|_| error(&format_args!("the score {score} is not a whole number")))?;
        // Some programs write `[0.5]`, or `1/2`.
        let number: Option<f64> = match result.trim_matches(['[', ']']) {
            "1/2" => Some(0.5),
            number => number.parse().ok().filter(|number| (0.0..=1.0).contains(number)),
        };
        let result = number.ok_or_else(|| {
            error(&format_args!("the result {result} is not a number from 0 to 1"))
        })?;
        if fields.next().is_some() {
            return Err(error(&"more than three fields"));
        }
        Ok(Self { position, score, result })
    }
}

/// Maximum number of samples of a game in a text. The samples after them count as another game.
const MAX_GAME_SAMPLES: usize = 1000;
/// Maximum length of a line that is read, in MB.
const MAX_LINE_MB: u64 = 1;
/// An invalid last line without a line end is skipped only if it is shorter than this number of bytes.
const LONGEST_SAMPLE: usize = 1000;

#[derive(Debug, thiserror::Error)]
pub enum ReadSamplesError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is not a sample, or does not fit the file it is written to.
    #[error("line {line}: {reason}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        reason: String,
    },
}

/// Reads the samples of a text, one per line, with the samples of a game in a row. Can continue after an invalid line.
/// Skips a short invalid last line without a line end: an interrupted writer leaves one.
#[derive(Debug)]
pub struct SampleLines<R> {
    source: R,
    /// Number of the last line read, from 1.
    pub line: usize,
    /// Whether an incomplete last line was skipped.
    pub is_torn: bool,
    /// The number of samples read of the current game.
    game_samples: usize,
    /// The ply and the result of the last sample.
    last: Option<(u32, f64)>,
}

impl<R: BufRead> SampleLines<R> {
    pub fn new(source: R) -> Self {
        Self { source, line: 0, is_torn: false, game_samples: 0, last: None }
    }

    /// Whether the last sample begins a game: it is the first one, its ply number is not higher than that of the sample
    /// before it, its result differs, or the game before it has 1000 samples.
    pub fn begins_game(&self) -> bool {
        self.game_samples == 1
    }

    fn read(&mut self) -> Result<Option<Sample>, ReadSamplesError> {
        let mut bytes = Vec::new();
        if !read_line(&mut self.source, MAX_LINE_MB, &mut bytes)? {
            return Ok(None);
        }
        self.line += 1;
        let text = String::from_utf8_lossy(&bytes);
        match text.trim_end().parse::<Sample>() {
            Ok(sample) => {
                let (ply, result) = (sample.position.ply(), sample.result);
                let continues = |(last_ply, last_result)| last_ply < ply && last_result == result;
                let continues = self.last.is_some_and(continues);
                let has_room = self.game_samples < MAX_GAME_SAMPLES;
                self.game_samples = if continues && has_room { self.game_samples + 1 } else { 1 };
                self.last = Some((ply, result));
                Ok(Some(sample))
            }
            Err(_) if !text.ends_with('\n') && bytes.len() < LONGEST_SAMPLE => {
                self.is_torn = true;
                Ok(None)
            }
            Err(error) => {
                Err(ReadSamplesError::Line { line: self.line, reason: error.to_string() })
            }
        }
    }
}

impl<R: BufRead> Iterator for SampleLines<R> {
    type Item = Result<Sample, ReadSamplesError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_round_trip() {
        let sample = Sample { position: Position::startpos(), score: -37, result: 0.5 };
        assert_eq!(sample.to_string().parse(), Ok(sample.clone()));
        for result in ["[0.5]", "1/2"] {
            let text = format!("{} | -37 | {result}", fen::START);
            assert_eq!(text.parse(), Ok(sample.clone()));
        }
        for (rest, reason) in [
            ("", "no score"),
            ("| 1", "no result"),
            ("| 1 | 2", "the result 2 is not a number from 0 to 1"),
            ("| 1 | x", "the result x is not a number from 0 to 1"),
            ("| 20.0 | 1", "the score 20.0 is not a whole number"),
            ("| 2 | 1 | junk", "more than three fields"),
        ] {
            let error = format!("{} {rest}", fen::START).parse::<Sample>().unwrap_err();
            assert_eq!(error, ParseSampleError(reason.to_owned()));
        }
        for bad in ["", "x | 1 | 1"] {
            assert!(bad.parse::<Sample>().is_err(), "{bad}");
        }
    }

    #[test]
    fn an_incomplete_last_line_is_skipped_and_reported() {
        let line = format!("{} | -37 | 0.5\n", fen::START);
        let read = |text: &str| {
            let mut lines = SampleLines::new(text.as_bytes());
            let samples: Result<Vec<Sample>, _> = lines.by_ref().collect();
            samples.map(|samples| (samples.len(), lines.is_torn))
        };
        assert_eq!(read(&format!("{line}{line}")).unwrap(), (2, false));
        assert_eq!(read(line.trim_end()).unwrap(), (1, false));
        let torn = &line[..line.len() - 8];
        assert_eq!(read(&format!("{line}{torn}")).unwrap(), (1, true));
        for broken in [format!("{torn}\n{line}"), format!("{line}\n"), "0".repeat(5000)] {
            let error = read(&broken);
            assert!(matches!(error, Err(ReadSamplesError::Line { .. })), "{broken}");
        }
        // An endless line is an error.
        let endless = io::BufReader::new(io::repeat(0));
        assert!(SampleLines::new(endless).any(|sample| sample.is_err()));
    }
}

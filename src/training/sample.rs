//! Training samples as text: a position, its score and the result of its game.

use std::fmt;
use std::io::{self, BufRead};
use std::str::FromStr;

use super::data::{LabeledResult, LooseRecord, LooseSample, NO_SCORE};
use crate::board::{Color, Position};
use crate::notation::fen;
use crate::text::{read_line, without_byte_order_mark};

/// A training sample. As text: `FEN | score | result`, where the result is 1, 0.5 or 0 for red. It can also be `1/2`,
/// or in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    pub position: Position,
    /// Score of a search, for red, in evaluation units; from -32767 to 32767.
    pub score: i16,
    /// Result of the game.
    pub result: LabeledResult,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a sample (FEN | score | result): {0}")]
pub struct ParseSampleError(String);

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.result.points(Color::Red);
        write!(f, "{} | {} | {result}", fen::write_position(&self.position), self.score)
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
        let score: i32 = score
            .parse()
            .map_err(|_| error(&format_args!("the score {score} is not a whole number")))?;
        let fitting = i16::try_from(score).ok().filter(|score| *score != NO_SCORE);
        let score = fitting.ok_or_else(|| {
            error(&format_args!("the score {score} is not between -32767 and 32767"))
        })?;
        // Some programs write `[0.5]`, or `1/2`.
        let points = match result.trim_matches(['[', ']']) {
            "1/2" => Ok(0.5),
            number => number.parse::<f64>(),
        };
        let has_points = |result: &LabeledResult| Ok(result.points(Color::Red)) == points;
        let known = LabeledResult::ALL.into_iter().find(has_points);
        let result = known.ok_or_else(|| {
            error(&format_args!("the result is {result}, but must be 1, 0.5 or 0"))
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
    /// A line is not a sample.
    #[error("line {line}: {error}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        error: ParseSampleError,
    },
}

/// Reads the games of a text of samples, one sample per line, in the order of the games. A game ends if the next sample
/// has no higher ply number or another result, and after 1000 samples. Can continue after an invalid line. Skips a
/// short invalid last line without a line end: an interrupted writer leaves one.
#[derive(Debug)]
pub struct SampleGames<R> {
    source: R,
    /// Number of the last line read, from 1.
    pub line: usize,
    /// Whether an incomplete last line was skipped.
    pub is_torn: bool,
    /// The game of the last sample.
    game: Option<LooseRecord>,
}

impl<R: BufRead> SampleGames<R> {
    pub fn new(source: R) -> Self {
        Self { source, line: 0, is_torn: false, game: None }
    }

    /// The next sample, or `None` at the end.
    fn sample(&mut self) -> Result<Option<Sample>, ReadSamplesError> {
        let mut bytes = Vec::new();
        if !read_line(&mut self.source, MAX_LINE_MB, &mut bytes)? {
            return Ok(None);
        }
        self.line += 1;
        let text = String::from_utf8_lossy(&bytes);
        match text.trim_end().parse() {
            Ok(sample) => Ok(Some(sample)),
            Err(_) if !text.ends_with('\n') && bytes.len() < LONGEST_SAMPLE => {
                self.is_torn = true;
                Ok(None)
            }
            Err(error) => Err(ReadSamplesError::Line { line: self.line, error }),
        }
    }

    /// Adds a sample to the current game. If the sample begins another game, returns the game before it.
    fn add(&mut self, sample: Sample) -> Option<LooseRecord> {
        let Sample { position, score, result } = sample;
        let ply = position.ply();
        // The score for the side to move.
        let score = score * position.side_to_move().sign() as i16;
        let sample = LooseSample { position, score };
        let game = self.game.as_mut().filter(|game| {
            let last = game.samples.last().map(|last| last.position.ply());
            let has_room = game.samples.len() < MAX_GAME_SAMPLES;
            has_room && game.result == result && last.is_some_and(|last| last < ply)
        });
        match game {
            Some(game) => {
                game.samples.push(sample);
                None
            }
            None => self.game.replace(LooseRecord { samples: vec![sample], result }),
        }
    }
}

impl<R: BufRead> Iterator for SampleGames<R> {
    type Item = Result<LooseRecord, ReadSamplesError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.sample() {
                Ok(Some(sample)) => {
                    if let Some(game) = self.add(sample) {
                        return Some(Ok(game));
                    }
                }
                Ok(None) => return self.game.take().map(Ok),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_round_trip() {
        let sample =
            Sample { position: Position::startpos(), score: -37, result: LabeledResult::Draw };
        assert_eq!(sample.to_string(), format!("{} | -37 | 0.5", fen::START));
        assert_eq!(sample.to_string().parse(), Ok(sample.clone()));
        for result in ["[0.5]", "1/2"] {
            let text = format!("{} | -37 | {result}", fen::START);
            assert_eq!(text.parse(), Ok(sample.clone()));
        }
        for (rest, reason) in [
            ("", "no score"),
            ("| 1", "no result"),
            ("| 1 | 2", "the result is 2, but must be 1, 0.5 or 0"),
            ("| 1 | 0.25", "the result is 0.25, but must be 1, 0.5 or 0"),
            ("| 1 | x", "the result is x, but must be 1, 0.5 or 0"),
            ("| 20.0 | 1", "the score 20.0 is not a whole number"),
            ("| -32768 | 1", "the score -32768 is not between -32767 and 32767"),
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
            let mut games = SampleGames::new(text.as_bytes());
            let found: Result<Vec<LooseRecord>, _> = games.by_ref().collect();
            found.map(|found| (found.len(), games.is_torn))
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
        assert!(SampleGames::new(endless).any(|game| game.is_err()));
    }
}

//! A quiet position of a game with what came of it.

use std::fmt;
use std::str::FromStr;

use crate::board::Position;
use crate::notation::fen;

/// A position to learn from. As text: `FEN | score | result`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The position.
    pub position: Position,
    /// What a search said, for red, in units of the evaluation.
    pub score: i32,
    /// How the game ended for red: 1, 0.5 or 0.
    pub result: f64,
}

/// A line is no sample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a sample (FEN | score | result): {0}")]
pub struct ParseSampleError(String);

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} | {} | {}",
            fen::write_position(&self.position),
            self.score,
            self.result
        )
    }
}

impl FromStr for Sample {
    type Err = ParseSampleError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let fault = |what: &dyn fmt::Display| ParseSampleError(what.to_string());
        let mut fields = line.split('|').map(str::trim);
        let mut next = |name: &str| fields.next().ok_or_else(|| fault(&format!("no {name}")));
        let position = fen::parse_position(next("FEN")?).map_err(|e| fault(&e))?;
        let score = next("score")?.parse().map_err(|e| fault(&e))?;
        let result: f64 = next("result")?.parse().map_err(|e| fault(&e))?;
        if !(0.0..=1.0).contains(&result) {
            return Err(fault(&"the result is not between 0 and 1"));
        }
        Ok(Self {
            position,
            score,
            result,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_round_trip() {
        let sample = Sample {
            position: Position::startpos(),
            score: -37,
            result: 0.5,
        };
        assert_eq!(sample.to_string().parse(), Ok(sample));
        for bad in [
            "",
            "x | 1 | 1",
            &format!("{} | 1 | 2", fen::START),
            fen::START,
        ] {
            assert!(bad.parse::<Sample>().is_err(), "{bad}");
        }
    }
}

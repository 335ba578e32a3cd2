//! PGN of xiangqi: games with tags, moves in ICCS, WXF or Chinese, comments, and a result.
//!
//! ```
//! use chuhe::notation::{MoveStyle, pgn};
//!
//! let text = "[Red \"胡荣华\"]\n[Black \"杨官璘\"]\n\n1. 炮二平五 马8进7 2. 马二进三 1-0\n";
//! let games = pgn::read(text);
//! let game = games[0].as_ref().expect("the record can be read");
//! assert_eq!(game.tag("Red"), Some("胡荣华"));
//! assert_eq!(game.line.moves.len(), 3);
//! assert!(game.write(MoveStyle::Wxf).contains("1. C2=5 N8+7 2. N2+3 1-0"));
//! ```

mod read;
mod write;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

pub use read::{PgnError, read};

use super::Line;
use crate::board::Color;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum GameResult {
    /// Red has won: `1-0`.
    RedWins,
    /// Black has won: `0-1`.
    BlackWins,
    /// Nobody has won: `1/2-1/2`.
    Draw,
    /// It has not: `*`.
    #[default]
    Unfinished,
}

impl GameResult {
    /// The result in which a side has won.
    pub const fn win_of(winner: Color) -> Self {
        match winner {
            Color::Red => Self::RedWins,
            Color::Black => Self::BlackWins,
        }
    }

    /// Who has won, if somebody has.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::RedWins => Some(Color::Red),
            Self::BlackWins => Some(Color::Black),
            Self::Draw | Self::Unfinished => None,
        }
    }

    /// The text in a record.
    pub const fn text(self) -> &'static str {
        match self {
            Self::RedWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unfinished => "*",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The text is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a result (1-0, 0-1, 1/2-1/2, *)")]
pub struct ParseResultError;

impl FromStr for GameResult {
    type Err = ParseResultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::RedWins, Self::BlackWins, Self::Draw, Self::Unfinished]
            .into_iter()
            .find(|result| result.text() == text)
            .ok_or(ParseResultError)
    }
}

/// A game as a record has it.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// The tags in order, but for `Game`, `Result`, `FEN` and `Format`, which [`Self::write`] makes.
    pub tags: Vec<(String, String)>,
    /// Where it began and what was played.
    pub line: Line,
    /// A comment for each move, maybe empty.
    pub comments: Vec<String>,
    /// How it ended.
    pub result: GameResult,
}

impl PgnGame {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let (_, value) = self
            .tags
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))?;
        Some(value)
    }
}

/// The text of a file: UTF-8, or GBK as Chinese programs write it.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => encoding_rs::GBK.decode(bytes).0,
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};

    use super::*;
    use crate::movegen::legal_moves;
    use crate::notation::{MoveStyle, fen};

    fn random_game(seed: u64) -> PgnGame {
        let mut random = StdRng::seed_from_u64(seed);
        let mut start = crate::board::Position::startpos();
        for _ in 0..random.random_range(0..40) {
            start.make(*legal_moves(&start).choose(&mut random).unwrap());
        }
        let mut position = start.clone();
        let (mut moves, mut comments) = (Vec::new(), Vec::new());
        for ply in 0..random.random_range(0..120) {
            let Some(m) = legal_moves(&position).choose(&mut random).copied() else {
                break;
            };
            position.make(m);
            moves.push(m);
            comments.push(if ply % 3 == 0 {
                String::new()
            } else {
                format!("+0.{ply}/3 (1-0) 1. note")
            });
        }
        PgnGame {
            tags: vec![
                ("Red".to_owned(), r#"a "quoted" \ name"#.to_owned()),
                ("Black".to_owned(), "象棋 [x]".to_owned()),
            ],
            line: Line { start, moves },
            comments,
            result: [
                GameResult::RedWins,
                GameResult::Draw,
                GameResult::Unfinished,
            ][seed as usize % 3],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for style in MoveStyle::ALL {
            let games: Vec<_> = (0..40).map(random_game).collect();
            let text: String = games.iter().map(|game| game.write(style)).collect();
            let (gbk, ..) = encoding_rs::GBK.encode(&text);
            for text in [decode(text.as_bytes()), decode(&gbk)] {
                let read = read(&text);
                assert_eq!(read.len(), games.len());
                for (read, game) in read.into_iter().zip(&games) {
                    let read = read.unwrap();
                    assert_eq!(read.line.moves, game.line.moves);
                    assert_eq!(read.comments, game.comments);
                    assert_eq!(read.result, game.result);
                    assert_eq!(read.tag("red"), game.tag("Red"));
                    assert_eq!(read.tag("Black"), game.tag("Black"));
                    let fen = |game: &PgnGame| fen::write_position(&game.line.start);
                    assert_eq!(fen(&read), fen(game));
                }
            }
        }
    }

    #[test]
    fn records_of_other_programs_are_read() {
        let text = r#"[Game "Chinese Chess"]
[Event ""]
% an escape
[Result "1-0"]

1.炮二平五 马8进7 2. 马二进三 $1 (2. H0G2 {not (this} I9H9) {good
move} 2... 车9平8 ; to the end of the line {
3. R1=2 1-0
[Red "x"]
  1. C2.5 C8.5
[Event "third"]
1. H2-E2 H2-E2 2. ??? *
"#;
        let games = read(text);
        assert_eq!(games.len(), 3);
        let first = games[0].as_ref().unwrap();
        assert_eq!(first.result, GameResult::RedWins);
        let moves: Vec<_> = first.line.moves.iter().map(ToString::to_string).collect();
        assert_eq!(moves.join(" "), "h2e2 h9g7 h0g2 i9h9 i0h0");
        assert_eq!(first.comments[2], "good move");
        let second = games[1].as_ref().unwrap();
        assert_eq!(second.line.moves.len(), 2);
        assert_eq!(second.result, GameResult::Unfinished);
        let error = games[2].as_ref().unwrap_err().to_string();
        assert_eq!(error, "line 12: move 2: \"H2-E2\" is no legal move here");
    }

    #[test]
    fn bad_records_are_reported() {
        for (text, reason) in [
            ("[Red \"x]\n1. h2e2 *", "line 1: a tag without its end"),
            ("[FEN \"9/9\"]\n\n*", "line 1: the FEN is no position"),
            ("1. {never closed", "line 1: a comment without its end"),
            ("1. h2e2 (1. h2d2", "line 1: a variation without its end"),
        ] {
            let games = read(text);
            let error = games[0].as_ref().unwrap_err().to_string();
            assert!(error.starts_with(reason), "{text}: {error}");
        }
        assert!(read("").is_empty());
        assert!(read(" \n\n").is_empty());
    }

    #[test]
    fn a_broken_record_spoils_no_other() {
        let good = "[Red \"a\"]\n\n1. h2e2 h9g7 1-0\n\n";
        for (broken, reason) in [
            ("[Red \"b]\n\n1. h2e2 *\n\n", "a tag"),
            ("{never closed", "a comment"),
            ("(1. h2d2 ", "a variation"),
        ] {
            let games = read(&format!("{good}{broken}")).into_iter();
            let games: Vec<_> = games.map(|game| game.map_err(|e| e.to_string())).collect();
            assert_eq!(games.len(), 2, "{broken}");
            assert_eq!(games[0].as_ref().unwrap().line.moves.len(), 2, "{broken}");
            let told = games[1].as_ref().unwrap_err();
            assert_eq!(told, &format!("line 5: {reason} without its end"));
        }
        let games = read(&format!(
            "1. h2e2\n[Red \"b]\n[Black \"c\"]\n\n1. h2e2 *\n\n{good}"
        ));
        let read: Vec<bool> = games.iter().map(Result::is_ok).collect();
        assert_eq!(read, [true, false, true]);
    }

    #[test]
    fn what_is_never_closed_ends_before_the_next_tags() {
        let good = "[Red \"a\"]\n\n1. h2e2 {good} h9g7 1-0\n\n";
        for broken in [
            "1. h2e2 {never closed 1-0\n\n",
            "1. h2e2 (1. h2d2 1-0\n\n",
            "1. h2e2 (1. h2d2 {never closed) 1-0\n\n",
            "1. h2e2 ((1. h2d2) 1-0\n\n",
            "[Red \"b\"]\n\n{never closed\n\n",
            "{\n\n",
        ] {
            for end in ["\n", "\r\n"] {
                let before = [good, broken, good].concat();
                let text = [&before, broken, good].concat().replace('\n', end);
                let games = read(&text);
                let are_read: Vec<bool> = games.iter().map(Result::is_ok).collect();
                assert_eq!(are_read, [true, false, true, false, true], "{text}");
                for game in games.iter().flatten() {
                    assert_eq!(game.tag("Red"), Some("a"));
                    assert_eq!(game.comments, ["good", ""]);
                }
                let told = games[3].as_ref().unwrap_err().line;
                let line = told.checked_sub(before.lines().count());
                assert!(
                    (1..=broken.lines().count()).contains(&line.unwrap()),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn comments_may_hold_empty_lines_and_brackets() {
        let games = read(
            "1. h2e2 {a\n\n[b]\n\n[see \"c\" there]\n\n [d \"e\"]\n\n[a b \"c\"]\n[Red \"a\"]\n} h9g7 *",
        );
        assert_eq!(games.len(), 1);
        let game = games[0].as_ref().unwrap();
        assert_eq!(game.line.moves.len(), 2);
        assert!(game.comments[0].ends_with("[a b \"c\"] [Red \"a\"]"));
    }

    #[test]
    fn results_that_contradict_each_other_are_reported() {
        use GameResult::{RedWins, Unfinished};
        for (tag, end, result) in [
            ("1-0", "1-0", Ok(RedWins)),
            ("*", "1-0", Ok(RedWins)),
            ("1-0", "*", Ok(RedWins)),
            ("1-0", "", Ok(RedWins)),
            ("?", "1-0", Ok(RedWins)),
            ("*", "*", Ok(Unfinished)),
            ("1-0", "0-1", Err("0-1 behind the moves, 1-0 in the tag")),
            ("1/2-1/2", "1-0", Err("1-0 behind the moves, 1/2-1/2 in")),
        ] {
            let games = read(&format!("[Result \"{tag}\"]\n\n1. h2e2 {end}\n"));
            match (&games[0], result) {
                (Ok(game), Ok(result)) => assert_eq!(game.result, result, "{tag} {end}"),
                (Err(error), Err(part)) => assert!(error.reason.starts_with(part), "{error}"),
                (game, _) => panic!("{tag} {end}: {game:?}"),
            }
        }
    }
}

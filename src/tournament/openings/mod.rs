//! Openings: a list with one per line (FEN, EPD or moves), game records in any format, or the built-in list.

mod search;

use std::fmt::Display;
use std::io;

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

pub use search::{FoundOpening, MAX_FAILED_LINES, OpeningSearch, find_openings};

use super::GameRules;
use super::end_reason::EndReason;
use super::referee::Referee;
use crate::board::Position;
use crate::notation::epd::Epd;
use crate::notation::pgn::PgnReader;
use crate::notation::records::{RecordReader, is_comment, is_opening_list, without_end_comment};
use crate::notation::tree::GameTree;
use crate::notation::{
    GameText, Line, LineError, NotationError, RecordError, without_move_numbers,
};
use crate::text::{decode, is_text, utf_16, without_control};

/// The built-in openings as text: random lines that the search evaluates as balanced, made by `chuhe openings`.
pub const BALANCED: &str = include_str!("balanced.txt");

/// A list of openings in the order in which they are played.
#[derive(Clone, Debug)]
pub struct Openings {
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OpeningError(String);

impl Openings {
    /// The starting position alone.
    pub fn start() -> Self {
        let start = Position::startpos();
        let moves = Vec::new();
        Self { lines: vec![Line { start, moves }] }
    }

    /// Parses a list with one opening per line, or the games of another text. An opening of a list is a FEN, a FEN and
    /// moves, an EPD, or moves from the starting position. In a list, moves may be separated by commas; empty lines,
    /// lines that begin with `#`, `;` or `//` and, except in an EPD, text after `;`, ` #` or ` //` are ignored.
    ///
    /// # Errors
    /// An opening is invalid, or the text has no opening.
    pub fn read(text: &str) -> Result<Self, OpeningError> {
        let (openings, errors) = Self::read_valid(text, usize::MAX, None)?;
        errors.into_iter().next().map_or(Ok(openings), Err)
    }

    /// Parses openings like [`Self::read`] and shortens them to `plies` plies. Leaves out invalid openings and, with
    /// `rules`, those in which the rules or the ply limit end the game; also returns the errors of these openings.
    ///
    /// # Errors
    /// There is no valid opening.
    pub fn read_valid(
        text: &str,
        plies: usize,
        rules: Option<&GameRules>,
    ) -> Result<(Self, Vec<OpeningError>), OpeningError> {
        let list = without_control(text.into());
        let parsed = if is_opening_list(&list) {
            read_lines(&list, plies, rules)
        } else {
            read_records(text.as_bytes(), plies, rules)
        };
        Self::of_valid(parsed)
    }

    /// Reads openings like [`Self::read_valid`], or the games of a binary file such as XQF.
    ///
    /// # Errors
    /// There is no valid opening, or the file is neither text nor a record in a known format.
    pub fn read_file(
        bytes: &[u8],
        plies: usize,
        rules: Option<&GameRules>,
    ) -> Result<(Self, Vec<OpeningError>), OpeningError> {
        if is_text(bytes) || utf_16(bytes).is_some() {
            return Self::read_valid(&decode(bytes), plies, rules);
        }
        Self::of_valid(read_records(bytes, plies, rules))
    }

    /// The valid openings and the errors of the others.
    fn of_valid(
        parsed: Vec<Result<Line, OpeningError>>,
    ) -> Result<(Self, Vec<OpeningError>), OpeningError> {
        let (valid, invalid): (Vec<_>, Vec<_>) = parsed.into_iter().partition(Result::is_ok);
        let lines: Vec<Line> = valid.into_iter().flatten().collect();
        let errors: Vec<OpeningError> = invalid.into_iter().filter_map(Result::err).collect();
        // Without openings there is an error: a list has at least one opening, and a file without games is an error.
        match errors.first() {
            Some(error) if lines.is_empty() => Err(error.clone()),
            _ => Ok((Self { lines }, errors)),
        }
    }

    pub fn shuffle(&mut self, seed: u64) {
        self.lines.shuffle(&mut StdRng::seed_from_u64(seed));
    }

    /// Moves the first `count` openings to the end of the list, so that the tournament starts with the next one.
    pub fn skip(&mut self, count: usize) {
        let count = count % self.lines.len();
        self.lines.rotate_left(count);
    }

    /// The opening of a round, counted from 0. After the last opening the list starts again.
    pub fn of_round(&self, round: u64) -> &Line {
        let count = self.lines.len() as u64;
        &self.lines[(round % count) as usize]
    }

    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
}

/// An opening, unless it is invalid or ends the game. `place` is its place in the text.
fn checked(
    line: Result<Line, impl Display>,
    place: impl Display,
    rules: Option<&GameRules>,
) -> Result<Line, OpeningError> {
    let why = match line {
        Ok(line) => match rules.and_then(|rules| ending(&line, rules)) {
            Some(reason) => format!(
                "the opening already ends the game ({reason}); --opening-plies shortens openings"
            ),
            None => return Ok(line),
        },
        Err(error) => error.to_string(),
    };
    Err(OpeningError(format!("{place}: {why}")))
}

/// The reason why the game ends before or at the last move of an opening, if it does.
fn ending(line: &Line, rules: &GameRules) -> Option<EndReason> {
    let mut referee = Referee::new(line.start.clone(), rules.rules, rules.max_plies);
    let mut ending = referee.ending();
    for m in &line.moves {
        if ending.is_none() && referee.play(*m).is_ok() {
            ending = referee.ending();
        }
    }
    ending.map(|ending| ending.reason)
}

/// The first `plies` plies of the games of a file in any format.
fn read_records(
    bytes: &[u8],
    plies: usize,
    rules: Option<&GameRules>,
) -> Vec<Result<Line, OpeningError>> {
    let failure = |error: io::Error| Err(OpeningError(error.to_string()));
    let mut games = match RecordReader::new(bytes) {
        Ok(games) => games,
        Err(error) => return vec![failure(error)],
    };
    let numbered = (1..).zip(games.by_ref());
    let lines = numbered.map(|(number, game)| {
        let line = game.and_then(|game| main_line(game, plies));
        checked(line, format_args!("game {number}"), rules)
    });
    let mut lines: Vec<_> = lines.collect();
    lines.extend(games.finish().err().map(failure));
    lines
}

/// The first `plies` plies of the main line of a game. An error after them does not matter.
fn main_line(game: GameTree, plies: usize) -> Result<Line, RecordError> {
    let mut line = game.main_line();
    if line.moves.len() < plies {
        game.complete()?;
    }
    line.moves.truncate(plies);
    Ok(line)
}

fn read_lines(
    text: &str,
    plies: usize,
    rules: Option<&GameRules>,
) -> Vec<Result<Line, OpeningError>> {
    let mut lines = Vec::new();
    for (number, text) in (1..).zip(text.lines().map(str::trim)) {
        if text.is_empty() || is_comment(text) {
            continue;
        }
        let content = without_end_comment(text);
        let game = without_move_numbers(content);
        let line = match game.split(' ').next().unwrap_or_default() {
            first if first.contains('/') => read_position(text, &game, plies),
            first if GameText::is_start(first) => GameText::split(&game).first(plies).read(),
            _ => read_moves(content, &game, plies),
        };
        lines.push(checked(line, format_args!("line {number}"), rules));
    }
    lines
}

/// Reads an opening from the starting position and shortens it to `plies` plies. `text` is the line without a comment
/// at its end; `game` is `text` without commas and move numbers. The line may also be PGN: its comments, variations,
/// glyphs and result are ignored.
fn read_moves(text: &str, game: &str, plies: usize) -> Result<Line, LineError> {
    let line = Line::play(Position::startpos(), game.split_whitespace().take(plies));
    if line.is_err() {
        let mut games = PgnReader::new(text.as_bytes());
        if let (Some(Ok(game)), None) = (games.next(), games.next())
            && games.skipped_lines() == 0
            && let Ok(line) = main_line(game, plies)
        {
            return Ok(line);
        }
    }
    line
}

/// Reads an opening that begins with a FEN and shortens it to `plies` plies. `text` is the whole line; `game` is the
/// part before the first `;`, ` #` or ` //`, without commas and move numbers. A line with the form of an EPD is read as
/// an EPD in three cases: the first word after the FEN is `moves`, that word cannot be read as a move, or `game`
/// contains a quotation mark.
fn read_position(text: &str, game: &str, plies: usize) -> Result<Line, LineError> {
    let game_text = GameText::split(game);
    let is_operation = matches!(
        game_text.clone().first(1).read(),
        Err(LineError::Move { error: NotationError::Unreadable(_), .. })
    );
    let may_be_epd = is_operation || game.contains('"') || Epd::has_moves(text);
    if may_be_epd && Epd::is_form_of(text) {
        return Epd::line(&without_move_numbers(text), plies);
    }
    game_text.first(plies).read()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::notation::MoveStyle;
    use crate::notation::records::write_xqf;
    use crate::rules::RuleSet;
    use crate::tournament::Adjudication;

    const BOARD: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";

    fn limited(max_plies: usize) -> GameRules {
        GameRules {
            rules: RuleSet::Asian,
            max_plies: Some(max_plies),
            adjudication: Adjudication::default(),
            tablebases: None,
            banmoves: false,
        }
    }

    fn texts(openings: &Openings) -> Vec<String> {
        let text = |line: &Line| {
            let moves: Vec<_> = line.moves.iter().map(ToString::to_string).collect();
            moves.join(" ")
        };
        openings.lines().iter().map(text).collect()
    }

    #[test]
    fn openings_are_read_from_binary_records() {
        let games = crate::notation::pgn::read("1. h2e2 h9g7 2. h0g2 *");
        let xqf = write_xqf(games[0].as_ref().unwrap()).unwrap();
        let (openings, errors) = Openings::read_file(&xqf, 2, Some(&limited(3))).unwrap();
        assert_eq!(texts(&openings), ["h2e2 h9g7"]);
        assert_eq!(errors, []);
        let error = Openings::read_file(&[0; 99], 2, None).unwrap_err();
        assert!(error.to_string().starts_with("neither text nor"), "{error}");
        let utf_16: Vec<u8> =
            "\u{feff}炮二平五".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let (openings, _) = Openings::read_file(&utf_16, 2, None).unwrap();
        assert_eq!(texts(&openings), ["h2e2"]);
    }

    #[test]
    fn built_in_openings_are_valid_and_distinct() {
        let openings = Openings::read(BALANCED).unwrap();
        let (_, errors) = Openings::read_valid(BALANCED, usize::MAX, Some(&limited(400))).unwrap();
        assert_eq!(errors, []);
        let end = |line: &Line| line.start.after_all(line.moves.iter().copied()).key();
        let ends: HashSet<u64> = openings.lines().iter().map(end).collect();
        assert_eq!(ends.len(), openings.lines().len());
        assert!(ends.len() >= 500, "{}", ends.len());
    }

    #[test]
    fn all_formats_are_parsed() {
        let text = format!(
            "# comment\n\nh2e2 h9g7 ; +12\n炮二平五 马8进7\nstartpos moves h2e2 h9g7\n\
             {BOARD} w - - 0 1 bm h2e2; id \"x\";\n{BOARD} w h2e2 h9g7\n{BOARD}\n\
             1. h2e2 h9g7\nstartpos 1.h2e2 1...h9g7\n{BOARD} w - - h2e2 h9g7 ; \"best\"\n\
             {BOARD} w - - c0 \"hello; world\"; id \"y\";\n{BOARD} w - - c4 \"x\";\n{BOARD} w - - eco A00;\n\
             h2e2,h9g7\n1.炮二平五，马8进7\nstartpos moves h2e2, h9g7\n{BOARD} w h2e2,h9g7\n\
             {BOARD} w moves h2e2 h9g7 // note\nh2e2 h9g7\t// note\n{BOARD} w // note\n\
             {BOARD} w - - moves h2e2 h9g7; id \"a // b\";\n"
        );
        let openings = Openings::read(&text).unwrap();
        let moved = "h2e2 h9g7";
        let expected = [moved, moved, moved, "", moved, "", moved, moved, moved, "", "", ""];
        assert_eq!(texts(&openings)[..12], expected);
        assert_eq!(texts(&openings)[12..18], [moved; 6]);
        assert_eq!(texts(&openings)[18..], ["", moved]);
        let mut game = GameTree::from(openings.lines()[0].clone());
        for id in game.moves.preorder().collect::<Vec<_>>() {
            game.moves[id].comment = "book".to_owned();
        }
        let pgn = game.write_pgn(MoveStyle::Chinese);
        let from_pgn = Openings::read(&format!("; a comment\n\n{pgn}")).unwrap();
        assert_eq!(texts(&from_pgn), [moved]);
        let dos = Openings::read("h2e2, h9g7\r\n\x1a").unwrap();
        assert_eq!(texts(&dos), [moved]);
        for (text, reason) in [
            ("", "there are no games or positions"),
            ("# comment\n9/9", "line 2: invalid FEN"),
            ("\u{1}// comment", "there are no games or positions"),
            ("h2e2\nh2e2 x", "line 2: move 2: \"x\" cannot be read"),
            ("startpos moves h2e9 ; +12", "line 1: move 1"),
            ("startpos xx ; +12", "line 1: move 1"),
            (&format!("{BOARD} w h2e9 ; +12"), "line 1: move 1"),
            // Without `;` after its moves, an EPD is invalid.
            (
                &format!("{BOARD} w - - moves h2e2 id \"x\";"),
                "line 1: move 2: \"id\" cannot be read",
            ),
            ("[Red \"x\"]\n1. h2h8 *", "line 2: move 1"),
            ("[Red \"x\"]\n1. h2e2 *\n\n[Red \"\0\"]\n", "not a text file"),
        ] {
            let error = Openings::read(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn games_of_several_lines_are_read_as_games() {
        let moved = "h2e2 h9g7 h0g2 b9c7";
        let ending = "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/2BAKR3 w";
        for (text, expected) in [
            ("1. 炮二平五 马8进7\n2. 马二进三 马2进3\n", &[moved][..]),
            ("１．炮二平五 马8进7\n２．马二进三 马2进3\n", &[moved]),
            ("1. h2e2 h9g7 2. h0g2\nb9c7 3. i0h0", &[&format!("{moved} i0h0")]),
            ("第1局\n1. h2e2 h9g7\n2. h0g2 b9c7\n\n第2局\n1. b2e2 h9g7", &[moved, "b2e2 h9g7"]),
            (&format!("{ending}\n1. f0f4 e7g5\n2. f4g4"), &["f0f4 e7g5 f4g4"]),
            (
                "[DhtmlXQ]\n[DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist]\n[/DhtmlXQ]",
                &["h2e2 h9g7"],
            ),
            ("FORMAT\tWXF\nSTART{\n1. C2=5 H8+7\n2. H2+3 H2+3\n}END\n", &[moved]),
            (&format!("测试|{ending}|f0f4,e7g5\n二|{ending}"), &["f0f4 e7g5", ""]),
            (&format!("12. {ending}\n13. {ending}"), &["", ""]),
            (
                "<?xml version=\"1.0\"?>\n<ChineseChessRecord>\n<Head>\n<RecordResult>1</RecordResult>\n\
                 </Head>\n<MoveList>\n<Move value=\"00-00\"/>\n<Move value=\"77-47\" end=\"1\"/>\n\
                 </MoveList>\n</ChineseChessRecord>",
                &["h2e2"],
            ),
        ] {
            let openings = Openings::read(text).expect(text);
            assert_eq!(texts(&openings), expected, "{text}");
        }
        // A list, with one opening per line.
        let list =
            "h2e2,h9g7 # c\n// c\n1. h2e2 {12 games} h9g7 1-0\n炮二平五! 马8进7\n1. h2e2 h9g7";
        assert_eq!(texts(&Openings::read(list).unwrap()), ["h2e2 h9g7"; 4]);
        // An invalid line does not make it a game.
        let (openings, errors) =
            Openings::read_valid("a heading\nh2e2 h9g7\nx h2e2\nb2e2", 9, None).unwrap();
        assert_eq!(texts(&openings), ["h2e2 h9g7", "b2e2"]);
        assert_eq!(errors.len(), 2, "{errors:?}");
        // Nor do numbers in comments or after moves.
        let list = "h2e2 h9g7 # 12 games\nh2e2 h9g7 {12 games}\nb2e2 h9g7 12\nh2d2";
        let expected = ["h2e2 h9g7", "h2e2 h9g7", "b2e2 h9g7", "h2d2"];
        assert_eq!(texts(&Openings::read(list).unwrap()), expected);
    }

    #[test]
    fn the_seed_decides_the_order() {
        let fresh = Openings::read(BALANCED).unwrap();
        let shuffled = |seed| {
            let mut openings = fresh.clone();
            openings.shuffle(seed);
            texts(&openings)
        };
        assert_eq!(shuffled(1), shuffled(1));
        assert_ne!(shuffled(1), shuffled(2));
        assert_ne!(shuffled(1), texts(&fresh));
        let count = fresh.lines().len();
        let mut later = fresh.clone();
        later.skip(count + 3);
        assert_eq!(texts(&later)[0], texts(&fresh)[3]);
        assert_eq!(later.of_round(0).moves, fresh.of_round(3).moves);
        assert_eq!(fresh.of_round(count as u64).moves, fresh.of_round(0).moves);
    }

    #[test]
    fn openings_that_end_the_game_are_refused() {
        let rules = limited(3);
        let read = |text: &str| Openings::read_valid(text, usize::MAX, Some(&rules));
        let mate = "4k4/R8/9/9/9/9/9/9/1R7/3K5 w b1b9";
        let ends = "the opening already ends the game (checkmate); ";
        let error = read(mate).unwrap_err().to_string();
        assert!(error.starts_with(&format!("line 1: {ends}")), "{error}");
        assert!(Openings::read(mate).is_ok());
        // The other openings are kept, and errors name the line or the game of the file.
        let long = "h2e2 h9g7 h0g2";
        let lines = format!("# comment\nh2e2\nh2e9\n{mate}\n{long}\nb2e2 h9g7\n");
        let tag = "[Red \"a\"]\n";
        let pgn = format!(
            "{tag}1. h2e2 *\n\n{tag}1. h2e9 *\n\n{tag}[FEN \"{}\"]\n1. b1b9 *\n\n\
             {tag}{long} *\n\n{tag}1. b2e2 h9g7 *\n",
            mate.replace(" b1b9", "")
        );
        let too_long = "the opening already ends the game (ply limit); ";
        for (text, places) in [
            (lines, ["line 3: move 1", &format!("line 4: {ends}"), &format!("line 5: {too_long}")]),
            (pgn, ["game 2: ", &format!("game 3: {ends}"), &format!("game 4: {too_long}")]),
        ] {
            let (openings, errors) = read(&text).unwrap();
            assert_eq!(texts(&openings), ["h2e2", "b2e2 h9g7"]);
            assert_eq!(errors.len(), 3);
            for (error, place) in errors.iter().zip(places) {
                assert!(error.to_string().starts_with(place), "{error}");
            }
        }
    }

    #[test]
    fn epd_operations_set_counters_and_moves() {
        for (operations, counters, moves) in [
            ("hmvc 30; fmvn 20;", "30 20", ""),
            ("id \"x\"; moves h2e2 h9g7;", "0 1", "h2e2 h9g7"),
            ("moves 1. h2e2! h9g7; hmvc 30; bm a0a9;", "30 1", "h2e2 h9g7"),
            ("bm a0a9; fmvn 20; moves h2e2", "0 20", "h2e2"),
            // Ranks from 1.
            ("moves h3e3 h10g8; hmvc 3;", "3 1", "h2e2 h9g7"),
            ("variant xiangqi; moves h3e3", "0 1", "h2e2"),
        ] {
            let openings = Openings::read(&format!("{BOARD} w - - {operations}")).unwrap();
            let start = openings.lines()[0].start.to_string();
            assert!(start.ends_with(&format!(" w - - {counters}")), "{start}");
            assert_eq!(texts(&openings), [moves], "{operations}");
        }
        let text = format!("{BOARD} w - - hmvc 30; fmvn 20;");
        for plies in 0..3 {
            let (openings, _) = Openings::read_valid(&text, plies, None).unwrap();
            assert!(openings.lines()[0].start.to_string().ends_with(" w - - 30 20"), "{plies}");
        }
        let text = format!("{BOARD} w - - hmvc 30; moves h2e2 x;");
        let (openings, _) = Openings::read_valid(&text, 1, None).unwrap();
        assert_eq!(texts(&openings), ["h2e2"]);
        let error = Openings::read(&text).unwrap_err().to_string();
        assert!(error.starts_with("line 1: move 2: "), "{error}");
    }

    #[test]
    fn errors_after_the_used_plies_do_not_matter() {
        let lines = format!("h2e2 h9g7 x\nstartpos h2e2 x\n{BOARD} w h2e2 x\n");
        let pgn = "[Red \"a\"]\n\n1. h2e2 h2e2 *\n";
        for (text, count) in [(lines.as_str(), 3), (pgn, 1)] {
            let (openings, errors) = Openings::read_valid(text, 1, None).unwrap();
            assert_eq!(texts(&openings), vec!["h2e2"; count]);
            assert_eq!(errors, []);
            assert!(Openings::read(text).is_err());
        }
    }
}

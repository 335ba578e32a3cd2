//! The numbers of moves. They show whether text between moves replaces a move, and whether moves are missing.

use crate::notation::chinese;

/// The maximum number of a move. The start of a game may have the number 65535, and a game may have 250,000 moves.
const MAX_NUMBER: usize = 65_535 + 250_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveNumber {
    /// `None` for `...` without a number.
    pub value: Option<usize>,
    /// Whether it precedes black's move: `3...`.
    pub is_black: bool,
    /// Whether no punctuation follows it, so that it may be the number of a footnote: `③`, `3`.
    pub is_bare: bool,
}

impl MoveNumber {
    /// Reads the part of a word before its move: `3.`, `3...`, `十二、`, `第3回合`, `回合3`, `③`. Returns `None` for
    /// other text.
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.trim_start_matches(['第', '回', '合']);
        let rest = digits.trim_start_matches(is_digit);
        let digits = &digits[..digits.len() - rest.len()];
        let dots = rest.chars().filter(|c| matches!(c, '.' | '．')).count();
        let is_black = dots > 1 || rest.contains('…');
        let value = digits.parse().ok().filter(|value| *value <= MAX_NUMBER);
        let value = value.or_else(|| chinese_number(digits));
        (value.is_some() || is_black && digits.is_empty()).then_some(Self {
            value,
            is_black,
            is_bare: rest.is_empty(),
        })
    }

    /// Whether it is the number of red's first move, with punctuation: `1.`, `一、`.
    pub fn is_first(self) -> bool {
        self.value == Some(1) && !self.is_black && !self.is_bare
    }

    /// The number with a blank after it: `3. `, `3... `.
    pub fn written(self) -> String {
        let value = self.value.map(|value| value.to_string()).unwrap_or_default();
        value + if self.is_black { "... " } else { ". " }
    }

    /// This number after an earlier one without a move between them: `3.` and `...` are `3...`.
    pub fn after(self, earlier: Option<Self>) -> Self {
        Self { value: self.value.or(earlier.and_then(|number| number.value)), ..self }
    }
}

/// A number from 1 to 99 in Chinese, or one for which [`is_enclosed_number`] is true.
fn chinese_number(text: &str) -> Option<usize> {
    let digit = |c: char| {
        let mut numerals = "一二三四五六七八九".chars();
        numerals.position(|numeral| numeral == chinese::usual_character(c)).map(|at| at + 1)
    };
    match text.chars().collect::<Vec<char>>()[..] {
        [c] if is_enclosed_number(c) => Some((c as usize - '①' as usize) % 20 + 1),
        ['十'] => Some(10),
        ['十', ones] => Some(10 + digit(ones)?),
        ['廿'] => Some(20),
        ['廿', ones] => Some(20 + digit(ones)?),
        ['卅'] => Some(30),
        ['卅', ones] => Some(30 + digit(ones)?),
        [ones] => digit(ones),
        [tens, '十'] => Some(10 * digit(tens)?),
        [tens, '十', ones] => Some(10 * digit(tens)? + digit(ones)?),
        _ => None,
    }
}

/// Whether a character is a digit of any kind or a Chinese numeral.
pub fn is_digit(c: char) -> bool {
    c.is_numeric() || "一二三四五六七八九十廿卅百零".contains(chinese::usual_character(c))
}

/// Whether a character is a number from 1 to 20 in a circle, in brackets or with a dot.
pub fn is_enclosed_number(c: char) -> bool {
    matches!(c, '①'..='⒛')
}

/// The numbering of the main line.
#[derive(Debug, Default)]
pub struct Numbering {
    first: Option<PlacedNumber>,
    last: Option<PlacedNumber>,
    /// Whether every ply may have a number of its own (`1. 2. 3.`), because two consecutive numbers had only one move
    /// between them.
    is_by_ply: bool,
}

/// A number that has been read, and its place.
#[derive(Clone, Copy, Debug)]
struct PlacedNumber {
    value: usize,
    is_black: bool,
    /// The number of plies before its move.
    plies: usize,
}

impl PlacedNumber {
    /// Whether `number` is that of the round and the side of the move after `plies` plies, counted from this number.
    fn is_followed_by(self, number: MoveNumber, plies: usize) -> bool {
        let rounds = number.value.and_then(|value| value.checked_sub(self.value));
        rounds.is_some_and(|rounds| {
            let expected = 2 * rounds + usize::from(number.is_black);
            plies - self.plies + usize::from(self.is_black) == expected
        })
    }
}

impl Numbering {
    /// Whether no move has a number.
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Whether one of the two moves before the next one has a number. `plies` is the number of plies before the next
    /// move.
    pub fn has_recent_number(&self, plies: usize) -> bool {
        self.last.is_some_and(|last| last.plies + 2 >= plies)
    }

    /// Whether `number` can belong to the move after `plies` plies of the main line. A round may have one number, the
    /// same number before each of its moves or, if `is_by_ply`, a number for each move.
    pub fn fits(&self, number: MoveNumber, plies: usize) -> bool {
        let last = self.last();
        let rounds = number.value.and_then(|value| value.checked_sub(last.value));
        let distance = plies - last.plies;
        let is_reply = distance == 1 && !last.is_black;
        let fits = |rounds| is_reply && rounds == 0 || self.is_by_ply && distance == rounds;
        self.is_of_round(number, plies) || rounds.is_some_and(fits)
    }

    /// Whether `number` is that of the round and the side of the move after `plies` plies.
    pub fn is_of_round(&self, number: MoveNumber, plies: usize) -> bool {
        self.last().is_followed_by(number, plies)
    }

    /// Whether `number` is not greater than the last one although another round has begun, so that its move belongs to
    /// a variation. `false` if `number` fits the first number: then the last one may be wrong.
    pub fn goes_back(&self, number: MoveNumber, plies: usize) -> bool {
        let is_expected = |known: PlacedNumber| known.is_followed_by(number, plies);
        let is_old = self.last.zip(number.value).is_some_and(|(last, value)| value <= last.value);
        is_old && !self.fits(number, plies) && !self.first.is_some_and(is_expected)
    }

    /// The last number read, or, without one, that of red's first move.
    fn last(&self) -> PlacedNumber {
        self.last.unwrap_or(PlacedNumber { value: 1, is_black: false, plies: 0 })
    }

    /// Whether `number` is red's next one after a single move.
    fn skips_reply(&self, number: MoveNumber, plies: usize) -> bool {
        self.last.is_some_and(|last| {
            let is_next = number.value == Some(last.value + 1) && plies == last.plies + 1;
            is_next && !last.is_black && !number.is_black
        })
    }

    /// Whether `number` in the place of black's move may be that of a footnote, because it is not that of the move.
    pub fn may_be_footnote(&self, number: MoveNumber, plies: usize) -> bool {
        number.is_bare && !self.fits(number, plies) && !self.skips_reply(number, plies)
    }

    /// Adds the number of the move after `plies` plies. Returns whether it is the next number after a single move, so
    /// that black's move may be missing.
    pub fn add(&mut self, number: MoveNumber, plies: usize) -> bool {
        let Some(value) = number.value else {
            return false;
        };
        let lacks_reply = self.skips_reply(number, plies);
        self.is_by_ply |= lacks_reply;
        self.last = Some(PlacedNumber { value, is_black: number.is_black, plies });
        self.first = self.first.or(self.last);
        lacks_reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn::tests::{check_error, main_lines, read_one};
    use crate::notation::pgn::{GameResult, PgnReader, read};

    #[test]
    fn numbers_are_read() {
        for (text, value, is_black) in [
            ("12.", 12, false),
            ("12", 12, false),
            ("3...", 3, true),
            ("3.…", 3, true),
            ("壹、", 1, false),
            ("十、", 10, false),
            ("十二、", 12, false),
            ("二十", 20, false),
            ("二十一", 21, false),
            ("九十九、", 99, false),
            ("廿、", 20, false),
            ("廿一", 21, false),
            ("卅二、", 32, false),
            ("第3回合:", 3, false),
            ("③", 3, false),
            ("⑿、", 12, false),
            ("⒛", 20, false),
        ] {
            let value = Some(value);
            let number = MoveNumber::read(text).unwrap();
            assert_eq!((number.value, number.is_black), (value, is_black), "{text}");
        }
        let dots = MoveNumber::read("...").unwrap();
        assert_eq!(dots.after(MoveNumber::read("3.")), MoveNumber::read("3...").unwrap());
        for text in ["", ".", "*", "第", "百", "一二三", "二十一二", "400000."] {
            assert_eq!(MoveNumber::read(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_show_missing_moves() {
        for text in [
            "1. 炮二平五 2. 马二进三 3. 车一平二",
            "1. h2e2 2. h0g2 3. i0h0",
            "一、炮二平五\n二、马二进三",
            "（1）炮二平五（2）马八进七（3）兵三进一",
            "1. 炮二平五 2. 马二进三 车9平8",
            "1. 炮二平五\n\n2. 马八进七 {好}",
        ] {
            check_error(text, "move 2: black's move before this number is missing");
        }
        check_error("1. 炮二平五 马8进7 2. 马二进三 3. 车九进一 车9平8", "move 4: black's");
        // At red's turn no move of black is missing.
        let text = "1. h2e2 h9g7 2. h0g2 3. i9h9 4. zzz";
        check_error(text, "move 5: \"zzz\" cannot be read");
        // Every move of either side has a number.
        for text in [
            "1. 炮二平五 2. 马8进7 3. 马二进三 4. 车9平8",
            "1. 炮二平五 2. 馬二進三 3. 馬二進三 4. 車一平二",
            "1. h2e2 2. h9g7 3. h0g2 4. i9h9",
            "1. C2=5 2. H8+7 3. H2+3 4. R9=8",
        ] {
            assert_eq!(read_one(text).plies(), 4, "{text}");
        }
    }

    const FIRST: &str = "1.炮二平五 马8进7 2.马二进三 车9平8";
    const LINE: &str = "h2e2 h9g7 h0g2 i9h9";

    /// The main line of the only game of a text, and its problems.
    fn read_with_problems(text: &str) -> (String, Vec<String>) {
        let mut games = PgnReader::new(text.as_bytes());
        let game = games.next().unwrap().unwrap();
        assert!(games.next().is_none(), "{text}");
        let problems = game.problems.iter().map(|problem| problem.reason.clone()).collect();
        (game.main_line().coordinates(), problems)
    }

    #[test]
    fn a_number_that_goes_back_ends_the_game() {
        for rest in [
            "2.马八进七 炮8平9 3.车九平八 车1平2",
            "变化：\n2.马八进七 炮8平9 3.车九平八 车1平2",
            "变化一\n2.马八进七 炮8平9 3.车九平八 车1平2 红胜",
            "(1) 3.车一平二 马2进3\n(2) 3.兵七进一 卒7进1",
            "2.…… 车9进1 3.车一平二",
            "2. H8+7 C8=9 (a note) 3. R9=8",
            "1.…… 炮8平5 2.马八进七",
        ] {
            for tags in ["", "[Red \"a\"]\n\n"] {
                let (moves, problems) = read_with_problems(&format!("{tags}{FIRST}\n{rest}\n"));
                assert!(
                    moves.starts_with(LINE) && moves.len() <= LINE.len() + 10,
                    "{rest}: {moves}"
                );
                assert_eq!(problems.len(), 1, "{rest}: {problems:?}");
                assert!(problems[0].contains("the number of this move goes back"), "{problems:?}");
            }
        }
        let lines = main_lines(&format!("{FIRST}\n1. [炮八平五] 马2进3"));
        assert_eq!(lines, [LINE, "b2e2 b9c7"]);
        // A number 1 begins another game below such a text.
        let games = read(&format!("{FIRST}\n2.马八进七 炮8平9\n1.炮八平五 马2进3"));
        assert_eq!(games[1].as_ref().unwrap().main_line().coordinates(), "b2e2 b9c7");
    }

    #[test]
    fn text_with_a_number_that_goes_back_is_a_comment_if_a_later_number_continues_the_game() {
        for (text, comment) in [
            ("1.进三兵 2.进七兵", "1.进三兵 2.进七兵"),
            ("1、车一平二；2、马八进七。", "1、车一平二；2、马八进七。"),
            ("1.5分", "1.5分"),
            ("2. 马八进七 (略) 红胜", "2. 马八进七 (略) 红胜"),
            ("(二)车9平8", "2. 车9平8"),
            ("[Diagram 1]", "Diagram 1"),
            ("[a note]", "a note"),
            ("Diagram 1", "Diagram 1"),
            ("Diagram 1.1a", "Diagram 1.1a"),
            ("Figure 2.", "Figure 2."),
        ] {
            let game = read_one(&format!("{FIRST}\n{text}\n3.车一平二 马2进3"));
            assert_eq!(game.main_line().coordinates(), format!("{LINE} i0h0 b9c7"), "{text}");
            assert_eq!(game.comments()[3], comment);
            assert!(game.problems.is_empty(), "{:?}", game.problems);
        }
        let game = read_one("1. h2e2 h9g7 1.2s 2. h0g2 i9h9 1.5s 3. g3g4 g6g5");
        assert_eq!((game.plies(), game.comments()[1].as_str()), (6, "1.2s"));
        for heading in ["(一)", "（一）", "一、"] {
            let text =
                format!("1.炮二平五 马8进7 2.马二进三……\n{heading}车9平8\n2.……车9平8 3.车一平二");
            let game = read_one(&text);
            assert_eq!(game.main_line().coordinates(), format!("{LINE} i0h0"), "{heading}");
        }
    }

    #[test]
    fn numbers_of_footnotes_and_wrong_numbers_do_not_end_the_game() {
        for text in [
            "1.炮二平五⑤ 马8进7 2.马二进三① 车9平8",
            "1.炮二平五 (5) 马8进7 2.马二进三 (1) 车9平8",
            "1.炮二平五 马8进7 22.马二进三 车9平8",
        ] {
            let (moves, problems) = read_with_problems(&format!("{text} 3.车一平二 马2进3"));
            assert_eq!(moves, format!("{LINE} i0h0 b9c7"), "{text}");
            assert!(problems.is_empty(), "{problems:?}");
        }
    }

    #[test]
    fn a_result_in_a_comment_is_not_that_of_the_game() {
        let text = format!("{FIRST} 如改走车9进1，车一平二，红胜。");
        let game = read_one(&format!("{text}\n3.车一平二 马2进3"));
        assert_eq!((game.plies(), game.result), (6, GameResult::Unfinished));
        assert_eq!(game.comments()[3], "如改走车9进1，车一平二，红胜。");
        for (text, result, comment) in [
            ("红优，红胜，否则黑胜，黑胜。", GameResult::BlackWins, "红优，红胜，否则黑胜，"),
            ("红优 红胜 好棋真是", GameResult::RedWins, "红优 红胜 好棋真是"),
            // No conditions, or the condition ends before the result.
            ("以下红方势如破竹，红胜。", GameResult::RedWins, "以下红方势如破竹，"),
            ("以下从略（如图），红胜。", GameResult::RedWins, "以下从略（如图），"),
            ("红优，黑如应将则红胜。红胜", GameResult::RedWins, "红优，黑如应将则红胜。"),
            ("好棋，如此 1-0", GameResult::RedWins, "好棋，如此"),
            ("红优，若改走车9进1，黑胜 1-0", GameResult::RedWins, "红优，若改走车9进1，黑胜"),
        ] {
            let game = read_one(&format!("{FIRST} {text}\n"));
            assert_eq!((game.result, game.comments()[3].as_str()), (result, comment));
        }
        // That of a line that was not played, or after a move that cannot be read.
        for text in [
            format!("{FIRST} 如改走车9进1，红胜。"),
            format!("{FIRST}\n3.车一平二 黑如走车1进5，红胜定。\n4.马八进七"),
            format!("{FIRST}\n3.车一平二 车1jin5，红胜定。\n4.马八进七"),
        ] {
            let mut games = PgnReader::new(text.as_bytes());
            let game = games.next().unwrap().unwrap();
            assert_eq!(game.result, GameResult::Unfinished, "{text}");
        }
        for next in ["1.炮八平五 马8进7", "炮八平五 马8进7"] {
            let games = read(&format!("{FIRST} 以下从略，红胜。\n{next}"));
            let [Ok(first), Ok(second)] = &games[..] else {
                panic!("{games:?}");
            };
            assert_eq!((first.plies(), first.result), (4, GameResult::RedWins), "{next}");
            assert_eq!(second.main_line().coordinates(), "b2e2 h9g7", "{next}");
        }
    }

    #[test]
    fn a_first_move_with_another_number_needs_a_position() {
        let moves = "5.马八进七 马2进3 6.车九平八";
        let reason = "the first move has the number 5: its position is unknown";
        check_error(moves, reason);
        let games = read(&format!("{FIRST} 红胜。\n{moves}"));
        assert_eq!(games.len(), 2);
        assert!(games[1].as_ref().unwrap_err().to_string().contains(reason), "{games:?}");
        let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
        assert_eq!(read_one(&format!("[FEN \"{fen}\"]\n\n{moves}")).plies(), 3);
        // A list of games with numbers.
        let lines =
            main_lines("11. h2e2 h9g7 h0g2 1-0\n12. b2e2 h9g7 0-1\n14. c3c4 g6g5 1/2-1/2\n");
        assert_eq!(lines, ["h2e2 h9g7 h0g2", "b2e2 h9g7", "c3c4 g6g5"]);
    }
}

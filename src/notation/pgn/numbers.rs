//! The numbers of moves. They show whether text between moves replaces a move, and whether moves are missing.

use crate::notation::chinese;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveNumber {
    /// `None` for `...` without a number.
    pub value: Option<usize>,
    /// Whether it precedes black's move: `3...`.
    pub is_black: bool,
    /// Whether no sign follows it, so that it may be the number of a footnote: `③`, `3`.
    pub is_bare: bool,
}

impl MoveNumber {
    /// Reads the part of a word before its move: `3.`, `3...`, `十二、`, `第3回合`, `③`. Returns `None` for other
    /// signs.
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.trim_start_matches('第');
        let rest = digits.trim_start_matches(is_digit);
        let digits = &digits[..digits.len() - rest.len()];
        let dots = rest.chars().filter(|c| matches!(c, '.' | '．')).count();
        let is_black = dots > 1 || rest.contains('…');
        let value = digits.parse::<u16>().map(usize::from).ok();
        let value = value.or_else(|| chinese_number(digits));
        (value.is_some() || is_black && digits.is_empty()).then_some(Self {
            value,
            is_black,
            is_bare: rest.is_empty(),
        })
    }

    /// Whether it is the number of red's first move, with a sign: `1.`, `一、`.
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
        [ones] => digit(ones),
        [tens, '十'] => Some(10 * digit(tens)?),
        [tens, '十', ones] => Some(10 * digit(tens)? + digit(ones)?),
        _ => None,
    }
}

/// Whether a character is a digit of any kind or a Chinese numeral.
pub fn is_digit(c: char) -> bool {
    c.is_numeric() || "一二三四五六七八九十百零".contains(chinese::usual_character(c))
}

/// Whether a character is a number from 1 to 20 in a circle, in brackets or with a dot.
pub fn is_enclosed_number(c: char) -> bool {
    matches!(c, '①'..='⒛')
}

/// The numbering of the main line.
#[derive(Debug, Default)]
pub struct Numbering {
    first: Option<LastNumber>,
    last: Option<LastNumber>,
    /// Whether the moves of both sides may be numbered one by one: after a single move, the next number has been read.
    is_by_ply: bool,
}

/// The last number that has been read.
#[derive(Clone, Copy, Debug)]
struct LastNumber {
    value: usize,
    is_black: bool,
    /// The number of plies before its move.
    plies: usize,
}

impl LastNumber {
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

    /// Whether the round before the move after `plies` plies has a number.
    pub fn has_round_before(&self, plies: usize) -> bool {
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
    /// a variation. It is not if it fits the first number: then the last one may be wrong.
    pub fn goes_back(&self, number: MoveNumber, plies: usize) -> bool {
        let is_expected = |known: LastNumber| known.is_followed_by(number, plies);
        let is_old = self.last.zip(number.value).is_some_and(|(last, value)| value <= last.value);
        is_old && !self.fits(number, plies) && !self.first.is_some_and(is_expected)
    }

    /// The last number, or that of red's first move.
    fn last(&self) -> LastNumber {
        self.last.unwrap_or(LastNumber { value: 1, is_black: false, plies: 0 })
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
        self.last = Some(LastNumber { value, is_black: number.is_black, plies });
        self.first = self.first.or(self.last);
        lacks_reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn::tests::{check_error, read_one};

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
        for text in ["", ".", "*", "第", "百", "一二三", "二十一二", "65536."] {
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
}

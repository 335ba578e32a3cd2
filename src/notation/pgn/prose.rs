//! Text that mentions moves, between the moves of a game: `若改走炮8平5则成顺炮。`

use super::headings::{has_text, is_damaged_move};
use super::numbers::{MoveNumber, Numbering, is_digit};
use super::scanner::Source;
use super::words::{
    CHECKS, JoinedMove, is_direction, is_piece, is_place, is_short, joined_moves, leading_moves,
    move_length, split_word,
};
use crate::notation::is_move_text;
use crate::notation::tree::GameResult;

/// The maximum length in bytes of move numbers that belong together, without the last one.
const MAX_NUMBERS: usize = 40;

/// Text after a move of the main line. Its first word is not a move. The text is a comment if the next move number
/// continues those before it, or if [`Self::is_certain`] returns `true`. Otherwise a move may be missing, and the first
/// word is read as an invalid move.
#[derive(Debug, Default)]
pub struct Prose {
    pub first_word: String,
    /// The line of the first word, from 1.
    pub line: usize,
    pub text: String,
    /// Whether the first word begins its line. Then the prose includes the rest of the line.
    pub begins_line: bool,
    /// Whether the prose begins its line and has a move in that line.
    pub has_move_in_line: bool,
    /// Whether the prose has a move after that line or, if it does not begin its line, anywhere.
    pub has_move_after: bool,
    pub has_numbered_move: bool,
    /// If the text ends with move numbers, the length of the text before them in bytes.
    pub length_before_number: Option<usize>,
    /// If the text is not a variation and ends with an opening parenthesis outside of other parentheses, the length of
    /// the text before it in bytes.
    pub length_before_parenthesis: Option<usize>,
    /// If a move number at the beginning of the text or in a later line goes back, so that the text is a variation, its
    /// numbering and its number of plies.
    pub variation: Option<(Numbering, usize)>,
    /// Whether the sentence is about moves that were not played: `如…`, `if`.
    is_conditional: bool,
    /// The last result in the line of the prose, and the length of the text before it in bytes. It is that of the game
    /// unless the next move number continues the game.
    pub result: Option<(GameResult, usize)>,
    /// The number of parentheses that are open in the text.
    depth: usize,
}

impl Prose {
    /// Prose that begins with a word. `source` is the part of the file from which the word was read.
    pub fn new(first_word: &str, source: Source<'_>, line: usize) -> Self {
        Self {
            first_word: first_word.to_owned(),
            line,
            text: source.text.to_owned(),
            begins_line: source.separators.contains('\n'),
            is_conditional: begins_condition(source.text),
            ..Self::default()
        }
    }

    /// Adds a word with moves to the variation, if the text is one. Returns whether its number continues the variation.
    pub fn add_to_variation(&mut self, number: Option<MoveNumber>, text: &str) -> bool {
        let Some((numbering, plies)) = self.variation.as_mut().filter(|_| self.depth == 0) else {
            return false;
        };
        let continues = number.is_some_and(|number| numbering.is_of_round(number, *plies));
        if let Some(number) = number {
            numbering.add(number, *plies);
        }
        *plies += leading_moves(text).0.len().max(1);
        continues
    }

    /// The prose with an empty text. Its first word, its line and what is known about its moves are kept.
    pub fn without_text(self) -> Self {
        Self {
            text: String::new(),
            length_before_number: None,
            length_before_parenthesis: None,
            depth: 0,
            ..self
        }
    }

    /// Adds a word.
    pub fn push_word(&mut self, source: Source<'_>) {
        self.is_conditional = self.is_conditional_before(source) || begins_condition(source.text);
        self.push(source);
    }

    /// Whether a word continues a sentence [about moves that were not played](Self::is_conditional).
    pub fn is_conditional_before(&self, word: Source<'_>) -> bool {
        self.is_conditional && !word.separators.contains(['。', '.', '；', ';'])
    }

    fn push(&mut self, source: Source<'_>) {
        self.text += source.separators;
        self.text += source.text;
    }

    /// Records a move number at the end of the text, with `before` bytes before it. An ellipsis (`is_ellipsis`) after
    /// other numbers, as `...` after `3.`, counts as one number with them if they have at most [`MAX_NUMBERS`] bytes.
    /// Without the limit, the time would be quadratic, because each comment is inserted before that number.
    pub fn add_number(&mut self, before: usize, is_ellipsis: bool) {
        let is_near = |first: &usize| is_ellipsis && before - first <= MAX_NUMBERS;
        let first = self.length_before_number.filter(is_near);
        self.length_before_number = Some(first.unwrap_or(before));
    }

    /// Adds a note or a sentence. After a move number, which may be that of the next move, it is added as a comment.
    pub fn add_note(&mut self, source: Source<'_>, note: &str) {
        self.length_before_parenthesis = None;
        match self.length_before_number {
            Some(_) => self.add_comment(note),
            None => self.push(source),
        }
    }

    /// Adds a comment on a line of its own, before a move number at the end of the text.
    pub fn add_comment(&mut self, text: &str) {
        self.length_before_parenthesis = None;
        let at = self.length_before_number.unwrap_or(self.text.len());
        self.text.insert_str(at, &format!("\n{text}"));
        if let Some(length) = &mut self.length_before_number {
            *length += 1 + text.len();
        }
    }

    pub fn open_parenthesis(&mut self, source: Source<'_>) {
        let may_be_variation = self.depth == 0 && self.variation.is_none();
        self.length_before_parenthesis = may_be_variation.then_some(self.text.len());
        self.push(source);
        self.depth += 1;
    }

    pub fn close_parenthesis(&mut self, source: Source<'_>) {
        self.length_before_parenthesis = None;
        self.push(source);
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether the next move number belongs to the prose and not to the game: in the line of the prose after another
    /// numbered move, or in parentheses.
    pub fn is_in_list(&self, line: usize) -> bool {
        self.includes_line(line) && self.has_numbered_move
            || self.includes_parenthesis(line) && self.depth > 0
    }

    /// Whether the prose is text even without the evidence of numbers: its first word is text, and no move follows its
    /// line.
    pub fn is_certain(&self) -> bool {
        !self.has_move_after && is_text(&self.first_word)
    }

    /// Whether the prose [is certain](Self::is_certain) and has no move in its line either.
    pub fn has_no_move(&self) -> bool {
        !self.has_move_in_line && self.is_certain()
    }

    /// The last result in the line of the prose. A result in words does not count if the prose may be a move that
    /// cannot be read, with more text after the result.
    pub fn result_of_game(&self) -> Option<GameResult> {
        let (result, length) = self.result?;
        let is_in_numbers = || self.text.get(length..).is_some_and(is_in_numbers);
        let counts = self.is_certain() || self.has_only_result_from(length) || is_in_numbers();
        counts.then_some(result)
    }

    /// Whether the text ends with a move number outside of parentheses.
    pub fn ends_with_number(&self) -> bool {
        self.depth == 0 && self.length_before_number.is_some()
    }

    /// Whether the text from this byte on is only a result or empty.
    pub fn has_only_result_from(&self, at: usize) -> bool {
        let rest = self.text.get(at..).unwrap_or_default();
        let rest = rest.trim_end_matches(|c: char| !c.is_alphanumeric());
        rest.is_empty() || rest.parse::<GameResult>().is_ok()
    }

    /// Whether the prose may be the title of another game: it begins its line, has no moves, and its first word is not
    /// a move with an error and mentions none.
    pub fn may_be_title(&self) -> bool {
        let has = |is_kind: fn(&u8) -> bool| self.first_word.bytes().any(|byte| is_kind(&byte));
        let is_mixed = has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit);
        let has_moves = self.has_move_in_line || self.has_move_after || self.has_numbered_move;
        let may_mention_move = is_mixed || self.first_word.contains(is_direction);
        self.begins_line && !has_moves && !may_mention_move && !is_damaged_move(&self.first_word)
    }

    /// Whether a parenthesis in this line is a part of the prose.
    pub fn includes_parenthesis(&self, line: usize) -> bool {
        self.includes_line(line) || self.variation.is_some()
    }

    /// Whether a line is a part of the prose because the prose begins it.
    pub fn includes_line(&self, line: usize) -> bool {
        self.begins_line && line == self.line
    }
}

/// Whether a result is written in numbers, such as `1-0`, instead of words.
pub fn is_in_numbers(result: &str) -> bool {
    result.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a word begins a condition: `如`, `黑若改走`, `If`; but not `如图`.
fn begins_condition(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let subjects = ["红方", "黑方", "此时", "红", "黑"];
    let without_subject = subjects.iter().find_map(|subject| word.strip_prefix(subject));
    let rest = without_subject.unwrap_or(word);
    let is_other = ["如此", "如图", "如下", "若干"].iter().any(|other| rest.starts_with(other));
    rest.starts_with(['如', '若', '倘']) && !is_other || ["if", "If", "nếu", "Nếu"].contains(&word)
}

/// Whether a word is Chinese text and not a move with an error. Text has a character that does not occur in moves, and
/// it is longer than a move or does not have two of the three parts of a move: a piece, a direction and a number.
pub fn is_text(word: &str) -> bool {
    let is_part: [fn(char) -> bool; 3] = [is_piece, is_direction, is_digit];
    let parts = is_part.into_iter().filter(|is_part| word.contains(is_part)).count();
    has_text(word) && !(is_short(word) && parts > 1)
}

/// The text directly after the moves of a word: `红胜`, `!好棋`, `……`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remark<'a> {
    pub glyph: Option<u8>,
    pub result: Option<GameResult>,
    /// The text without the punctuation before it; possibly empty.
    pub text: &'a str,
}

/// The moves that begin a word, and the remark after them. `None` if the word has only moves or begins with none, or if
/// the text after them may be a move, even one with an error.
pub fn moves_with_remark(word: &str) -> Option<(Vec<JoinedMove<'_>>, Remark<'_>)> {
    let (moves, rest) = leading_moves(word);
    if moves.is_empty() || rest.is_empty() {
        return None;
    }
    let text = rest.trim_start_matches(|c| "!?！？+＋#＃.….．·".contains(c));
    let punctuation = &rest[..rest.len() - text.len()];
    let is_mark = |c| "!?！？.,;".contains(c) || CHECKS.contains(c);
    let result = text.trim_start_matches(|c| CHECKS.contains(c)).trim_end_matches(is_mark);
    let remark = Remark { glyph: split_word(punctuation).1, result: result.parse().ok(), text };
    let is_part = |c| is_piece(c) || is_direction(c);
    let mut pairs = text.chars().zip(text.chars().skip(1));
    let mut mentions_move =
        || pairs.any(|(a, b)| is_part(a) && is_digit(b) || is_digit(a) && is_direction(b));
    let is_remark =
        text.is_empty() || remark.result.is_some() || has_text(text) && !mentions_move();
    is_remark.then_some((moves, remark))
}

/// Whether a word consists of moves, of which the first may have an invalid digit, and perhaps a remark.
pub fn consists_of_moves(word: &str) -> bool {
    is_like_move(joined_moves(word)[0]) || moves_with_remark(word).is_some()
}

/// Whether a word has the form of a move, perhaps with an invalid digit.
pub fn is_like_move(word: &str) -> bool {
    let begins_like_move = |c: char| c.is_ascii() || is_piece(c) || is_digit(c) || is_place(c);
    word.starts_with(begins_like_move) && move_length(word) == Some(word.len())
        || is_move_text(word)
}

#[cfg(test)]
mod tests {
    use crate::notation::pgn::tests::{check_error, read_one};
    use crate::notation::pgn::{GameResult, read};
    use crate::notation::tree::ROOT;

    #[test]
    fn prose_between_moves_is_a_comment() {
        let first = "1. 炮二平五 马8进7";
        let rest = "2. 马二进三 车9平8\n3. 车一平二 卒7进1";
        let line = "h2e2 h9g7 h0g2 i9h9 i0h0 g6g5";
        for prose in [
            "若改走炮二平五则黑方好走",
            "若改走车一进一，则黑方车9平8先手。",
            "黑方如改走 炮8平5 则成顺炮",
            "如 马二进一 则缓，黑优",
            "如炮8平5",
            "正着是“马二进三”",
            "黑车在二路",
            "如改走车9进1，\n则车一平二，红优",
            "如改走炮8平5，以下 红胜",
            "有两种着法：1.马二进三 2.车一平二",
            "如改走炮8平5（顺炮），则平稳",
            "如改走炮8平5 (2. 马二进三) 则平稳",
            "If black plays C8.5 then red is better",
            "黑有两变：（1）车9进1，（2）车9平8（图5），见《橘中秘》“五羊杯”",
            "如改走炮8平5。\n黑方稳健，\n[略]（黑方）",
        ] {
            let game = read_one(&format!("{first}\n{prose}。\n{rest}\n*"));
            assert_eq!(game.main_line().coordinates(), line, "{prose}");
            assert_eq!(game.comments()[1], format!("{prose}。"));
        }
        let game = read_one(&format!("{first}\n如炮8平5\n2. {{好}} 马二进三"));
        assert_eq!(game.comments()[1..], ["如炮8平5\n好", ""]);
        let game = read_one(&format!("{first} {rest}\n正着是炮8平5。\n1-0"));
        assert_eq!((game.plies(), game.result), (6, GameResult::RedWins));
        assert_eq!(game.comments()[5], "正着是炮8平5。");
        let text = format!("{first} {rest}\n正着是炮8平5（顺炮）。");
        assert_eq!(read_one(&text).comments()[5], "正着是炮8平5（顺炮）。");
        let game = read_one("1. 炮二平五 (“若改走”兵三进一，则“缓”（图1）) 马8进7");
        assert_eq!(game.comments()[0], "“若改走”兵三进一，则“缓”（图1）");
        for text in [
            "1. 炮二平五 马8进7 如改走炮8平5则成顺炮。2. 马二进三 车9平8 3. 车一平二 卒7进1",
            "1. 炮二平五 马8进7 好 2. 马二进三 车9平8 3. 车一平二 卒7进1",
            "1. 炮二平五\n若改走兵三进一则成仙人指路\n1. ... 马8进7\n2. 马二进三 车9平8 3. 车一平二 卒7进1",
            "炮二平五 马8进7\n若改走炮8平5则成顺炮\n马二进三 车9平8\n车一平二 卒7进1",
            "1. 炮二平五 马8进7\n如炮8平5\n2. （好）马二进三 车9平8 3. 车一平二 卒7进1",
            "一、炮二平五 马8进7\n如 炮8平5 也可\n二、马二进三 车9平8 三、车一平二 卒7进1",
            "（1）炮二平五 马8进7\n如改走炮8平5，则成顺炮\n（2）马二进三 车9平8 （3）车一平二 卒7进1",
            "1. 炮二平五 马8进7 (若改走炮8平5 马二进三 则成顺炮) 2. 马二进三 车9平8 3. 车一平二 卒7进1",
            "1. 炮二平五 (1. 若改走兵三进一则缓) 马8进7\n如炮8平5\n2. 马二进三 车9平8 3. 车一平二 卒7进1",
            "1. 炮二平五 马8进7 2. 马二进三 ①\n红方跳马。如车一进一 (2. 兵三进一)，则卒7进1\n2. …… 车9平8 3. 车一平二 卒7进1",
        ] {
            let game = read_one(text);
            assert_eq!(game.main_line().coordinates(), line, "{text}");
            assert!(game.comments().iter().any(|comment| !comment.is_empty()), "{text}");
            assert!(game.problems.is_empty(), "{:?}", game.problems);
        }
    }

    #[test]
    fn text_in_parentheses_is_a_comment() {
        for text in [
            "好 棋 呀",
            "此着，很好",
            "红方多2兵",
            "多1卒",
            "7路炮好",
            "得1炮胜定",
            "跳马，看住5路卒",
            "好\n棋",
            "red is better",
            "Better: a central cannon!",
            "đỏ hơn",
        ] {
            let game = read_one(&format!("1. 炮二平五 马8进7 ({text}) 2. 马二进三"));
            assert_eq!((game.plies(), game.comments()[1].as_str()), (3, text));
            assert!(game.problems.is_empty(), "{:?}", game.problems);
        }
        // A comment may precede a variation, and a result is no comment.
        let game =
            read_one("1. 炮二平五 马8进7 (好 棋 1... 炮8平5 (good)) 2. 马二进三 (Red wins.)");
        assert_eq!((game.plies(), game.result), (3, GameResult::RedWins));
        assert!(game.comments().iter().all(String::is_empty), "{:?}", game.comments());
        let first = game.moves.line(ROOT).next().unwrap();
        let alternative = game.moves.line(first).next().unwrap();
        let alternative = game.moves.next_sibling(alternative).unwrap();
        assert_eq!(game.moves[alternative].comment, "好 棋\ngood");
        // With a digit, a text may be a move.
        let game = read_one("1. 炮二平五 马8进7 (see game 2) 2. 马二进三");
        assert_eq!((game.plies(), game.problems.len()), (3, 1));
    }

    #[test]
    fn chinese_text_in_parentheses_is_kept_unchanged() {
        for text in [
            "好棋，《橘中秘》谱着。",
            "平炮叫杀，迫黑方上士。",
            "平帅占中",
            "进攻性停着，困杀黑方",
            "进兵",
            "变化不大",
            "如改走车9平8，则红胜。",
            "炮8平5列炮",
            "将军",
            "红胜。",
        ] {
            let game = read_one(&format!("1. 炮二平五 马8进7 ({text}) 2. 马二进三 车9平8 *"));
            assert_eq!((game.plies(), game.comments()[1].as_str()), (4, text));
            assert!(game.problems.is_empty(), "{:?}", game.problems);
        }
        for variation in
            ["炮8平5", "炮 8 平 5", "1... 炮8平5", "（中炮）炮8平5 马二进三", "或 炮8平5 马二进三"]
        {
            let game = read_one(&format!("1. 炮二平五 马8进7 ({variation}) 2. 马二进三"));
            let first = game.moves.line(ROOT).nth(1).unwrap();
            assert!(game.moves.next_sibling(first).is_some(), "{variation}");
        }
        // A move with an error is no text.
        let game = read_one("1. 炮二平五 马8进7 (炮8乎5) 2. 马二进三");
        assert_eq!(game.problems.len(), 1, "{:?}", game.problems);
    }

    #[test]
    fn moves_without_a_number_before_the_next_number_are_a_comment() {
        let before = "1. 炮二平五 马8进7\n2. 马二进三 车9平8\n3. 车一平二 马2进3";
        for remark in [
            "车二进六，卒7进1，车二平三，红先手。",
            "车二进六 也是一路变化。",
            "R2+6 is also good.",
            "R2+6 P7+1 R2=3 is also good.",
            "车二进六，卒7进1，车二平三。",
            "车二进六，卒7进1。\n红方先手。",
            "车二进六（好），红胜。",
        ] {
            let game = read_one(&format!("{before}\n{remark}\n4. 马八进九 卒3进1"));
            let line = "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 b0a2 c6c5";
            assert_eq!(game.main_line().coordinates(), line, "{remark}");
            assert_eq!(game.comments()[5], remark);
            assert!(game.problems.is_empty(), "{:?}", game.problems);
            assert_eq!(game.result, GameResult::Unfinished);
        }
        // A footnote, a page number or whole rounds without other text.
        for rest in [
            "马八进九① 卒3进1",
            "马八进九 卒3进1\n4\n车二进六",
            "马八进九 卒3进1\n4. 车二进六 车1进1",
        ] {
            let game = read_one(&format!("{before}\n{rest}"));
            let expected = "b9c7 b0a2 c6c5";
            assert!(game.main_line().coordinates().contains(expected), "{rest}");
            assert!(game.comments()[5].is_empty(), "{rest}");
        }
        let games = read(&format!("{before}\n马八进九，卒3进1\n第2局\n1. 炮二平五 马8进7"));
        let plies: Vec<_> = games.iter().map(|game| game.as_ref().unwrap().plies()).collect();
        assert_eq!(plies, [8, 2]);
        // The next number counts the round that has none.
        for rest in ["马八进九 卒3进1\n5. 车二进六", "马八进九 卒3进1\n车二进六", "马八进九"]
        {
            let game = read_one(&format!("{before}\n{rest}"));
            assert!(game.main_line().coordinates().contains("b9c7 b0a2"), "{rest}");
            assert!(game.problems.is_empty() && game.comments()[5].is_empty());
        }
        let text = "1. P2-5 M8.7\n2. M2.3 X9-8\n3. X1-2 M2.3\nX2.6 B7.1 thì Đỏ ưu.\n4. M8.9 B3.1";
        let game = read_one(text);
        assert_eq!((game.plies(), game.comments()[5].as_str()), (8, "X2.6 B7.1 thì Đỏ ưu."));
    }

    #[test]
    fn text_between_the_moves_of_a_round_is_a_comment() {
        for text in [
            "1. 炮二平五  好棋。  ........ 马8进7\n2. 马二进三 车9平8",
            "1. 炮二平五 献炮叫将 …… 马8进7\n2. 马二进三 车9平8",
            "1. 炮二平五\n进马逼卒前进一步\n…… 马8进7\n2. 马二进三 车9平8",
            "1. 炮二平五\n弃相升车\n马8进7\n2. 马二进三 车9平8",
            "1. C2=5 a good move ... H8+7\n2. H2+3 R9=8",
        ] {
            let game = read_one(text);
            assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9", "{text}");
            assert!(game.problems.is_empty() && !game.comments()[0].is_empty(), "{text}");
        }
        let text = "1. 炮二平五 如 炮8平5 …… 马8进7\n2. 马二进三 车9平8";
        check_error(text, "\"如\" cannot be read");
    }

    #[test]
    fn text_before_a_number_in_parentheses_is_a_comment() {
        for numbers in [["1)", "2)", "3)"], ["(1)", "(2)", "(3)"], ["1、", "2、", "3、"]] {
            let [first, second, third] = numbers;
            for remark in ["Đen kém phân.", "A bad move.", "黑方不好"] {
                let text =
                    format!("{first} P2-5 M8.7\n{second} M2.3 X9-8\n{remark}\n{third} X1-2 M2.3\n");
                let game = read_one(&text);
                assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7");
                assert_eq!(game.comments()[3], remark, "{text}");
            }
        }
    }

    #[test]
    fn many_numbers_in_a_row_are_a_comment() {
        let numbers = "9. ".repeat(60);
        let text = format!("1. 炮二平五 马8进7\n好着 {numbers}2. 马二进三");
        let game = read_one(&text);
        assert_eq!(game.plies(), 3);
        assert!(game.comments()[1].starts_with("好着 9. 9. "), "{:?}", game.comments());
    }

    #[test]
    fn text_after_an_ellipsis_is_a_comment() {
        for text in [
            "1. 炮二平五 ……\n当头炮。\n1. …… 马8进7\n2. 马二进三 车9平8",
            "1. C2=5 ...\nThe most common.\n1. ... H8+7 2. H2+3 R9=8",
        ] {
            let game = read_one(text);
            assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9");
            assert!(game.problems.is_empty(), "{:?}", game.problems);
            assert!(!game.comments()[0].is_empty());
        }
        assert!(read("1. 炮二平五 … X8进7 2. 马二进三")[0].is_err());
    }

    #[test]
    fn a_line_on_a_side_before_the_next_number_is_a_comment() {
        let rest = "2. 兵三进一 卒7进1";
        let game = read_one(&format!("1. 炮二平五 马8进7\n黑方：稳健\n\n{rest}"));
        assert_eq!((game.plies(), game.comments()[1].as_str()), (4, "黑方：稳健"));
        // These are the headings of another game.
        for headings in [
            "红方：甲\n黑方：乙\n1. 炮二平五",
            "黑方：乙\n炮二平五",
            "黑方：乙\n日期：2020\n2. 炮二平五",
        ] {
            let games = read(&format!("1. 炮二平五 马8进7\n{headings}"));
            assert_eq!(games.len(), 2, "{headings}");
        }
    }

    #[test]
    fn prose_may_contain_variations() {
        let rest = "2. 马二进三 车9平8\n3. 车一平二 卒7进1";
        for (prose, comment, variation) in [
            (
                "黑方如改走 (1... 炮8平5 2. 马二进三) 则成 顺炮。",
                "黑方如改走\n则成 顺炮。",
                "h7e7 h0g2",
            ),
            ("此着稳健(1.…炮8平5\n马二进三)", "此着稳健", "h7e7 h0g2"),
            (
                "if black plays (1... C8.5 {x}) then P7+1 is better (2. H8+7)",
                "if black plays\nthen P7+1 is better (2. H8+7)",
                "h7e7",
            ),
        ] {
            let game = read_one(&format!("1. 炮二平五 马8进7\n{prose}\n{rest}"));
            let line = "h2e2 h9g7 h0g2 i9h9 i0h0 g6g5";
            assert_eq!(game.main_line().coordinates(), line, "{prose}");
            assert_eq!(game.comments()[1], comment);
            let first = game.moves.line(ROOT).nth(1).unwrap();
            let alternative = game.moves.next_sibling(first).unwrap();
            let moves = std::iter::once(alternative).chain(game.moves.line(alternative));
            let moves = moves.map(|id| game.moves[id].played.unwrap().to_string());
            assert_eq!(moves.collect::<Vec<_>>().join(" "), variation, "{prose}");
        }
        // Red's number does not replace black's move.
        let game = read_one(&format!("1. 炮二平五 马8进7\n红方也可(1. 马二进三)\n{rest}"));
        assert_eq!(game.comments()[1], "红方也可(1. 马二进三)");
    }

    #[test]
    fn text_after_the_last_move_is_a_comment_unless_it_may_be_a_move() {
        for separator in [" ", "\n"] {
            let moves = format!("1. 炮二平五 马8进7 2. 马二进三{separator}");
            for text in ["将死", "绝杀", "双方平", "平稳", "和平", "车炮残局", "均势", "黑车无路"]
            {
                let game = read_one(&format!("{moves}{text}"));
                assert_eq!((game.plies(), game.comments()[2].as_str()), (3, text));
                assert!(game.problems.is_empty(), "{text}");
            }
            for word in ["车乎八", "车耳平八", "居9平八", "车九凭八", "前车近八", "平八步"]
            {
                check_error(&format!("{moves}{word}"), &format!("\"{word}\" cannot be read"));
            }
        }
    }

    #[test]
    fn text_is_an_error_where_numbers_do_not_continue_or_are_missing() {
        for (text, word) in [
            ("1. 炮二平五\n马8jin7\n2. 马二进三 车9平8", "马8jin7"),
            ("1. 炮二平五\n马捌进七 2. 马二进三", "马捌进七"),
            ("1. 炮二平五 马8进7\n马二jin三 车9平8\n3. 车一平二", "马二jin三"),
            ("1. 炮二平五 马8进7\n马二jin三", "马二jin三"),
            ("1. 炮二平五 若改走兵三进一则缓 马8进7 2. 马二进三", "若改走兵三进一则缓"),
            ("炮二平五 马8进7\n好着 马二进三\n车9平8", "好着"),
            ("1. 炮二平五 马8进7\n若改走炮8平5则成顺炮\n4. 马二进三", "若改走炮8平5则成顺炮"),
        ] {
            check_error(text, &format!("\"{word}\" cannot be read"));
        }
    }
}

//! Text files with one game or position per line: `FEN moves …`, `startpos moves …`, EPD, and URLs of cloud libraries.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::notation::epd::Epd;
use crate::notation::fen::{self, Strictness, begins_with_board};
use crate::notation::pgn::begins_with_move;
#[cfg(feature = "match")]
use crate::notation::pgn::first_number;
use crate::notation::raw::{RawGame, RecordError};
use crate::notation::tree::GameTree;
use crate::notation::{GameText, is_move_text, without_move_numbers};

/// Whether a text is in this format: at least one line begins with a position, and no line begins with `[`, as a tag
/// of a PGN does.
pub fn is_lines(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    lines.clone().any(begins_with_position) && !lines.any(|line| line.starts_with('['))
}

/// The name, and the rest, of a line `NAME|FEN` or `NAME|FEN|h2e2,h9g7`, as in the books of ChessQ.
fn after_name(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once('|')?;
    let is_name = !name.trim().is_empty() && !name.contains(['/', ';', '"']);
    (is_name && begins_with_board(rest)).then_some((name.trim(), rest))
}

/// A line without the number before its FEN: `12. FEN`, `12) "FEN"`, `第12题 FEN`. In lists of puzzles, `2#` before a
/// FEN means that the player holds a draw.
fn without_number(line: &str) -> &str {
    let digits = line.trim_start_matches('第');
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let fen =
        rest.trim_start_matches(|c: char| c.is_whitespace() || ".．、:：)）#题局".contains(c));
    let has_number = rest.len() < digits.len() && fen.len() < rest.len();
    if has_number && begins_with_board(fen.trim_start_matches('"')) { fen } else { line }
}

/// Whether a line is a comment of a list: `# …`, `// …` or `; …`.
pub fn is_comment(line: &str) -> bool {
    line.starts_with(['#', ';']) || line.starts_with("//")
}

fn begins_with_position(line: &str) -> bool {
    if after_name(line).is_some() {
        return true;
    }
    let line = without_number(line);
    let is_position = |word: &str| {
        let word = word.trim_start_matches('"');
        let is_url = || fen_of_url(word).is_some_and(has_board) || page_game(word).is_some();
        begins_with_board(word) || is_url() || word.eq_ignore_ascii_case("startpos")
    };
    // `position` and `fen` may also begin a sentence or a heading.
    let mut words = line.split_whitespace();
    let [first, second] = std::array::from_fn(|_| words.next().unwrap_or_default());
    let is_second = || is_position(second) || second.eq_ignore_ascii_case("fen");
    is_position(first) || GameText::is_start(first) && is_second()
}

/// Whether moves may follow a line in the next lines: it begins with a position and is not an EPD.
pub(super) fn may_have_moves_below(line: &str) -> bool {
    begins_with_position(line) && !line.contains(';')
}

/// Whether a line has only moves, with or without their numbers.
pub(super) fn is_line_of_moves(line: &str) -> bool {
    let line = without_move_numbers(line);
    let mut words = line.split_whitespace();
    words.next().is_some_and(is_move_text) && words.all(is_move_text)
}

/// Whether a text with positions is read as a text with moves and not line by line: the moves below a position have a
/// result, glyphs, comments or other text, or the position follows a line of text. Returns `false` if a position is not
/// plain (see [`is_plain_position`]).
pub fn has_annotated_moves(text: &str) -> bool {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !is_comment(line));
    let (mut is_after_text, mut is_in_game, mut is_annotated) = (false, false, false);
    for line in lines {
        if begins_with_position(line) {
            if !is_plain_position(line) {
                return false;
            }
            is_in_game = true;
        } else if is_in_game && is_line_of_moves(line) {
            is_annotated |= is_after_text;
        } else if is_in_game && begins_like_moves(line) {
            is_annotated = true;
        } else {
            (is_after_text, is_in_game) = (!is_in_game, false);
        }
    }
    is_annotated
}

/// Whether a line with a position is neither an EPD nor a web address, and has no name or quotation mark before the
/// position.
fn is_plain_position(line: &str) -> bool {
    let is_start = |word: &str| begins_with_board(word) || word.eq_ignore_ascii_case("startpos");
    // `position fen` may precede the position.
    let mut words = without_number(line).split_whitespace().take(3);
    may_have_moves_below(line) && words.any(is_start)
}

/// Whether a line begins with a move, with or without a number.
fn begins_like_moves(line: &str) -> bool {
    let text = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = if text.starts_with(' ') { text } else { line };
    let joined: String = text.split_whitespace().collect();
    let first = text.split_whitespace().next().unwrap_or_default();
    begins_with_move(first) || begins_with_move(&joined)
}

/// Whether a text in this format has a line of moves directly after a line with a position.
pub fn has_moves_below(text: &str) -> bool {
    let lines = text.lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty() && !is_comment(line));
    let mut last = "";
    lines.any(|line| {
        let before = std::mem::replace(&mut last, line);
        may_have_moves_below(before) && is_line_of_moves(line)
    })
}

/// A line without a comment at its end, after ` #` or ` //`.
fn before_comment(line: &str) -> &str {
    let marks = [" #", " //", "\t#", "\t//"].iter().filter_map(|mark| line.find(mark));
    &line[..marks.min().unwrap_or(line.len())]
}

/// A line of a list of openings without a comment at its end, after `;`, ` #` or ` //`.
#[cfg(feature = "match")]
pub fn without_end_comment(line: &str) -> &str {
    before_comment(line.split(';').next().unwrap_or_default())
}

/// Whether a text is a list of openings, with one per line: at least one line begins with a position or a move, no line
/// begins with `[` or `<`, as in other formats, and no line of moves continues a game, as `2. h0g2 i9h9` does.
#[cfg(feature = "match")]
pub fn is_opening_list(text: &str) -> bool {
    let mut has_opening = false;
    for line in text.lines().map(str::trim).filter(|line| !is_comment(line)) {
        let line = without_end_comment(line);
        let first = line.split_whitespace().next().unwrap_or_default();
        let is_board = first.contains('/') && !first.contains([':', '|', '"']);
        let is_position = is_board || GameText::is_start(first);
        let continues = || first_number(line).is_some_and(|number| number > 1);
        if line.starts_with(['[', '<']) || !is_position && continues() {
            return false;
        }
        has_opening |= is_position || begins_like_moves(line);
    }
    has_opening
}

/// The content of a line.
#[derive(Clone, Debug)]
pub enum LineContent {
    /// A position, with or without moves.
    Game(GameTree),
    /// A position with operations.
    Epd(Epd),
}

impl From<LineContent> for GameTree {
    /// An EPD becomes a game with the moves of its operation `moves`. Its name becomes the tag `Event`.
    fn from(content: LineContent) -> Self {
        match content {
            LineContent::Game(game) => game,
            LineContent::Epd(epd) => {
                let event = epd.id().map(|id| ("Event".to_owned(), id.to_owned()));
                let operations = epd.operations_text();
                let mut game = Self::from(*epd.line);
                game.operations = operations;
                game.tags.extend(event);
                game
            }
        }
    }
}

/// Removes the quotes around the text of a line that begins with `"`, and the comma or comment after them. Other lines
/// are unchanged.
fn without_quotes(line: &str) -> &str {
    let Some(quoted) = line.strip_prefix('"') else {
        return line;
    };
    let is_end = |rest: &str| is_comment(rest.trim_start_matches([',', ' ', '\t']));
    match quoted.split_once('"') {
        Some((text, rest)) if is_end(rest) => text,
        _ => quoted.trim_end_matches([',', '"']),
    }
}

/// A line without the quotes around a position, the number before a FEN, and a comment after ` #` or ` //`.
pub(super) fn without_marks(line: &str) -> &str {
    let line = without_number(without_quotes(without_number(line)));
    // Only before the first `;` or `"`: the texts of an EPD may contain these signs.
    let text = &line[..line.find([';', '"']).unwrap_or(line.len())];
    let content = before_comment(text);
    if content.len() < text.len() { content.trim_end() } else { line.trim_end() }
}

/// A line without a label before its FEN, as in `局面：FEN`, `fen=FEN` and the tag `[FEN "…"]`, and without the quotes
/// after a label.
fn without_label(line: &str) -> Cow<'_, str> {
    let label = line.trim_start_matches('[');
    let rest = label.trim_start_matches(char::is_alphanumeric);
    let fen = rest.trim_start_matches(|c: char| c.is_whitespace() || ":：=\"“".contains(c));
    let mark = rest[..rest.len() - fen.len()].trim();
    if rest.len() == label.len() || mark.is_empty() || !begins_with_board(fen) {
        return Cow::Borrowed(line);
    }
    match fen.split_once(['"', '”']) {
        Some((fen, rest)) if mark.ends_with(['"', '“']) => {
            Cow::Owned(format!("{fen} {}", rest.trim_start_matches(']')))
        }
        _ => Cow::Borrowed(fen),
    }
}

/// The position of a line with the six fields of a FEN and a name. A name contains no move, no `moves`, and no ASCII
/// word with both letters and digits, which may be a mistyped move.
fn named_position(text: &str) -> Option<Epd> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (fields, name) = words.split_at_checked(6)?;
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let may_be_move = |word: &&str| {
        let has = |is_kind: fn(&u8) -> bool| word.bytes().any(|b| is_kind(&b));
        let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
        is_mixed && word.is_ascii() || is_move_text(word) || *word == "moves"
    };
    let has_fen = fen::length(fields) == 6 && is_number(fields[4]) && is_number(fields[5]);
    if !has_fen || name.iter().any(may_be_move) {
        return None;
    }
    let mut epd = Epd::new(fen::parse_position(&fields.join(" ")).ok()?);
    epd.operations.push(("id".to_owned(), vec![name.join(" ")]));
    Some(epd)
}

/// Reads a line. An illegal move and those after it are left out, and the error is added to the problems of the game.
///
/// # Errors
/// The position is invalid, the first move cannot be read or is illegal in the starting position of the standard game,
/// or the game is too long. Or the line is an EPD with other operations before `moves`, and one of its moves cannot be
/// played.
pub fn read_line(text: &str) -> Result<LineContent, RecordError> {
    let text = &*without_label(without_marks(text));
    if let Some((name, rest)) = after_name(text) {
        let (board, moves) = rest.split_once('|').unwrap_or((rest, ""));
        let line = format!("{board} {}", moves.replace([',', '|'], " "));
        let mut game = GameTree::from(read_line(line.trim_end())?);
        game.set_tag("Event", name);
        return Ok(LineContent::Game(game));
    }
    // Only with operations: in `startpos x`, the `x` is a mistyped move, but after a FEN it would be one of its fields.
    let text = &if text.contains(';') { with_fen(text) } else { Cow::Borrowed(text) };
    // The name after a FEN may have the marks of a URL, such as `?`.
    let first = text.split_whitespace().next().unwrap_or_default();
    let may_be_url = !begins_with_board(first) || first.contains('_');
    if may_be_url && let Some(game) = url_game(text) {
        return Ok(LineContent::Game(RawGame::from_text(game?)?.resolve()?));
    }
    let epd = |text: &str| text.parse().map(LineContent::Epd);
    if Epd::has_late_moves(text) {
        return epd(text).map_err(RecordError::new);
    }
    let (head, operations) = text.split_once(';').unwrap_or((text, ""));
    let game = GameText::split(&without_move_numbers(head));
    let has_moves = !game.moves.is_empty();
    let with_moves = format!("{} moves {};{operations}", game.fen, game.moves.join(" "));
    match RawGame::from_text(game).and_then(RawGame::resolve) {
        Ok(game) if operations.trim().is_empty() => Ok(LineContent::Game(game)),
        Ok(game) => {
            let read = epd(if has_moves { &with_moves } else { text });
            read.or_else(|_| Ok(LineContent::Game(named(game, operations))))
        }
        Err(_) if Epd::is_form_of(text) => epd(text).map_err(RecordError::new),
        Err(error) => named_position(text).map(LineContent::Epd).ok_or(error),
    }
}

/// A line with the FEN in place of `startpos`, and without `position` and `fen` before it.
fn with_fen(line: &str) -> Cow<'_, str> {
    let is_end = |c: char| c.is_whitespace() || c == ';';
    let mut line = line;
    loop {
        let word = line.split(is_end).next().unwrap_or_default();
        let rest = &line[word.len()..];
        if word.eq_ignore_ascii_case("startpos") {
            return Cow::Owned(fen::START.to_owned() + rest);
        }
        if !GameText::is_start(word) {
            return Cow::Borrowed(line);
        }
        line = rest.trim_start();
    }
}

/// Gives a game the name in these operations of an EPD that cannot be read because of one of its moves.
fn named(mut game: GameTree, operations: &str) -> GameTree {
    let epd = format!("{};{operations}", fen::START).parse::<Epd>();
    if let Some(name) = epd.as_ref().ok().and_then(Epd::id) {
        game.set_tag("Event", name);
    }
    game
}

/// A part of a URL without percent encoding, and with blanks in place of `_` and `+`.
fn decoded(part: &str) -> String {
    let part = part.replace(['_', '+'], " ");
    let bytes: Vec<u8> = percent_decode_str(&part).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a part of a URL begins with the board of a FEN.
fn has_board(part: &str) -> bool {
    begins_with_board(&decoded(part))
}

fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// The part of a URL that begins with a FEN: the text after `#`, `board=`, `fen=`, `?` or another `=`, or the last ten
/// parts of the path. If none begins with a board, the text after `board=`, else `fen=`, else `?`, before any `#` is
/// returned, so that the caller can report it.
fn fen_of_url(url: &str) -> Option<&str> {
    let (address, fragment) = match url.split_once('#') {
        Some((address, fragment)) if is_address(url) => (address, fragment),
        _ => (url, ""),
    };
    let marked = |text| {
        let after_mark = move |mark| str::rsplit_once(text, mark).map(|(_, fen)| fen);
        ["board=", "fen=", "?"].into_iter().filter_map(after_mark)
    };
    let path = || {
        let path = address.split('?').next()?;
        let (index, _) = path.rmatch_indices('/').nth(9).filter(|_| is_address(url))?;
        let path = &path[index + 1..];
        fen::parse_setup(&decoded(path), Strictness::Lenient).is_ok().then_some(path)
    };
    let values = url.split(['=', '&']).skip(1).filter(|_| is_address(url));
    let fragments = [fragment, fragment.trim_start_matches('/')];
    let marked_parts = marked(fragment).chain(marked(address));
    let mut candidates = fragments.into_iter().chain(marked_parts).chain(values);
    let fen = candidates.find(|fen| has_board(fen)).or_else(path);
    fen.or_else(|| marked(address).next())?.split('&').next()
}

/// The FEN and the moves of a URL of the page, whose fragment has `~` after the FEN. The URL omits the FEN of the
/// starting position.
fn page_game(url: &str) -> Option<(String, String)> {
    let (_, fragment) = url.split_once('#').filter(|_| is_address(url))?;
    // Some programs encode these characters.
    let encoded = [("%7E", "~"), ("%7e", "~"), ("%28", "("), ("%29", ")")];
    let fragment =
        encoded.iter().fold(fragment.to_owned(), |text, (code, c)| text.replace(code, c));
    let (fen, moves) = fragment.split_once('~')?;
    if fen.is_empty() {
        return Some((fen::START.to_owned(), page_moves(moves)));
    }
    has_board(fen).then(|| (decoded(fen), page_moves(moves)))
}

/// The moves of the main line in the text of a game of the page, without its FEN. `src/page/game.js` describes the
/// text.
fn page_moves(text: &str) -> String {
    let without_tags = text.split('@').next().unwrap_or_default();
    let without_comments = without_tags.split(':').step_by(2);
    let (mut moves, mut depth, mut is_glyph) = (String::new(), 0_u32, false);
    for letter in without_comments.flat_map(str::chars) {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            // A glyph or the expected points.
            '$' | '!' => is_glyph = true,
            _ if depth > 0 || is_glyph && !letter.is_alphabetic() => {}
            _ => {
                is_glyph = false;
                if moves.len() % 5 == 4 {
                    moves.push(' ');
                }
                moves.push(letter);
            }
        }
    }
    moves
}

/// The position and moves of a URL such as `https://host/query/?FEN_w_moves_h2e2`, `…&board=FEN%20w`, `…?fen=FEN`,
/// `…/FEN_w` or, from the page, `…/#FEN_w~h2e2@1`, or of a FEN with `_` in place of blanks; `None` if the text is
/// something else.
pub fn url_game(text: &str) -> Option<Result<GameText, RecordError>> {
    if !is_address(text) && text.split_whitespace().count() > 1 {
        return None;
    }
    let (fen, moves) = match page_game(text) {
        Some(game) => game,
        None => {
            let part = fen_of_url(text).or_else(|| text.contains('_').then_some(text))?;
            let part = decoded(part);
            let (fen, moves) = part.split_once(" moves ").unwrap_or((&part, ""));
            (fen.to_owned(), moves.to_owned())
        }
    };
    let game = fen::parse_setup(&fen, Strictness::Lenient).map(|lenient| {
        // Only the strict parser reads the counters.
        let setup = fen::parse_setup(&fen, Strictness::Strict).unwrap_or(lenient);
        GameText::split(&format!("{} moves {moves}", fen::write_setup(&setup)))
    });
    Some(game.map_err(RecordError::new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::notation::tree::GameResult;

    #[test]
    fn lines_are_recognized() {
        let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
        for text in [
            "startpos moves h2e2",
            "# a\n\nposition fen x",
            "invalid\nstartpos",
            &format!("{board} w"),
            &format!("https://www.chessdb.cn/query/?{board}_w"),
            &format!("12. {board} w"),
            &format!("第3题\t{board} w"),
        ] {
            assert!(is_lines(text), "{text}");
        }
        for text in [
            "[Red \"a\"]\n\nstartpos",
            " 1. h2e2",
            "炮二平五",
            "",
            "#",
            "怎么走?~\n1. 炮二平五",
            "https://h/a/b/c/d/e/f/g/h/i/j\n1. 炮二平五",
            "https://h/x#a~b\n1. 炮二平五",
            "Position after four plies\n1. h2e2",
            &format!("FEN ：{board} w\n1. h2e2"),
            &format!("FEN：{board} w\n1. h2e2"),
            &format!("局面 {board} w\n1. h2e2"),
        ] {
            assert!(!is_lines(text), "{text}");
        }
    }

    fn game(text: &str) -> Result<GameTree, RecordError> {
        read_line(text).map(GameTree::from)
    }

    #[test]
    fn moves_after_an_illegal_one_are_left_out() {
        let cut = game("startpos moves h2e2 h9g7 h2e2 i9h9").unwrap();
        assert_eq!((cut.plies(), cut.problems.len()), (2, 1));
        for text in [
            "startpos moves h3e3 h10g8",
            "startpos P2-5 M8.7",
            &format!("{} h2e2 h9g7", fen::START),
        ] {
            assert_eq!(game(text).unwrap().plies(), 2, "{text}");
        }
        // If the first move is illegal, only a position other than the starting position is kept.
        let ending = "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/2BAKR3 w";
        let cut = game(&format!("{ending} a0a1 e9d9")).unwrap();
        assert_eq!((cut.plies(), cut.problems.len()), (0, 1));
        assert!(cut.main_line_problem().unwrap().contains("a0a1"));
        for text in [&format!("{ending} something"), &format!("{} a0a9", fen::START)] {
            assert!(game(text).is_err(), "{text}");
        }
    }

    #[test]
    fn operations_are_not_moves() {
        let board = fen::START;
        for (text, event) in [
            (r#"id "two moves to mate"; bm h2e2;"#, "two moves to mate"),
            ("bm h2e2", ""),
            ("dm 2", ""),
            ("; 01.对面笑 (一)|x", "01.对面笑 (一)"),
        ] {
            let content = read_line(&format!("{board} {text}")).unwrap();
            assert!(matches!(content, LineContent::Epd(_)), "{text}");
            let game = GameTree::from(content);
            assert_eq!(game.tag("Event").unwrap_or_default(), event);
        }
        let (short, _) = board.split_once(" - ").unwrap();
        let named = GameTree::from(read_line(&format!("{short};马擒士")).unwrap());
        assert_eq!(named.tag("Event"), Some("马擒士"));
        // The operations may be in any order, and the last may lack its `;`.
        for text in [
            "moves h2e2 h9g7; bm h0g2; id \"q\";",
            "bm h0g2; id \"q\"; moves h2e2 h9g7",
            "bm h0g2; moves h2e2 h9g7; id \"q\"",
        ] {
            let moved = read_line(&format!("{board} {text}")).unwrap();
            let LineContent::Epd(epd) = &moved else {
                panic!("{moved:?}");
            };
            assert_eq!((epd.best_moves.len(), epd.id()), (1, Some("q")), "{text}");
        }
        for text in ["h2e9", "note h2e2", "h2e", "moves 题"] {
            assert!(read_line(&format!("{board} {text}")).is_err(), "{text}");
        }
    }

    #[test]
    fn moves_before_operations_are_kept() {
        let board = fen::START;
        for start in [board, "startpos", &format!("fen {board}"), "position startpos"] {
            for (text, plies, event) in [
                ("moves h2e2 h9g7; 说明", 2, "说明"),
                ("moves h2e2 h9g7;", 2, ""),
                ("moves h2e2 h9g7 ; bm h0g2; id \"q\";", 2, "q"),
                ("moves h3e3 h10g8; 说明", 2, "说明"),
                ("moves h3e3; 说明", 1, "说明"),
                ("moves P2-5 M8.7; 说明", 2, "说明"),
                ("moves h2e2 h9g7 h2e2; 说明", 2, "说明"),
                ("h2e2 h9g7; 说明", 2, "说明"),
                ("1. h2e2 h9g7 2. h0g2; 说明", 3, "说明"),
                ("bm h2e2; moves h2e2 h9g7;", 2, ""),
                ("; 说明", 0, "说明"),
                ("moves h2e2; 第_1?", 1, "第_1?"),
                ("; 怎么走?", 0, "怎么走?"),
                ("bm h2e2; id \"q\";", 0, "q"),
            ] {
                let game = game(&format!("{start} {text}")).expect(text);
                assert_eq!(game.start, Position::startpos(), "{start} {text}");
                let name = game.tag("Event").unwrap_or_default();
                assert_eq!((game.plies(), name), (plies, event), "{start} {text}");
            }
        }
        assert!(read_line(&("fen ".repeat(1_000_000) + ";")).is_err());
        let error = read_line("startpos moves h2e9; bm h9g7;").unwrap_err().to_string();
        assert!(error.contains("h2e9"), "{error}");
    }

    #[test]
    fn annotated_moves_below_positions_are_recognized() {
        let fen = "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1";
        for moves in [
            "1. 车九进一 将4进1\n2. 车九进一 1-0",
            "1. 车九进一！ 将4进1",
            "1. R9+1 K4+1 *",
            "车九进一 将4进1 红胜",
            "1. 车九进一 {好} 将4进1",
            "1 R9+1 K4+1",
            "1. R9+1红胜",
        ] {
            assert!(
                is_lines(&format!("{fen}\n{moves}"))
                    && has_annotated_moves(&format!("{fen}\n{moves}")),
                "{moves}"
            );
        }
        assert!(has_annotated_moves(&format!("马擒士\n{fen}\n1. R9+1 K4+1")));
        for text in [
            format!("{fen}\n1. R9+1 K4+1\n2. R9+1\n{fen}"),
            format!("{fen}\n{fen} bm a1a2; id \"x\";\nstartpos moves h2e2\n{fen} 马擒士"),
            format!("{fen}\ninvalid\n{fen}\n# 1. R9+1 1-0"),
            format!("{fen}\n1. R9+1 1-0\n{fen} bm a1a2;"),
            format!("{fen}\n1. R9+1 1-0\n\"{fen}\""),
            format!("{fen}\n1. R9+1 1-0\nx|{fen}"),
            format!("{fen}\n1. R9+1 1-0\nhttps://a.b/?{}", fen.replace(' ', "%20")),
        ] {
            assert!(!has_annotated_moves(&text), "{text}");
        }
    }

    #[test]
    fn lists_of_puzzles_are_read() {
        let board = fen::START;
        for (line, name) in [
            (format!("2#{board}"), ""),
            (format!("{board} 第1局 车马  1"), "第1局 车马 1"),
            (format!("2#{board} 由中应外"), "由中应外"),
            (format!("{board} # note h2e2"), ""),
            (format!("{board} id \"a # b\"; // c"), "a # b"),
            (format!("{board}\t// c2.5"), ""),
            (format!("\"{board}\""), ""),
            (format!("\"{board}\","), ""),
            (format!("12. \"{board}\""), ""),
            (format!("\"{board}\" // c"), ""),
            (format!("第3题 \"{board}\", # c"), ""),
            (format!("兵的杀法|{board}"), "兵的杀法"),
            (format!("a b_1|{board}|"), "a b_1"),
        ] {
            assert!(is_lines(&line), "{line}");
            let game = game(&line).expect(&line);
            assert_eq!(game.start, Position::startpos());
            assert_eq!(game.tag("Event").unwrap_or_default(), name, "{line}");
        }
        let game = game("由中应外|3ak4/4a4/4b4/9/9/9/9/4B4/4A4/2BAKR3 w|f0f4,e7g5").unwrap();
        assert_eq!((game.plies(), game.tag("Event")), (2, Some("由中应外")));
    }

    #[test]
    fn labels_before_positions_are_removed() {
        let fen = "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/2BAKR3 w - - 0 1";
        for text in [
            &format!("[FEN \"{fen}\"]"),
            &format!("[FEN \"{fen}\"] 1. f0f4 e7g5 *"),
            &format!("FEN \"{fen}\""),
            &format!("FEN “{fen}”"),
            &format!("局面1：{fen}"),
            &format!("Fen: {fen} f0f4, e7g5"),
            &format!("fen={fen} bm f0f4; id \"x: y\";"),
        ] {
            let game = game(text).expect(text);
            assert_eq!(game.start.to_string(), fen, "{text}");
            assert_eq!(game.plies(), if text.contains("e7g5") { 2 } else { 0 }, "{text}");
            assert!(game.problems.is_empty(), "{text}");
            assert_eq!(game.tag("Event"), text.contains("x: y").then_some("x: y"), "{text}");
        }
        for text in [&format!("局面 {fen}"), &format!("局：面：{fen}"), &format!("：{fen}")]
        {
            assert!(read_line(text).is_err(), "{text}");
        }
    }

    #[test]
    fn results_end_the_moves() {
        for (text, plies, result) in [
            ("h2e2 h9g7 *", 2, GameResult::Unfinished),
            ("1. 炮二平五，马8进7。 1-0", 2, GameResult::RedWins),
            ("moves h2e2 红胜", 1, GameResult::RedWins),
        ] {
            let game = game(&format!("startpos {text}")).expect(text);
            assert_eq!((game.plies(), game.result), (plies, result), "{text}");
            assert!(game.problems.is_empty(), "{text}");
        }
        // The name of a position.
        let named = game(&format!("{} 红胜", fen::START)).unwrap();
        assert_eq!((named.tag("Event"), named.result), (Some("红胜"), GameResult::Unfinished));
    }

    #[test]
    fn urls_are_read() {
        let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
        for text in [
            format!("{board}_w"),
            format!("https://www.chessdb.cn/query/?{board}_w"),
            format!("http://h/chessdb.php?action=queryall&board={board}%20w&json=1"),
            format!("https://h/analysis/xiangqi?fen={board}_w_-_-_0_1"),
            format!("https://h/?fen={board}+w&x=1"),
            format!("https://h/?fen={}%20w&x=1#y", board.replace('/', "%2F")),
            format!("https://h/?{board}_w&x=1"),
            format!("https://h/editor/xiangqi/{board}_w_-_-_0_1"),
            format!("http://127.0.0.1:1/x/#{board}_w~"),
            "http://127.0.0.1:1/x/#~@0;Red=a%3Ab".to_owned(),
            format!("https://h/editor/{board}_w?x=1"),
            format!("https://h/#fen={board}_w"),
            format!("https://h/#/analysis?fen={board}_w&x=1"),
            format!("https://h/app?y=2#?board={board}%20w"),
            format!("https://h/#?{board}_w"),
            format!("https://h/?FEN={board}%20w&x=1"),
            format!("https://h/?x=1&position={board}_w"),
            format!("https://h/#/{board}_w"),
            format!("position fen {board} w"),
        ] {
            let game = game(&text).unwrap();
            assert_eq!(game.start, Position::startpos(), "{text}");
        }
        for text in [
            format!("{board}_w_-_-_118_60"),
            format!("https://h/analysis/xiangqi?fen={board}_w_-_-_118_60"),
            format!("http://127.0.0.1:1/#{board}_w_-_-_118_60~h2e2@1"),
        ] {
            let start = game(&text).unwrap().start.to_string();
            assert!(start.ends_with(" w - - 118 60"), "{text}: {start}");
        }
        for text in [
            format!("{board}_w_moves_h2e2_h9g7"),
            format!("https://www.chessdb.cn/query/?{board}_w_moves_h2e2_h9g7"),
            format!("http://h/chessdb.php?board={board}%20w%20moves%20h2e2%20h9g7&json=1"),
            format!("https://www.chessdb.cn/query/?{board} w moves h2e2 h9g7"),
            format!("http://h/#{board}_w~:a%28b:h2e2$2!53.2:b:(b2e2$4h9g7(b9c7))h9g7$1@3;Red=a"),
            format!("http://h/#{board}_w%7Eh2e2%28b2e2%29h9g7@2"),
        ] {
            assert_eq!(game(&text).unwrap().plies(), 2, "{text}");
        }
        assert!(read_line(&format!("{board}_w_moves_h2e9")).is_err());
        assert!(read_line(&format!("{board}_")).is_err());
        assert!(read_line("http://h/?x").is_err());
    }
}

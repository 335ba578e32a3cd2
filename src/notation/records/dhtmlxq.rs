//! DhtmlXQ, the text format of 东萍象棋 for web pages and forums: `[DhtmlXQ_movelist]77477062…[/DhtmlXQ_movelist]`.
//!
//! A move is four digits, file and rank of both squares; ranks are counted from black's side. `move_0_3_1` is
//! variation 1, which replaces the moves of line 0, the main line, from ply 3 on. `comment5` is the comment after ply 5
//! of the main line, `comment0` that on the game, and `comment1_7` that after ply 7 of variation 1.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use super::dhtmlxq_fields::{Fields, fields, is_numbered, read_moves, read_squares};
use super::markup::{escaped, percent_decoded, unescaped, without_json_escapes};
use super::{fen_position, piece_position, piece_squares, plain_comment};
use crate::board::{Color, Move, Position, Square};
use crate::movegen::is_legal;
use crate::notation::fen;
use crate::notation::raw::{MAX_MOVES, RawGame, RawMove, RecordError};
use crate::notation::tree::{AnnotatedMove, GameResult, GameTree, NodeId, ROOT};

/// The tags with the names of their fields.
const TAGS: [(&str, &str); 17] = [
    ("Title", "title"),
    ("Event", "event"),
    ("Site", "place"),
    ("Date", "date"),
    ("Round", "round"),
    ("Red", "red"),
    ("Black", "black"),
    ("TimeControl", "timerule"),
    ("RedTeam", "redteam"),
    ("RedElo", "redrating"),
    ("RedTime", "redtime"),
    ("BlackTeam", "blackteam"),
    ("BlackElo", "blackrating"),
    ("BlackTime", "blacktime"),
    ("Opening", "open"),
    ("Annotator", "remark"),
    ("Author", "author"),
];

/// The fields with the moves of the main line and the starting position.
const MAIN_FIELDS: [&str; 3] = ["movelist", "binit", "fen"];

/// Other fields become tags whose names begin with this.
const OTHER: &str = "Dhtml_";

/// The beginnings of the names of fields that do not become tags. The numbers are fields of DHJHtmlXQ.
const NO_TAGS: [&str; 12] = [
    "ver", "init", "pver", "viewurl", "binit", "fen", "move", "comment", "result", "length", "32",
    "33",
];

/// The names with which the tags of a record may begin, in lower case.
const NAMES: [&str; 2] = ["dhtmlxq", "dhjhtmlxq"];

/// The forms of the bracket before a tag: in a plain text, in HTML and in a URL.
const BRACKETS: [&str; 6] = ["[", "&#91;", "&#x5b;", "&lsqb;", "&lbrack;", "%5b"];

/// The length in bytes of the longest word that follows `DhtmlXQ` in a tag that begins a record: `iFrame`.
const MAX_SUFFIX: usize = 6;

/// Whether a text contains a record in DhtmlXQ with a list of moves, the squares of the pieces (`binit`) or a FEN,
/// plain or in HTML, JSON or a URL.
pub fn is_dhtmlxq(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    // Field 34 of DHJHtmlXQ and the field `0_1_0` are lists of moves.
    let mut fields = "htmlxq_movelist htmlxq_binit htmlxq_fen htmlxq_34 0_1_0".split(' ');
    fields.any(|field| lower.contains(field)) && has_tag(&lower, &BRACKETS)
}

/// Whether a text in lower case has the beginning of a tag after one of these brackets.
fn has_tag(lower: &str, brackets: &[&str]) -> bool {
    let tags = |bracket: &&str| NAMES.map(|name| format!("{bracket}{name}"));
    let mut tags = brackets.iter().flat_map(tags);
    tags.any(|tag| lower.contains(&tag))
}

/// A text with plain tags, `[DhtmlXQ_…]`, in place of escaped tags and of tags with a different spelling. This includes
/// the tags around lists of moves in the scripts of web pages, such as `[0_1_0]`, and `[game_comment_0_1]` with its
/// closing tag `[/comment_0_1]`.
pub fn plain_dhtmlxq(text: &str) -> String {
    let text = percent_decoded(text, "%5bd");
    let lower = text.to_ascii_lowercase();
    let text =
        if has_tag(&lower, &["[\\/"]) { Cow::Owned(without_json_escapes(&text)) } else { text };
    let text = if has_tag(&lower, &BRACKETS[1..5]) {
        Cow::Owned(unescaped(&text).into_owned())
    } else {
        text
    };
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split('[');
    plain += parts.next().unwrap_or_default();
    for part in parts {
        plain.push('[');
        let (slash, rest) = match part.strip_prefix('/') {
            Some(rest) => ("/", rest),
            None => ("", part),
        };
        plain += slash;
        plain += plain_tag(rest).as_deref().unwrap_or(rest);
    }
    plain
}

/// The text after `[` or `[/` with the usual name of its tag; `None` if it does not begin with the name of a tag.
fn plain_tag(text: &str) -> Option<String> {
    let name = &text[..text.find(']')?];
    let rest = &text[name.len()..];
    let numbers = name.split('_').filter(|number| number.parse::<u32>().is_ok());
    if numbers.count() == 3 && name.matches('_').count() == 2 {
        let field = match name {
            "0_1_0" => "movelist".to_owned(),
            variation => format!("move_{variation}"),
        };
        return Some(format!("DhtmlXQ_{field}{rest}"));
    }
    let comment = name.strip_prefix("game_").unwrap_or(name).strip_prefix("comment_0_");
    if let Some(ply) = comment.filter(|ply| ply.parse::<u32>().is_ok()) {
        return Some(format!("DhtmlXQ_comment{ply}{rest}"));
    }
    let lower = name.to_ascii_lowercase();
    let field = NAMES.iter().find_map(|known| lower.strip_prefix(known))?;
    let as_written = &name[name.len() - field.len()..];
    let is_usual = ["DhtmlXQ", "DHJHtmlXQ"].contains(&&name[..name.len() - field.len()]);
    let field = if is_usual { as_written } else { field };
    Some(format!("DhtmlXQ{field}{rest}"))
}

/// Whether a text is only a list of at least two moves, with four digits for each move. The first move must be legal
/// in the starting position, because other digits may be a date or a telephone number.
pub fn is_move_list(text: &str) -> bool {
    let text = text.trim();
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let has_length = text.len() >= 8 && text.len().is_multiple_of(4);
    is_digits && has_length && standard_start(&read_moves(&text[..4])).is_some()
}

/// The starting position with the side that plays the first move to move; `None` if this move is illegal.
fn standard_start(moves: &[Option<(Square, Square)>]) -> Option<Position> {
    let (from, to) = moves.first().copied().flatten()?;
    let start = fen_position("", Some(from)).ok()?;
    is_legal(&start, Move::new(from, to)).then_some(start)
}

/// Splits a text into its records, each of which begins with `[DhtmlXQ]`, `[DhtmlXQiFrame]` or `[DhtmlXQHTML]`, or with
/// several of these tags, such as `[DhtmlXQiFrame][DhtmlXQ]`. A text without these tags is one record.
pub fn split_dhtmlxq(text: &str) -> Vec<&str> {
    let tags = text.match_indices("[DhtmlXQ").filter_map(|(at, tag)| {
        let rest = &text[at + tag.len()..];
        let length = rest.bytes().take(MAX_SUFFIX + 1).position(|byte| byte == b']')?;
        let suffix = rest[..length].to_ascii_lowercase();
        let begins_record = ["", "iframe", "html"].contains(&suffix.as_str());
        begins_record.then(|| at..at + tag.len() + length + 1)
    });
    let tags: Vec<Range<usize>> = tags.collect();
    let ends = tags.iter().skip(1).map(|tag| tag.start).chain([text.len()]);
    let parts = tags.iter().zip(ends).map(|(tag, end)| &text[tag.end..end]);
    let parts: Vec<&str> = parts.filter(|part| !part.trim().is_empty()).collect();
    if parts.is_empty() { vec![text] } else { parts }
}

/// The text outside of the tags of records and the values of their fields.
pub fn outside_dhtmlxq(text: &str) -> String {
    let mut outside = String::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once("[DhtmlXQ") {
        outside += before;
        outside.push('\n');
        // A field ends after its closing tag, another tag at its bracket.
        let closing = if tag.starts_with('_') { tag.find("[/DhtmlXQ_") } else { Some(0) };
        let after = closing.and_then(|closing| tag[closing..].split_once(']'));
        rest = after.map_or("", |(_, after)| after);
    }
    (outside + rest).replace("[/DhtmlXQ]", "\n")
}

/// Reads a record.
///
/// # Errors
/// There is neither a list of moves nor a starting position, the starting position or the first move is invalid, or
/// the game is too long.
pub fn read_dhtmlxq(text: &str) -> Result<GameTree, RecordError> {
    let (fields, unclosed) = fields(text);
    let field = |name: &str| fields.get(name).map_or("", |value| value.trim());
    let is_given = |name: &&str| fields.contains_key(*name);
    if !MAIN_FIELDS.iter().any(is_given) {
        return Err(RecordError::new("there is no DhtmlXQ_movelist"));
    }
    let mut game = RawGame::default();
    for name in unclosed {
        // The name may be cut off.
        let is_main = MAIN_FIELDS.iter().any(|field| field.starts_with(name));
        game.add_problem(format!("the field {name} is not closed"), is_main);
    }
    let moves = read_moves(field("movelist"));
    let first_from = moves.first().and_then(|m| m.map(|(from, _)| from));
    game.start = match (field("fen"), field("binit")) {
        ("", squares) if !squares.is_empty() => {
            piece_position(&read_squares(squares, &moves)?, first_from, Color::Red)?
        }
        ("", _) => standard_start(&moves).unwrap_or_else(Position::startpos),
        (fen, _) => fen_position(fen, first_from)?,
    };
    game.moves[ROOT].comment = comment(&fields, 0, 0);
    add_lines(&mut game, &fields, moves)?;
    let place = |name: &str| TAGS.iter().position(|(_, known)| *known == name);
    let names = fields.keys().map(|name| &**name);
    let mut names: Vec<&str> = names.filter(|name| is_tag_field(name)).collect();
    names.sort_unstable_by_key(|name| (place(name).unwrap_or(TAGS.len()), *name));
    for name in names {
        game.add_tag(&tag_of_field(name), &unescaped(field(name)));
    }
    game.set_result(usual_result(field("result")));
    game.resolve()
}

/// Whether a field of this name becomes a tag.
fn is_tag_field(name: &str) -> bool {
    !NO_TAGS.iter().any(|part| name.starts_with(part))
}

pub fn tag_of_field(field: &str) -> String {
    let found = TAGS.iter().find(|(_, name)| *name == field);
    found.map_or_else(|| format!("{OTHER}{field}"), |(tag, _)| (*tag).to_owned())
}

/// The field of a tag whose name begins with [`OTHER`]; `None` if the field would not be read as this tag again, for
/// example because it has the name of the list of moves.
fn other_field(tag: &str) -> Option<&str> {
    let name = tag.strip_prefix(OTHER)?;
    let is_own = is_tag_field(name) && !is_numbered(name) && tag_of_field(name) == tag;
    is_own.then_some(name)
}

/// A result in a usual form, from one of two other forms: a text that contains 红胜, 黑胜 or 和, such as 红胜 (超时),
/// or `W`, `L` or `D` from red's point of view. Other texts are unchanged.
fn usual_result(text: &str) -> &str {
    match text {
        _ if text.parse::<GameResult>().is_ok() => text,
        "W" => "红胜",
        "L" => "黑胜",
        "D" => "和",
        _ => ["红胜", "黑胜", "和"].into_iter().find(|form| text.contains(form)).unwrap_or(text),
    }
}

/// A line of moves that replaces another line from a ply on.
struct Variation {
    line: usize,
    ply: usize,
    moves: Vec<Option<(Square, Square)>>,
}

/// Adds the main line and the variations.
fn add_lines(
    game: &mut RawGame,
    fields: &Fields<'_>,
    main_line: Vec<Option<(Square, Square)>>,
) -> Result<(), RecordError> {
    // The variations of each line.
    let mut variations: HashMap<usize, Vec<Variation>> = HashMap::new();
    for (name, value) in fields {
        let numbers = name.strip_prefix("move_").map(|numbers| {
            let numbers: Option<Vec<usize>> = numbers.split('_').map(|n| n.parse().ok()).collect();
            numbers.unwrap_or_default()
        });
        if let Some([parent, ply, line]) = numbers.as_deref() {
            variations.entry(*parent).or_default().push(Variation {
                line: *line,
                ply: *ply,
                moves: read_moves(value),
            });
        }
    }
    let main_line = Variation { line: 0, ply: 1, moves: main_line };
    // A stack of the lines to add, each with the node before its first move.
    let mut waiting = vec![(main_line, ROOT)];
    while let Some((variation, parent)) = waiting.pop() {
        // The nodes before the moves of the line.
        let mut nodes = Vec::new();
        let mut after = parent;
        for (ply, squares) in (variation.ply..).zip(variation.moves) {
            let mut node = AnnotatedMove::new(RawMove::Squares(squares));
            node.comment = comment(fields, variation.line, ply);
            nodes.push(after);
            after = game.moves.add(after, node);
            if game.moves.len() > MAX_MOVES {
                return Err(RecordError::too_long());
            }
        }
        let mut children = variations.remove(&variation.line).unwrap_or_default();
        // The last line on the stack is added first, so the children are pushed in descending order.
        children.sort_by_key(|child| std::cmp::Reverse((child.ply, child.line)));
        for child in children {
            match child.ply.checked_sub(variation.ply).and_then(|index| nodes.get(index)) {
                Some(node) => waiting.push((child, *node)),
                None => add_problem(game, child.line),
            }
        }
    }
    let unknown = variations.into_values().flatten();
    let mut unknown: Vec<usize> = unknown.map(|variation| variation.line).collect();
    unknown.sort_unstable();
    unknown.into_iter().for_each(|line| add_problem(game, line));
    Ok(())
}

fn add_problem(game: &mut RawGame, line: usize) {
    game.add_problem(format!("variation {line} does not replace a move of any line"), false);
}

fn comment(fields: &Fields<'_>, line: usize, ply: usize) -> String {
    let short = (line == 0).then(|| fields.get(format!("comment{ply}").as_str()));
    let text = short.flatten().or_else(|| fields.get(format!("comment{line}_{ply}").as_str()));
    // `||` is a line end.
    let text = text.map_or(String::new(), |text| text.replace("||", "\n"));
    plain_comment(&unescaped(&text))
}

/// Writes a game. Tags without a field are lost, and glyphs become text of the comments.
pub fn write_dhtmlxq(game: &GameTree) -> String {
    let mut text = "[DhtmlXQ]\n".to_owned();
    for (tag, name) in TAGS {
        push_field(&mut text, name, game.tag(tag).unwrap_or_default());
    }
    for (tag, value) in &game.tags {
        if let Some(name) = other_field(tag) {
            push_field(&mut text, name, value);
        }
    }
    let result = match game.result {
        GameResult::RedWins => "红胜",
        GameResult::BlackWins => "黑胜",
        GameResult::Draw => "和棋",
        GameResult::Unfinished => "未知",
    };
    push_field(&mut text, "result", result);
    push_field(&mut text, "fen", &fen::write_position(&game.start));
    if let Some(squares) = piece_squares(&game.start) {
        let squares = squares.map(|square| square.map_or("99".to_owned(), square_text));
        push_field(&mut text, "binit", &squares.concat());
    }
    let lines = lines(game);
    for line in &lines {
        let moves: String = line.moves.iter().map(|id| move_text(game, *id)).collect();
        let name = match line.number {
            0 => "movelist".to_owned(),
            number => format!("move_{}_{}_{number}", line.parent, line.ply),
        };
        let _ = writeln!(text, "[DhtmlXQ_{name}]{moves}[/DhtmlXQ_{name}]");
    }
    push_field(&mut text, "comment0", &game.moves[ROOT].comment);
    for line in &lines {
        for (ply, id) in (line.ply..).zip(&line.moves) {
            let comment = game.moves[*id].comment_with_glyphs();
            let name = match line.number {
                0 => format!("comment{ply}"),
                number => format!("comment{number}_{ply}"),
            };
            push_field(&mut text, &name, &comment);
        }
    }
    text + "[/DhtmlXQ]\n\n"
}

/// Adds a field, unless its value is empty. In the value, control characters become blanks, and empty lines are
/// dropped.
fn push_field(text: &mut String, name: &str, value: &str) {
    let value = plain_comment(value);
    let value = escaped(&value);
    // The value must not contain a line end, `||` (a line end in this format) or a tag.
    let value = value.replace("||", "｜｜").replace("|\n", "｜\n");
    let value = without_tags(&value.replace('\n', "||"));
    // A `[` of a URL, which would begin a tag.
    let value = value.replace("%5b", "％5b").replace("%5B", "％5B");
    if !value.is_empty() {
        let _ = writeln!(text, "[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]");
    }
}

/// A text with `［` in place of each `[` at which [`plain_dhtmlxq`] or [`fields`] would find a tag.
fn without_tags(text: &str) -> String {
    let mut parts = text.split('[');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = part.trim_start_matches(['/', '\\']);
        // Even a tag without its `]` hides the end of the field.
        let is_tag = plain_tag(&format!("{name}]")).is_some();
        plain.push(if is_tag { '［' } else { '[' });
        plain += part;
    }
    plain
}

struct WrittenLine {
    number: usize,
    /// The number of the line that this line replaces.
    parent: usize,
    /// The ply of the first move of this line, from 1.
    ply: usize,
    moves: Vec<NodeId>,
}

/// The main line and all variations. A variation comes after the line that it replaces.
fn lines(game: &GameTree) -> Vec<WrittenLine> {
    let moves = &game.moves;
    let mut lines: Vec<WrittenLine> = Vec::new();
    // The lines to list: the number of the line that each replaces, the ply of its first move, and this move. The first
    // one is the main line.
    let mut waiting = std::collections::VecDeque::from([(0, 1, moves.first_child(ROOT))]);
    while let Some((parent, ply, first)) = waiting.pop_front() {
        let number = lines.len();
        let rest = first.into_iter().flat_map(|first| moves.line(first));
        let line: Vec<NodeId> = first.into_iter().chain(rest).collect();
        for (ply, id) in (ply..).zip(&line) {
            // The alternatives to the first move of a variation belong to the line that it replaces.
            let mut alternative = moves.next_sibling(*id).filter(|_| moves.is_first_child(*id));
            while let Some(variation) = alternative {
                waiting.push_back((number, ply, Some(variation)));
                alternative = moves.next_sibling(variation);
            }
        }
        lines.push(WrittenLine { number, parent, ply, moves: line });
    }
    lines
}

fn move_text(game: &GameTree, id: NodeId) -> String {
    let squares = |m: Move| square_text(m.from()) + &square_text(m.to());
    game.moves[id].played.map_or(String::new(), squares)
}

fn square_text(square: Square) -> String {
    format!("{}{}", square.file(), 9 - square.rank())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_read() {
        let text = "[DhtmlXQ][DhtmlXQ_movelist]7747706279678070[/DhtmlXQ_movelist]\
            [DhtmlXQ_comment0]开局[/DhtmlXQ_comment0][DhtmlXQ_comment2]第一行||[/b] 第二行[/DhtmlXQ_comment2]\
            [DhtmlXQ_comment12]变着[/DhtmlXQ_comment12][/DhtmlXQ]";
        let game = read_dhtmlxq(text).unwrap();
        assert_eq!(game.moves[ROOT].comment, "开局");
        assert_eq!(game.comments(), ["", "第一行\n[/b] 第二行", "", ""]);
    }

    #[test]
    fn variations_are_read() {
        let text = "[DhtmlXQ_movelist]774770627967[/DhtmlXQ_movelist]\
            [DhtmlXQ_move_0_2_1]10227967[/DhtmlXQ_move_0_2_1]\
            [DhtmlXQ_move_1_3_2]1927[/DhtmlXQ_move_1_3_2]\
            [DhtmlXQ_move_7_3_3]1927[/DhtmlXQ_move_7_3_3]\
            [DhtmlXQ_move_0_4_4]8070[/DhtmlXQ_move_0_4_4]\
            [DhtmlXQ_comment1_3]变着[/DhtmlXQ_comment1_3]";
        let game = read_dhtmlxq(text).unwrap();
        let pgn = game.write_pgn(crate::notation::MoveStyle::Coordinate);
        let moves = "1. H2-E2 H9-G7 (1... B9-C7 2. H0-G2 {变着} (2. B0-C2)) 2. H0-G2 *";
        assert!(pgn.contains(moves), "{pgn}");
        assert_eq!(game.problems.len(), 2);
        assert!(game.main_line_problem().is_none());
    }

    #[test]
    fn records_are_read() {
        let text = "x [DhtmlXQ][DhtmlXQ_title]决赛[/DhtmlXQ_title][DhtmlXQ_red]甲[/DhtmlXQ_red]\n\
            [DhtmlXQ_result]红胜[/DhtmlXQ_result][DhtmlXQ_movelist]7747706279678070[/DhtmlXQ_movelist]\n\
            [DhtmlXQ_binit]8979695949392919097717866646260600102030405060708012720323436383[/DhtmlXQ_binit]\
            [/DhtmlXQ] [DhtmlXQ][DhtmlXQ_movelist]7747x[/DhtmlXQ_movelist]\
            [DhtmlXQ][DhtmlXQ_movelist]7740[/DhtmlXQ_movelist]\
            [DhtmlXQ][DhtmlXQ_movelist]774[/DhtmlXQ_movelist][DhtmlXQ]nothing\
            [DhtmlXQ][DhtmlXQ_binit]9999999949999999999999999999999999999999309999999999999999999999[/DhtmlXQ_binit]\
            [DhtmlXQ][DhtmlXQ_movelist]4849[/DhtmlXQ_movelist][DhtmlXQ_binit]\
            9999999949999999999999999999999999999999309999999999999999999999[/DhtmlXQ_binit]";
        let games: Vec<_> = split_dhtmlxq(text).into_iter().map(read_dhtmlxq).collect();
        let first = games[0].as_ref().unwrap();
        assert_eq!(first.main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9");
        assert_eq!(fen::write_position(&first.start), fen::START);
        assert_eq!((first.tag("Red"), first.tag("Title")), (Some("甲"), Some("决赛")));
        assert_eq!(first.result, GameResult::RedWins);
        assert_eq!(games[1].as_ref().unwrap().moves.len(), 1);
        let error = |n: usize| games[n].as_ref().unwrap_err().to_string();
        assert_eq!(error(2), "move 1: h2e9 is not a legal move here");
        assert_eq!(error(3), "move 1: the move has a square off the board");
        assert_eq!(error(4), "there is no DhtmlXQ_movelist");
        let position = games[5].as_ref().unwrap();
        assert!(position.moves.is_empty() && is_dhtmlxq("[DhtmlXQ_binit]"));
        assert!(is_move_list("7747706279678070\n"));
        assert!(is_move_list("12425254"), "black moves first");
        for text in ["20260831", "12345678", "000000000000", "8070774", "7747"] {
            assert!(!is_move_list(text), "{text}");
        }
        // An illegal first move of a black piece does not make it black's turn.
        let error = read_dhtmlxq("[DhtmlXQ_movelist]12345678[/DhtmlXQ_movelist]").unwrap_err();
        assert_eq!(error.to_string(), "move 1: b7d5 is not a legal move here");
        assert!(position.start.to_string().starts_with("3k5/9/"));
        let problem = games[6].as_ref().unwrap().main_line_problem();
        assert_eq!(problem, Some("move 1: e1e0 is not a legal move here"));
    }

    #[test]
    fn comments_with_tags_and_bars_are_read_again() {
        let text = "[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]";
        let mut game = read_dhtmlxq(text).unwrap();
        let first = game.moves.first_child(ROOT).unwrap();
        let comment = "[game_comment_0_1]好[/comment_0_1]";
        assert_eq!(plain_dhtmlxq(comment), "[DhtmlXQ_comment1]好[/DhtmlXQ_comment1]");
        for comment in [
            "see [dhtmlxq] end",
            "[DhtmlXQ] [DHJHtmlXQ]",
            "a [/DHTMLXQ_comment1] b",
            "a [/DhtmlXQ_",
            "[0_1_0]7062[/0_1_0]",
            "a [game_comment_0_1]b[/comment_0_1] c",
            "[\\/dhtmlxq]\\n",
            "[\\/draw] [b]\\n",
            "a|\nb",
            "a\n|b || |||\nc",
            "a %5BDhtmlXQ%5D %5bdhtmlxq%5d+b",
        ] {
            comment.clone_into(&mut game.moves[first].comment);
            let text = plain_dhtmlxq(&write_dhtmlxq(&game));
            let records = split_dhtmlxq(&text);
            assert_eq!(records.len(), 1, "{text}");
            let read = read_dhtmlxq(records[0]).unwrap();
            let read = read.comments()[0].replace('［', "[").replace('｜', "|").replace('％', "%");
            assert_eq!(read, comment, "{text}");
        }
        assert_eq!(without_tags("[draw] [/b]"), "[draw] [/b]");
    }

    #[test]
    fn tags_do_not_replace_fields_of_other_meaning() {
        let mut game = read_dhtmlxq("[DhtmlXQ_movelist]1927[/DhtmlXQ_movelist]").unwrap();
        for name in ["movelist", "34", "comment1", "red", "type"] {
            game.tags.push((format!("{OTHER}{name}"), "7747".to_owned()));
        }
        let read = read_dhtmlxq(&write_dhtmlxq(&game)).unwrap();
        assert_eq!(read.main_line().coordinates(), "b0c2");
        assert_eq!(read.comments(), [""]);
        assert_eq!((read.tag("Red"), read.tag("Dhtml_type")), (None, Some("7747")));
    }

    #[test]
    fn unclosed_fields_are_reported() {
        let binit = "[DhtmlXQ_binit]0919293949596979891777062646668600102030405060708012720323436383\
            [/DhtmlXQ_binit]";
        let moves = "[DhtmlXQ_movelist]77477062";
        let closed = format!("{moves}[/DhtmlXQ_movelist]");
        for (text, field, plies, is_main) in [
            (format!("{binit}{moves}"), "movelist", 2, true),
            (format!("{binit}{moves}[/DhtmlXQ]"), "movelist", 2, true),
            (format!("{moves}[/DhtmlXQ_moves]{binit}"), "movelist", 2, true),
            (format!("{moves}[DhtmlXQ_movelist]{binit}"), "movelist", 2, true),
            (format!("{binit}[DhtmlXQ_movelist 7747"), "movelist", 0, true),
            (format!("{binit}[DhtmlXQ_mov"), "mov", 0, true),
            (format!("{}{closed}", binit.replace("[/", "[")), "binit", 2, true),
            (format!("{closed}[DhtmlXQ_move_0_2_1]1022"), "move_0_2_1", 2, false),
            (format!("{closed}[DhtmlXQ_comment1]a"), "comment1", 2, false),
            (format!("{closed}[DhtmlXQ_red]a[/DhtmlXQ_black]"), "red", 2, false),
        ] {
            let game = read_dhtmlxq(&text).expect(&text);
            let reasons: Vec<_> = game.problems.iter().map(|problem| &problem.reason).collect();
            assert_eq!(reasons, [&format!("the field {field} is not closed")], "{text}");
            assert_eq!(game.problems[0].affects_main_line, is_main, "{text}");
            assert_eq!(game.plies(), plies, "{text}");
        }
        let comment = read_dhtmlxq(&format!("{closed}[DhtmlXQ_comment1]a")).unwrap();
        assert_eq!(comment.comments(), ["a", ""]);
    }
}

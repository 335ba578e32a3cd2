//! Lines of a record that are neither tags nor moves: headings such as `红方: 胡荣华`, and sentences.

use std::collections::HashSet;

use arrayvec::ArrayString;

use super::numbers::is_digit;
use super::words::{
    LONGEST_MOVE, is_direction, is_move_number, is_piece, is_place, is_short, split_word,
    without_label,
};
use crate::notation::fen::{self, begins_with_board};
use crate::notation::tree::GameResult;
use crate::notation::{chinese, is_move_text};
use crate::text::word_starts;

/// A line outside the moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextLine<'a> {
    /// Headings: the name of the tag of each, and its value.
    Headings(Vec<(&'static str, &'a str)>),
    /// Text without moves.
    Sentence,
}

/// The maximum length in bytes of a line that is read as headings or a sentence.
const MAX_LENGTH: usize = 4096;

/// The maximum length in bytes of the name of a heading.
const MAX_NAME_LENGTH: usize = 15;

/// The maximum length in bytes of a label of a FEN that may contain a result.
const MAX_LABEL_LENGTH: usize = 60;

/// The maximum number of places in a line at which a FEN is searched for. Without a limit, the time for a long line
/// would be quadratic.
const MAX_STARTS: usize = 100;

/// The tags, each with the names of its heading. The names are separated by spaces; blanks within a name are left out.
/// A heading that has no common PGN tag gets the tag of the same field in DhtmlXQ or CBF. `Time` is the time used by
/// the player whose heading comes before it.
const HEADINGS: [(&str, &str); 45] = [
    ("Title", "标题 棋局标题 棋谱标题 对局名称"),
    ("Dhtml_class", "分类"),
    ("Event", "赛事 赛事名称 比赛 比赛名称 Event Giải"),
    ("Round", "轮次 比赛轮次 Round Vòng"),
    ("Opening", "布局 布局类型 开局"),
    ("Red", "红方 红方名称 红方姓名 红方棋手 红方选手 红棋 红 先手 执红 Red White Đỏ Trắng"),
    ("Black", "黑方 黑方名称 黑方姓名 黑方棋手 黑方选手 黑棋 黑 后手 执黑 Black Đen"),
    ("Result", "结果 比赛结果 对局结果 Result Kếtquả"),
    ("Date", "日期 比赛日期 比赛时间 对局日期 Date Ngày"),
    ("Site", "地点 比赛地点 Site Địađiểm"),
    ("Dhtml_group", "组别 赛事组别"),
    ("Dhtml_table", "台次 比赛台次"),
    ("Dhtml_judge", "裁判 裁判员 执台裁判"),
    ("Dhtml_record", "记录 棋谱记录员"),
    ("Annotator", "评论 解说 评注人员"),
    ("Author", "作者 棋谱作者 录入"),
    ("Dhtml_other", "备注"),
    ("Dhtml_endtype", "结束方式"),
    ("TimeControl", "记时规则 计时规则 时间规则"),
    ("RedTime", "红方用时"),
    ("BlackTime", "黑方用时"),
    ("RedElo", "红等级分 红方等级分"),
    ("BlackElo", "黑等级分 黑方等级分"),
    ("Dhtml_type", "棋局类型"),
    ("Dhtml_gametype", "棋局性质"),
    ("RedTeam", "红方团体 红方队伍 红队"),
    ("BlackTeam", "黑方团体 黑方队伍 黑队"),
    ("Dhtml_variation", "变例类型"),
    ("Dhtml_redeng", "红方英文名"),
    ("Dhtml_blackeng", "黑方英文名"),
    ("Dhtml_redlevel", "红方等级"),
    ("Dhtml_blacklevel", "黑方等级"),
    ("Dhtml_owner", "棋谱主人"),
    ("Dhtml_price", "棋谱价值"),
    ("Dhtml_hits", "浏览次数"),
    ("Dhtml_refer", "来源网站"),
    ("FEN", "初始局面 FEN"),
    ("ECCO", "ECCO 开局编号"),
    ("Source", "来源"),
    ("ContestType", "赛事类型"),
    ("RecordType", "棋谱类型"),
    ("RecordKind", "对局种类"),
    ("DateCreated", "创建日期"),
    ("DateModified", "修改日期"),
    ("Time", "耗时"),
];

impl<'a> TextLine<'a> {
    /// Reads a line, or only its beginning if that consists of headings in brackets or of a FEN after a label. Other
    /// lines must consist of headings, or must be Chinese text or have a web address. Also returns the length in bytes
    /// of the part that was read. Returns `None` if the line has none of these forms, is too long, or may contain moves
    /// or other parts of a PGN.
    pub fn read(line: &'a str) -> Option<(Self, usize)> {
        let beginning = headings_in_brackets(line).or_else(|| labeled_fen(line));
        if let Some((found, rest)) = beginning {
            return Some((Self::Headings(found), line.len() - rest.len()));
        }
        Some((Self::read_whole(line.trim())?, line.len()))
    }

    fn read_whole(line: &'a str) -> Option<Self> {
        if line.len() > MAX_LENGTH {
            return None;
        }
        // The number of the game may precede the headings: `第1局 红方: 甲`.
        let after_number = line
            .split_once(char::is_whitespace)
            .filter(|(number, _)| number.ends_with('局') && is_game_number(number));
        match headings(after_number.map_or(line, |(_, rest)| rest.trim())) {
            Some(found) => Some(Self::Headings(found)),
            None => is_sentence(line).then_some(Self::Sentence),
        }
    }
}

/// The FEN of a line, alone or after any label: `FEN: …`, `局面：…`, `Starting position …`. Also returns the moves
/// after it. If the text after a FEN with a side to move contains no moves, it is the name of the position, and becomes
/// the tag `Event`.
fn labeled_fen(line: &str) -> Option<(Vec<(&'static str, &str)>, &str)> {
    if line.len() > MAX_LENGTH || !line.contains('/') {
        return None;
    }
    let is_separator = |c: char| c.is_whitespace() || ":：=\"“)）]".contains(c);
    let after_separators =
        line.char_indices().filter(|(_, c)| is_separator(*c)).map(|(at, c)| at + c.len_utf8());
    let begins_fen = |at: &usize| begins_with_board(&line[*at..]);
    let mut starts = [0].into_iter().chain(after_separators).take(MAX_STARTS);
    let (label, text) = line.split_at(starts.find(begins_fen)?);
    if !is_label(label) {
        return None;
    }
    let quoted = text.split_once(['"', '”']).filter(|_| label.ends_with(['"', '“']));
    let words: Vec<&str> = quoted.map_or(text, |(fen, _)| fen).split_whitespace().collect();
    let length = fen::length(&words);
    let end = word_starts(text).nth(length).unwrap_or(text.len());
    let (fen, rest) = quoted.unwrap_or_else(|| text.split_at(end));
    let moves = rest.strip_prefix("moves").unwrap_or(rest);
    let joined: String = rest.split_whitespace().collect();
    let begins_moves =
        |word| is_move_number(word) || begins_with_move(word) || is_damaged_move(word);
    let mut headings = vec![("FEN", fen.trim_end())];
    if moves.len() < rest.len()
        || begins_moves(&joined)
        || rest.split_whitespace().any(begins_moves)
    {
        return Some((headings, moves));
    }
    if length < 2 {
        // Without a valid side to move, all of the text is the FEN, so that its side is reported as invalid.
        headings[0].1 = text.trim_end();
    } else if !rest.is_empty() {
        let name = rest.trim_matches(|c: char| c.is_whitespace() || ",;，；".contains(c));
        headings.extend(Some(("Event", name)).filter(|_| name.contains(char::is_alphanumeric)));
    }
    Some((headings, ""))
}

/// Whether a text may be the label of a FEN. A part of a web address, of a tag, of a comment or of text in parentheses
/// is no label, and neither are a text with a move, a long sentence, and a long text, or one with brackets or a slash,
/// that contains a result.
fn is_label(text: &str) -> bool {
    let has_unclosed = [['(', ')'], ['[', ']']]
        .iter()
        .any(|[open, close]| text.matches(*open).count() != text.matches(*close).count());
    let last = text.split_whitespace().next_back().unwrap_or_default();
    let is_plain = text.len() <= MAX_LABEL_LENGTH && !text.contains(['[', '(', ';', '/']);
    let has_move = text.split_whitespace().any(begins_with_move);
    let has_result = text.split_whitespace().any(|word| word.parse::<GameResult>().is_ok());
    let is_sentence = text.len() > MAX_LABEL_LENGTH && text.contains(['，', '。']);
    let is_tag = text.starts_with('[') && text.contains('"');
    let is_in_comment = text.starts_with(';') || text.contains('{');
    !(has_unclosed || is_tag || is_in_comment || is_sentence || has_move)
        && !(is_address(last) || last.contains(['&', '?']))
        && (is_plain || !has_result)
}

/// The headings in brackets that begin a line, as in `[赛事：五羊杯][轮次：1] 炮二平五`, and the rest of the line.
fn headings_in_brackets(line: &str) -> Option<(Vec<(&'static str, &str)>, &str)> {
    let (mut found, mut rest) = heading_in_brackets(line)?;
    while let Some((more, after)) = heading_in_brackets(rest) {
        found.extend(more);
        rest = after;
    }
    Some((found, rest))
}

/// Like [`headings_in_brackets`], for one pair of brackets. `None` for a text that may be a remark between moves:
/// `[黑方：稳健]`, `[评论：好]`.
fn heading_in_brackets(line: &str) -> Option<(Vec<(&'static str, &str)>, &str)> {
    let (inside, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    if inside.len() > MAX_LENGTH || inside.contains(['[', '"']) {
        return None;
    }
    let (name, _) = inside.split_once([':', '：'])?;
    let (tag, _) = split_heading(inside)?;
    let is_side = name.is_ascii() && matches!(tag, "Red" | "Black");
    let is_remark = tag == "Annotator" || is_side || without_label(name.trim()).is_empty();
    if is_remark {
        return None;
    }
    Some((headings(inside)?, rest))
}

/// Reads `NAME: VALUE`, once or several times. A line in which the name of a side is followed by a move is not a
/// heading: `红方：炮二平五`.
fn headings(line: &str) -> Option<Vec<(&'static str, &str)>> {
    let mut found = vec![split_heading(line)?];
    // A value ends where the next heading begins, at the start of a word.
    let mut at = line.len() - found[0].1.len();
    for start in word_starts(line) {
        if start >= at
            && let Some((tag, rest)) = split_heading(&line[start..])
            && let Some((player, value)) = found.last_mut()
        {
            let tag = match (*player, tag) {
                ("Red", "Time") => "RedTime",
                ("Black", "Time") => "BlackTime",
                _ => tag,
            };
            *value = line[at..start].trim();
            at = line.len() - rest.len();
            found.push((tag, rest));
        }
    }
    let has_move =
        (found.iter()).filter(|(tag, _)| matches!(*tag, "Red" | "Black")).any(|(_, value)| {
            let first = value.split_whitespace().next().unwrap_or_default();
            let joined: String = value.split_whitespace().collect();
            // A short word with a piece and a direction may be a move with an error; one of the two alone may be part
            // of a name.
            let has_parts = first.contains(is_piece) && first.contains(is_direction);
            begins_with_move(first) || begins_with_move(&joined) || is_short(first) && has_parts
        });
    (!has_move).then_some(found)
}

/// Splits a line that begins with a heading into the name of its tag and the rest.
fn split_heading(line: &str) -> Option<(&'static str, &str)> {
    let mut characters = line.char_indices().filter(|(_, c)| !c.is_whitespace());
    let mut name = ArrayString::<MAX_NAME_LENGTH>::new();
    let value = loop {
        match characters.next()? {
            (index, colon @ (':' | '：')) => break &line[index + colon.len_utf8()..],
            (_, c) => name.try_push(chinese::simplified(c)).ok()?,
        }
    };
    let mut headings = HEADINGS.iter();
    let is_name = |known: &str| known.eq_ignore_ascii_case(&name);
    let (tag, _) = headings.find(|(_, names)| names.split(' ').any(is_name))?;
    // 象棋桥 appends the e-mail address of a person, even if it is unknown.
    Some((tag, value.trim_start().trim_end_matches("(Email:)")))
}

/// The first characters of results between the names of players, as in `许银川 先胜 胡荣华`.
const TITLE_WORDS: [char; 12] =
    ['先', '后', '後', '战', '戰', '弈', '成', '作', '言', '议', '議', '握'];

/// Whether a line is Chinese text or has a web address, without moves, move numbers, results or characters with a
/// meaning in PGN.
fn is_sentence(line: &str) -> bool {
    let is_chinese = |c: char| matches!(c, '\u{4e00}'..='\u{9fff}');
    let is_of_pgn = |c: char| "[]{}();$%".contains(c);
    if line.contains(is_of_pgn) || !line.contains(is_chinese) && !is_address(line) {
        return false;
    }
    let first = line.split_whitespace().next().unwrap_or_default();
    let begins_with_number = first.starts_with(char::is_numeric) || is_move_number(first);
    // The result of a game within a line, as in `许银川 先胜 胡荣华`, is part of a title.
    let begins_title_word = |word: &str| word.starts_with(TITLE_WORDS);
    let is_title_word =
        |word: &str| word != line.trim() && (begins_title_word(word) || word.contains([':', '：']));
    let is_result = |word: &str| word.parse::<GameResult>().is_ok() && !is_title_word(word);
    !line.starts_with(['（', '【', '｛'])
        && !begins_with_number
        && !has_move(line)
        && !line.split_whitespace().any(|word| is_result(word) || without_label(word).is_empty())
}

/// Whether a line contains a move or a part of one. A part is a piece before a number, a direction before or after a
/// number, or a short word with a piece or direction. So a move with an error is not mistaken for a part of a sentence.
fn has_move(line: &str) -> bool {
    let is_number =
        |c: char| c.is_numeric() || "一二三四五六七八九".contains(chinese::usual_character(c));
    let is_part = |c: char| is_piece(c) || is_direction(c);
    let mut pairs = line.chars().zip(line.chars().skip(1));
    pairs.any(|(a, b)| is_part(a) && is_number(b) || is_number(a) && is_direction(b))
        || line
            .split_whitespace()
            .any(|word| is_short(word) && word.contains(is_part) || begins_with_move(word))
}

/// Whether a word before the first move may be a move, even one with an error, rather than a date or other text.
pub fn may_be_move(word: &str) -> bool {
    let has = |is_part: fn(&char) -> bool| word.chars().any(|c| is_part(&c));
    let has_coordinates = has(char::is_ascii_alphabetic) && has(char::is_ascii_digit);
    has_coordinates || word.contains(is_piece) || word.contains(is_direction) || is_move_text(word)
}

/// Whether a word may be a move with an error: `炮二乎五`, `C2?5`, `C2=S`.
pub fn is_damaged_move(word: &str) -> bool {
    let characters: Vec<char> = word.chars().take(LONGEST_MOVE + 1).collect();
    let count = |is_kind: fn(&char) -> bool| word.chars().filter(is_kind).count();
    match characters[..] {
        [_, _, direction, _] | [_, _, _, direction, _] if is_direction(direction) => true,
        [piece, number, ..] if characters.len() <= LONGEST_MOVE && is_piece(piece) => {
            is_digit(number)
        }
        [piece, number, '=' | '+' | '-' | '.', _]
            if piece.is_ascii_alphabetic() && number.is_ascii_digit() =>
        {
            true
        }
        [_, _, _, _] | [_, _, _, _, _] => {
            count(char::is_ascii_alphabetic) > 0 && count(char::is_ascii_digit) > 1
        }
        _ => false,
    }
}

/// Whether a word that begins the text in parentheses is Chinese text and not a move with an error. In contrast to
/// other prose, a short word may have two parts of a move (`红方多2兵`, `平帅占中`), and without a number it may consist
/// of parts (`进兵`).
pub fn is_text_in_parentheses(word: &str) -> bool {
    let is_chinese = |c: char| matches!(c, '\u{4e00}'..='\u{9fff}');
    let may_be_text = has_text(word) || word.contains(is_chinese) && !word.contains(is_digit);
    may_be_text && !(is_short(word) && is_damaged_move(word))
}

/// Whether a word has a Chinese character that does not occur in moves.
pub fn has_text(word: &str) -> bool {
    let is_part = |c: char| is_piece(c) || is_direction(c) || is_digit(c) || is_place(c);
    word.contains(|c| matches!(c, '\u{4e00}'..='\u{9fff}') && !is_part(c))
}

/// Whether a line begins with the number of a game: `第2局`.
pub fn is_game_number(line: &str) -> bool {
    let number = line.strip_prefix('第').and_then(|rest| rest.split_once('局'));
    number.is_some_and(|(number, _)| !number.is_empty() && number.chars().all(is_digit))
}

/// Whether a word is a move, or its first four characters are, after a number or the name of a side.
pub fn begins_with_move(word: &str) -> bool {
    let text = split_word(without_label(word)).0;
    let end = text.char_indices().nth(4).map(|(at, _)| at);
    is_move_text(text) || end.is_some_and(|end| is_move_text(&text[..end]))
}

/// Whether a line contains the address of a web page.
pub fn is_address(line: &str) -> bool {
    ["http://", "https://", "www."].iter().any(|mark| line.contains(mark))
}

/// The names of tags in files of the Python package cchess, with the usual names.
const NAMES_OF_CCHESS: [(&str, &str); 4] = [
    ("red_player", "Red"),
    ("black_player", "Black"),
    ("location", "Site"),
    ("commentator", "Annotator"),
];

/// Whether a tag of this name is common in records.
pub fn is_known_tag(name: &str) -> bool {
    let mut known = HEADINGS.iter().chain(&NAMES_OF_CCHESS).map(|(known, _)| *known);
    let others = ["White", "Game", "Variant"];
    known.any(|known| known.eq_ignore_ascii_case(name))
        || others.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Renames `White`, `WhiteElo` and so on to `Red…`, and the tags of cchess, unless a tag with the new name exists
/// already.
pub fn use_common_names(tags: &mut [(String, String)]) {
    // A set, because a search among many tags for each of them would take quadratic time.
    let mut names: HashSet<String> =
        tags.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    for (name, _) in tags {
        let (white, rest) = name.split_at_checked("White".len()).unwrap_or_default();
        let red = white.eq_ignore_ascii_case("White").then(|| format!("Red{rest}"));
        let of_cchess = || NAMES_OF_CCHESS.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name));
        let common = red.or_else(|| of_cchess().map(|(_, tag)| (*tag).to_owned()));
        if let Some(common) = common.filter(|tag| names.insert(tag.to_ascii_lowercase())) {
            *name = common;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<TextLine<'_>> {
        TextLine::read(line).map(|(read, _)| read)
    }

    /// The headings of a line as `Red=甲|Black=乙`.
    fn headings_of(line: &TextLine<'_>) -> String {
        let TextLine::Headings(found) = line else {
            panic!("{line:?}");
        };
        let headings: Vec<String> = found.iter().map(|(tag, v)| format!("{tag}={v}")).collect();
        headings.join("|")
    }

    #[test]
    fn the_names_of_headings_fit() {
        let names = HEADINGS.iter().flat_map(|(_, names)| names.split(' '));
        assert_eq!(names.map(str::len).max(), Some(MAX_NAME_LENGTH));
    }

    #[test]
    fn headings_are_read() {
        for (line, headings) in [
            ("红方: 胡荣华", "Red=胡荣华"),
            ("黑　方：柳大华 ", "Black=柳大华"),
            ("賽事: 五羊杯", "Event=五羊杯"),
            ("结果: 黑方胜", "Result=黑方胜"),
            ("地点:", "Site="),
            ("红方：马仲威", "Red=马仲威"),
            ("[红方选手：马仲威]", "Red=马仲威"),
            ("[ECCO: C00]", "ECCO=C00"),
            ("布局: 五七炮进三兵对屏风马", "Opening=五七炮进三兵对屏风马"),
            ("赛事：2023年进贤杯 车马组", "Event=2023年进贤杯 车马组"),
            ("标题: 车马冷着平妙手", "Title=车马冷着平妙手"),
            ("ECCO：C66 五七炮对屏风马", "ECCO=C66 五七炮对屏风马"),
            ("棋局标题: 决赛", "Title=决赛"),
            ("棋谱记录员: 丙", "Dhtml_record=丙"),
            ("变例类型: 屏风马", "Dhtml_variation=屏风马"),
            ("红方等级分: 2500", "RedElo=2500"),
            ("对局名称：红方[689] - 黑方[811]", "Title=红方[689] - 黑方[811]"),
            ("Event: 2019 WXC", "Event=2019 WXC"),
            ("RED : Li (Hubei)", "Red=Li (Hubei)"),
            ("Đỏ: Lại Lý Huynh", "Red=Lại Lý Huynh"),
            ("White: Li", "Red=Li"),
            ("Trắng: A　Đen: B", "Red=A|Black=B"),
            ("Kết quả: Hòa", "Result=Hòa"),
            ("Địa điểm: Huế", "Site=Huế"),
            ("红方：甲 一\u{3000}\u{3000}黑方：乙 日期:", "Red=甲 一|Black=乙|Date="),
            ("第1局 红方: 甲　黑方: 乙", "Red=甲|Black=乙"),
            ("比赛日期：  比赛地点：x", "Date=|Site=x"),
            ("红    方：甲(1)  耗时：  2分 24秒", "Red=甲(1)|RedTime=2分 24秒"),
            ("黑方：甲(1)  耗时：  2分 24秒", "Black=甲(1)|BlackTime=2分 24秒"),
        ] {
            assert_eq!(headings_of(&read(line).expect(line)), headings);
        }
        for line in [
            "红方：炮二平五 黑方：马8进7",
            "红:炮二平五马8进7",
            "红方：炮 二 平 五",
            "[红：炮二平五]",
            "[黑方：稳健]",
            "[Black: solid]",
            "Red: C2=5 H8+7",
            "Black: h9g7",
            "[评论：好]",
            "红方 胡荣华 炮二平五",
            "黑方：马8进",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn fens_after_labels_are_read() {
        let fen = "4k4/9/9/9/9/9/9/9/9/4K4 w";
        let long = "以下是2020年全国象棋个人赛第三轮胡荣华对柳大华的中局局面：";
        assert!(long.len() > MAX_LABEL_LENGTH);
        for label in [
            "",
            "FEN: ",
            "局面 ",
            "开局：",
            "Starting position: ",
            "FEN=",
            "残局(红先胜)：",
            "残局 [红先胜]",
            "Position; red to move: ",
            "红/黑 局面：",
            "局面 2020/5/3：",
            "来源 http://www.dpxq.com/ 局面：",
            long,
        ] {
            let line = format!("{label}{fen}");
            assert_eq!(headings_of(&read(&line).expect(&line)), format!("FEN={fen}"));
        }
        for (open, close) in [('"', '"'), ('“', '”')] {
            let line = format!("局面：{open}{fen}{close} 1. 兵七进一");
            let (read, length) = TextLine::read(&line).unwrap();
            assert_eq!(headings_of(&read), format!("FEN={fen}"));
            assert_eq!(&line[length..], " 1. 兵七进一");
        }
        for label in [
            "; 局面：",
            "{ 局面：",
            "[Event \"a\"] ",
            "(局面：",
            "1. 炮二平五 (好) 局面：",
            "1/2-1/2 局面：",
            "https://h/?fen=",
        ] {
            let line = format!("{label}{fen}");
            let found = read(&line);
            assert!(!matches!(found, Some(TextLine::Headings(_))), "{line}: {found:?}");
        }
        for (rest, headings, moves) in [
            (" 1. 兵七进一 卒7进1", "", "1. 兵七进一 卒7进1"),
            (" moves h2e2 h9g7", "", " h2e2 h9g7"),
            (" 车 九 进 九", "", "车 九 进 九"),
            (" 马七x六", "", "马七x六"),
            (" - - 0 1 马擒士 ", " - - 0 1|Event=马擒士", ""),
            (" Problem A", "|Event=Problem A", ""),
        ] {
            let line = format!("局面：{fen}{rest}");
            let (read, length) = TextLine::read(&line).unwrap();
            assert_eq!(headings_of(&read), format!("FEN={fen}{headings}"), "{rest}");
            assert_eq!(&line[length..], moves);
        }
        // Without a valid side to move, all of the text is the FEN.
        let line = "FEN: 4k4/9/9/9/9/9/9/9/9/4K4 white's turn";
        assert_eq!(headings_of(&read(line).unwrap()), line.replace(": ", "="));
        let headings = read("来源: https://a/b/c/d/e/f/g/h/i/j/k").unwrap();
        assert_eq!(headings_of(&headings), "Source=https://a/b/c/d/e/f/g/h/i/j/k");
    }

    #[test]
    fn sentences_contain_no_moves() {
        for line in
            ["红方中炮开局，双方平稳。", "第3局", "棋谱由 http://www.dpxq.com/ 生成", "http://x/"]
        {
            assert_eq!(read(line), Some(TextLine::Sentence), "{line}");
        }
        for line in [
            "",
            "1. 炮二平五",
            "炮er平五",
            "马二进",
            "车X",
            "马 二 进 三",
            "黑车在二路",
            "h2e2 http://x/",
            "如改走马二进三",
            "第3回合",
            "２．马二进三",
            "红胜",
            "黑方认负",
            "红 h2e2",
            "好 {评}",
            "[标题 \"x\"]",
            "x y",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}

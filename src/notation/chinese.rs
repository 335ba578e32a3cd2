//! Chinese moves, such as 炮二平五 and 前马退６.
//!
//! Moves are written as in Chinese programs and databases: red's numbers are 一 to 九, black's are full-width digits.
//! Advisors and bishops are always named by their file: if two are on one file, only the front one can retreat and only
//! the rear one can advance. Of two or three other pieces on a file, the front one is 前, the rear one 后 and the
//! middle one 中. Four or five pawns on a file are numbered 一 to 五 from the front. If two files have two or more
//! pawns each, such a pawn is named by its place and file: 前六进一.

use super::NotationError;
use super::relative::{
    Description, Direction, PiecePlace, RelativePlace, Subject, direction_and_number, read_digit,
    resolve, unique_text,
};
use crate::board::{Color, Move, PieceKind, Position};

const NUMERALS: [char; 10] = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
const DIGITS: [char; 10] = ['０', '１', '２', '３', '４', '５', '６', '７', '８', '９'];

/// The traditional characters of tag names and results, in the order of [`SIMPLIFIED`].
pub(super) const TRADITIONAL: &str =
    "標題類賽輪佈開紅後執結對時間點組別記錄評論備註勝負認輸獲贏議戰敗棄權雙";
pub(super) const SIMPLIFIED: &str =
    "标题类赛轮布开红后执结对时间点组别记录评论备注胜负认输获赢议战败弃权双";

/// The simplified form of a character of [`TRADITIONAL`]; other characters are returned unchanged.
pub(super) fn simplified(c: char) -> char {
    let mut pairs = TRADITIONAL.chars().zip(SIMPLIFIED.chars());
    let found = pairs.find(|(traditional, _)| *traditional == c);
    found.map_or(c, |(_, simplified)| simplified)
}

/// Writes a legal move of `position`.
///
/// A promotion (in the promotion variant) is written like 仕四变兵. Coordinates are written if the origin of the move
/// is empty. They are also written if the side has more pieces of the kind than a set has and the piece has no unique
/// name.
pub fn write(position: &Position, m: Move) -> String {
    let Some(piece) = position.piece_on(m.from()) else {
        return m.to_string();
    };
    let side = position.side_to_move();
    let numerals = match side {
        Color::Red => NUMERALS,
        Color::Black => DIGITS,
    };
    let name = piece.chinese();
    let place = PiecePlace::of(position, piece.kind(), m.from());
    let subject = match place_word(piece.kind(), place) {
        Some(word) if place.crowded_files > 1 => [word, numerals[place.file]],
        Some(word) => [word, name],
        None => [name, numerals[place.file]],
    };
    let (direction, number) = direction_and_number(m, side);
    let action = match direction {
        Direction::Forward => ['进', numerals[number]],
        Direction::Back => ['退', numerals[number]],
        Direction::Across => ['平', numerals[number]],
        Direction::Promotion if side == Color::Red => ['变', '兵'],
        Direction::Promotion => ['变', '卒'],
    };
    let text: String = subject.into_iter().chain(action).collect();
    unique_text(text, position, m, parse)
}

/// The word for the place of a piece on its file, or `None` if the piece is named by the number of the file. A tenth
/// piece on a file gets 零, which [`parse`] does not read, so [`write()`] writes coordinates.
fn place_word(kind: PieceKind, place: PiecePlace) -> Option<char> {
    if place.count < 2 || matches!(kind, PieceKind::Advisor | PieceKind::Bishop) {
        return None;
    }
    Some(if place.count > 3 {
        NUMERALS.get(place.index + 1).copied().unwrap_or(NUMERALS[0])
    } else if place.index == 0 {
        '前'
    } else if place.index + 1 == place.count {
        '后'
    } else {
        '中'
    })
}

/// Reads a move of `position`.
///
/// Simplified and traditional characters, the piece names of both sides and all kinds of digits are accepted for either
/// side. The radicals that PDF files contain in place of some of these characters are accepted too. These forms are
/// read in addition to those that [`write()`] produces:
///
/// - 车前平三
/// - 前兵七进一, the front pawn of the seventh file
/// - 前七进一 even if no other file has two or more pawns
/// - 前 and 后 for advisors and bishops, and for the first and last of more than three pieces
/// - 一兵 to 五兵 for pawns on two files, which are numbered file by file from the mover's right
///
/// # Errors
/// The text is not a Chinese move, or does not match exactly one legal move.
pub fn parse(position: &Position, text: &str) -> Result<Move, NotationError> {
    resolve(read(text), position, text)
}

/// The side whose kind of digit ends the text of a move. Many texts have digits of one kind for both sides.
pub(super) fn written_side(text: &str) -> Option<Color> {
    read(text)?;
    let last = usual_character(text.chars().next_back()?);
    if NUMERALS.contains(&last) {
        Some(Color::Red)
    } else {
        last.is_numeric().then_some(Color::Black)
    }
}

/// The parts of a move; `None` if the text is not in this notation.
pub(super) fn read(text: &str) -> Option<Description> {
    let characters = text.chars().filter(|c| !c.is_whitespace());
    let characters: Vec<char> = characters.map(usual_character).collect();
    let (subject, action) = characters.split_at_checked(characters.len().checked_sub(2)?)?;
    let &[direction, number] = action else {
        return None;
    };
    let direction = read_direction(direction)?;
    let number = match direction {
        Direction::Promotion if read_kind(number)? == PieceKind::Pawn => 0,
        Direction::Promotion => return None,
        _ => read_number(number)?,
    };
    let (kind, file, place) = read_subject(subject)?;
    Some(Description { kind, file, place, direction, number })
}

fn read_subject(characters: &[char]) -> Option<Subject> {
    use PieceKind::Pawn;
    Some(match *characters {
        [a, b] => match (read_kind(a), read_kind(b)) {
            (Some(kind), None) => match read_number(b) {
                Some(file) => (kind, Some(file), None),
                None => (kind, None, Some(read_place(b)?)),
            },
            (None, Some(kind)) => {
                let numbered = || read_number(a).map(RelativePlace::Nth);
                (kind, None, Some(read_place(a).or_else(numbered)?))
            }
            _ => (Pawn, Some(read_number(b)?), Some(read_place(a)?)),
        },
        [place, kind, file] => {
            (read_kind(kind)?, Some(read_number(file)?), Some(read_place(place)?))
        }
        _ => return None,
    })
}

/// Replaces a radical or a compatibility character, as in texts copied from PDF files, by the usual character that
/// looks like it, and the formal numeral 壹 by 一.
pub(super) fn usual_character(character: char) -> char {
    match character {
        '\u{2ee2}' => '马',
        '\u{2ecb}' => '车',
        '\u{2fba}' => '馬',
        '\u{2f9e}' | '\u{f902}' => '車',
        '\u{2f20}' => '士',
        '\u{2f00}' | '壹' => '一',
        '\u{2f06}' => '二',
        '\u{2f0b}' => '八',
        other => other,
    }
}

/// The kind of a piece by its name, also in traditional characters.
pub(super) fn read_kind(character: char) -> Option<PieceKind> {
    Some(match character {
        '帅' | '帥' | '将' | '將' => PieceKind::King,
        '仕' | '士' => PieceKind::Advisor,
        '相' | '象' => PieceKind::Bishop,
        '马' | '馬' | '傌' => PieceKind::Knight,
        '车' | '車' | '俥' => PieceKind::Rook,
        '炮' | '砲' | '包' => PieceKind::Cannon,
        '兵' | '卒' => PieceKind::Pawn,
        _ => return None,
    })
}

/// The place of a piece on its file.
pub(super) fn read_place(character: char) -> Option<RelativePlace> {
    Some(match character {
        '前' => RelativePlace::Front,
        '中' => RelativePlace::Middle,
        '后' | '後' => RelativePlace::Rear,
        _ => return None,
    })
}

pub(super) fn read_direction(character: char) -> Option<Direction> {
    Some(match character {
        '进' | '進' => Direction::Forward,
        '退' => Direction::Back,
        '平' => Direction::Across,
        '变' | '變' => Direction::Promotion,
        _ => return None,
    })
}

/// A digit from 1 to 9 of any kind.
fn read_number(character: char) -> Option<usize> {
    let numeral = |numerals: [char; 10]| numerals.iter().position(|n| *n == character);
    numeral(NUMERALS)
        .or_else(|| numeral(DIGITS))
        .filter(|number| *number > 0)
        .or_else(|| read_digit(character))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen::{parse_position, parse_variant_position};
    use crate::notation::{check_rejected, check_texts};

    fn check(fen: &str, coordinates: &str, texts: &[&str]) {
        let position = parse_position(fen).unwrap();
        check_texts(write, parse, &position, coordinates, texts);
    }

    #[test]
    fn opening_moves_match_books() {
        let mut position = Position::startpos();
        let line = [
            ("h2e2", "炮二平五"),
            ("h7e7", "炮８平５"),
            ("e2e6", "炮五进四"),
            ("d9e8", "士４进５"),
            ("h0g2", "马二进三"),
            ("h9g7", "马８进７"),
            ("b2e2", "炮八平五"),
            ("b9c7", "马２进３"),
            ("e6e4", "前炮退二"),
            ("i9h9", "车９平８"),
        ];
        for (coordinates, text) in line {
            check_texts(write, parse, &position, coordinates, &[text]);
            position.make(coordinates.parse().unwrap());
        }
    }

    #[test]
    fn simplified_and_traditional_characters_are_read() {
        let start = Position::startpos();
        for text in
            ["炮二平五", "砲2平5", "包２平５", " 炮 二 平 五 ", "砲二平５", "炮\u{2f06}平五"]
        {
            assert_eq!(parse(&start, text).unwrap().to_string(), "h2e2", "{text}");
        }
        for text in ["車壹平二", "車\u{2f00}平二"] {
            assert!(matches!(parse(&start, text), Err(NotationError::Illegal(_))), "{text}");
        }
        assert_eq!(parse(&start, "兵七進壹").unwrap().to_string(), "c3c4");
        for text in ["傌二進三", "馬二进三", "\u{2ee2}\u{2f06}进三", "\u{2fba}\u{2f06}進三"]
        {
            assert_eq!(parse(&start, text).unwrap().to_string(), "h0g2", "{text}");
        }
        check(
            "3k5/9/9/9/9/R8/9/R8/9/4K4 w",
            "a4a5",
            &["前车进一", "前俥進1", "車前进一", "前车九进一"],
        );
    }

    #[test]
    fn advisors_and_bishops_are_named_by_file() {
        let fen = "5k3/9/9/9/9/2B6/9/3A5/9/2BAK4 w";
        check(fen, "d0e1", &["仕六进五", "后仕进五", "后士进5"]);
        check(fen, "d2e1", &["仕六退五", "前仕退五"]);
        check(fen, "c0e2", &["相七进五", "后象进５"]);
        check(fen, "c4a2", &["相七退九", "前相退九"]);
    }

    #[test]
    fn pawns_on_one_file_are_distinguished() {
        let three = "3k5/4P4/4P4/4P4/9/9/9/9/9/4K4 w";
        check(three, "e8f8", &["前兵平四", "一兵平四", "前五平四"]);
        check(three, "e7f7", &["中兵平四", "二兵平四", "中兵五平四", "兵五平四"]);
        check(three, "e6d6", &["后兵平六", "後兵平六", "三兵平六"]);
        let four = "3k5/9/9/9/9/4p4/4p4/4p4/4p4/5K3 b";
        check(four, "e1f1", &["一卒平６", "前卒平6", "1卒平6"]);
        check(four, "e2f2", &["二卒平６"]);
        check(four, "e4d4", &["四卒平４", "后卒平4"]);
    }

    #[test]
    fn pawns_on_two_files_are_numbered_from_the_right() {
        let red = "3k5/9/2P3P2/2P3P2/2P6/9/9/9/9/4K4 w";
        check(red, "g7f7", &["前三平四", "一兵平四", "前兵三平四"]);
        check(red, "c7d7", &["前七平六", "三兵平六"]);
        check(red, "c6d6", &["中七平六", "四兵平六"]);
        check(red, "c5d5", &["后七平六", "五兵平六"]);
        let black = "4k4/9/9/9/9/2p3p2/2p3p2/9/9/3K5 b";
        check(black, "c3d3", &["前３平４", "前3平4", "一卒平４"]);
        check(black, "g4f4", &["后７平６", "四卒平６"]);
        let position = parse_position(red).unwrap();
        assert!(matches!(parse(&position, "前兵进一"), Err(NotationError::Ambiguous { .. })));
        assert_eq!(parse(&position, "前兵平八").unwrap().to_string(), "c7b7");
    }

    #[test]
    fn promotions_round_trip() {
        let fen = "3k5/9/9/9/9/9/9/5A3/9/2B1KA3 w";
        let position = parse_variant_position(fen, true).unwrap();
        for (text, coordinates) in [("仕四变兵", "f0f0"), ("相七变兵", "c0c0")] {
            check_texts(write, parse, &position, coordinates, &[text]);
        }
    }

    #[test]
    fn invalid_texts_are_rejected() {
        let unreadable = "炮 炮二 炮二平 炮二飞五 二五平五 炮炮平五 炮二平〇 炮零平五";
        let illegal = "炮一平五 前炮平五 帅五进二 炮二平二 仕四变兵";
        check_rejected(parse, unreadable, illegal);
    }
}

//! Moves in Vietnamese notation, such as `P2-5` (pháo 2 bình 5), `M2.3` (mã 2 tấn 3) and `X1/2` (xe 1 thoái 2).
//!
//! The letters are Tg (tướng, king), S (sĩ, advisor), V or T (voi or tượng, bishop), X (xe, rook), P (pháo, cannon), M
//! (mã, knight), and B or C (binh or chốt, pawn). Files are numbered from the mover's right. Of several pieces on a
//! file, the front one has `t` (trước), the middle one `g` (giữa) and the rear one `s` (sau) in place of the file. `.`
//! means forward, `/` backward and `-` along the rank. Words may replace all of these: `Pháo 2 bình 5`. The last digit
//! is the destination file, or for a rook, cannon, pawn or king that moves along a file the number of ranks. Because
//! `P2.1` (pháo 2 tấn 1) is a pawn move along the rank in WXF, `parse_move` does not read this notation. It is only
//! chosen for a game as a whole.

use super::NotationError;
use super::relative::{Description, Direction, RelativePlace, read_digit, resolve};
use crate::board::{Move, PieceKind, Position};

/// The words with their letters and signs. They are replaced in this order.
const WORDS: [(&str, &str); 20] = [
    ("tướng", "tg"),
    ("sĩ", "s"),
    ("sỹ", "s"),
    ("tượng", "v"),
    ("voi", "v"),
    ("xe", "x"),
    ("pháo", "p"),
    ("mã", "m"),
    ("binh", "b"),
    ("chốt", "b"),
    ("tốt", "b"),
    ("trước", "t"),
    ("giữa", "g"),
    ("sau", "s"),
    ("tấn", "."),
    ("tiến", "."),
    ("thoái", "/"),
    ("lùi", "/"),
    ("lui", "/"),
    ("bình", "-"),
];

/// Reads a move of `position`.
///
/// # Errors
/// The text is not in this notation, or does not match exactly one legal move.
pub fn parse(position: &Position, text: &str) -> Result<Move, NotationError> {
    resolve(read(text.trim()), position, text)
}

/// Whether a text may be a move in words. The word for each direction has a letter that is not ASCII, except `lui`.
pub(super) fn may_be_words(text: &str) -> bool {
    !text.is_ascii() || text.contains("lui")
}

/// The parts of a move; `None` if the text is not in this notation.
pub(super) fn read(text: &str) -> Option<Description> {
    let mut text = text.to_lowercase();
    if may_be_words(&text) {
        text.retain(|c| !c.is_whitespace());
        for (word, sign) in WORDS {
            text = text.replace(word, sign);
        }
    }
    let (subject, action) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let (direction, number) = match *action.as_bytes() {
        [b'.', number] => (Direction::Forward, read_digit(number.into())?),
        [b'/', number] => (Direction::Back, read_digit(number.into())?),
        [b'-', number] => (Direction::Across, read_digit(number.into())?),
        _ => return None,
    };
    let (kind, place) = match subject.strip_prefix("tg") {
        Some(file) => (PieceKind::King, file),
        None => (read_kind(subject.bytes().next()?)?, &subject[1..]),
    };
    let (file, place) = match *place.as_bytes() {
        [b't'] => (None, Some(RelativePlace::Front)),
        [b'g'] => (None, Some(RelativePlace::Middle)),
        [b's'] => (None, Some(RelativePlace::Rear)),
        [digit] => (Some(read_digit(digit.into())?), None),
        _ => return None,
    };
    Some(Description { kind, file, place, direction, number })
}

fn read_kind(letter: u8) -> Option<PieceKind> {
    Some(match letter {
        b's' => PieceKind::Advisor,
        b'v' | b't' => PieceKind::Bishop,
        b'x' => PieceKind::Rook,
        b'p' => PieceKind::Cannon,
        b'm' => PieceKind::Knight,
        b'b' | b'c' => PieceKind::Pawn,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::check_rejected;
    use crate::notation::fen::parse_position;

    #[test]
    fn moves_are_read() {
        let mut position = Position::startpos();
        for (text, coordinates) in [
            ("P2-5", "h2e2"),
            ("M8.7", "h9g7"),
            ("M2.3", "h0g2"),
            ("X9-8", "i9h9"),
            ("B7.1", "c3c4"),
            ("S4.5", "d9e8"),
            ("V7.9", "c0a2"),
            ("Tướng 5 bình 4", "e9d9"),
        ] {
            let m = coordinates.parse().unwrap();
            assert_eq!(parse(&position, text), Ok(m), "{text}");
            position.make(m);
        }
        let rooks = parse_position("3k5/9/9/9/9/R8/9/R8/9/4K4 w").unwrap();
        assert_eq!(parse(&rooks, "Xt.1"), Ok("a4a5".parse().unwrap()));
        assert_eq!(parse(&rooks, "xs/2"), Ok("a2a0".parse().unwrap()));
        for text in ["Xe sau thoái 2", "Xe sau lùi 2", "Xesaului2"] {
            assert_eq!(parse(&rooks, text), Ok("a2a0".parse().unwrap()));
        }
        assert_eq!(parse(&rooks, "Xe trước tiến 1"), Ok("a4a5".parse().unwrap()));
        assert_eq!(parse(&Position::startpos(), "Sỹ 4 tiến 5"), Ok("f0e1".parse().unwrap()));
    }

    #[test]
    fn invalid_texts_are_rejected() {
        check_rejected(parse, "P2 P2-0 Q2-5 P2=5 Pâ-5 é.5 Tgx.5", "P5-4");
    }
}

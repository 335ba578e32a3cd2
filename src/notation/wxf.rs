//! Moves in the notation of the World Xiangqi Federation (WXF), such as `C2=5`, `N8+7` and `R+=4`.
//!
//! Files are numbered 1 to 9 from the mover's right. Of two pieces on a file, the front one has `+` in place of the
//! file and the rear one `-`; advisors and bishops always have the file. If a file has three or more pawns, or two
//! files have two or more each, such a pawn is named by its number from the front and its file: `16+1` (rules of 2018).

use super::NotationError;
use super::relative::{
    Description, Direction, PiecePlace, RelativePlace, Subject, direction_and_number, read_digit,
    resolve, unique_text,
};
use crate::board::{Move, PieceKind, Position};

/// Writes a legal move of `position`.
///
/// The letters are those of FEN, upper case for both sides; moves along a rank have `=`. A promotion (in the promotion
/// variant) is written like `A4=P`. Coordinates are written in the same cases as by
/// [`chinese::write`](super::chinese::write).
pub fn write(position: &Position, m: Move) -> String {
    let Some(piece) = position.piece_on(m.from()) else {
        return m.to_string();
    };
    let place = PiecePlace::of(position, piece.kind(), m.from());
    let subject = subject(piece.kind(), place);
    let text = match direction_and_number(m, position.side_to_move()) {
        (Direction::Forward, number) => format!("{subject}+{number}"),
        (Direction::Back, number) => format!("{subject}-{number}"),
        (Direction::Across, number) => format!("{subject}={number}"),
        (Direction::Promotion, _) => format!("{subject}=P"),
    };
    unique_text(text, position, m, parse)
}

fn subject(kind: PieceKind, place: PiecePlace) -> String {
    let PiecePlace { file, count, index, .. } = place;
    let letter = kind.letter();
    if count < 2 || matches!(kind, PieceKind::Advisor | PieceKind::Bishop) {
        format!("{letter}{file}")
    } else if count > 2 || place.crowded_files > 1 {
        format!("{}{file}", index + 1)
    } else if index == 0 {
        format!("{letter}+")
    } else {
        format!("{letter}-")
    }
}

/// Reads a move of `position`.
///
/// Letters may have either case, H and E mean N and B, `.` before the number means `=`, and an en dash means `-`. In
/// addition to the WXF forms that [`write()`] produces, this reads the sign before the letter (`+R=4`), the file after
/// the sign (`R+4+1`), signs for advisors and bishops, and `f`, `r` or `b` for the front or rear (back) piece. In this
/// form, such as `fC+2`, the letter of the piece must be upper case. Older forms for pawns are read as well:
///
/// - a letter for the number from the front: `Pa=4`
/// - signs after the file: `3+=4`
/// - `++` and `--` for the first and last of four or five
/// - `.`, the file, or the file twice, for the middle one of three or five: `P.=4`, `P3=4`, `33=4`
///
/// # Errors
/// The text is not a WXF move, or does not match exactly one legal move.
pub fn parse(position: &Position, text: &str) -> Result<Move, NotationError> {
    resolve(read(text.trim()), position, text)
}

/// The parts of a move; `None` if the text is not in this notation.
pub(super) fn read(text: &str) -> Option<Description> {
    let characters: Vec<char> = text.chars().collect();
    let (subject, action) = characters.split_at_checked(characters.len().checked_sub(2)?)?;
    let (direction, number) = match *action {
        ['=' | '.', 'P' | 'p'] => (Direction::Promotion, 0),
        ['+', number] => (Direction::Forward, read_digit(number)?),
        ['-' | '–', number] => (Direction::Back, read_digit(number)?),
        ['=' | '.', number] => (Direction::Across, read_digit(number)?),
        _ => return None,
    };
    let (kind, file, place) = read_subject(subject)?;
    Some(Description { kind, file, place, direction, number })
}

fn read_subject(characters: &[char]) -> Option<Subject> {
    use PieceKind::Pawn;
    Some(match *characters {
        ['+', '+'] => (Pawn, None, Some(RelativePlace::Front)),
        ['-' | '–', '-' | '–'] => (Pawn, None, Some(RelativePlace::Rear)),
        ['f', letter @ 'A'..='Z'] => {
            (PieceKind::from_letter(letter)?, None, Some(RelativePlace::Front))
        }
        ['r' | 'b', letter @ 'A'..='Z'] => {
            (PieceKind::from_letter(letter)?, None, Some(RelativePlace::Rear))
        }
        [a, b] => match (read_digit(a), read_digit(b)) {
            (Some(a), Some(b)) if a == b => (Pawn, Some(b), Some(RelativePlace::NthOrMiddle(a))),
            (Some(a), Some(b)) => (Pawn, Some(b), Some(RelativePlace::Nth(a))),
            (Some(file), None) => (Pawn, Some(file), Some(read_sign(b)?)),
            (None, Some(file)) => (PieceKind::from_letter(a)?, Some(file), None),
            (None, None) => match read_sign(a) {
                Some(place) => (PieceKind::from_letter(b)?, None, Some(place)),
                None => match PieceKind::from_letter(a)? {
                    Pawn => (Pawn, None, Some(read_sign(b).or_else(|| read_order(b))?)),
                    kind => (kind, None, Some(read_sign(b)?)),
                },
            },
        },
        [letter, sign, file] => {
            (PieceKind::from_letter(letter)?, Some(read_digit(file)?), Some(read_sign(sign)?))
        }
        _ => return None,
    })
}

fn read_sign(character: char) -> Option<RelativePlace> {
    Some(match character {
        '+' => RelativePlace::InnerFront,
        '-' | '–' => RelativePlace::InnerRear,
        '.' => RelativePlace::Middle,
        _ => return None,
    })
}

/// The number of a pawn from the front as a letter: `a` is the first.
fn read_order(character: char) -> Option<RelativePlace> {
    let index = (character.to_ascii_lowercase() as usize).checked_sub('a' as usize)?;
    (index < PieceKind::Pawn.max_per_side() as usize).then_some(RelativePlace::Nth(index + 1))
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
            ("h2e2", ["C2=5", "c2.5"]),
            ("h9g7", ["N8+7", "H8+7"]),
            ("g0i2", ["B3+1", "e3+1"]),
            ("d9e8", ["A4+5", "a4+5"]),
            ("e2e6", ["C5+4", "C5+4"]),
            ("g7e6", ["N7+5", "h7+5"]),
        ];
        for (coordinates, texts) in line {
            check_texts(write, parse, &position, coordinates, &texts);
            position.make(coordinates.parse().unwrap());
        }
    }

    #[test]
    fn two_pieces_on_a_file_have_signs() {
        let rooks = "3k5/9/9/9/9/R8/9/R8/9/4K4 w";
        check(rooks, "a4a5", &["R++1", "+R+1", "R+9+1", "r++1", "fR+1"]);
        check(rooks, "a2b2", &["R-=8", "-R.8", "R–.8", "R-9=8"]);
        check(rooks, "a2a0", &["R--2", "-R-2", "R––2", "rR-2", "bR-2"]);
        let advisors = "5k3/9/9/9/9/9/9/3A5/9/3AK4 w";
        check(advisors, "d0e1", &["A6+5", "A-+5", "-A+5"]);
        check(advisors, "d2e1", &["A6-5", "A+-5"]);
    }

    #[test]
    fn pawns_on_one_file_are_distinguished() {
        let three = "3k5/4P4/4P4/4P4/9/9/9/9/9/4K4 w";
        check(three, "e8f8", &["15=4", "P+=4", "P+.4", "Pa=4"]);
        check(three, "e7f7", &["25=4", "P5=4", "P5.4", "P.=4", "Pb=4", "55=4"]);
        check(three, "e6f6", &["35=4", "P-=4", "P-.4", "Pc=4"]);
        let five = "3k5/9/9/9/4p4/4p4/4p4/4p4/4p4/5K3 b";
        check(five, "e1f1", &["15=6", "++=6", "++.6", "fP=6"]);
        check(five, "e2f2", &["25=6", "P+=6", "Pb=6"]);
        check(five, "e3f3", &["35=6", "P5=6"]);
        check(five, "e4f4", &["45=6", "P-=6"]);
        check("3k5/9/9/9/9/4p4/4p4/4p4/4p4/5K3 b", "e4f4", &["45=6", "--=6", "--.6", "rP=6"]);
    }

    #[test]
    fn pawns_on_two_files_name_the_file() {
        let red = "3k5/9/2P3P2/2P3P2/2P6/9/9/9/9/4K4 w";
        check(red, "g7f7", &["13=4", "3+=4", "3+.4", "P+3=4"]);
        check(red, "g6f6", &["23=4", "3-=4", "P-3=4"]);
        check(red, "c7d7", &["17=6", "7+=6"]);
        check(red, "c6d6", &["27=6", "77=6", "P7=6"]);
        check(red, "c5d5", &["37=6", "7-=6"]);
        // The third pawn of the third file, not the middle one.
        let third = "3k5/9/6P2/6P2/6P2/9/9/9/9/4K4 w";
        check(third, "g5f5", &["33=4", "P-=4"]);
        check(third, "g6f6", &["23=4", "P3=4"]);
    }

    #[test]
    fn promotions_round_trip() {
        let position = parse_variant_position("3k5/9/9/9/9/9/9/9/9/2B1KA3 w", true).unwrap();
        for (text, coordinates) in [("A4=P", "f0f0"), ("B7=P", "c0c0")] {
            check_texts(write, parse, &position, coordinates, &[text]);
        }
    }

    #[test]
    fn invalid_texts_are_rejected() {
        let unreadable = "C C2 C2= C2=0 X2=5 2=5 C2*5 CC=5 Pf=5 +++C=5 炮2=5";
        let illegal = "C1=5 C+=5 K5+2 C2=2 A4=P ++=5";
        check_rejected(parse, unreadable, illegal);
    }
}

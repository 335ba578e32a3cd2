//! Standard algebraic notation (SAN) as in XBoard, WinBoard and other chess programs: `Che2`, `Hg7`, `xe4`.

use super::error::{NotationError, only_move};
use crate::board::{FILES, Move, Piece, PieceKind, Position, RANKS, Square};
use crate::movegen::{has_legal_move, legal_moves};

/// A parsed move.
pub(super) struct Description {
    kind: Option<PieceKind>,
    from_file: Option<usize>,
    from_rank: Option<usize>,
    to: Square,
}

/// Writes a legal move of `position` with the letters and ranks of XBoard: `H` and `E`, ranks from 0, no letter for
/// pawns. Unlike XBoard, this writes the file of a pawn that moves straight ahead if another pawn can move to the same
/// square.
///
/// A promotion (in the promotion variant) or a move from an empty square is written in coordinates.
pub fn write(position: &Position, m: Move) -> String {
    let Some(piece) = position.piece_on(m.from()).filter(|_| !m.is_promotion()) else {
        return m.to_string();
    };
    let rivals: Vec<Square> = legal_moves(position)
        .into_iter()
        .filter(|other| other.to() == m.to() && other.from() != m.from())
        .map(|other| other.from())
        .filter(|from| position.piece_on(*from) == Some(piece))
        .collect();
    let mut text = letter(piece);
    let shares_file = rivals.iter().any(|s| s.file() == m.from().file());
    let shares_rank = rivals.iter().any(|s| s.rank() == m.from().rank());
    let square = m.from().to_string();
    let (file, rank) = square.split_at(1);
    if !rivals.is_empty() && (!shares_file || shares_rank) {
        text += file;
    }
    if shares_file {
        text += rank;
    }
    if position.piece_on(m.to()).is_some() {
        text.push('x');
    }
    text += &m.to().to_string();
    let after = position.after(m);
    if after.in_check() {
        text.push(if has_legal_move(&after) { '+' } else { '#' });
    }
    text
}

fn letter(piece: Piece) -> String {
    match piece.kind() {
        PieceKind::Knight => "H".to_owned(),
        PieceKind::Bishop => "E".to_owned(),
        PieceKind::Pawn => String::new(),
        kind => kind.letter().to_string(),
    }
}

/// Reads a move of `position`; the ranks are numbered from `first_rank`, 0 or 1.
///
/// The letters N and B are read as H and E, and pawns may have the letter P. A move that gives the file and
/// rank of its origin needs no letter, so `h3e3` and `h10g8` are read as well. If several pawns can move to a square,
/// a text without a file means the move straight ahead: XBoard writes the file only for moves to the side.
///
/// # Errors
/// The text is not in this notation, or does not match exactly one legal move.
pub fn parse(position: &Position, text: &str, first_rank: usize) -> Result<Move, NotationError> {
    let Some(description) = read(text.trim(), first_rank) else {
        return Err(NotationError::Unreadable(text.to_owned()));
    };
    let mut moves: Vec<Move> =
        legal_moves(position).into_iter().filter(|m| description.matches(position, *m)).collect();
    let is_straight = |m: &Move| m.from().file() == m.to().file();
    let is_pawn = description.kind == Some(PieceKind::Pawn);
    if is_pawn && moves.iter().any(is_straight) {
        moves.retain(is_straight);
    }
    only_move(moves, text)
}

/// The parts of a move; `None` if the text is not in this notation.
pub(super) fn read(text: &str, first_rank: usize) -> Option<Description> {
    let text = text.trim_end_matches(['+', '#']);
    let kind = match text.chars().next()? {
        letter @ 'A'..='Z' => Some(PieceKind::from_letter(letter)?),
        _ => None,
    };
    let squares = &text[usize::from(kind.is_some())..];
    let (origin, destination) = squares.split_at(squares.rfind(|c: char| c.is_ascii_lowercase())?);
    let origin = origin.trim_end_matches(['x', '-']);
    let to = Square::new(read_file(destination)?, read_rank(&destination[1..], first_rank)?)?;
    let from_file = read_file(origin);
    let origin = &origin[usize::from(from_file.is_some())..];
    let from_rank = match origin {
        "" => None,
        rank => Some(read_rank(rank, first_rank)?),
    };
    let is_complete = from_file.is_some() && from_rank.is_some();
    Some(Description {
        kind: kind.or((!is_complete).then_some(PieceKind::Pawn)),
        from_file,
        from_rank,
        to,
    })
}

/// The file that a text begins with.
fn read_file(text: &str) -> Option<usize> {
    let file = usize::from(text.bytes().next()?.checked_sub(b'a')?);
    (file < FILES).then_some(file)
}

fn read_rank(text: &str, first_rank: usize) -> Option<usize> {
    let is_number = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    let rank = text.parse::<usize>().ok().filter(|_| is_number)?;
    rank.checked_sub(first_rank).filter(|rank| *rank < RANKS)
}

impl Description {
    fn matches(&self, position: &Position, m: Move) -> bool {
        let kind = position.piece_on(m.from()).map(Piece::kind);
        m.to() == self.to
            && !m.is_promotion()
            && self.kind.is_none_or(|wanted| kind == Some(wanted))
            && self.from_file.is_none_or(|file| file == m.from().file())
            && self.from_rank.is_none_or(|rank| rank == m.from().rank())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{check_rejected, check_texts};

    fn parse_from_0(position: &Position, text: &str) -> Result<Move, NotationError> {
        parse(position, text, 0)
    }

    fn check(fen: &str, coordinates: &str, texts: &[&str]) {
        let position = fen.parse().unwrap();
        check_texts(write, parse_from_0, &position, coordinates, texts);
    }

    #[test]
    fn moves_are_written_and_read() {
        let start = crate::notation::fen::START;
        check(start, "h2e2", &["Che2", "Ch2e2", "Ch2-e2"]);
        check(start, "h0g2", &["Hg2", "Ng2"]);
        check(start, "c3c4", &["c4", "Pc4", "c3c4"]);
        check(start, "g0e2", &["Ege2", "Bge2"]);
        check(start, "b2b9", &["Cxb9", "Cb2xb9", "Cbxb9"]);
        // Two rooks on a file, then two rooks on a rank.
        check("3k5/9/9/9/9/9/R8/9/9/R3K4 w", "a3a2", &["R3a2", "Ra3a2"]);
        let on_rank = "3k5/9/9/9/9/9/9/4K4/9/R7R w";
        check(on_rank, "a0f0", &["Raf0", "Ra0f0"]);
        check(on_rank, "i0i2", &["Ri2", "Rii2"]);
        // A check, a mate, and a pawn that captures.
        check("3k5/9/9/9/9/9/9/9/R8/5K3 w", "a1d1", &["Rd1+", "Rd1"]);
        check("3k5/R8/9/9/9/9/9/9/1R7/4K4 w", "b1b9", &["Rb9#"]);
        check("3k5/9/9/4p4/4P4/9/9/9/9/4K4 w", "e5e6", &["xe6", "exe6", "Pxe6"]);
        // A pawn that can move ahead, and one that can move to the side.
        let pawns = "3k5/9/9/6P2/5P3/9/9/9/9/4K4 w";
        check(pawns, "f5f6", &["ff6", "f6", "Pf6"]);
        check(pawns, "g6f6", &["gf6"]);
    }

    #[test]
    fn ranks_may_start_at_one() {
        let start = Position::startpos();
        for (text, coordinates) in
            [("Che3", "h2e2"), ("h3e3", "h2e2"), ("c5", "c3c4"), ("Ng3", "h0g2")]
        {
            let m = coordinates.parse().unwrap();
            assert_eq!(parse(&start, text, 1), Ok(m), "{text}");
        }
        let position = start.after_line("h2e2");
        for text in ["h10g8", "Hg8", "N10g8"] {
            assert_eq!(parse(&position, text, 1), Ok("h9g7".parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn invalid_texts_are_rejected() {
        let unreadable = "C c Che Cj2 C2=5 炮二平五 Che10 Xe2 e12 Chhe2";
        check_rejected(parse_from_0, unreadable, "Ka5 e7");
        let error = parse_from_0(&Position::startpos(), "Ce2").unwrap_err();
        assert!(matches!(error, NotationError::Ambiguous { .. }), "{error}");
    }
}

//! Moves as origin and destination: `h2e2` in the protocols, `H2-E2` in game records (ICCS).

use super::NotationError;
use crate::board::{Move, Position};
use crate::movegen::is_legal;

/// Writes a move as game records do, such as `H2-E2`; [`Move`] itself displays as `h2e2`.
pub fn write_iccs(m: Move) -> String {
    format!("{}-{}", m.from(), m.to()).to_ascii_uppercase()
}

/// Reads `h2e2`, `H2E2` or `H2-E2`, also with an en dash. Mixed case is rejected: `C8e8` is [SAN](super::san), the
/// cannon on rank 8 to e8.
///
/// # Errors
/// The text has another form, or the move is illegal in the position.
pub fn parse(position: &Position, text: &str) -> Result<Move, NotationError> {
    let m = read(text).ok_or_else(|| NotationError::Unreadable(text.to_owned()))?;
    if is_legal(position, m) { Ok(m) } else { Err(NotationError::Illegal(text.to_owned())) }
}

/// The move of a text in this notation, legal or not.
pub(super) fn read(text: &str) -> Option<Move> {
    let has = |is_case: fn(&u8) -> bool| text.bytes().any(|byte| is_case(&byte));
    let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    squares(text).filter(|_| !is_mixed)
}

/// The move between the two squares of a text, legal or not. The squares may be separated by a hyphen or an en dash.
pub fn squares(text: &str) -> Option<Move> {
    text.replace('–', "-").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iccs_round_trips() {
        let start = Position::startpos();
        let m = parse(&start, "h2e2").unwrap();
        assert_eq!(write_iccs(m), "H2-E2");
        assert_eq!(parse(&start, "H2-E2"), Ok(m));
        assert_eq!(parse(&start, "H2–E2"), Ok(m));
        assert_eq!(parse(&start, "h2h9"), parse(&start, "H2-H9"), "a capture over a screen");
        assert_eq!(parse(&start, "e0e2"), Err(NotationError::Illegal("e0e2".into())));
        assert_eq!(parse(&start, "H2e2"), Err(NotationError::Unreadable("H2e2".into())));
        assert_eq!(parse(&start, "e0"), Err(NotationError::Unreadable("e0".into())));
    }
}

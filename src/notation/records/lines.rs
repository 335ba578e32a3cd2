//! Text files with one game or position per line: `FEN moves …`, `startpos moves …`, EPD, and URLs of cloud libraries.

use super::markup::percent_decoded;
use crate::notation::epd::{Epd, EpdError};
use crate::notation::fen::{self, Strictness};
use crate::notation::raw::RecordError;
use crate::notation::tree::{GameTree, PgnGame};
use crate::notation::{GameText, Line, Separator, without_move_numbers};

/// Whether a text is in this format: at least one line begins with a position, and no line begins with `[`, as a tag
/// of a PGN does.
pub fn is_lines(text: &str) -> bool {
    let begins_with_position = |line: &str| {
        let word = line.split_whitespace().next().unwrap_or_default();
        ["startpos", "position", "fen"]
            .iter()
            .any(|key| word.eq_ignore_ascii_case(key))
            || word.matches('/').count() >= 9
    };
    let mut lines = text.lines().map(str::trim);
    lines.clone().any(begins_with_position) && !lines.any(|line| line.starts_with('['))
}

/// Reads a line.
///
/// # Errors
/// The position is invalid, or a move cannot be played.
pub fn read_line(text: &str) -> Result<GameTree, RecordError> {
    let (line, tags) = if let Some(line) = url_line(text) {
        (line?, Vec::new())
    } else {
        match GameText::split(&without_move_numbers(text), Separator::Optional).read() {
            Ok(line) => (line, Vec::new()),
            Err(_) if text.contains(';') => {
                let epd: Result<Epd, EpdError> = text.parse();
                let epd = epd.map_err(RecordError::new)?;
                let event = epd.id().map(|id| ("Event".to_owned(), id.to_owned()));
                let start = epd.position;
                let moves = Vec::new();
                (Line { start, moves }, event.into_iter().collect())
            }
            Err(error) => return Err(RecordError::new(error)),
        }
    };
    Ok(GameTree::from(&PgnGame {
        tags,
        ..PgnGame::from(line)
    }))
}

/// The position and moves of a URL such as `https://host/query/?FEN_w_moves_h2e2` or `…&board=FEN%20w`, or of a FEN
/// with `_` in place of blanks; `None` if the text is something else.
fn url_line(text: &str) -> Option<Result<Line, RecordError>> {
    let is_address = ["http://", "https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    if !is_address && text.split_whitespace().count() > 1 {
        return None;
    }
    let board = match text.rsplit_once("board=") {
        Some((_, board)) => board.split('&').next().unwrap_or_default(),
        None => text.rsplit_once('?').map_or(text, |(_, board)| board),
    };
    if board.len() == text.len() && !text.contains('_') {
        return None;
    }
    let board = percent_decoded(&board.replace(['_', '+'], " "));
    let board = String::from_utf8_lossy(&board);
    let (board, moves) = board.split_once(" moves ").unwrap_or((&board, ""));
    let line = fen::parse_setup(board, Strictness::Lenient)
        .map_err(RecordError::new)
        .and_then(|setup| {
            let text = format!("{} moves {moves}", fen::write_setup(&setup));
            let line = GameText::split(&text, Separator::Required).read();
            line.map_err(RecordError::new)
        });
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    #[test]
    fn lines_are_recognised() {
        let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
        for text in [
            "startpos moves h2e2",
            "# a\n\nposition fen x",
            "invalid\nstartpos",
            &format!("{board} w"),
            &format!("https://www.chessdb.cn/query/?{board}_w"),
        ] {
            assert!(is_lines(text), "{text}");
        }
        for text in ["[Red \"a\"]\n\nstartpos", " 1. h2e2", "炮二平五", "", "#"] {
            assert!(!is_lines(text), "{text}");
        }
    }

    #[test]
    fn urls_are_read() {
        let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
        for text in [
            format!("{board}_w"),
            format!("https://www.chessdb.cn/query/?{board}_w"),
            format!("http://h/chessdb.php?action=queryall&board={board}%20w&json=1"),
            format!("position fen {board} w"),
        ] {
            let game = read_line(&text).unwrap();
            assert_eq!(game.start, Position::startpos(), "{text}");
        }
        for text in [
            format!("{board}_w_moves_h2e2_h9g7"),
            format!("https://www.chessdb.cn/query/?{board}_w_moves_h2e2_h9g7"),
            format!("http://h/chessdb.php?board={board}%20w%20moves%20h2e2%20h9g7&json=1"),
            format!("https://www.chessdb.cn/query/?{board} w moves h2e2 h9g7"),
        ] {
            let game = read_line(&text).unwrap().main_line();
            assert_eq!(game.line.moves.len(), 2, "{text}");
        }
        assert!(read_line(&format!("{board}_w_moves_h2e9")).is_err());
        assert!(read_line(&format!("{board}_")).is_err());
        assert!(read_line("http://h/?x").is_err());
    }
}

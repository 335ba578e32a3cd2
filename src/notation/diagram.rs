//! The board as text for a terminal.

use crate::board::{Color, Move, Piece, Position, Square};

/// The characters for the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Letters {
    /// `KABNRCP` for red and `kabnrcp` for black, on a board of ASCII characters.
    #[default]
    Latin,
    /// 帅仕相马车炮兵 for red and 将士象马车炮卒 for black, on a board of box drawing characters. Without color, kings,
    /// knights, rooks and cannons have traditional characters that differ between the sides: 帥傌俥炮 and 將馬車砲.
    Chinese,
}

/// The style in which a board is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DiagramStyle {
    /// The characters for the pieces.
    pub letters: Letters,
    /// Whether to color the sides and mark the last move with ANSI escape sequences.
    pub color: bool,
    /// Whether black is at the bottom.
    pub flipped: bool,
    /// The label of the first rank, 0 or 1.
    pub first_rank: usize,
}

/// Draws a position in 20 lines, without a line end after the last one. The squares of the move `last` are
/// marked if `style.color` is set.
///
/// ```
/// use chuhe::board::Position;
/// use chuhe::notation::diagram::{DiagramStyle, draw};
///
/// let board = draw(&Position::startpos(), DiagramStyle::default(), None);
/// assert!(board.starts_with("9  r---n---b---a---k---a---b---n---r\n"));
/// ```
pub fn draw(position: &Position, style: DiagramStyle, last: Option<Move>) -> String {
    let ranks: Vec<usize> = if style.flipped { (0..10).collect() } else { (0..10).rev().collect() };
    let mut lines = Vec::new();
    for (n, &rank) in ranks.iter().enumerate() {
        lines.push(rank_line(position, style, last, rank));
        if let Some(&next) = ranks.get(n + 1) {
            lines.push(format!("   {}", between(style, rank.min(next))));
        }
    }
    let files = file_order(style.flipped).map(|file| char::from(b'a' + file as u8).to_string());
    let files: Vec<String> = files.collect();
    lines.push(format!("   {}", files.join("   ")));
    lines.join("\n")
}

/// The files from left to right.
fn file_order(flipped: bool) -> impl Iterator<Item = usize> {
    (0..9).map(move |file| if flipped { 8 - file } else { file })
}

fn rank_line(position: &Position, style: DiagramStyle, last: Option<Move>, rank: usize) -> String {
    let squares = file_order(style.flipped).filter_map(|file| Square::from_index(9 * rank + file));
    let mut line = format!("{:<3}", rank + style.first_rank);
    for (n, square) in squares.enumerate() {
        let is_last = last.is_some_and(|m| m.from() == square || m.to() == square);
        let symbol = symbol(position.piece_on(square), style);
        line +=
            &if style.color { paint(&symbol, position.piece_on(square), is_last) } else { symbol };
        if n < 8 {
            line += match style.letters {
                Letters::Latin => "---",
                Letters::Chinese => "──",
            };
        }
    }
    line.trim_end().to_owned()
}

fn symbol(piece: Option<Piece>, style: DiagramStyle) -> String {
    match (piece, style.letters) {
        (None, Letters::Latin) => "+".to_owned(),
        (None, Letters::Chinese) => "┼─".to_owned(),
        (Some(piece), Letters::Latin) => piece.letter().to_string(),
        (Some(piece), Letters::Chinese) if style.color => piece.chinese().to_string(),
        (Some(piece), Letters::Chinese) => traditional(piece).to_string(),
    }
}

/// The traditional character of a piece, which differs between the sides.
fn traditional(piece: Piece) -> char {
    match piece {
        Piece::RedKing => '帥',
        Piece::RedKnight => '傌',
        Piece::RedRook => '俥',
        Piece::RedCannon => '炮',
        Piece::BlackKing => '將',
        Piece::BlackKnight => '馬',
        Piece::BlackRook => '車',
        Piece::BlackCannon => '砲',
        _ => piece.chinese(),
    }
}

/// Colors red pieces red and black pieces green, dims empty squares, and shows the squares of the last move in reverse
/// video.
fn paint(symbol: &str, piece: Option<Piece>, is_last: bool) -> String {
    let color = match piece.map(Piece::color) {
        Some(Color::Red) => "1;31",
        Some(Color::Black) => "1;32",
        None => "2",
    };
    let reverse = if is_last { ";7" } else { "" };
    format!("\u{1b}[{color}{reverse}m{symbol}\u{1b}[0m")
}

/// The row of text between the rank `lower_rank` and the next higher one: the lines of the files, the diagonals of the
/// palaces, and the river.
fn between(style: DiagramStyle, lower_rank: usize) -> &'static str {
    // On a flipped board the palaces are upside down.
    let rank = if style.flipped { 8 - lower_rank } else { lower_rank };
    match (style.letters, rank) {
        (Letters::Latin, 4) => "|                               |",
        (Letters::Latin, 1 | 8) => r"|   |   |   | \ | / |   |   |   |",
        (Letters::Latin, 0 | 7) => r"|   |   |   | / | \ |   |   |   |",
        (Letters::Latin, _) => "|   |   |   |   |   |   |   |   |",
        (Letters::Chinese, 4) => "│      楚  河       汉  界      │",
        (Letters::Chinese, 1 | 8) => "│   │   │   │ ╲ │ ╱ │   │   │   │",
        (Letters::Chinese, 0 | 7) => "│   │   │   │ ╱ │ ╲ │   │   │   │",
        (Letters::Chinese, _) => "│   │   │   │   │   │   │   │   │",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_starting_position_is_drawn() {
        let start = Position::startpos();
        let latin = draw(&start, DiagramStyle::default(), None);
        let lines: Vec<&str> = latin.lines().collect();
        assert_eq!(lines.len(), 20);
        assert_eq!(lines[0], "9  r---n---b---a---k---a---b---n---r");
        // The diagonals of the palaces.
        assert_eq!(lines[1], r"   |   |   |   | \ | / |   |   |   |");
        assert_eq!(lines[3], r"   |   |   |   | / | \ |   |   |   |");
        assert_eq!(lines[17], r"   |   |   |   | / | \ |   |   |   |");
        assert_eq!(lines[4], "7  +---c---+---+---+---+---+---c---+");
        assert_eq!(lines[18], "0  R---N---B---A---K---A---B---N---R");
        assert_eq!(lines[19], "   a   b   c   d   e   f   g   h   i");
        let style =
            DiagramStyle { letters: Letters::Chinese, flipped: true, ..DiagramStyle::default() };
        let chinese = draw(&start, style, None);
        assert!(chinese.lines().nth(1).unwrap().contains("╲ │ ╱"));
        let first = chinese.lines().next().unwrap();
        assert!(first.starts_with("0  ") && first.contains('帥'), "{first}");
        assert!(chinese.ends_with("i   h   g   f   e   d   c   b   a"));
    }

    #[test]
    fn sides_differ_without_color() {
        let style = DiagramStyle { letters: Letters::Chinese, ..DiagramStyle::default() };
        let symbols = Piece::ALL.map(|piece| symbol(Some(piece), style));
        let different: std::collections::HashSet<_> = symbols.iter().collect();
        assert_eq!(different.len(), Piece::COUNT);
        let colored = DiagramStyle { color: true, ..style };
        assert_eq!(symbol(Some(Piece::RedRook), colored), "车");
    }

    #[test]
    fn the_last_move_is_marked() {
        let style = DiagramStyle { color: true, ..DiagramStyle::default() };
        let board = draw(&Position::startpos(), style, "h2e2".parse().ok());
        assert_eq!(board.matches(";7m").count(), 2);
        assert_eq!(board.matches("[1;31m").count(), 15);
        assert_eq!(board.matches("[1;31;7m").count(), 1);
    }
}

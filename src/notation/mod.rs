//! Positions and moves as text: FEN in its dialects, coordinates, Chinese and WXF moves.

pub mod fen;

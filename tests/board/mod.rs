//! The board, its moves and texts, and the evaluation: known numbers, properties, a slow reference.

mod evaluation;
mod fen;
mod movegen;
mod notation;
mod perft;

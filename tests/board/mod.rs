//! Tests of the board, move generation, notation and evaluation.

mod evaluation;
mod fen;
mod irregular;
mod movegen;
mod notation;
mod perft;

//! Tests of the board, move generation, notation and evaluation.

mod evaluation;
mod irregular;
mod movegen;
mod notation;

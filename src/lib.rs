//! Chuhe (楚河), a xiangqi engine.
pub mod board;
pub mod cli;
pub mod eval;
pub mod movegen;
pub mod notation;
pub mod protocol;
pub mod rules;
pub mod search;
pub mod training;

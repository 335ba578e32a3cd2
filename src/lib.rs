//! Chuhe (楚河), a xiangqi engine.
pub mod board;
pub mod eval;
pub mod movegen;
pub mod notation;
pub mod rules;
pub mod search;
pub mod training;

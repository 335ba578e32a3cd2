//! Slow and simple reference implementations of the rules, for tests to compare with.

pub mod asian;
pub mod chinese;

//! Tests of the library: board, rules, search, the SPRT, the order of the modules and the translation of messages.

mod architecture;
mod board;
mod rules;
mod search;
#[cfg(feature = "match")]
mod sprt;
mod translations;

mod test_positions;

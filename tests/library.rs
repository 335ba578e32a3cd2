//! Tests of the library: board, rules, search, the order of the modules and the translation of messages.

mod architecture;
mod board;
mod rules;
mod search;
mod translations;

mod test_positions;

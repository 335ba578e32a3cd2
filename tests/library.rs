//! Tests of the library: board, rules, search, and the layers of the source.

mod architecture;
mod board;
mod rules;
mod search;

mod search_pool;
mod test_positions;

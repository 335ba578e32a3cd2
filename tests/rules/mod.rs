//! The rules of repetition: tables of verdicts, properties, whole games.

mod chinese;
mod repetition;
mod whole_games;

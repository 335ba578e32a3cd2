//! Repetition rules: tables of verdicts, properties and whole games.

mod chinese;
mod repetition;
mod whole_games;

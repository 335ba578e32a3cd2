//! Rules that end a game: tables of repetitions with verdicts, properties of verdicts, and whole games.

mod chinese;
mod repetition;
mod whole_games;

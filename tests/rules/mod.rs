//! Rules that end a game: repetitions with known verdicts, properties of verdicts, and whole games.

mod chinese;
mod repetition;
mod whole_games;

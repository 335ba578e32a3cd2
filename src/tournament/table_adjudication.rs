//! Ending games that endgame tables decide.

use std::sync::Arc;

use super::end_reason::{EndReason, Ending};
use crate::rules::{Game, RuleSet, is_within_no_capture_limit};
use crate::tablebase::{SkippedFile, TableOutcome, Tables};

/// The tables that end games.
#[derive(Clone, Debug)]
pub struct TableAdjudication {
    paths: String,
    tables: Arc<Tables>,
}

impl TableAdjudication {
    /// The embedded tables and those of directories, separated by `;`.
    ///
    /// # Errors
    /// A directory or a file cannot be read, or is no table.
    pub fn open(paths: &str) -> Result<Self, SkippedFile> {
        let (tables, skipped) = Tables::open(paths);
        match skipped.into_iter().next() {
            None => Ok(Self {
                paths: paths.to_owned(),
                tables,
            }),
            Some(skipped) => Err(skipped),
        }
    }

    /// The directories, as they were told.
    pub fn paths(&self) -> &str {
        &self.paths
    }

    /// How tables end a game where it stands, which the rules have not ended: won where the mate comes
    /// within the no-capture limit, or a capture that keeps the win, drawn where that holds under the rules on
    /// repetitions. A win that these alone give is left to be played, for no table tells how long
    /// the other side can put it off.
    pub fn ending(&self, game: &Game, rules: RuleSet) -> Option<Ending> {
        let position = game.position();
        let probe = self.tables.probe(position, rules)?;
        let is_in_time = |plies| is_within_no_capture_limit(position.clock(), rules, plies);
        let (loser, plies) = match probe.outcome {
            TableOutcome::Win(plies) => (!position.side_to_move(), plies),
            TableOutcome::Loss(plies) => (position.side_to_move(), plies),
            TableOutcome::Draw if probe.draw_holds => {
                return Some(Ending::draw(EndReason::TableDraw));
            }
            _ => return None,
        };
        let detail = match is_in_time(plies) {
            true => format!("mate in {plies} plies"),
            false => {
                let conversion = self.tables.dtc(position);
                let plies = conversion.filter(|plies| is_in_time(*plies))?;
                format!("a capture that keeps the win in {plies} plies")
            }
        };
        Some(Ending::loss(loser, EndReason::TableWin, detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn::GameResult;
    use crate::tablebase::tests::write_conversions;

    #[test]
    fn mates_in_time_and_draws_end_games() {
        let tables = TableAdjudication::open("").unwrap();
        let ending = |fen: &str| {
            let ending = tables.ending(&Game::new(fen.parse().unwrap()), RuleSet::Asian)?;
            Some((ending.result, ending.reason))
        };
        let won = Some((GameResult::RedWins, EndReason::TableWin));
        let drawn = Some((GameResult::Draw, EndReason::TableDraw));
        for (fen, known) in [
            ("2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 0 1", won),
            // The mate in 19 plies is the ply 120 without a capture, or would be the next.
            ("2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 101 1", won),
            ("2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 102 1", None),
            ("3ak4/4a4/9/9/9/4N4/9/9/9/3K5 w - - 0 1", drawn),
            ("3ak4/4a4/9/9/9/4N4/9/9/9/R2K5 w - - 0 1", None),
        ] {
            assert_eq!(ending(fen), known, "{fen}");
        }
        let lost = Some((GameResult::BlackWins, EndReason::TableWin));
        assert_eq!(ending("3k4r/9/9/9/9/9/9/9/9/4K4 w - - 0 1"), lost);
    }

    #[test]
    fn a_capture_in_time_wins_where_the_mate_comes_too_late() {
        let directory = tempfile::tempdir().unwrap();
        let fen = write_conversions(directory.path(), "KR-KAB").to_string();
        let board = fen.split(' ').next().unwrap();
        let ending = |paths: &str, clock: u16| {
            let game = Game::new(format!("{board} w - - {clock} 1").parse().unwrap());
            let tables = TableAdjudication::open(paths).unwrap();
            let ending = tables.ending(&game, RuleSet::Asian)?;
            Some((ending.result, ending.detail))
        };
        let won = |detail: &str| Some((GameResult::RedWins, detail.to_owned()));
        let paths = directory.path().to_str().unwrap();
        let mate = won("mate in 13 plies");
        assert_eq!([ending("", 107), ending(paths, 107)], [mate.clone(), mate]);
        assert_eq!(ending("", 108), None);
        let capture = won("a capture that keeps the win in 9 plies");
        assert_eq!(
            [108, 111].map(|clock| ending(paths, clock)),
            [capture.clone(), capture]
        );
        assert_eq!(ending(paths, 112), None);
    }

    #[test]
    fn missing_directories_are_reported() {
        let error = TableAdjudication::open("/no/such/place").unwrap_err();
        assert!(error.to_string().starts_with("/no/such/place: "), "{error}");
    }
}

//! Adjudication by endgame tablebases.

use std::sync::Arc;

use serde::Serialize;

use super::end_reason::{EndReason, Ending};
use crate::rules::{Game, RuleSet, is_within_no_capture_limit};
use crate::tablebase::{SkippedFile, TableOutcome, Tables};

/// The tablebases that adjudicate games. Their directories, separated by `;`, are part of the journal.
#[derive(Clone, Debug, Serialize)]
#[serde(into = "String")]
pub struct TablebaseAdjudication {
    paths: String,
    tables: Arc<Tables>,
}

impl From<TablebaseAdjudication> for String {
    fn from(adjudication: TablebaseAdjudication) -> Self {
        adjudication.paths
    }
}

impl TablebaseAdjudication {
    /// Opens the embedded tablebases and those in directories separated by `;`.
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

    /// Adjudicates a position that the rules have not decided. A win counts if the mate, or a winning capture,
    /// comes within the no-capture limit; a draw counts if it holds under the repetition rules. Wins that depend
    /// on the repetition rules are played out, because the tablebases hold no distance for them.
    pub fn ending(&self, game: &Game, rules: RuleSet) -> Option<Ending> {
        let position = game.position();
        let probe = self.tables.probe(position, rules)?;
        let is_in_time = |plies| is_within_no_capture_limit(position.clock(), rules, plies);
        let (loser, plies) = match probe.outcome {
            TableOutcome::Win(plies) => (!position.side_to_move(), plies),
            TableOutcome::Loss(plies) => (position.side_to_move(), plies),
            TableOutcome::Draw if probe.draw_holds => {
                return Some(Ending::draw(EndReason::TablebaseDraw));
            }
            _ => return None,
        };
        let detail = if is_in_time(plies) {
            format!("mate in {plies} plies")
        } else {
            let conversion = self.tables.dtc(position);
            let plies = conversion.filter(|plies| is_in_time(*plies))?;
            format!("winning capture in {plies} plies")
        };
        Some(Ending::loss(loser, EndReason::TablebaseWin, detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn::GameResult;
    use crate::tablebase::tests::write_conversions;

    #[test]
    fn wins_within_the_no_capture_limit_and_draws_are_adjudicated() {
        let tablebases = TablebaseAdjudication::open("").unwrap();
        let ending = |fen: &str| {
            let ending = tablebases.ending(&Game::new(fen.parse().unwrap()), RuleSet::Asian)?;
            Some((ending.result, ending.reason))
        };
        let won = Some((GameResult::RedWins, EndReason::TablebaseWin));
        let drawn = Some((GameResult::Draw, EndReason::TablebaseDraw));
        for (fen, known) in [
            ("2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 0 1", won),
            // The mate in 19 plies falls on ply 120 without a capture; with one more ply on the clock it is too late.
            ("2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 101 1", won),
            ("2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 102 1", None),
            ("3ak4/4a4/9/9/9/4N4/9/9/9/3K5 w - - 0 1", drawn),
            ("3ak4/4a4/9/9/9/4N4/9/9/9/R2K5 w - - 0 1", None),
        ] {
            assert_eq!(ending(fen), known, "{fen}");
        }
        let lost = Some((GameResult::BlackWins, EndReason::TablebaseWin));
        assert_eq!(ending("3k4r/9/9/9/9/9/9/9/9/4K4 w - - 0 1"), lost);
    }

    #[test]
    fn a_winning_capture_within_the_limit_counts_if_the_mate_is_too_late() {
        let directory = tempfile::tempdir().unwrap();
        let fen = write_conversions(directory.path(), "KR-KAB").to_string();
        let board = fen.split(' ').next().unwrap();
        let ending = |paths: &str, clock: u16| {
            let game = Game::new(format!("{board} w - - {clock} 1").parse().unwrap());
            let tablebases = TablebaseAdjudication::open(paths).unwrap();
            let ending = tablebases.ending(&game, RuleSet::Asian)?;
            Some((ending.result, ending.detail))
        };
        let won = |detail: &str| Some((GameResult::RedWins, detail.to_owned()));
        let paths = directory.path().to_str().unwrap();
        let mate = won("mate in 13 plies");
        assert_eq!([ending("", 107), ending(paths, 107)], [mate.clone(), mate]);
        assert_eq!(ending("", 108), None);
        let capture = won("winning capture in 9 plies");
        assert_eq!(
            [108, 111].map(|clock| ending(paths, clock)),
            [capture.clone(), capture]
        );
        assert_eq!(ending(paths, 112), None);
    }

    #[test]
    fn missing_directories_are_reported() {
        let error = TablebaseAdjudication::open("/no/such/place").unwrap_err();
        assert!(error.to_string().starts_with("/no/such/place: "), "{error}");
    }
}

//! The referee: checks the legality of moves and the end of the game, and verifies the results of recorded games.

use super::end_reason::{EndReason, Ending};
use crate::board::{Color, Move, Position};
use crate::movegen::legal_moves;
use crate::notation::tree::GameTree;
use crate::rules::{
    Cause, Game, IllegalMove, Judgment, Perpetual, RuleSet, Verdict, judge_outcome,
};

#[derive(Clone, Debug)]
pub struct Referee {
    game: Game,
    rules: RuleSet,
    max_plies: Option<usize>,
}

impl Referee {
    /// A game from `start`, drawn after `max_plies`.
    pub fn new(start: Position, rules: RuleSet, max_plies: Option<usize>) -> Self {
        Self { game: Game::new(start), rules, max_plies }
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    pub fn side_to_move(&self) -> Color {
        self.game.position().side_to_move()
    }

    /// Plays a move if it is legal.
    pub fn play(&mut self, m: Move) -> Result<(), IllegalMove> {
        self.game.push(m)
    }

    /// How the rules or the ply limit end the game, if they do.
    pub fn ending(&self) -> Option<Ending> {
        ending_by_rules(&judge_outcome(&self.game, self.rules)).or_else(|| {
            let is_too_long = self.max_plies.is_some_and(|n| self.game.plies().len() >= n);
            is_too_long.then(|| Ending::draw(EndReason::Length))
        })
    }

    /// The legal moves that lose immediately by repetition.
    pub fn losing_repetitions(&mut self) -> Vec<Move> {
        let side = self.side_to_move();
        let mut banned = Vec::new();
        for m in legal_moves(self.game.position()) {
            if self.game.push(m).is_err() {
                continue;
            }
            if self.game.occurrences() >= self.rules.deciding_occurrence() {
                let judgment = judge_outcome(&self.game, self.rules);
                if judgment.cause == Cause::Repetition && judgment.verdict == Verdict::against(side)
                {
                    banned.push(m);
                }
            }
            self.game.pop();
        }
        banned
    }
}

fn ending_by_rules(judgment: &Judgment) -> Option<Ending> {
    let reason = match judgment.cause {
        Cause::Nothing => return None,
        Cause::Checkmate => EndReason::Checkmate,
        Cause::Stalemate => EndReason::Stalemate,
        Cause::InsufficientMaterial => EndReason::InsufficientMaterial,
        Cause::NoCapture => EndReason::NoCapture,
        Cause::Repetition => match judgment.offense() {
            None => EndReason::Repetition,
            Some(Perpetual::Check) => EndReason::PerpetualCheck,
            Some(Perpetual::Chase) => EndReason::PerpetualChase,
            Some(_) => EndReason::PerpetualAttack,
        },
    };
    Some(match judgment.verdict.loser() {
        Some(loser) => Ending::loss(loser, reason, ""),
        None => Ending::draw(reason),
    })
}

/// Verifies the result of a record. `end` is its main line up to the end of the game (see [`Game::until_end`]), and
/// `judgment` is the judgment of `end`. No rule may end the game before the last move of the record. If a rule ends the
/// game after this move, the record must have the same result. If the tag `Reason` names an [`EndReason`], it must be
/// the one by which that rule ends the game; other values are free text.
///
/// If no rule ends the game, any result is accepted, because players may resign or agree to a draw. The tag `Reason`
/// must then not name a rule. The error describes how the record contradicts the rules.
pub fn verify(record: &GameTree, end: &Game, judgment: &Judgment) -> Result<(), String> {
    if let Some(early_end) = judgment.early_end(end, record.plies()) {
        return Err(early_end);
    }
    let recorded = record.result;
    let named = record.tag("Reason").and_then(|tag| {
        EndReason::ALL.into_iter().find(|reason| reason.name().eq_ignore_ascii_case(tag))
    });
    match (ending_by_rules(judgment), named) {
        (Some(ending), _) if ending.result != recorded => {
            Err(format!("{recorded} in the record, {} by {}", ending.result, ending.reason))
        }
        (Some(ending), Some(reason)) if reason != ending.reason => {
            Err(format!("{reason} in the record, {} by the rules", ending.reason))
        }
        (None, Some(reason)) if reason.is_by_rule() => {
            Err(format!("{recorded} in the record ({reason}), but the game is not over"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::fen::parse_position;
    use crate::notation::pgn::{GameResult, read};

    use super::*;

    fn referee(fen: &str, moves: &str, max_plies: Option<usize>) -> Referee {
        let mut referee = Referee::new(parse_position(fen).unwrap(), RuleSet::Asian, max_plies);
        for m in moves.split_ascii_whitespace() {
            assert_eq!(referee.ending(), None);
            referee.play(m.parse().unwrap()).unwrap();
        }
        referee
    }

    const CHECKS: &str = "4k4/9/9/9/9/9/9/9/R8/3K5 w";
    const CHASE: &str = "4kab2/4a4/4b4/3rC3R/9/9/4n4/4B4/4A4/4KAB1c b";

    #[test]
    fn games_end_by_the_rules() {
        use EndReason::{Checkmate, Length, PerpetualChase, PerpetualCheck, Repetition, Stalemate};
        use GameResult::{BlackWins, Draw, RedWins};
        let checking = "a1e1 e9f9 e1f1 f9e9 f1e1 e9f9 e1f1 f9e9 f1e1";
        let chasing = "i0h0 i6h6 h0i0 h6i6 i0h0 i6h6 h0i0 h6i6";
        let idle = "a1a2 e9f9 a2a1 f9e9 a1a2 e9f9 a2a1 f9e9";
        for (fen, moves, max_plies, result, reason) in [
            (CHECKS, checking, None, BlackWins, PerpetualCheck),
            (CHASE, chasing, None, BlackWins, PerpetualChase),
            (CHECKS, idle, None, Draw, Repetition),
            (CHECKS, "a1a2 e9f9 a2a1", Some(3), Draw, Length),
            ("4k4/R8/9/9/9/9/9/9/1R7/3K5 w", "b1b9", Some(1), RedWins, Checkmate),
            ("3k5/9/9/9/9/9/9/9/R8/4K4 w", "a1a8", None, RedWins, Stalemate),
        ] {
            let ending = referee(fen, moves, max_plies).ending().unwrap();
            assert_eq!((ending.result, ending.reason), (result, reason), "{fen} {moves}");
        }
    }

    #[test]
    fn losing_repetitions_are_banned() {
        let mut checking = referee(CHECKS, "a1e1 e9f9 e1f1 f9e9 f1e1 e9f9 e1f1 f9e9", None);
        assert_eq!(checking.losing_repetitions(), ["f1e1".parse().unwrap()]);
        let plies = checking.game().plies().len();
        assert_eq!(plies, 8, "the game is unchanged");
        let mut chasing = referee(CHASE, "i0h0 i6h6 h0i0 h6i6 i0h0 i6h6 h0i0", None);
        assert_eq!(chasing.losing_repetitions(), ["h6i6".parse().unwrap()]);
        let mut idle = referee(CHECKS, "a1a2 e9f9 a2a1 f9e9 a1a2 e9f9 a2a1", None);
        assert_eq!(idle.losing_repetitions(), []);
    }

    fn verdict(text: &str) -> Result<(), String> {
        let record = read(text).remove(0).unwrap();
        let game = Game::try_from(record.main_line()).unwrap();
        let end = game.until_end(RuleSet::Asian);
        verify(&record, &end, &judge_outcome(&end, RuleSet::Asian))
    }

    #[test]
    fn results_are_verified() {
        let mate = "[FEN \"4k4/R8/9/9/9/9/9/9/1R7/3K5 w\"]\n";
        let checks = "[FEN \"4k4/9/9/9/9/9/9/9/R8/3K5 w\"]\n\
            1. A1E1 E9F9 2. E1F1 F9E9 3. F1E1 E9F9 4. E1F1 F9E9 5. F1E1";
        for (text, agrees) in [
            (format!("{mate}1. B1B9 1-0"), true),
            (format!("[Reason \"checkmate\"]{mate}1. B1B9 1-0"), true),
            (format!("[Reason \"Checkmate\"]{mate}1. B1B9 1-0"), true),
            (format!("[Reason \"黑方被将死\"]{mate}1. B1B9 1-0"), true),
            (format!("[Reason \"Stalemate\"]{mate}1. B1B9 1-0"), false),
            (format!("{mate}1. B1B9 0-1"), false),
            (format!("{mate}1. B1B8 1-0"), true),
            (format!("{mate}1. B1B8 *"), true),
            (format!("[Reason \"resignation\"]{mate}1. B1B8 1-0"), true),
            (format!("[Reason \"Checkmate\"]{mate}1. B1B8 1-0"), false),
            (format!("[Termination \"time forfeit\"]{mate}1. B1B8 1-0"), true),
            (format!("{checks} 0-1"), true),
            (format!("{checks} 1/2-1/2"), false),
            (format!("[Reason \"resignation\"]\n{checks} E9F9 0-1"), false),
        ] {
            let replay = verdict(&text);
            assert_eq!(replay.is_ok(), agrees, "{text}: {replay:?}");
        }
    }
}

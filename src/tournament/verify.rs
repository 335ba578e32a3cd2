//! Verifies the result of a PGN game by the rules.

use super::end_reason::{EndReason, Ending};
use super::referee::Referee;
use crate::notation::pgn::PgnGame;
use crate::rules::RuleSet;

/// The result of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// The record agrees with the rules.
    Agrees,
    /// The rules ended the game earlier or with another result.
    Disagrees(String),
}

/// Replays a game: no rule may end it before its last move, and if a rule ends it there, the record must have
/// the same result.
///
/// If no rule ends the game, any result is accepted, because players may resign or agree to a draw, unless
/// the tag `Reason` names a rule.
pub fn verify(game: &PgnGame, rules: RuleSet) -> Replay {
    let mut referee = Referee::new(game.line.start.clone(), rules, None);
    let count = game.line.moves.len();
    for (ply, m) in (0..).zip(&game.line.moves) {
        if let Some(Ending { result, reason, .. }) = referee.ending() {
            return Replay::Disagrees(format!(
                "over after {ply} of {count} plies: {result}, {reason}"
            ));
        }
        if let Err(error) = referee.play(*m) {
            return Replay::Disagrees(error.to_string());
        }
    }
    let recorded = game.result;
    let reason = game.tag("Reason");
    match referee.ending() {
        Some(ending) if ending.result != recorded => Replay::Disagrees(format!(
            "{recorded} in the record, {} by {}",
            ending.result, ending.reason
        )),
        Some(ending) if reason.is_some_and(|r| r != ending.reason.name()) => {
            Replay::Disagrees(format!(
                "{} in the record, {} by the rules",
                reason.unwrap_or_default(),
                ending.reason
            ))
        }
        None if ends_by_rule(game) => Replay::Disagrees(format!(
            "{recorded} in the record ({}), but the game is not over",
            reason.unwrap_or("no reason given")
        )),
        _ => Replay::Agrees,
    }
}

/// Whether the record says that a rule ended the game.
fn ends_by_rule(game: &PgnGame) -> bool {
    let mut rules = EndReason::ALL
        .into_iter()
        .filter(|reason| reason.is_by_rule());
    rules.any(|rule| game.tag("Reason") == Some(rule.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn::read;

    fn verdict(text: &str) -> Replay {
        verify(read(text)[0].as_ref().unwrap(), RuleSet::Asian)
    }

    #[test]
    fn results_are_verified() {
        let mate = "[FEN \"4k4/R8/9/9/9/9/9/9/1R7/3K5 w\"]\n";
        let checks = "[FEN \"4k4/9/9/9/9/9/9/9/R8/3K5 w\"]\n\
            1. A1E1 E9F9 2. E1F1 F9E9 3. F1E1 E9F9 4. E1F1 F9E9 5. F1E1";
        for (text, agrees) in [
            (format!("{mate}1. B1B9 1-0"), true),
            (format!("[Reason \"checkmate\"]{mate}1. B1B9 1-0"), true),
            (format!("[Reason \"stalemate\"]{mate}1. B1B9 1-0"), false),
            (format!("{mate}1. B1B9 0-1"), false),
            (format!("{mate}1. B1B8 1-0"), true),
            (format!("{mate}1. B1B8 *"), true),
            (format!("[Reason \"resignation\"]{mate}1. B1B8 1-0"), true),
            (format!("[Reason \"checkmate\"]{mate}1. B1B8 1-0"), false),
            (
                format!("[Termination \"time forfeit\"]{mate}1. B1B8 1-0"),
                true,
            ),
            (format!("{checks} 0-1"), true),
            (format!("{checks} 1/2-1/2"), false),
            (
                format!("[Reason \"resignation\"]\n{checks} E9F9 0-1"),
                false,
            ),
        ] {
            let replay = verdict(&text);
            assert_eq!(replay == Replay::Agrees, agrees, "{text}: {replay:?}");
        }
    }
}

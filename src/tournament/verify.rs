//! Replaying records by the rules of the referee.

use super::end_reason::{EndReason, Ending};
use super::referee::Referee;
use crate::notation::pgn::PgnGame;
use crate::rules::RuleSet;

/// What a replay has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// The record is right.
    Agrees,
    /// The rules ended the game earlier, or otherwise than the record says.
    Disagrees(String),
}

/// Replays a record: no rule may end it before its last move, and what ends it then has to be what
/// the record says.
///
/// A result that the rules do not give is believed, for players may resign or agree, unless the tag
/// `Reason` says that a rule gave it.
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
    let claimed = game.result;
    let reason = game.tag("Reason");
    match referee.ending() {
        Some(ending) if ending.result != claimed => Replay::Disagrees(format!(
            "{claimed} in the record, {} by {}",
            ending.result, ending.reason
        )),
        Some(ending) if reason.is_some_and(|r| r != ending.reason.name()) => {
            Replay::Disagrees(format!(
                "{} in the record, {} by the rules",
                reason.unwrap_or_default(),
                ending.reason
            ))
        }
        None if claims_a_rule(game) => Replay::Disagrees(format!(
            "{claimed} in the record ({}), but nothing is decided",
            reason.unwrap_or("no reason given")
        )),
        _ => Replay::Agrees,
    }
}

/// Whether the record says that the rules have ended the game.
fn claims_a_rule(game: &PgnGame) -> bool {
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
    fn records_are_replayed() {
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

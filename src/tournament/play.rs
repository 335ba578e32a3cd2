//! One game between two engines.

use std::time::Duration;

use super::adjudication::ScoreAdjudicator;
use super::end_reason::{EndReason, Ending};
use super::engine::{BEST_MOVE, Engine, Fault, MoveAnswer, MoveChoice, MoveRequest};
use super::limit::Clock;
use super::plan::GameRules;
use super::record::MoveRecord;
use super::referee::Referee;
use crate::board::{Color, Move};
use crate::notation::Line;

/// A game that is over.
#[derive(Clone, Debug)]
pub struct Played {
    /// Its moves, those of the opening included.
    pub moves: Vec<MoveRecord>,
    /// How it ended.
    pub ending: Ending,
    /// The longest that each side went beyond its time.
    pub overrun: [Option<Duration>; Color::COUNT],
    /// Who has to be started anew, by colour index.
    pub broken: [bool; Color::COUNT],
}

/// The tournament has been interrupted, and the game with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// Plays a game from an opening. The engines come with their clocks, by colour index.
///
/// # Errors
/// The tournament is over.
pub fn play(
    opening: &Line,
    rules: &GameRules,
    engines: [&mut Engine; Color::COUNT],
    clocks: [Clock; Color::COUNT],
    ponders: [bool; Color::COUNT],
) -> Result<Played, Interrupted> {
    let mut game = GameInProgress {
        referee: Referee::new(opening.start.clone(), rules.rules, rules.longest),
        opinions: ScoreAdjudicator::new(rules.adjudication),
        banmoves: rules.banmoves,
        engines,
        clocks,
        ponders,
        moves: Vec::new(),
        draw_offered: false,
        overrun: [None; Color::COUNT],
        broken: [false; Color::COUNT],
    };
    for m in &opening.moves {
        if game.referee.play(*m).is_err() {
            break;
        }
        game.moves.push(MoveRecord::opening(*m));
    }
    let ending = loop {
        if let Some(ending) = game.referee.ending() {
            break ending;
        }
        if let Some(ending) = game.turn()? {
            break ending;
        }
    };
    Ok(Played {
        moves: game.moves,
        ending,
        overrun: game.overrun,
        broken: game.broken,
    })
}

/// A game in progress.
struct GameInProgress<'a> {
    referee: Referee,
    opinions: ScoreAdjudicator,
    banmoves: bool,
    engines: [&'a mut Engine; Color::COUNT],
    clocks: [Clock; Color::COUNT],
    ponders: [bool; Color::COUNT],
    moves: Vec<MoveRecord>,
    draw_offered: bool,
    overrun: [Option<Duration>; Color::COUNT],
    broken: [bool; Color::COUNT],
}

impl GameInProgress<'_> {
    /// Lets the side to move play, and tells how that has ended the game, if it has.
    fn turn(&mut self) -> Result<Option<Ending>, Interrupted> {
        let side = self.referee.side_to_move();
        let banned = match self.banmoves {
            true => self.referee.losing_repetitions(),
            false => Vec::new(),
        };
        let request = MoveRequest {
            game: self.referee.game(),
            clocks: &self.clocks,
            banned: &banned,
            draw_offered: self.draw_offered,
        };
        let answer = match self.engines[side.index()].think(&request) {
            Ok(answer) => answer,
            Err(fault) => return self.fault(side, &fault).map(Some),
        };
        if let Some(ending) = self.check_time(side, &answer) {
            return Ok(Some(ending));
        }
        let played = match &answer.choice {
            MoveChoice::Move(m) => *m,
            MoveChoice::Resign => return Ok(Some(Ending::loss(side, EndReason::Resignation, ""))),
            MoveChoice::NoMove => {
                let detail = "says that it has no move";
                return Ok(Some(Ending::loss(side, EndReason::Resignation, detail)));
            }
            MoveChoice::Unreadable(text) => return Ok(Some(self.illegal(side, text))),
        };
        if self.referee.play(played).is_err() {
            return Ok(Some(self.illegal(side, &played.to_string())));
        }
        self.note(side, played, &answer);
        if self.draw_offered && answer.draw {
            return Ok(Some(
                self.referee
                    .ending()
                    .unwrap_or(Ending::draw(EndReason::Agreement)),
            ));
        }
        self.draw_offered = answer.draw;
        let score = answer.info.score.map(|score| score.units());
        let adjudged = self.opinions.add(side, score, self.moves.len());
        // What the rules say comes before what the engines think.
        if let Some(ending) = self.referee.ending().or(adjudged) {
            return Ok(Some(ending));
        }
        match answer.ponder {
            Some(expected) if self.ponders[side.index()] => self.ponder(side, expected),
            _ => Ok(None),
        }
    }

    /// Writes down a move and stops its clock.
    fn note(&mut self, side: Color, played: Move, answer: &MoveAnswer) {
        self.clocks[side.index()].press(answer.elapsed);
        self.moves.push(MoveRecord {
            played,
            score: answer.info.score,
            depth: answer.info.depth,
            nodes: answer.info.nodes,
            micros: Some(u64::try_from(answer.elapsed.as_micros()).unwrap_or(u64::MAX)),
        });
    }

    fn check_time(&mut self, side: Color, answer: &MoveAnswer) -> Option<Ending> {
        let clock = &self.clocks[side.index()];
        if let Some(over) = clock
            .allowance()
            .and_then(|time| answer.elapsed.checked_sub(time))
        {
            let longest = &mut self.overrun[side.index()];
            *longest = (*longest).max(Some(over));
        }
        let limit = self.engines[side.index()].limit(clock);
        (answer.elapsed > limit).then(|| {
            let allowed = clock.allowance().unwrap_or(limit);
            let detail = format!(
                "{} ms of {}",
                answer.elapsed.as_millis(),
                allowed.as_millis()
            );
            Ending::loss(side, EndReason::TimeLoss, detail)
        })
    }

    fn illegal(&mut self, side: Color, text: &str) -> Ending {
        self.broken[side.index()] = true;
        Ending::loss(side, EndReason::IllegalMove, text)
    }

    /// A fault loses the game.
    fn fault(&mut self, side: Color, fault: &Fault) -> Result<Ending, Interrupted> {
        if *fault == Fault::Interrupted {
            return Err(Interrupted);
        }
        self.broken[side.index()] = true;
        let reason = match fault {
            Fault::Silent(awaited) if awaited == BEST_MOVE => EndReason::TimeLoss,
            _ => EndReason::Crash,
        };
        Ok(Ending::loss(side, reason, fault.to_string()))
    }

    /// Lets a side think about the answer that it expects.
    fn ponder(&mut self, side: Color, expected: Move) -> Result<Option<Ending>, Interrupted> {
        let mut ahead = self.referee.clone();
        if ahead.play(expected).is_err() || ahead.ending().is_some() {
            return Ok(None);
        }
        let request = MoveRequest {
            game: ahead.game(),
            clocks: &self.clocks,
            banned: &[],
            draw_offered: false,
        };
        match self.engines[side.index()].ponder(&request, expected) {
            Ok(()) => Ok(None),
            Err(fault) => self.fault(side, &fault).map(Some),
        }
    }
}

//! One game between two engines.

use std::time::{Duration, Instant};

use super::adjudication::ScoreAdjudicator;
use super::end_reason::{EndReason, Ending};
use super::engine::{BEST_MOVE, Engine, EngineFailure, MoveAnswer, MoveChoice, MoveRequest};
use super::limit::Clock;
use super::plan::GameRules;
use super::record::MoveRecord;
use super::referee::Referee;
use super::stall::{StallWatch, stall_text};
use crate::board::{ByColor, Color, Move};
use crate::notation::Line;

/// A game that is over.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// Its moves, those of the opening included.
    pub moves: Vec<MoveRecord>,
    /// How it ended.
    pub ending: Ending,
    /// The longest that each side went beyond its time.
    pub overrun: ByColor<Option<Duration>>,
    /// Which engines have to be restarted.
    pub broken: ByColor<bool>,
}

/// Why a game has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Abandoned {
    /// The tournament is over, and the game with it.
    Interrupted,
    /// The machine stood still, so that an engine overran its time without any fault of its own.
    Stalled(String),
}

/// How the games of a tournament are played.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a> {
    /// What holds in each game.
    pub rules: &'a GameRules,
    /// Detects stalls of the machine.
    pub stalls: &'a StallWatch,
    /// Whether variations are kept.
    pub has_details: bool,
}

/// Plays a game from an opening. The engines come with their clocks.
///
/// # Errors
/// The game has no result.
pub fn play(
    opening: &Line,
    conditions: Conditions<'_>,
    engines: ByColor<&mut Engine>,
    clocks: ByColor<Clock>,
    ponders: ByColor<bool>,
) -> Result<PlayedGame, Abandoned> {
    let rules = conditions.rules;
    let mut game = GameInProgress {
        referee: Referee::new(opening.start.clone(), rules.rules, rules.longest),
        adjudicator: ScoreAdjudicator::new(rules.adjudication),
        conditions,
        engines,
        clocks,
        ponders,
        moves: Vec::new(),
        draw_offered: false,
        overrun: ByColor::default(),
        broken: ByColor::default(),
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
    Ok(PlayedGame {
        moves: game.moves,
        ending,
        overrun: game.overrun,
        broken: game.broken,
    })
}

struct GameInProgress<'a> {
    referee: Referee,
    adjudicator: ScoreAdjudicator,
    conditions: Conditions<'a>,
    engines: ByColor<&'a mut Engine>,
    clocks: ByColor<Clock>,
    ponders: ByColor<bool>,
    moves: Vec<MoveRecord>,
    draw_offered: bool,
    overrun: ByColor<Option<Duration>>,
    broken: ByColor<bool>,
}

impl GameInProgress<'_> {
    /// Lets the side to move play, and tells how that has ended the game, if it has.
    fn turn(&mut self) -> Result<Option<Ending>, Abandoned> {
        let side = self.referee.side_to_move();
        let banned = match self.conditions.rules.banmoves {
            true => self.referee.losing_repetitions(),
            false => Vec::new(),
        };
        let request = MoveRequest {
            game: self.referee.game(),
            clocks: &self.clocks,
            banned: &banned,
            draw_offered: self.draw_offered,
        };
        let began = Instant::now();
        let answer = match self.engines[side].think(&request) {
            Ok(answer) => answer,
            Err(fault) => return self.fault(side, &fault, began).map(Some),
        };
        let stalled = self.stalled(answer.asked, answer.elapsed);
        if let Some(ending) = self.check_time(side, &answer, stalled)? {
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
        self.note(side, played, &answer, stalled);
        if self.draw_offered && answer.draw {
            return Ok(Some(
                self.referee
                    .ending()
                    .unwrap_or(Ending::draw(EndReason::Agreement)),
            ));
        }
        self.draw_offered = answer.draw;
        let score = answer.info.score.map(|score| score.units());
        let adjudged = self.adjudicator.add(side, score, self.moves.len());
        // What the rules say comes before what tables hold, and that before the engines' scores.
        let ending = self.referee.ending().or_else(|| self.table_ending());
        if let Some(ending) = ending.or(adjudged) {
            return Ok(Some(ending));
        }
        match answer.ponder {
            Some(expected) if self.ponders[side] => self.ponder(side, expected),
            _ => Ok(None),
        }
    }

    /// How endgame tables end the game, if they are to.
    fn table_ending(&self) -> Option<Ending> {
        let rules = self.conditions.rules;
        let tables = rules.tables.as_ref()?;
        tables.ending(self.referee.game(), rules.rules)
    }

    /// How long the machine stood still while an engine thought.
    fn stalled(&self, asked: Instant, elapsed: Duration) -> Duration {
        self.conditions.stalls.between(asked, asked + elapsed)
    }

    /// Writes down a move and stops its clock, which did not run while the machine stood still.
    fn note(&mut self, side: Color, played: Move, answer: &MoveAnswer, stalled: Duration) {
        let clock = &mut self.clocks[side];
        clock.press(answer.elapsed.saturating_sub(stalled));
        let left = clock.left().map(|left| left.as_millis());
        let pv = answer.info.pv.clone();
        self.moves.push(MoveRecord {
            played,
            score: answer.info.score,
            depth: answer.info.depth,
            nodes: answer.info.nodes,
            micros: Some(u64::try_from(answer.elapsed.as_micros()).unwrap_or(u64::MAX)),
            left_ms: left.and_then(|left| u64::try_from(left).ok()),
            pv: pv.filter(|_| self.conditions.has_details),
        });
    }

    /// Whether a side has lost on time.
    ///
    /// # Errors
    /// It would not have without a stall of the machine.
    fn check_time(
        &mut self,
        side: Color,
        answer: &MoveAnswer,
        stalled: Duration,
    ) -> Result<Option<Ending>, Abandoned> {
        let clock = &self.clocks[side];
        let limit = self.engines[side].limit(clock);
        let elapsed = answer.elapsed;
        if elapsed > limit && elapsed.saturating_sub(stalled) <= limit {
            return Err(Abandoned::Stalled(stall_text(stalled, elapsed)));
        }
        let over = clock.allowance().and_then(|time| elapsed.checked_sub(time));
        if let Some(over) = over {
            let longest = &mut self.overrun[side];
            *longest = (*longest).max(Some(over));
        }
        Ok((elapsed > limit).then(|| {
            let allowed = clock.allowance().unwrap_or(limit);
            let detail = format!("{} ms of {}", elapsed.as_millis(), allowed.as_millis());
            Ending::loss(side, EndReason::TimeLoss, detail)
        }))
    }

    fn illegal(&mut self, side: Color, text: &str) -> Ending {
        self.broken[side] = true;
        Ending::loss(side, EndReason::IllegalMove, text)
    }

    /// A fault in a turn that began at a certain time loses the game, unless it is the machine's.
    fn fault(
        &mut self,
        side: Color,
        fault: &EngineFailure,
        began: Instant,
    ) -> Result<Ending, Abandoned> {
        if *fault == EngineFailure::Interrupted {
            return Err(Abandoned::Interrupted);
        }
        if let EngineFailure::Silent { allowed, .. } = fault
            && let Some(stall) = self.conditions.stalls.excuse(began, *allowed)
        {
            return Err(Abandoned::Stalled(stall));
        }
        self.broken[side] = true;
        let reason = match fault {
            EngineFailure::Silent { awaited, .. } if awaited == BEST_MOVE => EndReason::TimeLoss,
            _ => EndReason::Crash,
        };
        Ok(Ending::loss(side, reason, fault.to_string()))
    }

    /// Lets a side think about the answer that it expects.
    fn ponder(&mut self, side: Color, expected: Move) -> Result<Option<Ending>, Abandoned> {
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
        let began = Instant::now();
        match self.engines[side].ponder(&request, expected) {
            Ok(()) => Ok(None),
            Err(fault) => self.fault(side, &fault, began).map(Some),
        }
    }
}

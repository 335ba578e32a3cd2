//! Plays one game between two engines.

use std::time::{Duration, Instant};

use super::adjudication::ScoreAdjudicator;
use super::end_reason::{EndReason, Ending};
use super::engine::{BEST_MOVE, Engine, EngineFailure, MoveAnswer, MoveChoice, MoveRequest};
use super::limit::Clock;
use super::record::MoveRecord;
use super::referee::Referee;
use super::stall::{StallWatch, stall_text};
use super::{GameRules, Tournament};
use crate::board::{ByColor, Color, Move};
use crate::notation::Line;

#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// All moves, including the opening.
    pub moves: Vec<MoveRecord>,
    pub ending: Ending,
    /// The largest time overrun of each side, without the time of stalls.
    pub overrun: ByColor<Option<Duration>>,
}

/// The reason why a game has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoResult {
    /// The tournament was stopped.
    Interrupted,
    /// The machine stalled; the game must be played again.
    Void(String),
    /// A process or thread could not be started, a file could not be opened, or an engine refused its network.
    Failed(String),
}

pub fn play(
    tournament: &Tournament,
    opening: &Line,
    players: ByColor<usize>,
    engines: ByColor<&mut Engine>,
    stalls: &StallWatch,
) -> Result<PlayedGame, NoResult> {
    let rules = &tournament.rules;
    let specs = players.map(|number| &tournament.engines[number]);
    let mut game = GameInProgress {
        referee: Referee::new(opening.start.clone(), rules.rules, rules.max_plies),
        adjudicator: ScoreAdjudicator::new(rules.adjudication),
        tournament,
        stalls,
        engines,
        clocks: specs.map(|spec| Clock::new(spec.limit)),
        ponders: specs.map(|spec| spec.ponder),
        moves: Vec::new(),
        draw_offered: false,
        overrun: ByColor::default(),
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
        if let Some(ending) = game.play_move()? {
            break ending;
        }
    };
    Ok(PlayedGame { moves: game.moves, ending, overrun: game.overrun })
}

struct GameInProgress<'a> {
    referee: Referee,
    adjudicator: ScoreAdjudicator,
    tournament: &'a Tournament,
    stalls: &'a StallWatch,
    engines: ByColor<&'a mut Engine>,
    clocks: ByColor<Clock>,
    ponders: ByColor<bool>,
    moves: Vec<MoveRecord>,
    /// Whether the side that moved last has offered a draw.
    draw_offered: bool,
    overrun: ByColor<Option<Duration>>,
}

impl GameInProgress<'_> {
    /// Asks the side to move for a move and plays it. Returns the ending if that ends the game.
    fn play_move(&mut self) -> Result<Option<Ending>, NoResult> {
        let side = self.referee.side_to_move();
        let banned = banned(&self.tournament.rules, &mut self.referee);
        let request = MoveRequest {
            game: self.referee.game(),
            clocks: &self.clocks,
            banned: &banned,
            draw_offered: self.draw_offered,
        };
        let began = Instant::now();
        let answer = match self.engines[side].think(&request) {
            Ok(answer) => answer,
            Err(failure) => return self.failure(side, &failure, began).map(Some),
        };
        let answered = answer.asked + answer.elapsed;
        let stalled = self.stalls.between(answer.asked, answered);
        if let Some(ending) = self.check_time(side, &answer, stalled)? {
            return Ok(Some(ending));
        }
        let played = match &answer.choice {
            MoveChoice::Move(_, Some(m)) if self.referee.play(*m).is_ok() => *m,
            MoveChoice::Move(text, _) => {
                self.engines[side].has_failed = true;
                return Ok(Some(Ending::loss(side, EndReason::IllegalMove, text)));
            }
            MoveChoice::Resign => return Ok(Some(Ending::loss(side, EndReason::Resignation, ""))),
            MoveChoice::NoMove => {
                return Ok(Some(Ending::loss(
                    side,
                    EndReason::Resignation,
                    "reports that it has no move",
                )));
            }
        };
        self.record_move(side, played, &answer, stalled);
        if self.draw_offered && answer.draw {
            return Ok(Some(self.referee.ending().unwrap_or(Ending::draw(EndReason::Agreement))));
        }
        self.draw_offered = answer.draw;
        let score = answer.info.score_range();
        let adjudged = self.adjudicator.add(side, score, self.moves.len());
        let rules = &self.tournament.rules;
        let by_tablebases = || rules.tablebases.as_ref()?.ending(self.referee.game(), rules.rules);
        // The rules take precedence over tablebases, and these over the engines' scores.
        let ending = self.referee.ending().or_else(by_tablebases).or(adjudged);
        if ending.is_some() {
            return Ok(ending);
        }
        match answer.ponder {
            Some(expected) if self.ponders[side] => self.ponder(side, expected),
            _ => Ok(None),
        }
    }

    /// Records a move with its time, and subtracts this time from the clock, but not the time of stalls.
    fn record_move(&mut self, side: Color, played: Move, answer: &MoveAnswer, stalled: Duration) {
        let clock = &mut self.clocks[side];
        clock.press(answer.elapsed.saturating_sub(stalled));
        let left = clock.left().map(|left| left.as_millis());
        let info = &answer.info;
        let mut record = MoveRecord {
            played,
            score: info.score,
            depth: info.depth,
            nodes: info.nodes,
            micros: Some(u64::try_from(answer.elapsed.as_micros()).unwrap_or(u64::MAX)),
            left_ms: left.and_then(|left| u64::try_from(left).ok()),
            ..MoveRecord::default()
        };
        if self.tournament.has_details {
            record.selective_depth = info.selective_depth;
            record.hashfull = info.hashfull;
            record.tbhits = info.tbhits;
            record.pv = info.pv.clone();
        }
        self.moves.push(record);
    }

    /// Records the time overrun of a move, if any, without the time of stalls. Returns the ending if the side lost on
    /// time.
    ///
    /// # Errors
    /// The side exceeded its time only because the machine stalled.
    fn check_time(
        &mut self,
        side: Color,
        answer: &MoveAnswer,
        stalled: Duration,
    ) -> Result<Option<Ending>, NoResult> {
        let clock = &self.clocks[side];
        let limit = self.engines[side].limit(clock);
        let elapsed = answer.elapsed;
        let used = elapsed.saturating_sub(stalled);
        if elapsed > limit && used <= limit {
            return Err(NoResult::Void(stall_text(stalled, elapsed)));
        }
        let overrun = clock.allowance().and_then(|time| used.checked_sub(time));
        if let Some(overrun) = overrun {
            let longest = &mut self.overrun[side];
            *longest = (*longest).max(Some(overrun));
        }
        Ok((elapsed > limit).then(|| {
            let allowed = clock.allowance().unwrap_or(limit).as_millis();
            let elapsed = elapsed.as_millis();
            Ending::loss(side, EndReason::TimeLoss, format!("{elapsed} ms of {allowed}"))
        }))
    }

    /// The loss of the side whose engine failed.
    ///
    /// # Errors
    /// The tournament was stopped, or the engine exceeded its time only because the machine stalled since `began`.
    fn failure(
        &mut self,
        side: Color,
        failure: &EngineFailure,
        began: Instant,
    ) -> Result<Ending, NoResult> {
        if *failure == EngineFailure::Interrupted {
            return Err(NoResult::Interrupted);
        }
        if let EngineFailure::Timeout { allowed, .. } = failure
            && let Some(stall) = self.stalls.excuse(began, *allowed)
        {
            return Err(NoResult::Void(stall));
        }
        self.engines[side].has_failed = true;
        let reason = match failure {
            EngineFailure::Timeout { awaited, .. } if awaited == BEST_MOVE => EndReason::TimeLoss,
            _ => EndReason::Crash,
        };
        Ok(Ending::loss(side, reason, failure.to_string()))
    }

    /// Lets a side ponder on the reply that it expects. Returns its loss if its engine fails.
    fn ponder(&mut self, side: Color, expected: Move) -> Result<Option<Ending>, NoResult> {
        let mut ahead = self.referee.clone();
        if ahead.play(expected).is_err() || ahead.ending().is_some() {
            return Ok(None);
        }
        let banned = banned(&self.tournament.rules, &mut ahead);
        let request = MoveRequest {
            game: ahead.game(),
            clocks: &self.clocks,
            banned: &banned,
            draw_offered: false,
        };
        let began = Instant::now();
        match self.engines[side].ponder(&request, expected) {
            Ok(()) => Ok(None),
            Err(failure) => self.failure(side, &failure, began).map(Some),
        }
    }
}

/// The moves that lose by repetition; empty unless `banmoves` is set.
fn banned(rules: &GameRules, referee: &mut Referee) -> Vec<Move> {
    if rules.banmoves { referee.losing_repetitions() } else { Vec::new() }
}

//! A game with what the search and the rules say of it.

use super::search::ReviewedPosition;
use super::verdict::{Grade, SideSummary, expected_points};
use crate::board::{ByColor, Color, Move, Position};
use crate::notation::pgn::PgnGame;
use crate::rules::{Cause, Game, IllegalMove, RuleSet, judge, judge_outcome};
use crate::search::Score;

/// A move and the judgement of it.
#[derive(Clone, Debug)]
pub(super) struct ReviewedMove {
    /// The position before the move.
    pub before: Position,
    pub played: Move,
    /// What the search found before it.
    pub found: ReviewedPosition,
    /// The score after it, for red.
    pub score: Score,
    /// What red may expect after it, in percent of a point.
    pub points: f64,
    /// What it lost, in percent of a point.
    pub lost: f64,
    pub grade: Grade,
}

/// A repetition that the rules judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repetition {
    /// Plies after which it was complete.
    pub ply: usize,
    /// What each side did, and what the rules say to it.
    pub text: String,
}

/// A game that has been reviewed.
pub(super) struct Review {
    pub record: PgnGame,
    pub moves: Vec<ReviewedMove>,
    pub sides: ByColor<SideSummary>,
    pub repetitions: Vec<Repetition>,
}

/// The game after each of its plies, the start first.
///
/// # Errors
/// A move is not legal.
pub(super) fn stages(record: &PgnGame) -> Result<Vec<Game>, IllegalMove> {
    let mut game = Game::new(record.line.start.clone());
    let mut stages = vec![game.clone()];
    for &played in &record.line.moves {
        game.push(played)?;
        stages.push(game.clone());
    }
    Ok(stages)
}

/// The score for the side to move of a game that is over by mate or by the rules.
pub(super) fn decided_score(game: &Game, rules: RuleSet) -> Option<Score> {
    let judgement = judge_outcome(game, rules);
    match (judgement.cause, judgement.verdict.loser()) {
        (Cause::Nothing, _) => None,
        (_, None) => Some(Score::ZERO),
        (_, Some(loser)) if loser == game.position().side_to_move() => Some(Score::mated_in(0)),
        (_, Some(_)) => Some(Score::mate_in(1)),
    }
}

/// Judges the moves of a game by what was found before and after each.
pub(super) fn review(
    record: PgnGame,
    stages: &[Game],
    found: &[ReviewedPosition],
    rules: RuleSet,
) -> Review {
    let mut moves = Vec::with_capacity(record.line.moves.len());
    let steps = record.line.moves.iter().zip(stages.windows(2));
    for ((&played, stage), scores) in steps.zip(found.windows(2)) {
        let ([before, after], [best, next]) = (stage, scores) else {
            continue;
        };
        let (before, after) = (before.position(), after.position());
        let expected = expected_points(best.score, before);
        let left = 100.0 - expected_points(next.score, after);
        let is_best = best.line.first() == Some(&played);
        let lost = match is_best {
            true => 0.0,
            false => (expected - left).max(0.0),
        };
        let (score, points) = match before.side_to_move() {
            Color::Red => (-next.score, left),
            Color::Black => (next.score, 100.0 - left),
        };
        moves.push(ReviewedMove {
            before: before.clone(),
            played,
            found: best.clone(),
            score,
            points,
            lost,
            grade: Grade::of(lost, is_best),
        });
    }
    let sides = ByColor::from_fn(|color| {
        let own = moves
            .iter()
            .filter(|m| m.before.side_to_move() == color)
            .map(|m| (m.lost, m.grade));
        SideSummary::of(&own.collect::<Vec<_>>())
    });
    Review {
        record,
        moves,
        sides,
        repetitions: repetitions(stages, rules),
    }
}

/// The repetitions that the rules judge, each once.
fn repetitions(stages: &[Game], rules: RuleSet) -> Vec<Repetition> {
    let mut repetitions = Vec::new();
    let mut goes_on = false;
    for (ply, game) in stages.iter().enumerate() {
        let judged = game.occurrences() >= rules.deciding_occurrence();
        if judged && !goes_on {
            let judgement = judge(game, rules);
            if judgement.cause == Cause::Repetition {
                let did = Color::ALL.map(|c| format!("{c} {}", judgement.perpetuals[c]));
                let ruling = judgement.ruling().unwrap_or_default();
                let text = format!("{}; {ruling}", did.join(", "));
                repetitions.push(Repetition { ply, text });
            }
        }
        goes_on = judged;
    }
    repetitions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Line;
    use crate::notation::pgn::GameResult;

    fn record(fen: &str, moves: &str) -> PgnGame {
        PgnGame {
            tags: Vec::new(),
            line: Line {
                start: fen.parse().unwrap(),
                moves: moves.split(' ').map(|m| m.parse().unwrap()).collect(),
            },
            comments: Vec::new(),
            result: GameResult::Unfinished,
        }
    }

    fn found(hundredths: i32, best: &str) -> ReviewedPosition {
        ReviewedPosition {
            score: Score::from_units(hundredths * Score::MINOR_PIECE / 100),
            depth: 1,
            line: vec![best.parse().unwrap()],
        }
    }

    #[test]
    fn what_a_move_lost_is_seen_from_its_side() {
        let record = record(crate::notation::fen::START, "h2e2 h9g7 h0g2");
        let stages = stages(&record).unwrap();
        // Red keeps its lead, black loses a piece, red lets it go.
        let found = [
            found(10, "b2e2"),
            found(-10, "b9c7"),
            found(110, "h0g2"),
            found(-110, "i9h9"),
        ];
        let review = review(record, &stages, &found, RuleSet::Asian);
        let grades: Vec<Grade> = review.moves.iter().map(|m| m.grade).collect();
        assert_eq!(grades, [Grade::Good, Grade::Blunder, Grade::Best]);
        assert!(review.moves.iter().all(|m| m.score > Score::ZERO));
        assert!(review.moves[1].points > review.moves[0].points + 15.0);
        assert_eq!(review.sides[Color::Black].blunders, 1);
        assert_eq!(review.sides[Color::Red].moves, 2);
        assert!(review.repetitions.is_empty());
    }

    #[test]
    fn unfair_repetitions_are_told_once() {
        let checks = ["e9f9 e1f1 f9e9 f1e1"; 3].join(" ");
        let record = record("4k4/9/9/9/9/9/9/9/4R4/3K5 b", &checks);
        let stages = stages(&record).unwrap();
        let told = repetitions(&stages, RuleSet::Asian);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].ply, 8);
        assert!(told[0].text.contains("lost for red"), "{}", told[0].text);
        let last = stages.last().unwrap();
        let score = decided_score(last, RuleSet::Asian).unwrap();
        assert_eq!(
            score.is_win(),
            last.position().side_to_move() == Color::Black
        );
        assert_eq!(decided_score(&stages[0], RuleSet::Asian), None);
    }
}

//! A game with the results of the search and the rulings on repetitions.

use super::verdict::{Grade, SideSummary, expected_points};
use crate::board::{ByColor, Color, Move, Position};
use crate::notation::tree::{GameTree, PgnGame};
use crate::rules::{Cause, Game, IllegalMove, RuleSet, judge, judge_outcome};
use crate::search::{Score, SearchResult};

/// The search result of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPosition {
    /// The score for the side to move.
    pub score: Score,
    pub depth: u32,
    /// The best line; empty if there is no legal move.
    pub line: Vec<Move>,
}

impl FoundPosition {
    /// `None` if the search was stopped before it had a score.
    pub fn of(result: &SearchResult) -> Option<Self> {
        Some(Self {
            score: result.outcome.score?,
            depth: result.outcome.depth,
            line: result.best_line(),
        })
    }
}

/// A move of the game.
#[derive(Clone, Debug)]
pub struct ReviewedMove {
    /// The position before the move.
    pub before: Position,
    pub played: Move,
    /// `None` for book moves, moves before `--from`, and moves that an interrupt left out.
    pub verdict: Option<MoveVerdict>,
}

/// The judgement of a move.
#[derive(Clone, Debug)]
pub struct MoveVerdict {
    /// The search result before the move.
    pub found: FoundPosition,
    /// The score after the move, for red.
    pub score: Score,
    /// The loss of expected points, in percent of a point.
    pub lost: f64,
    pub grade: Grade,
}

/// A repetition with a ruling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// The number of plies after which it was complete.
    pub ply: usize,
    /// The actions of both sides and the ruling.
    pub text: String,
}

/// A reviewed game.
pub struct Review {
    /// Number of the game in its file.
    pub number: usize,
    pub record: GameTree,
    pub moves: Vec<ReviewedMove>,
    /// The points that red can expect, in percent, at the start and after each ply, where searched.
    pub points: Vec<Option<f64>>,
    pub sides: ByColor<SideSummary>,
    pub repetitions: Vec<Repetition>,
}

/// The game at the start and after each ply.
pub fn stages(record: &PgnGame) -> Result<Vec<Game>, IllegalMove> {
    let mut game = Game::new(record.line.start.clone());
    let mut stages = vec![game.clone()];
    for &played in &record.line.moves {
        game.push(played)?;
        stages.push(game.clone());
    }
    Ok(stages)
}

/// The plies to judge, by index: those from number `from` on, without the ones that `chuhe match` has marked as
/// opening moves by the comment `book`.
pub fn judged_plies(record: &PgnGame, from: usize) -> Vec<bool> {
    let plies = 0..record.line.moves.len();
    let comment = |ply: usize| record.comments.get(ply).map_or("", |text| text.trim());
    let judged = plies.map(|ply| ply + 1 >= from && comment(ply) != "book");
    judged.collect()
}

/// The score for the side to move if the game is over by mate or by rule.
pub fn decided_score(game: &Game, rules: RuleSet) -> Option<Score> {
    let judgement = judge_outcome(game, rules);
    match (judgement.cause, judgement.verdict.loser()) {
        (Cause::Nothing, _) => None,
        (_, None) => Some(Score::ZERO),
        (_, Some(loser)) if loser == game.position().side_to_move() => Some(Score::mated_in(0)),
        (_, Some(_)) => Some(Score::mate_in(1)),
    }
}

/// Judges the moves of a game by the search results before and after each.
pub fn review(
    (number, record): (usize, GameTree),
    stages: &[Game],
    judged: &[bool],
    found: &[Option<FoundPosition>],
    rules: RuleSet,
) -> Review {
    let points = stages.iter().zip(found).map(|(stage, found)| {
        let position = stage.position();
        let expected = expected_points(found.as_ref()?.score, position);
        Some(match position.side_to_move() {
            Color::Red => expected,
            Color::Black => 100.0 - expected,
        })
    });
    let steps = stages.windows(2).zip(found.windows(2)).zip(judged);
    let line = record.main_line().line;
    let moves = line.moves.iter().zip(steps);
    let moves = moves.map(|(&played, ((stages, found), &is_judged))| {
        let before = stages[0].position();
        let verdict = match found {
            [Some(best), Some(next)] if is_judged => {
                Some(judge_move(played, before, stages[1].position(), best, next))
            }
            _ => None,
        };
        ReviewedMove {
            before: before.clone(),
            played,
            verdict,
        }
    });
    let moves: Vec<ReviewedMove> = moves.collect();
    let sides = ByColor::from_fn(|color| {
        let own = moves
            .iter()
            .filter(|m| m.before.side_to_move() == color)
            .filter_map(|m| m.verdict.as_ref())
            .map(|verdict| (verdict.lost, verdict.grade));
        SideSummary::of(&own.collect::<Vec<_>>())
    });
    Review {
        number,
        points: points.collect(),
        record,
        moves,
        sides,
        repetitions: repetitions(stages, rules),
    }
}

fn judge_move(
    played: Move,
    before: &Position,
    after: &Position,
    best: &FoundPosition,
    next: &FoundPosition,
) -> MoveVerdict {
    let is_best = best.line.first() == Some(&played);
    let left = 100.0 - expected_points(next.score, after);
    let lost = if is_best {
        0.0
    } else {
        (expected_points(best.score, before) - left).max(0.0)
    };
    MoveVerdict {
        found: best.clone(),
        score: match before.side_to_move() {
            Color::Red => -next.score,
            Color::Black => next.score,
        },
        lost,
        grade: Grade::of(lost, is_best),
    }
}

/// The repetitions with a ruling, each once.
fn repetitions(stages: &[Game], rules: RuleSet) -> Vec<Repetition> {
    let mut repetitions = Vec::new();
    let mut continues = false;
    for (ply, game) in stages.iter().enumerate() {
        let is_decided = game.occurrences() >= rules.deciding_occurrence();
        if is_decided && !continues {
            let judgement = judge(game, rules);
            if judgement.cause == Cause::Repetition {
                let action = |c: Color| {
                    format!(
                        "{} {}",
                        c.local_name(),
                        judgement.perpetuals[c].local_name()
                    )
                };
                let actions = Color::ALL.map(action);
                let ruling = judgement.ruling().unwrap_or_default();
                let text = format!("{}; {ruling}", actions.join(", "));
                repetitions.push(Repetition { ply, text });
            }
        }
        continues = is_decided;
    }
    repetitions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Line;

    fn record(fen: &str, moves: &str) -> PgnGame {
        PgnGame::from(Line {
            start: fen.parse().unwrap(),
            moves: moves.split(' ').map(|m| m.parse().unwrap()).collect(),
        })
    }

    fn found(hundredths: i32, best: &str) -> Option<FoundPosition> {
        Some(FoundPosition {
            score: Score::from_units(hundredths * Score::MINOR_PIECE / 100),
            depth: 1,
            line: vec![best.parse().unwrap()],
        })
    }

    #[test]
    fn losses_are_those_of_the_moving_side() {
        let record = record(crate::notation::fen::START, "h2e2 h9g7 h0g2");
        let stages = stages(&record).unwrap();
        // Red keeps its lead, black loses a piece, red does not take it.
        let found = [
            found(10, "b2e2"),
            found(-10, "b9c7"),
            found(110, "h0g2"),
            found(-110, "i9h9"),
        ];
        let judged = judged_plies(&record, 1);
        let review = review(
            (1, GameTree::from(&record)),
            &stages,
            &judged,
            &found,
            RuleSet::Asian,
        );
        let verdicts = review.moves.iter().map(|m| m.verdict.as_ref().unwrap());
        let grades: Vec<Grade> = verdicts.clone().map(|verdict| verdict.grade).collect();
        assert_eq!(grades, [Grade::Good, Grade::Blunder, Grade::Best]);
        assert!(verdicts.clone().all(|verdict| verdict.score > Score::ZERO));
        let points: Vec<f64> = review.points.iter().map(|points| points.unwrap()).collect();
        assert!(points[2] > points[1] + 15.0);
        assert_eq!(review.sides[Color::Black].blunders, 1);
        assert_eq!(review.sides[Color::Red].moves, 2);
        assert!(review.repetitions.is_empty());
    }

    #[test]
    fn book_moves_and_moves_without_results_have_no_verdict() {
        let mut record = record(crate::notation::fen::START, "h2e2 h9g7 h0g2 i9h9");
        record.comments = ["book", " book ", "0.1/5 book", ""]
            .map(str::to_owned)
            .into();
        assert_eq!(judged_plies(&record, 1), [false, false, true, true]);
        assert_eq!(judged_plies(&record, 4), [false, false, false, true]);
        let stages = stages(&record).unwrap();
        let found = [None, None, found(0, "h0g2"), found(0, "b9c7"), None];
        let review = review(
            (1, GameTree::from(&record)),
            &stages,
            &[false, false, true, true],
            &found,
            RuleSet::Asian,
        );
        let has_verdict: Vec<bool> = review.moves.iter().map(|m| m.verdict.is_some()).collect();
        assert_eq!(has_verdict, [false, false, true, false]);
        assert_eq!(review.sides[Color::Black].moves, 0);
        assert_eq!(review.points.iter().flatten().count(), 2);
    }

    #[test]
    fn repetition_with_a_ruling_is_reported_once() {
        let checks = ["e9f9 e1f1 f9e9 f1e1"; 3].join(" ");
        let record = record("4k4/9/9/9/9/9/9/9/4R4/3K5 b", &checks);
        let stages = stages(&record).unwrap();
        let reported = repetitions(&stages, RuleSet::Asian);
        assert_eq!(reported.len(), 1);
        assert_eq!(reported[0].ply, 8);
        assert!(
            reported[0].text.contains("lost for red"),
            "{}",
            reported[0].text
        );
        let last = stages.last().unwrap();
        let score = decided_score(last, RuleSet::Asian).unwrap();
        assert_eq!(
            score.is_win(),
            last.position().side_to_move() == Color::Black
        );
        assert_eq!(decided_score(&stages[0], RuleSet::Asian), None);
    }
}

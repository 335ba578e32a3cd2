//! A game with the results of the search, the grades of its moves and the rulings on repetitions.

use serde::Serialize;

use crate::board::{ByColor, Color, Move, Position};
use crate::cli::common::{fill, texts};
use crate::eval::win_rate::WinRate;
use crate::notation::Line;
use crate::notation::tree::{GameTree, glyph_text};
use crate::rules::{Cause, Game, Judgment, RuleSet, judge, judge_outcome};
use crate::search::{Score, SearchResult};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedPosition {
    /// For the side to move.
    pub score: Score,
    pub depth: u32,
    /// The best line; empty if the game is decided.
    pub line: Vec<Move>,
    /// Whether the move to this position makes the game a draw by the rules. If the record has more moves, the score is
    /// still that of a search.
    pub completes_draw: bool,
}

impl SearchedPosition {
    /// `None` if the search was stopped before it had a score.
    pub fn of(result: &SearchResult, completes_draw: bool) -> Option<Self> {
        Some(Self {
            score: result.outcome.score?,
            depth: result.outcome.depth,
            line: result.best_line(),
            completes_draw,
        })
    }
}

#[derive(Clone, Debug)]
pub struct ReviewedMove {
    /// The position before the move.
    pub before: Position,
    pub played: Move,
    /// `None` for book moves, moves before `--from`, moves after the game was decided, and moves that were not searched
    /// because of an interrupt.
    pub verdict: Option<MoveVerdict>,
}

#[derive(Clone, Debug)]
pub struct MoveVerdict {
    /// The search result before the move.
    pub found: SearchedPosition,
    /// After the move, for red.
    pub score: Score,
    /// The loss of expected points, in percent of a point.
    pub lost: f64,
    pub grade: Grade,
}

/// A repetition with a ruling.
#[derive(Clone, Debug)]
pub struct Repetition {
    /// The number of plies after which it was complete.
    pub ply: usize,
    judgment: Judgment,
}

impl Repetition {
    /// The actions of both sides and the ruling, in the chosen language.
    pub fn text(&self) -> String {
        let (judgment, texts) = (&self.judgment, texts());
        let action = |color: Color| {
            let perpetual = judgment.perpetuals[color].local_name();
            fill(texts.labeled, &[color.local_name(), perpetual])
        };
        let actions = Color::ALL.map(action).join(texts.clause_comma);
        let ruling = judgment.ruling().unwrap_or_default();
        [actions, ruling].join(texts.clause_semicolon)
    }
}

pub struct Review {
    /// Number of the game in its file.
    pub number: usize,
    pub record: GameTree,
    pub moves: Vec<ReviewedMove>,
    /// The points that red can expect, in percent, at the start and after each ply; `None` if the position was not
    /// searched.
    pub points: Vec<Option<f64>>,
    pub sides: ByColor<SideSummary>,
    pub repetitions: Vec<Repetition>,
}

/// The positions of a line: at its start and after each ply.
fn positions(line: &Line) -> Vec<Position> {
    let mut positions = vec![line.start.clone()];
    for (ply, played) in line.moves.iter().enumerate() {
        positions.push(positions[ply].after(*played));
    }
    positions
}

/// Whether to judge each ply: from ply number `from` on, except opening moves, which `chuhe match` marks with the
/// comment `book`.
pub fn judged_plies(record: &GameTree, from: usize) -> Vec<bool> {
    let comments = record.comments();
    let plies = (1..).zip(comments.iter().map(|comment| comment.trim()));
    let judged = plies.map(|(ply, comment)| ply >= from && comment != "book");
    judged.collect()
}

/// The score for the side to move if the game is over by mate or by rule.
pub fn decided_score(game: &Game, rules: RuleSet) -> Option<Score> {
    let judgment = judge_outcome(game, rules);
    let mover_loses = |loser| loser == game.position().side_to_move();
    match (judgment.cause, judgment.verdict.loser().map(mover_loses)) {
        (Cause::Nothing, _) => None,
        (_, None) => Some(Score::ZERO),
        (Cause::Repetition, Some(true)) => Some(-Score::by_rule_in(0)),
        (Cause::Repetition, Some(false)) => Some(Score::by_rule_in(1)),
        (_, Some(true)) => Some(Score::mated_in(0)),
        (_, Some(false)) => Some(Score::mate_in(1)),
    }
}

/// Judges the moves of a game by the search results before and after each.
pub fn review(
    number: usize,
    record: GameTree,
    game: &Game,
    judged: &[bool],
    found: &[Option<SearchedPosition>],
    rules: RuleSet,
) -> Review {
    let line = game.line();
    let positions = positions(&line);
    let points = positions.iter().zip(found).map(|(position, found)| {
        let expected = expected_points(found.as_ref()?.score, position);
        Some(match position.side_to_move() {
            Color::Red => expected,
            Color::Black => 100.0 - expected,
        })
    });
    let steps = positions.windows(2).zip(found.windows(2)).zip(judged);
    let moves = line.moves.iter().zip(steps);
    let moves = moves.map(|(&played, ((positions, found), &is_judged))| {
        let before = &positions[0];
        let verdict = match found {
            [Some(best), Some(next)] if is_judged && !best.line.is_empty() => {
                Some(judge_move(played, before, &positions[1], best, next))
            }
            _ => None,
        };
        ReviewedMove { before: before.clone(), played, verdict }
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
        repetitions: repetitions(&line, rules),
    }
}

fn judge_move(
    played: Move,
    before: &Position,
    after: &Position,
    best: &SearchedPosition,
    next: &SearchedPosition,
) -> MoveVerdict {
    let is_best = best.line.first() == Some(&played);
    let next = if next.completes_draw { Score::ZERO } else { next.score };
    let kept = 100.0 - expected_points(next, after);
    let lost = if is_best { 0.0 } else { (expected_points(best.score, before) - kept).max(0.0) };
    MoveVerdict {
        found: best.clone(),
        score: match before.side_to_move() {
            Color::Red => -next,
            Color::Black => next,
        },
        lost,
        grade: Grade::of(lost, is_best),
    }
}

/// The repetitions with a ruling, each once.
pub fn repetitions(line: &Line, rules: RuleSet) -> Vec<Repetition> {
    let mut repetitions = Vec::new();
    let mut was_decided = false;
    let mut game = Game::new(line.start.clone());
    for (ply, played) in (1..).zip(&line.moves) {
        if game.push(*played).is_err() {
            break;
        }
        let is_decided = game.occurrences() >= rules.deciding_occurrence();
        if is_decided && !was_decided {
            let judgment = judge(&game, rules);
            if judgment.cause == Cause::Repetition {
                repetitions.push(Repetition { ply, judgment });
            }
        }
        was_decided = is_decided;
    }
    repetitions
}

/// The grade of a move by the expected points that it lost.
///
/// The bounds of 5, 10 and 15% of a point are those of Lichess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// The best move of the search.
    Best,
    /// A loss of less than 5%.
    Good,
    /// An inaccuracy (缓着): a loss of 5 to 10%.
    Inaccuracy,
    /// A mistake (失着): a loss of 10 to 15%.
    Mistake,
    /// A blunder (败着): a loss of 15% or more.
    Blunder,
}

impl Grade {
    pub const ALL: [Self; 5] =
        [Self::Best, Self::Good, Self::Inaccuracy, Self::Mistake, Self::Blunder];

    fn of(lost: f64, is_best: bool) -> Self {
        match lost {
            _ if is_best => Self::Best,
            15.0.. => Self::Blunder,
            10.0.. => Self::Mistake,
            5.0.. => Self::Inaccuracy,
            _ => Self::Good,
        }
    }

    /// The name for tables; empty for a good move.
    pub fn name(self) -> &'static str {
        let texts = texts();
        match self {
            Self::Best => texts.best,
            Self::Good => "",
            Self::Inaccuracy => texts.inaccuracy,
            Self::Mistake => texts.mistake,
            Self::Blunder => texts.blunder,
        }
    }

    /// The name in JSON and PGN, always in English.
    pub fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Good => "good",
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }

    /// The suffix of the move, such as `??`; empty for the best move and for good moves.
    pub fn mark(self) -> String {
        self.glyph().map_or_else(String::new, glyph_text)
    }

    /// The numeric annotation glyph of PGN.
    pub fn glyph(self) -> Option<u8> {
        match self {
            Self::Best | Self::Good => None,
            Self::Inaccuracy => Some(6),
            Self::Mistake => Some(2),
            Self::Blunder => Some(4),
        }
    }
}

/// The points that the side to move can expect, in percent: its chance to win and half of its chance to draw.
fn expected_points(score: Score, position: &Position) -> f64 {
    let WinRate { win, draw, .. } = WinRate::of(score.units(), position);
    f64::from(win) / 10.0 + f64::from(draw) / 20.0
}

/// The accuracy, from 0 to 100, of a move that lost `lost` percent of a point, by the formula of Lichess
/// ("Accuracy metric"), with its constants rounded so that a loss of 0 gives exactly 100.
fn accuracy(lost: f64) -> f64 {
    (103.1669 * (-0.04354 * lost).exp() - 3.1669).clamp(0.0, 100.0)
}

/// The moves of one side: their number, the numbers of inaccuracies, mistakes and blunders, and the means of accuracy
/// and loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SideSummary {
    pub moves: usize,
    /// The mean accuracy; `None` without moves.
    pub accuracy: Option<f64>,
    /// The mean loss, in percent of a point; `None` without moves.
    pub lost: Option<f64>,
    pub inaccuracies: usize,
    pub mistakes: usize,
    pub blunders: usize,
}

impl SideSummary {
    fn of(moves: &[(f64, Grade)]) -> Self {
        let count = |grade| moves.iter().filter(|(_, g)| *g == grade).count();
        let mean = |value: &dyn Fn(f64) -> f64| {
            let sum: f64 = moves.iter().map(|(lost, _)| value(*lost)).sum();
            (!moves.is_empty()).then(|| sum / moves.len() as f64)
        };
        Self {
            moves: moves.len(),
            accuracy: mean(&accuracy),
            lost: mean(&|lost| lost),
            inaccuracies: count(Grade::Inaccuracy),
            mistakes: count(Grade::Mistake),
            blunders: count(Grade::Blunder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::common::play_line;

    fn record(fen: &str, moves: &str) -> GameTree {
        GameTree::from(Line {
            start: fen.parse().unwrap(),
            moves: moves.split(' ').map(|m| m.parse().unwrap()).collect(),
        })
    }

    fn played(record: &GameTree) -> Game {
        play_line(record.main_line()).unwrap()
    }

    fn reviewed(record: &GameTree, found: &[Option<SearchedPosition>]) -> Review {
        let (game, judged) = (played(record), judged_plies(record, 1));
        review(1, record.clone(), &game, &judged, found, RuleSet::Asian)
    }

    fn found(hundredths: i32, best: &str) -> Option<SearchedPosition> {
        Some(SearchedPosition {
            score: Score::from_units(hundredths * Score::MINOR_PIECE / 100),
            depth: 1,
            line: vec![best.parse().unwrap()],
            completes_draw: false,
        })
    }

    #[test]
    fn a_loss_counts_for_the_side_that_moved() {
        let record = record(crate::notation::fen::START, "h2e2 h9g7 h0g2");
        // Red keeps its lead, black loses a minor piece, and red plays the best move.
        let found =
            [found(10, "b2e2"), found(-10, "b9c7"), found(110, "h0g2"), found(-110, "i9h9")];
        let review = reviewed(&record, &found);
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
    fn grades_follow_losses() {
        for (lost, grade) in [
            (0.0, Grade::Good),
            (4.99, Grade::Good),
            (5.0, Grade::Inaccuracy),
            (10.0, Grade::Mistake),
            (15.0, Grade::Blunder),
            (100.0, Grade::Blunder),
        ] {
            assert_eq!(Grade::of(lost, false), grade, "{lost}");
            assert_eq!(Grade::of(lost, true), Grade::Best);
        }
    }

    #[test]
    fn accuracy_falls_with_losses() {
        assert_eq!(accuracy(0.0), 100.0);
        assert!(accuracy(100.0) < 1.0);
        assert!(accuracy(5.0) > accuracy(10.0));
        let side = SideSummary::of(&[(0.0, Grade::Best), (20.0, Grade::Blunder)]);
        assert_eq!((side.moves, side.blunders, side.mistakes), (2, 1, 0));
        assert!((side.lost.unwrap() - 10.0).abs() < 1e-9);
        let expected = (100.0 + accuracy(20.0)) / 2.0;
        assert!((side.accuracy.unwrap() - expected).abs() < 0.01);
        assert_eq!(SideSummary::of(&[]), SideSummary::default());
    }
}

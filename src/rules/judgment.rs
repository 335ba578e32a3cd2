//! Verdicts with their reasons.

use std::fmt;

use super::chase::Retraction;
use super::chinese;
use super::game::{Game, Ply};
use super::repetition::{contains_check, deciding_repetition, side_perpetuals};
use super::rule_set::{RuleSet, counted_plies, is_material_insufficient};
use super::verdict::{Exemption, MoveClass, Perpetual, SidePerpetual, Verdict};
use crate::board::{Bitboard, ByColor, Color, Move, Piece, Position, Square, named_enum};
use crate::movegen::has_legal_move;
use crate::notation::tree::GameResult;
use crate::text::{Language, fill, texts};

named_enum! {
    /// The reason why a game is over.
    pub enum Cause {
        /// The game is not over.
        Nothing = "nothing decided",
        /// The side to move is in check and has no legal move (将死).
        Checkmate = "checkmate",
        /// The side to move has no legal move and is not in check (困毙), which also loses.
        Stalemate = "stalemate",
        /// The position has occurred often enough for the rules to judge the repetition.
        Repetition = "repetition",
        /// Neither side has a piece that can cross the river; in the promotion variant, only the kings are left.
        InsufficientMaterial = "insufficient material",
        /// Too many plies without a capture (自然限着).
        NoCapture = "no-capture limit",
    }
}

impl Cause {
    fn local_name(self) -> &'static str {
        let texts = texts();
        match self {
            Self::Nothing => texts.nothing_decided,
            Self::Checkmate => texts.checkmate,
            Self::Stalemate => texts.stalemate,
            Self::Repetition => texts.repetition,
            Self::InsufficientMaterial => texts.insufficient_material,
            Self::NoCapture => texts.no_capture_limit,
        }
    }
}

/// A piece and its square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The piece.
    pub piece: Piece,
    /// Its square.
    pub square: Square,
}

impl fmt::Display for Placed {
    /// Writes the piece in English and Chinese, and its square: `red rook 车 e4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { piece, square } = self;
        let (color, kind, chinese) = (piece.color(), piece.kind(), piece.chinese());
        write!(f, "{color} {kind} {chinese} {square}")
    }
}

impl Placed {
    /// The piece and its square in the chosen language: `red rook 车 e4`, `红车 e4`.
    pub fn local_text(&self) -> String {
        format!("{} {}", self.piece.local_name(), self.square)
    }

    /// Pieces in the chosen language, separated by commas.
    pub fn local_list(pieces: &[Self]) -> String {
        let pieces: Vec<String> = pieces.iter().map(Self::local_text).collect();
        pieces.join(texts().comma)
    }
}

/// A piece that chases another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chase {
    /// The chasing piece after the move.
    pub chaser: Placed,
    /// The chased piece.
    pub chased: Placed,
}

/// A move of a repetition and its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassifiedMove {
    /// The number of the ply in the game, from 1.
    pub number: usize,
    /// The move.
    pub played: Move,
    /// The piece that moved.
    pub piece: Piece,
    /// The class of the move by the rules applied.
    pub class: MoveClass,
    /// The new threats that count as chases, even if other moves of the side do not chase the same piece.
    pub chases: Vec<Chase>,
    /// New threats that do not count because of [`Clause::ChasedPieceExcused`].
    pub excused: Vec<Chase>,
    /// Chinese rules: the pieces that newly threaten to win material by a check.
    pub check_threats: Vec<Placed>,
    /// Chinese rules: whether the chase is joint, or of a partly protected piece.
    pub is_joint: bool,
    /// Chinese rules: why the move is idle although it may attack something.
    pub exemption: Option<Exemption>,
}

/// A clause of the repetition rules that contributed to a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// `none`: every repetition is a draw.
    EveryRepetitionDraws,
    /// `check-only`: only perpetual checks count.
    OnlyChecksCount,
    /// `computer`: a check within the repetition excludes chases.
    CheckExcludesChases,
    /// `asian`, rule 19 and diagrams 39 to 41 and 61: both sides chase. A threat by one of these chased pieces does not
    /// count if it is new only because a protector of its target was cut off.
    ChasedPieceExcused(Vec<Placed>),
    /// `asian`, diagram 107: if the other side chases perpetually, this side's chases of different pieces in
    /// different rounds count as a perpetual chase as well.
    ChaseInEachRound(Color),
    /// The behavior of this side was graver than that of the other side, so it loses.
    GraverLoses(Color, Perpetual),
    /// `chinese`: both sides attacked perpetually, but only this one with a joint chase or a chase of a partly
    /// protected piece, so the other side loses.
    JointAttackWins(Color),
    /// The behavior of both sides was equal, so the game is drawn.
    EqualDraws(Perpetual),
}

impl fmt::Display for Clause {
    /// Writes the clause in English.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Language::En.within(|| self.local_text()))
    }
}

impl Clause {
    /// The clause in the chosen language.
    pub fn local_text(&self) -> String {
        let texts = texts();
        match self {
            Self::EveryRepetitionDraws => texts.every_repetition_draws.to_owned(),
            Self::OnlyChecksCount => texts.only_checks_count.to_owned(),
            Self::CheckExcludesChases => texts.check_excludes_chases.to_owned(),
            Self::ChasedPieceExcused(pieces) => {
                fill(texts.chased_piece_excused, &[&Placed::local_list(pieces)])
            }
            Self::ChaseInEachRound(color) => fill(texts.chase_in_each_round, &[color.local_name()]),
            Self::GraverLoses(color, perpetual) => {
                let (loser, winner) = (color.local_name(), (!*color).local_name());
                fill(texts.graver_loses, &[loser, perpetual.local_name(), winner])
            }
            Self::JointAttackWins(color) => {
                fill(texts.joint_attack_wins, &[color.local_name(), (!*color).local_name()])
            }
            Self::EqualDraws(Perpetual::None) => texts.nothing_forbidden_draws.to_owned(),
            Self::EqualDraws(perpetual) => fill(texts.equal_draws, &[perpetual.local_name()]),
        }
    }
}

/// A verdict with its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgment {
    /// The outcome.
    pub verdict: Verdict,
    /// The reason for the outcome.
    pub cause: Cause,
    /// The rules by which the game was judged.
    pub rules: RuleSet,
    /// The number of occurrences of the position since the last capture, including the current one.
    pub occurrences: usize,
    /// The behavior of each side throughout the repetition.
    pub perpetuals: ByColor<Perpetual>,
    /// The enemy pieces that each side chased with every move of the repetition, by their current squares; with
    /// [`Clause::ChaseInEachRound`], the pieces that it chased throughout some round. Empty under the Chinese rules,
    /// and if a check or the rule set excludes chases.
    pub chased: ByColor<Vec<Placed>>,
    /// The clauses that led to the verdict on a repetition.
    pub clauses: Vec<Clause>,
    /// The moves of the repetition. Empty if the game did not end by repetition, and in the result of
    /// [`judge_outcome`].
    pub plies: Vec<ClassifiedMove>,
}

impl fmt::Display for Judgment {
    /// Writes the verdict and its reason: `red_loses: repetition, asian rules, occurrence 3 of the
    /// position`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = Language::En.within(|| self.local_reason());
        write!(f, "{}: {reason}", self.verdict)
    }
}

impl Judgment {
    /// The same judgment without a no-capture limit.
    pub fn without_no_capture_limit(self) -> Self {
        if self.cause == Cause::NoCapture {
            Self { verdict: Verdict::Undecided, cause: Cause::Nothing, ..self }
        } else {
            self
        }
    }

    /// The reason for the end of the game as in the PGN tag `Reason`: the cause or, for a loss by repetition, what the
    /// loser did, such as `perpetual check`. `None` if the game is not over.
    pub fn end_reason(&self) -> Option<&'static str> {
        let cause = Some(self.cause).filter(|cause| *cause != Cause::Nothing);
        self.offense().map(Perpetual::name).or(cause.map(Cause::name))
    }

    /// The message that the rules ended a game before its last move; `None` if they did not. `self` must be the
    /// judgment of `end`, the game up to its end (see [`Game::until_end`]). `plies` is the length of the whole game.
    pub fn early_end(&self, end: &Game, plies: usize) -> Option<String> {
        let (ply, result) = (end.plies().len(), self.verdict.result());
        let reason = self.end_reason().filter(|_| ply < plies)?;
        Some(format!("over after ply {ply} of {plies}: {result}, {reason}"))
    }

    /// The offense for which a side loses by repetition: [`Perpetual::Check`], [`Perpetual::Chase`] or, for anything
    /// else, [`Perpetual::Attack`]. `None` if the game is not lost by repetition.
    pub fn offense(&self) -> Option<Perpetual> {
        let loser = self.verdict.loser().filter(|_| self.cause == Cause::Repetition)?;
        Some(match self.perpetuals[loser] {
            offense @ (Perpetual::Check | Perpetual::Chase) => offense,
            _ => Perpetual::Attack,
        })
    }

    /// The cause with the rule set, in the chosen language: `repetition, asian rules, occurrence 3 of the position`.
    /// The number of occurrences is given for a repetition and, if it is at least 2, for a game that is not over.
    pub fn local_reason(&self) -> String {
        let texts = texts();
        let reason = fill(texts.cause_and_rules, &[self.cause.local_name(), self.rules.name()]);
        let is_repeated = self.cause == Cause::Nothing && self.occurrences > 1;
        if self.cause == Cause::Repetition || is_repeated {
            reason + &fill(texts.occurrence, &[&self.occurrences.to_string()])
        } else {
            reason
        }
    }

    /// The behavior of a side throughout the repetition, with the pieces that it chased, in the chosen language:
    /// `perpetual chase of black cannon 炮 i0`.
    pub fn local_behavior(&self, side: Color) -> String {
        let (behavior, chased) = (self.perpetuals[side].local_name(), &self.chased[side]);
        if chased.is_empty() {
            return behavior.to_owned();
        }
        fill(texts().of_pieces, &[behavior, &Placed::local_list(chased)])
    }

    /// The decision as a sentence in the chosen language, `None` if the game is not over. A loss by repetition names
    /// what the loser did.
    pub fn ruling(&self) -> Option<String> {
        let texts = texts();
        let outcome = match self.verdict {
            Verdict::Undecided => return None,
            Verdict::Draw => texts.drawn,
            Verdict::RedLoses => texts.lost_for_red,
            Verdict::BlackLoses => texts.lost_for_black,
        };
        let loser = self.verdict.loser().filter(|_| self.cause == Cause::Repetition);
        let reason = loser
            .map_or_else(|| self.cause.local_name().to_owned(), |loser| self.local_behavior(loser));
        Some(fill(texts.by_rule, &[self.rules.name(), outcome, &reason]))
    }
}

/// Judges the current position of a game: checkmate and stalemate first, then repetition, insufficient material and
/// the no-capture limit.
///
/// ```
/// use chuhe::rules::{Cause, Game, Perpetual, RuleSet, Verdict, judge};
///
/// // The rook checks perpetually.
/// let mut game = Game::new("4k4/9/9/9/9/9/9/9/4R4/3K5 b".parse()?);
/// for _ in 0..2 {
///     for m in ["e9f9", "e1f1", "f9e9", "f1e1"] {
///         game.push(m.parse()?)?;
///     }
/// }
/// let judgment = judge(&game, RuleSet::Asian);
/// assert_eq!(judgment.verdict, Verdict::RedLoses);
/// assert_eq!(judgment.cause, Cause::Repetition);
/// assert_eq!(judgment.perpetuals[chuhe::board::Color::Red], Perpetual::Check);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn judge(game: &Game, rules: RuleSet) -> Judgment {
    judge_at(game, rules, rules.deciding_occurrence())
}

/// [`judge`] with repetitions judged at the given occurrence of the position, from 2.
pub fn judge_at(game: &Game, rules: RuleSet, occurrence: usize) -> Judgment {
    let (mut judgment, repetition) = judge_outcome_at(game, rules, occurrence);
    if let Some((repetition, sides)) = repetition {
        judgment.plies = if rules == RuleSet::Chinese {
            chinese_moves(game, repetition)
        } else {
            checks_and_chases(game, repetition, rules, sides.map(|side| side.excused))
        };
    }
    judgment
}

impl Game {
    /// The result of the game by the rules; `None` if they have not ended it.
    ///
    /// ```
    /// use chuhe::notation::tree::GameResult;
    /// use chuhe::rules::{Game, RuleSet};
    ///
    /// let mut game = Game::new("4k4/R8/9/9/9/9/9/9/1R7/3K5 w".parse()?);
    /// assert_eq!(game.outcome(RuleSet::Asian), None);
    /// game.push("b1b9".parse()?)?;
    /// assert_eq!(game.outcome(RuleSet::Asian), Some(GameResult::RedWins));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn outcome(&self, rules: RuleSet) -> Option<GameResult> {
        let result = judge_outcome(self, rules).verdict.result();
        Some(result).filter(|result| *result != GameResult::Unfinished)
    }

    /// The game up to the first position in which the rules have ended it; the whole game if they have not ended it
    /// before its last move.
    #[must_use]
    pub fn until_end(&self, rules: RuleSet) -> Self {
        let line = self.line();
        let mut game = Self::new(line.start);
        for played in line.moves {
            if game.outcome(rules).is_some() || game.push(played).is_err() {
                break;
            }
        }
        game
    }
}

/// [`judge`] without [`Judgment::plies`], which saves most of the work for a long repetition.
pub fn judge_outcome(game: &Game, rules: RuleSet) -> Judgment {
    judge_outcome_at(game, rules, rules.deciding_occurrence()).0
}

/// A repetition that has ended a game, and the behavior of each side in it.
type DecidingRepetition<'a> = (&'a [Ply], ByColor<SidePerpetual>);

/// The judgment without [`Judgment::plies`], and the repetition that decided the game, if one did.
fn judge_outcome_at(
    game: &Game,
    rules: RuleSet,
    occurrence: usize,
) -> (Judgment, Option<DecidingRepetition<'_>>) {
    let position = game.position();
    let mut judgment = Judgment {
        verdict: Verdict::Undecided,
        cause: Cause::Nothing,
        rules,
        occurrences: game.occurrences(),
        perpetuals: ByColor::default(),
        chased: ByColor::default(),
        clauses: Vec::new(),
        plies: Vec::new(),
    };
    let mut decided = None;
    (judgment.verdict, judgment.cause) = if !has_legal_move(position) {
        let cause = if position.in_check() { Cause::Checkmate } else { Cause::Stalemate };
        (Verdict::against(position.side_to_move()), cause)
    } else if let Some(repetition) = deciding_repetition(game, occurrence) {
        let sides = side_perpetuals(position, repetition, rules);
        decided = Some((repetition, sides));
        judgment.perpetuals = sides.map(|side| side.perpetual);
        judgment.chased = sides.map(|side| places(position, side.chased));
        judgment.clauses = clauses(position, repetition, rules, sides);
        (Verdict::compare(judgment.perpetuals), Cause::Repetition)
    } else if is_material_insufficient(position) {
        (Verdict::Draw, Cause::InsufficientMaterial)
    } else if counted_plies(position.clock(), rules) >= rules.no_capture_limit() {
        (Verdict::Draw, Cause::NoCapture)
    } else {
        (Verdict::Undecided, Cause::Nothing)
    };
    (judgment, decided)
}

/// The clauses that lead from the behavior of both sides to the verdict.
fn clauses(
    position: &Position,
    repetition: &[Ply],
    rules: RuleSet,
    sides: ByColor<SidePerpetual>,
) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let perpetuals = sides.map(|side| side.perpetual);
    let has_perpetual_check = perpetuals.iter().any(|p| *p == Perpetual::Check);
    match rules {
        RuleSet::None => return vec![Clause::EveryRepetitionDraws],
        RuleSet::CheckOnly => clauses.push(Clause::OnlyChecksCount),
        RuleSet::Computer if !has_perpetual_check && contains_check(position, repetition) => {
            clauses.push(Clause::CheckExcludesChases);
        }
        _ => {}
    }
    for color in Color::ALL {
        let excused = places(position, sides[color].excused);
        if !excused.is_empty() {
            clauses.push(Clause::ChasedPieceExcused(excused));
        }
        if sides[color].in_each_round {
            clauses.push(Clause::ChaseInEachRound(color));
        }
    }
    clauses.push(match Verdict::compare(perpetuals).loser() {
        Some(color)
            if perpetuals[color] == Perpetual::Attack
                && perpetuals[!color] == Perpetual::JointAttack =>
        {
            Clause::JointAttackWins(!color)
        }
        Some(color) => Clause::GraverLoses(color, perpetuals[color]),
        None => Clause::EqualDraws(perpetuals[Color::Red]),
    });
    clauses
}

fn chinese_moves(game: &Game, repetition: &[Ply]) -> Vec<ClassifiedMove> {
    let mut board = game.position().clone();
    let classifications = chinese::classifications(game.position(), repetition);
    let mut classified = Vec::with_capacity(repetition.len());
    let numbers = (1..=game.plies().len()).rev();
    for ((ply, classification), number) in repetition.iter().rev().zip(classifications).zip(numbers)
    {
        let place = |square| place(&board, square);
        let Some(moved) = place(ply.played.to()) else {
            break;
        };
        let chase = |capture: &Move| {
            let (chaser, chased) = (place(capture.from())?, place(capture.to())?);
            Some(Chase { chaser, chased })
        };
        classified.push(ClassifiedMove {
            number,
            played: ply.played,
            piece: moved.piece,
            class: classification.class,
            chases: classification.chases.iter().filter_map(chase).collect(),
            excused: Vec::new(),
            check_threats: classification.check_threats.into_iter().filter_map(place).collect(),
            is_joint: classification.is_joint,
            exemption: classification.exemption,
        });
        board.unmake(ply.played, ply.undo);
    }
    classified.reverse();
    classified
}

/// Classifies the moves by rules other than the Chinese ones. These rules distinguish only checks and chases. `excused`
/// are the pieces of [`Clause::ChasedPieceExcused`].
fn checks_and_chases(
    game: &Game,
    repetition: &[Ply],
    rules: RuleSet,
    excused: ByColor<Bitboard>,
) -> Vec<ClassifiedMove> {
    let mut retraction = Retraction::new(game.position(), rules);
    let among = match rules {
        RuleSet::CheckOnly | RuleSet::None => Bitboard::EMPTY,
        _ => Bitboard::ALL,
    };
    let mut classified = Vec::with_capacity(repetition.len());
    for (ply, number) in repetition.iter().rev().zip((1..=game.plies().len()).rev()) {
        let after = retraction.board().clone();
        let mover = retraction.mover();
        let Some(moved) = place(&after, ply.played.to()) else {
            break;
        };
        let (mut chases, mut excused_chases) = (Vec::new(), Vec::new());
        for threat in retraction.take_back(ply, among, excused[mover]) {
            let Some(chased) = place(&after, threat.target) else {
                continue;
            };
            let chases_by = |chasers| {
                let chasers = places(&after, chasers).into_iter();
                chasers.map(move |chaser| Chase { chaser, chased })
            };
            chases.extend(chases_by(threat.chasers));
            excused_chases.extend(chases_by(threat.excused));
        }
        classified.push(ClassifiedMove {
            number,
            played: ply.played,
            piece: moved.piece,
            class: match (after.in_check(), chases.is_empty()) {
                (true, _) => MoveClass::Check,
                (false, false) => MoveClass::Chase,
                (false, true) => MoveClass::Idle,
            },
            chases,
            excused: excused_chases,
            check_threats: Vec::new(),
            is_joint: false,
            exemption: None,
        });
    }
    classified.reverse();
    classified
}

fn place(position: &Position, square: Square) -> Option<Placed> {
    let piece = position.piece_on(square)?;
    Some(Placed { piece, square })
}

fn places(position: &Position, squares: Bitboard) -> Vec<Placed> {
    let place = |square| place(position, square);
    squares.into_iter().filter_map(place).collect()
}

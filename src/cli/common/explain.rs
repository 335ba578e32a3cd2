//! Verdicts with their reasons, and results of endgame tablebases, as text and as JSON.

use serde_json::{Value, json};

use super::{columns, fill, note, plies_text, sentence, terminal_width, texts, translated};
use crate::board::{Color, Position};
use crate::notation::chinese;
use crate::rules::{
    Cause, Chase, ClassifiedMove, Game, Judgment, MoveClass, RuleSet, Verdict, counted_plies,
    is_within_no_capture_limit, judge, judge_outcome,
};
use crate::tablebase::{Material, ProbedMove, RepeatedPositions, TableOutcome, Tables};

/// The reasons of a judgment as text: the cause and, for a repetition, what each side did, the clauses of the rules
/// that decided the verdict, and a table of the moves; otherwise, unless the game is over by mate or insufficient
/// material, the plies since the last capture.
pub fn explain(game: &Game, judgment: &Judgment) -> String {
    let width = terminal_width();
    let texts = texts();
    let mut text = sentence(&judgment.local_reason(), width);
    if matches!(judgment.cause, Cause::Nothing | Cause::NoCapture) {
        let counts = no_capture_counts(game, judgment.rules).map(|count| count.to_string());
        let counts = fill(texts.no_capture_counts, &counts.each_ref().map(String::as_str));
        text += &sentence(&counts, width);
    }
    if judgment.plies.is_empty() {
        return text;
    }
    for color in Color::ALL {
        let behavior = judgment.local_behavior(color);
        text += &sentence(&fill(texts.labeled, &[color.local_name(), &behavior]), width);
    }
    for clause in &judgment.clauses {
        text += &sentence(&clause.local_text(), width);
    }
    let head = [texts.ply, texts.played, "", texts.piece, texts.effect];
    let mut rows = vec![head.map(str::to_owned)];
    for (classified, chinese) in judgment.plies.iter().zip(chinese_moves(game, judgment)) {
        rows.push([
            classified.number.to_string(),
            classified.played.to_string(),
            chinese,
            classified.piece.local_name(),
            description(classified),
        ]);
    }
    text + &columns(&rows, width) + "\n"
}

/// The plies since the last capture, those of them that count, and the no-capture limit.
fn no_capture_counts(game: &Game, rules: RuleSet) -> [u16; 3] {
    let clock = game.position().clock();
    [clock.plies(), counted_plies(clock, rules), rules.no_capture_limit()]
}

/// The plies since the last capture, as JSON.
pub fn no_capture_json(game: &Game, rules: RuleSet) -> Value {
    let [plies, counted, limit] = no_capture_counts(game, rules);
    json!({ "plies": plies, "counted": counted, "limit": limit })
}

/// The clauses of the rules that decided the verdict, as JSON.
pub fn clauses_json(judgment: &Judgment) -> Value {
    judgment.clauses.iter().map(ToString::to_string).collect()
}

/// The moves of the repetition as JSON.
pub fn plies_json(game: &Game, judgment: &Judgment) -> Value {
    let classified = judgment.plies.iter().zip(chinese_moves(game, judgment));
    let objects = classified.map(|(classified, chinese)| {
        let chases = |chases: &[Chase]| -> Value {
            let chases = chases.iter().map(|Chase { chaser, chased }| {
                json!({ "chaser": chaser.to_string(), "chased": chased.to_string() })
            });
            chases.collect()
        };
        json!({
            "ply": classified.number,
            "move": classified.played.to_string(),
            "chinese": chinese,
            "class": classified.class.to_string(),
            "label": classified.class.chinese(),
            "check": classified.class == MoveClass::Check,
            "chases": chases(&classified.chases),
            "excused": chases(&classified.excused),
            "check_threats": classified.check_threats.iter().map(ToString::to_string).collect::<Value>(),
            "joint": classified.is_joint,
            "exemption": classified.exemption.map(|exemption| exemption.to_string()),
        })
    });
    objects.collect()
}

/// The moves of the repetition in Chinese notation.
fn chinese_moves(game: &Game, judgment: &Judgment) -> Vec<String> {
    let mut before = game.clone();
    let mut moves = Vec::with_capacity(judgment.plies.len());
    for _ in &judgment.plies {
        let Some(played) = before.pop() else { break };
        moves.push(chinese::write(before.position(), played));
    }
    moves.reverse();
    moves
}

/// The effects of a move; `-` if it has none.
fn description(classified: &ClassifiedMove) -> String {
    let texts = texts();
    let class = match classified.class {
        MoveClass::Check => Some(texts.gives_check),
        MoveClass::MateThreat => Some(texts.threatens_mate),
        MoveClass::Exchange => Some(texts.offers_exchange),
        MoveClass::Chase | MoveClass::Idle => None,
    };
    let attack = |text: &str, Chase { chaser, chased }: &Chase| {
        fill(text, &[&chaser.local_text(), &chased.local_text()])
    };
    let mut parts: Vec<String> = class.map(str::to_owned).into_iter().collect();
    let chases = classified.chases.iter();
    parts.extend(chases.map(|chase| attack(texts.chases, chase)));
    let excused = classified.excused.iter();
    parts.extend(excused.map(|chase| attack(texts.excused_attack, chase)));
    let threats = classified.check_threats.iter();
    parts.extend(threats.map(|piece| fill(texts.wins_by_check, &[&piece.local_text()])));
    if classified.is_joint {
        parts.push(texts.joint_chase.to_owned());
    }
    if let Some(exemption) = classified.exemption {
        parts.push(translated(exemption.name()).into_owned());
    }
    if parts.is_empty() { "-".to_owned() } else { parts.join(texts.comma) }
}

/// The name of a verdict in the chosen language.
pub fn verdict_name(verdict: Verdict) -> &'static str {
    let texts = texts();
    match verdict {
        Verdict::Undecided => texts.verdict_none,
        Verdict::Draw => texts.verdict_draw,
        Verdict::RedLoses => texts.verdict_red_loses,
        Verdict::BlackLoses => texts.verdict_black_loses,
    }
}

/// Reports tablebases that a probe has found to be damaged, each of them once.
pub fn report_damaged_tablebases(tablebases: &Tables) {
    let errors = tablebases.unreported_damage();
    errors.iter().for_each(|error| note(error));
}

/// How a game has ended by its position or by the rules; `None` if it is not over.
pub fn describe_end(game: &Game, rules: RuleSet) -> Option<String> {
    let judgment = judge(game, rules);
    let side = game.position().side_to_move();
    let sides = [side.local_name(), (!side).local_name()];
    match judgment.cause {
        Cause::Checkmate => Some(fill(texts().checkmated, &sides)),
        Cause::Stalemate => Some(fill(texts().stalemated, &sides)),
        _ => judgment.ruling(),
    }
}

/// Whether a mate of the endgame tablebases, which ignore the no-capture limit, comes before that limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MateTiming {
    InTime,
    /// A capture within this number of plies is needed, after which the count starts again.
    CaptureNeeded(u16),
    /// The tablebases do not show whether a capture comes before the limit.
    Unknown,
    TooLate,
}

impl MateTiming {
    /// The timing of the result of a position; `None` if it is not a mate.
    pub fn of(
        position: &Position,
        outcome: TableOutcome,
        tablebases: &Tables,
        rules: RuleSet,
    ) -> Option<Self> {
        match outcome {
            TableOutcome::Win(plies) | TableOutcome::Loss(plies) => {
                Some(Self::of_mate(position, plies, tablebases, rules))
            }
            _ => None,
        }
    }

    fn of_mate(position: &Position, plies: u16, tablebases: &Tables, rules: RuleSet) -> Self {
        let is_in_time = |plies| is_within_no_capture_limit(position.clock(), rules, plies);
        if is_in_time(plies) {
            return Self::InTime;
        }
        // A bare king cannot win, and the other side has nothing to capture.
        let has_bare_king =
            Material::of(position).is_some_and(|(_, strong)| position.color(!strong).len() == 1);
        match tablebases.dtc(position) {
            Some(plies) if is_in_time(plies) => Self::CaptureNeeded(plies),
            // After the limit, no capture can come in time.
            None if !has_bare_king && is_in_time(1) => Self::Unknown,
            _ => Self::TooLate,
        }
    }

    /// The text after the result; `None` if the mate comes in time.
    pub fn note(self) -> Option<String> {
        match self {
            Self::InTime => None,
            Self::CaptureNeeded(plies) => Some(format!(
                "a capture within {} is needed to avoid the no-capture limit",
                plies_text(plies)
            )),
            Self::Unknown => {
                Some("whether a capture comes before the no-capture limit is unknown".to_owned())
            }
            Self::TooLate => Some("but the no-capture limit comes first".to_owned()),
        }
    }

    /// The name in JSON.
    const fn name(self) -> &'static str {
        match self {
            Self::InTime => "in time",
            Self::CaptureNeeded(_) => "capture needed",
            Self::Unknown => "unknown",
            Self::TooLate => "too late",
        }
    }
}

/// All legal moves with their values in the endgame tablebases and the timing of mates. The best come first: wins in
/// time, wins that need a capture, the fastest capture first, and wins that may come too late; then draws, among them
/// mates that come too late; moves without a value; losses, those that may be avoided by the limit first.
pub fn moves_by_value(
    position: &Position,
    tablebases: &Tables,
    rules: RuleSet,
) -> Vec<(ProbedMove, Option<MateTiming>)> {
    let timing = |m: &ProbedMove| {
        let (TableOutcome::Win(plies) | TableOutcome::Loss(plies)) = m.outcome? else {
            return None;
        };
        let after = position.after(m.played);
        Some(MateTiming::of_mate(&after, plies.saturating_sub(1), tablebases, rules))
    };
    let rank = |(m, timing): &(ProbedMove, Option<MateTiming>)| match (m.outcome, timing) {
        (Some(_), Some(MateTiming::TooLate)) | (Some(TableOutcome::Draw), _) => (3, 0),
        (None, _) => (4, 0),
        (Some(TableOutcome::Win(_)), Some(MateTiming::CaptureNeeded(plies))) => (1, *plies),
        (Some(TableOutcome::Win(_)), Some(MateTiming::Unknown)) => (2, 0),
        (Some(TableOutcome::Win(_) | TableOutcome::WinByRule(_)), _) => (0, 0),
        (Some(_), Some(MateTiming::Unknown)) => (5, 0),
        (Some(_), _) => (6, 0),
    };
    let moves = tablebases.probe_moves(position, rules).into_iter();
    let mut moves: Vec<_> = moves.map(|m| (m, timing(&m))).collect();
    // The order of moves of equal rank stays.
    moves.sort_by_key(rank);
    moves
}

/// The result of a position or move in an endgame tablebase as JSON.
pub fn outcome_json(outcome: Option<TableOutcome>, timing: Option<MateTiming>) -> Value {
    let mut object = match outcome {
        Some(TableOutcome::Win(plies)) => json!({"result": "win", "plies": plies}),
        Some(TableOutcome::WinByRule(plies)) => {
            json!({"result": "win", "by": "rules", "plies_without_repetitions": plies})
        }
        Some(TableOutcome::Draw) => json!({"result": "draw"}),
        Some(TableOutcome::LossByRule(plies)) => {
            json!({"result": "loss", "by": "rules", "plies_without_repetitions": plies})
        }
        Some(TableOutcome::Loss(plies)) => json!({"result": "loss", "plies": plies}),
        None => json!({"result": "unknown"}),
    };
    if let Some(timing) = timing {
        object["no_capture_limit"] = json!(timing.name());
    }
    object
}

/// The name and result of the ending on the board. `None` if the game is over, if the tablebases have no value for the
/// position, or if a position of the game could occur again before a win or loss, so that the repetition rules could
/// change the result.
pub fn describe_ending(game: &Game, tablebases: &Tables, rules: RuleSet) -> Option<String> {
    if judge_outcome(game, rules).verdict != Verdict::Undecided {
        return None;
    }
    let position = game.position();
    let (material, _) = Material::of(position)?;
    let outcome = tablebases.probe(position, rules)?.outcome;
    let repeated = RepeatedPositions::new(game, tablebases, rules);
    let side = position.side_to_move();
    let by_mate = |end: &str, plies: u16| {
        repeated.allow_mate(plies).then(|| {
            let limit = MateTiming::of_mate(position, plies, tablebases, rules).note();
            let limit = limit.map_or_else(String::new, |limit| format!("; {limit}"));
            format!("{side} {end} in {}{limit}", plies_text(plies))
        })
    };
    let by_rule = |end: &str, plies: Option<u16>| {
        let text = format!("{side} {end} by the {rules} repetition rules");
        let plies = plies.unwrap_or(u16::MAX);
        repeated.allow_rule(plies).then_some(text)
    };
    let result = match outcome {
        TableOutcome::Win(plies) => by_mate("wins, mate", plies)?,
        TableOutcome::WinByRule(plies) => by_rule("wins", plies)?,
        TableOutcome::Draw => "draw".to_owned(),
        TableOutcome::LossByRule(plies) => by_rule("loses", plies)?,
        TableOutcome::Loss(plies) => by_mate("loses, mated", plies)?,
    };
    let result = translated(&result);
    let class = format!("{material} {}", material.chinese());
    Some(fill(texts().labeled, &[&class, &result]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::movegen::legal_moves;
    use crate::tablebase::tests::write_rook_against_knight;

    /// A game in which both sides move back and forth once; `None` if they cannot.
    fn back_and_forth(start: &Position) -> Option<Game> {
        let back = |played: Move| Move::new(played.to(), played.from());
        legal_moves(start).into_iter().find_map(|first| {
            let mut game = Game::new(start.clone());
            game.push(first).ok()?;
            legal_moves(game.position()).into_iter().find_map(|reply| {
                let mut game = game.clone();
                for played in [reply, back(first), back(reply)] {
                    game.push(played).ok()?;
                }
                (game.occurrences() == 2).then_some(game)
            })
        })
    }

    #[test]
    fn a_result_by_rule_is_not_shown_if_the_position_may_be_repeated() {
        let directory = tempfile::tempdir().unwrap();
        let examples = write_rook_against_knight(directory.path());
        let (tablebases, _) = Tables::open(directory.path().to_str().unwrap());
        for positions in examples {
            let repeated = positions.iter().find_map(back_and_forth).unwrap();
            let rules = RuleSet::Asian;
            assert_eq!(judge_outcome(&repeated, rules).verdict, Verdict::Undecided);
            let start = Game::new(repeated.position().clone());
            let described = describe_ending(&start, &tablebases, rules).unwrap();
            assert!(described.contains(" repetition rules"), "{described}");
            assert_eq!(describe_ending(&repeated, &tablebases, rules), None);
        }
    }
}

//! Comparison with a slow solver. Its plans are played out in games, which the repetition rules judge.

mod reference;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{Rng, SeedableRng};

use self::reference::{Edge, Plan, Plans, Reference, reference_values};
use super::graph::GameGraph;
use super::*;
use crate::board::Color;
use crate::rules::{Cause, Game, RuleSet, Verdict, judge_outcome};
use crate::tablebase::material::Material;
use crate::tablebase::solved::{DrawsHold, SolvedClass};
use crate::tablebase::tests::Solutions;
use crate::tablebase::value::{DRAW, ILLEGAL, TableOutcome, Value};
use crate::tablebase::{Tables, class_size, prove_draws};

/// The solved classes that captures lead to: two-sided classes for the rule set, one-sided classes with their draws
/// proven.
pub fn smaller(
    material: Material,
    rules: RuleSet,
    solutions: &mut Solutions,
) -> Vec<Arc<SolvedClass>> {
    let solved = |class: Material| {
        let smaller = smaller(class, rules, solutions);
        Arc::new(if class.is_two_sided() {
            solve_two_sided(class, rules, &smaller, 2, &|_| {}).unwrap()
        } else {
            prove_draws((*solutions.get(class)).clone(), &smaller, 2).0
        })
    };
    material.after_captures().into_iter().map(solved).collect()
}

/// Plays a game in which one side follows its plan and the other one tries to repeat positions.
/// Returns the judge's verdict; `None` if the game leaves the class or takes too long.
fn play_out(
    reference: &Reference<'_>,
    values: &[Value],
    plan: &Plan,
    planner: Color,
    start: usize,
    random: &mut StdRng,
) -> Option<Verdict> {
    let graph = reference.game;
    let mut game = Game::new(graph.indexer.position(Node(start)).unwrap());
    let (mut goal, mut mirrored) = (0, false);
    let mut n = start;
    for _ in 0..400 {
        let move_of = |edge: &Edge| {
            if mirrored { edge.played.flip_file() } else { edge.played }
        };
        let judgment = judge_outcome(&game, graph.rules);
        if matches!(judgment.cause, Cause::Checkmate | Cause::Stalemate | Cause::Repetition) {
            return Some(judgment.verdict);
        }
        let edge = if Node(n).side() == planner {
            let planned = plan[n];
            let edge = planned.moves[goal]?;
            if edge.possible.is_free_of(planned.goals[goal]) {
                goal = 1 - goal;
            }
            edge
        } else {
            let seen = |edge: &&Edge| {
                let mut after = game.clone();
                after.push(move_of(edge)).is_ok() && after.occurrences() > 1
            };
            let quiet = &reference.entries[n].quiet;
            let again = quiet.iter().filter(seen).choose(random);
            let again = again.filter(|_| random.random_bool(0.9));
            let is_open = |edge: &&Edge| values[edge.to].plies().is_none();
            let open = || quiet.iter().filter(is_open).choose(&mut *random);
            *again.or_else(open).or_else(|| quiet.first())?
        };
        game.push(move_of(&edge)).unwrap();
        n = edge.to;
        // The node may be the mirror image of the position.
        mirrored = graph.indexer.position(Node(n)).unwrap().key() != game.position().key();
    }
    None
}

fn without_plies_by_rule(value: Value) -> Value {
    match value {
        _ if value.is_won_by_rule() => Value::WIN_BY_RULE,
        _ if value.is_lost_by_rule() => Value::LOSS_BY_RULE,
        _ => value,
    }
}

/// Plays games from positions that a side can hold (it does not lose) and from positions that a side wins by rule.
/// Returns how many games of each kind the judge has decided.
fn play_games(reference: &Reference<'_>, values: &[Value], plans: &Plans) -> [u32; 2] {
    let mut random = StdRng::seed_from_u64(1);
    let mut judged = [0; 2];
    let is_settled = |value: Value| value.0 == ILLEGAL || value.plies().is_some();
    let open = (0..values.len()).filter(|n| !is_settled(values[*n]));
    for n in open.choose_multiple(&mut random, 2000) {
        for planner in Color::ALL {
            if values[n].is_held_for(planner == Node(n).side()) {
                let verdict =
                    play_out(reference, values, &plans.to_hold[planner], planner, n, &mut random);
                assert_ne!(verdict, Some(Verdict::against(planner)), "{:?}", Node(n));
                judged[0] += u32::from(verdict.is_some());
            }
        }
    }
    let is_by_rule = |value: Value| value.is_won_by_rule() || value.is_lost_by_rule();
    let by_rule = (0..values.len()).filter(|n| is_by_rule(values[*n]));
    for n in by_rule.choose_multiple(&mut random, 500) {
        let winner = if values[n].is_won_by_rule() { Node(n).side() } else { !Node(n).side() };
        let verdict = play_out(reference, values, &plans.to_win[winner], winner, n, &mut random);
        let is_won = verdict.is_none_or(|verdict| verdict == Verdict::against(!winner));
        assert!(is_won, "{:?}: {verdict:?}", Node(n));
        judged[1] += u32::from(verdict.is_some());
    }
    judged
}

#[test]
fn slow_solver_agrees_and_its_plans_satisfy_the_judge() {
    let mut solutions = Solutions::default();
    for (name, rules, has_rule_wins) in [
        ("KR-KN", RuleSet::Asian, true),
        ("KP-KP", RuleSet::ElephantEye, false),
        ("KP-KPA", RuleSet::Computer, false),
    ] {
        let material = name.parse().unwrap();
        let smaller = smaller(material, rules, &mut solutions);
        let reported = AtomicU64::new(0);
        let progress = |indices: u64| {
            reported.fetch_add(indices, Ordering::Relaxed);
        };
        let solved = solve_two_sided(material, rules, &smaller, 2, &progress).unwrap();
        assert_eq!(reported.into_inner(), class_size(material), "{name}");
        let game = GameGraph::new(material, rules, &smaller, 1);
        let reference = Reference::new(&game);
        let (values, plans) = reference_values(&reference);
        for (n, value) in values.iter().enumerate() {
            let node = Node(n);
            let found = without_plies_by_rule(Value(solved.value(node)));
            assert_eq!(found, *value, "{name} {rules}: {:?}", game.indexer.position(node));
        }
        let [held, won] = play_games(&reference, &values, &plans);
        assert!(held > 500, "{name}: {held}");
        assert_eq!(won > 100, has_rule_wins, "{name}: {won}");
    }
}

/// The class for the `asian` rules, and the classes that captures lead to.
static ROOK_AGAINST_KNIGHT: LazyLock<(SolvedClass, Vec<Arc<SolvedClass>>)> = LazyLock::new(|| {
    let material = "KR-KN".parse().unwrap();
    let smaller = smaller(material, RuleSet::Asian, &mut Solutions::default());
    let solved = solve_two_sided(material, RuleSet::Asian, &smaller, 2, &|_| {}).unwrap();
    (solved, smaller)
});

#[test]
fn known_endings_have_their_values() {
    // A rook beats a cannon (车胜炮).
    let material = "KR-KC".parse().unwrap();
    let smaller = smaller(material, RuleSet::Asian, &mut Solutions::default());
    let cannon = solve_two_sided(material, RuleSet::Asian, &smaller, 2, &|_| {}).unwrap();
    let cannon = &cannon.counts()[Color::Red];
    assert_eq!((cannon.won, cannon.legal), (348_021, 348_021));
    // A rook nearly always beats a knight (车胜马), which may not check forever.
    let knight = &ROOK_AGAINST_KNIGHT.0.counts()[Color::Red];
    let counts = (knight.won, knight.won_by_rule, knight.drawn, knight.lost);
    assert_eq!(counts, (346_311, 624, 78, 1008));
}

#[test]
fn verification_accepts_tables_and_finds_wrong_values() {
    let (solved, smaller) = &*ROOK_AGAINST_KNIGHT;
    let verify = |solved: &SolvedClass| crate::tablebase::verify(solved, smaller, 2, &|_| {});
    assert!(verify(solved).unwrap() > 400_000);
    for (stored, replacement, why) in [
        (Value::in_plies(4), Value::in_plies(6), "different distance to mate"),
        (Value::DRAW, Value::LOSS_BY_RULE, "different outcome"),
        (Value::by_rule_in_plies(0), Value::by_rule_in_plies(6), "different number of plies"),
    ] {
        let mut wrong = solved.clone();
        let index = wrong.values[Color::Black].iter().position(|v| *v == stored.0).unwrap();
        wrong.values[Color::Black][index] = replacement.0;
        let error = verify(&wrong).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    // Each value still follows from the values after its moves, but is not proven under the other rule set.
    let without_rules = solve_two_sided(solved.material, RuleSet::None, smaller, 2, &|_| {});
    for (solved, rules, why) in [
        (solved.clone(), RuleSet::None, "loss by rule is not proven"),
        (without_rules.unwrap(), RuleSet::Asian, "draw or better is not proven"),
    ] {
        let draws = DrawsHold::Under(rules);
        let error = verify(&SolvedClass { draws, ..solved }).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn unsolvable_classes_are_refused() {
    let (solved, smaller) = &*ROOK_AGAINST_KNIGHT;
    let refused = solve_two_sided(solved.material, RuleSet::Chinese, smaller, 2, &|_| {});
    assert_eq!(refused.unwrap_err(), UnsolvedClass::Rules(RuleSet::Chinese));
    // A smaller class with a long mate.
    let refused = UnsolvedClass::TooLong(smaller[0].material);
    // The same level is a win in 149 plies but a loss in 148.
    for (side, level, is_refused) in
        [(Color::Red, 75, true), (Color::Black, 75, false), (Color::Black, 76, true)]
    {
        let mut smaller = smaller.clone();
        let values = &mut Arc::make_mut(&mut smaller[0]).values[side];
        let decided = values.iter().position(|value| ![ILLEGAL, DRAW].contains(value)).unwrap();
        values[decided] = level;
        let result = solve_two_sided(solved.material, RuleSet::Asian, &smaller, 2, &|_| {});
        assert_eq!(result.err() == Some(refused), is_refused, "{side} {level}");
    }
}

#[test]
fn files_store_their_rule_set() {
    let (asian, smaller) = &*ROOK_AGAINST_KNIGHT;
    let material = asian.material;
    let directory = tempfile::tempdir().unwrap();
    let mut counts = Vec::new();
    for rules in [RuleSet::Asian, RuleSet::None] {
        let solved = match rules {
            RuleSet::Asian => asian.clone(),
            _ => solve_two_sided(material, rules, smaller, 2, &|_| {}).unwrap(),
        };
        counts.push(solved.counts());
        let path = directory.path().join(format!("{rules}.chtb"));
        std::fs::write(path, solved.to_file(2)).unwrap();
    }
    let (tables, skipped) = Tables::open(directory.path().to_str().unwrap());
    assert!(skipped.is_empty(), "{skipped:?}");
    for (rules, counts) in [RuleSet::Asian, RuleSet::None].into_iter().zip(counts) {
        let table = tables.get(material, rules).unwrap();
        assert_eq!(table.draws(), DrawsHold::Under(rules));
        assert_eq!(table.load(&Color::ALL).unwrap().counts(), counts);
    }
    assert!(tables.get(material, RuleSet::Computer).is_none());
    let probe = |outcome, rules| {
        let position = asian.example(outcome).unwrap();
        tables.probe(&position, rules).map(|probe| probe.outcome)
    };
    // A position lost by rule in 0 plies is in a zone (see `co_buchi`) that the loser can only leave to be mated.
    let lost = TableOutcome::LossByRule(Some(0));
    assert_eq!(probe(lost, RuleSet::Asian), Some(lost));
    assert_eq!(probe(lost, RuleSet::None), Some(TableOutcome::Draw));
    // Values that depend on the rule set are not used under another one; mates are.
    assert_eq!(probe(lost, RuleSet::Computer), None);
    assert_eq!(probe(TableOutcome::Draw, RuleSet::Computer), None);
    let won = TableOutcome::Win(25);
    assert_eq!(probe(won, RuleSet::Chinese), Some(won));
    let position = asian.example(won).unwrap();
    assert_eq!(tables.best_line(&position).count(), 25);
}

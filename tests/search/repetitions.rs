//! The search in games with repetitions. The mates and wins that it reports are compared with the rules and the endgame
//! tablebases.

use chuhe::board::{ByColor, Color, Move, Position};
use chuhe::movegen::{has_legal_move, legal_moves};
use chuhe::notation::fen::{self, parse_position};
use chuhe::random::{self, Shape};
use chuhe::rules::{Cause, Game, RuleSet, Verdict, judge_outcome};
use chuhe::search::{Bound, Limits, Meaning, Score, SearchLine, Searcher};
use chuhe::tablebase::{TableOutcome, Tables};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{Rng, SeedableRng};

use super::{Engine, request};
use crate::test_positions::play;

#[test]
fn a_perpetual_check_that_loses_is_avoided() {
    // Red is a rook ahead and has given both checks twice. The first check loses if it is given a third time.
    let mut game =
        Game::new(parse_position("4k4/9/9/9/9/9/9/9/4A4/R2AK4 w").expect("the position is legal"));
    play(&mut game, "a0a9 e9e8 a9a8 e8e9 a8a9 e9e8 a9a8 e8e9");
    let engine = Engine::new();
    let mut request = request(fen::START, Limits::depth(6));
    request.game = game;
    let best = engine.run(request).1.best.expect("there is a move");
    assert_ne!(best.to_string(), "a8a9");
}

/// Red's rook chases a cannon perpetually: h6i6 i0h0 i6h6 h0i0.
const CHASE: &str = "4kab2/4a4/4b4/3rC2R1/9/9/4n4/4B4/4A4/4KAB1c w";

#[test]
fn a_perpetual_chase_that_loses_is_avoided() {
    let engine = Engine::new();
    for (rules, loses) in [
        (RuleSet::Asian, true),
        (RuleSet::Computer, true),
        (RuleSet::Chinese, true),
        (RuleSet::CheckOnly, false),
    ] {
        let mut request = request(CHASE, Limits::depth(6));
        play(&mut request.game, "h6i6 i0h0 i6h6 h0i0 h6i6 i0h0 i6h6 h0i0");
        request.settings.rules = rules;
        let repeat = "h6i6".parse().expect("a move");
        let (_, outcome) = engine.run(request.clone());
        assert!(!loses || outcome.best != Some(repeat), "{rules}");
        // With this root move alone, the score shows the loss.
        request.root_moves = Some(vec![repeat]);
        let score = engine.run(request).1.score.expect("a score");
        assert_eq!(score == -Score::by_rule_in(1), loses, "{rules} {score:?}");
    }
}

/// Rounds of a perpetual check and a perpetual chase by red.
const ROUNDS: [(&str, [&str; 4]); 2] = [
    ("4k4/R8/9/9/9/9/9/9/4A4/3AK4 w", ["a8a9", "e9e8", "a9a8", "e8e9"]),
    (CHASE, ["h6i6", "i0h0", "i6h6", "h0i0"]),
];

/// A game of this number of plies in which the round repeats.
fn repeated((fen, round): (&str, [&str; 4]), plies: usize) -> Game {
    let mut game = Game::new(parse_position(fen).expect("the position is legal"));
    let line: Vec<&str> = round.into_iter().cycle().take(plies).collect();
    play(&mut game, &line.join(" "));
    game
}

#[test]
fn the_victim_of_a_perpetual_check_or_chase_repeats() {
    let engine = Engine::new();
    for round in ROUNDS {
        let mut request = request(fen::START, Limits::depth(6));
        request.game = repeated(round, 7);
        // After one more move the repetition loses for red.
        let (_, outcome) = engine.run(request);
        let best = outcome.best.map(|m| m.to_string());
        assert_eq!(best.as_deref(), Some(round.1[3]));
        assert_eq!(outcome.score, Some(Score::by_rule_in(1)));
    }
}

#[test]
fn a_lost_side_is_mated_rather_than_losing_at_once_by_repetition() {
    let engine = Engine::new();
    let mut request = request("9/4k4/1n2P4/9/2b6/9/4r4/5K3/4A4/9 b", Limits::depth(10));
    play(&mut request.game, "e8d8 e7d7 d8e8 d7e7 e8d8 e7d7 d8e8");
    let repeat = "d7e7".parse().expect("a move");
    let (_, outcome) = engine.run(request.clone());
    assert_ne!(outcome.best, Some(repeat));
    assert!(outcome.score.is_some_and(Score::is_mated), "{outcome:?}");
    // A search for several lines leaves out no move, and a loss by the rules scores higher than being mated.
    request.settings.multipv = 2;
    let (_, outcome) = engine.run(request);
    assert_eq!(outcome.best, Some(repeat));
}

#[test]
fn the_third_occurrence_decides_nothing_under_elephanteye_rules() {
    let engine = Engine::new();
    let fen = "4k4/R8/9/9/9/9/9/9/4A4/3AK4 w";
    let repeat = "e9e8".parse().expect("a move");
    for (rules, wins) in [(RuleSet::Asian, true), (RuleSet::ElephantEye, false)] {
        let mut request = request(fen, Limits::depth(1));
        play(&mut request.game, "a8a9 e9e8 a9a8 e8e9 a8a9 e9e8 a9a8 e8e9 a8a9");
        request.settings.rules = rules;
        request.root_moves = Some(vec![repeat]);
        let score = engine.run(request).1.score.expect("a score");
        assert_eq!(score.is_proven(), wins, "{rules} {score:?}");
    }
}

#[test]
fn the_no_capture_limit_precedes_a_repetition_that_is_not_decided() {
    // Red must check until the limit of 120 plies. Then its perpetual check has not been judged yet.
    let fen = |counted: u32| format!("R3k4/9/9/9/7r1/9/9/9/8r/3K5 b - - {counted} 58");
    for (counted, score) in [(115, Score::ZERO), (111, Score::by_rule_in(5))] {
        let request = request(&fen(counted), Limits::depth(6));
        assert_eq!(Engine::new().run(request).1.score, Some(score), "{counted}");
    }
}

#[test]
fn a_losing_side_takes_the_draw_by_repetition() {
    // Both sides moved back and forth without checks or chases; d8d9 leads to a third occurrence.
    let start = parse_position("3k5/9/9/9/9/9/9/9/R8/R3K4 w").expect("the position is legal");
    let mut game = Game::new(start);
    play(&mut game, "a1a2 d9d8 a2a1 d8d9 a1a2 d9d8 a2a1");
    let engine = Engine::new();
    let mut request = request(fen::START, Limits::depth(6));
    request.game = game;
    let (_, outcome) = engine.run(request);
    assert_eq!(outcome.best.map(|m| m.to_string()).as_deref(), Some("d8d9"));
    assert_eq!(outcome.score, Some(Score::ZERO));
}

/// One of the sides can choose between two loops through the same position: it checks in one and chases in the other.
/// Each loop by itself loses, but a repetition with both of them is a draw.
const TWO_LOOPS: [&str; 3] = [
    "3aka3/4n4/9/9/9/9/2C6/9/6r2/3AK4 b",
    "3aka3/4n4/9/9/9/9/7C1/9/6r2/3AK4 w",
    "3aka3/4n4/9/9/9/3C5/9/9/6r2/3AK4 w",
];

#[test]
fn positions_with_alternating_loops_have_no_proven_score() {
    let mut engine = Engine::new();
    for fen in TWO_LOOPS {
        for hash in [true, false] {
            engine.pool.forget();
            let mut request = request(fen, Limits::default());
            request.limits.nodes = Some(100_000);
            request.settings.techniques.hash = hash;
            let (lines, outcome) = engine.run(request);
            for line in lines {
                assert!(!line.score.is_proven(), "{fen} {hash}: {line:?}");
            }
            assert_eq!(outcome.score, Some(Score::ZERO), "{fen} {hash}");
        }
    }
}

#[test]
fn alternating_loops_are_a_draw_by_the_rules() {
    for moves in
        ["g1g0 e0e1 g0g1 e1e0 g1c1 c3g3 c1g1 g3c3", "g1c1 c3g3 c1g1 g3c3 g1g0 e0e1 g0g1 e1e0"]
    {
        let mut game = Game::new(parse_position(TWO_LOOPS[0]).expect("the position is legal"));
        play(&mut game, moves);
        let judgment = judge_outcome(&game, RuleSet::Asian);
        assert_eq!(judgment.verdict, Verdict::Draw);
    }
}

/// A game of a few random moves, often back and forth, from an ending with few pieces.
fn ending(random: &mut StdRng) -> Game {
    let mut start = random::position(random, Shape::Sparse);
    if random.random_bool(0.5) {
        start = cannon_ending(random);
    }
    let mut game = Game::new(start);
    for ply in 0..random.random_range(0..10) {
        let back = (ply >= 2).then(|| game.plies()[ply - 2].played);
        let back = back.map(|m| Move::new(m.to(), m.from()));
        let moves = legal_moves(game.position());
        let again = moves.iter().copied().find(|m| Some(*m) == back);
        let other = moves.iter().copied().choose(random);
        let played = again.filter(|_| random.random_bool(0.7)).or(other);
        let Some(played) = played else { break };
        game.push(played).expect("the move is legal");
    }
    game
}

/// An ending of king, advisor and cannon against king, two advisors, knight and rook. Fewer pieces if two get the same
/// square.
fn cannon_ending(random: &mut StdRng) -> Position {
    loop {
        let file = |random: &mut StdRng| random.random_range(0..9);
        let mut squares = [['.'; 9]; 10];
        let mut put = |piece: char, row: usize, file: usize| squares[row][file] = piece;
        put('a', 0, 3);
        put('a', 0, 5);
        put('A', 9, random.random_range(0..2) * 2 + 3);
        for piece in ['n', 'r', 'C'] {
            put(piece, random.random_range(0..10), file(random));
        }
        put('k', random.random_range(0..3), random.random_range(3..6));
        put('K', random.random_range(7..10), random.random_range(3..6));
        let rows = squares.map(|row| {
            let row: String = row.iter().collect();
            row.replace('.', "1")
        });
        let side = ['w', 'b'][random.random_range(0..2)];
        if let Ok(position) = format!("{} {side}", rows.join("/")).parse::<Position>() {
            return position;
        }
    }
}

/// Checks that a line with a mate score ends in mate after as many plies as the score says, and that the rules do not
/// end the game earlier.
fn check_mate(game: &Game, line: &SearchLine, plies: u32) {
    let mut game = game.clone();
    for (ply, played) in line.pv.iter().enumerate() {
        let cause = judge_outcome(&game, RuleSet::Asian).cause;
        assert!(ply == 0 || cause == Cause::Nothing, "{line:?}: {cause} at {ply}");
        game.push(*played).expect("the line is legal");
    }
    assert_eq!(line.pv.len(), plies as usize, "{line:?}");
    assert!(!has_legal_move(game.position()), "{line:?}");
}

/// Checks a line with a win by repetition: its last loop, continued until the rules judge it, loses for the side
/// that the score says. Returns whether there was a loop that the rules judged.
fn check_win_by_rule(game: &Game, line: &SearchLine) -> bool {
    let winner = if line.score > Score::ZERO {
        game.position().side_to_move()
    } else {
        !game.position().side_to_move()
    };
    let mut game = game.clone();
    for played in &line.pv {
        game.push(*played).expect("the line is legal");
    }
    let plies = game.plies();
    let key = game.position().key();
    let first = plies.iter().rposition(|ply| ply.undo.key() == key);
    // A line that is cut short by a hash entry may end before the repetition.
    let Some(first) = first else { return false };
    let round: Vec<_> = plies[first..].iter().map(|ply| ply.played).collect();
    for played in round.iter().cycle().take(2 * round.len()) {
        let judgment = judge_outcome(&game, RuleSet::Asian);
        if judgment.cause == Cause::Repetition {
            assert_eq!(judgment.verdict, Verdict::against(!winner), "{line:?}");
            return true;
        }
        game.push(*played).expect("the line is legal");
    }
    false
}

#[test]
fn proven_scores_agree_with_the_rules() {
    let random = &mut StdRng::seed_from_u64(42);
    let mut searcher = Searcher::new(1).expect("1 MB is free");
    let mut mates = ByColor::<usize>::default();
    let mut wins_by_rule = 0;
    let games: Vec<Game> =
        (0..300).map(|_| ending(random)).chain(ROUNDS.map(|round| repeated(round, 7))).collect();
    for (n, game) in games.into_iter().enumerate() {
        if judge_outcome(&game, RuleSet::Asian).cause != Cause::Nothing {
            continue;
        }
        let mut request = searcher.request(&game, Limits::default());
        request.limits.nodes = Some(4_000);
        request.settings.multipv = 1 + n % 3;
        let result = searcher.search(request).expect("the search runs");
        for line in result.lines.iter().filter(|l| l.bound == Bound::Exact) {
            match line.score.meaning() {
                Meaning::Mates(plies) | Meaning::Mated(plies) => {
                    check_mate(&game, line, plies);
                    mates[game.position().side_to_move()] += 1;
                }
                Meaning::Evaluation(_) if line.score.is_proven() => {
                    wins_by_rule += usize::from(check_win_by_rule(&game, line));
                }
                Meaning::Evaluation(_) => {}
            }
        }
    }
    assert!(Color::ALL.iter().all(|side| mates[*side] > 20), "{mates:?}");
    assert!(wins_by_rule > 0);
}

/// Searches `count` random games that end in a position of the tablebases, with `threads` threads and a small hash
/// table, but without the tablebases. Checks that each mate score has the winner of the tablebase and is not shorter
/// than the mate of the tablebase. Returns the number of mate scores.
fn check_against_tables(count: usize, seed: u64, threads: usize) -> usize {
    let random = &mut StdRng::seed_from_u64(seed);
    let tables = Tables::embedded();
    let mut engine = Engine::new();
    engine.pool.set_hash_size(1).expect("1 MB is free");
    engine.pool.set_threads(threads).expect("the threads start");
    let (mut checked, mut mates) = (0, 0);
    while checked < count {
        let game = ending(random);
        let position = game.position();
        let is_open = judge_outcome(&game, RuleSet::Asian).cause == Cause::Nothing;
        if !is_open || tables.probe(position, RuleSet::Asian).is_none() {
            continue;
        }
        checked += 1;
        let mut request = request(fen::START, Limits::default());
        request.game = game.clone();
        request.limits.nodes = Some(4_000);
        request.settings.multipv = 1 + checked % 3;
        let (lines, _) = engine.run(request);
        for line in lines.iter().filter(|line| line.bound == Bound::Exact) {
            let mut after = game.clone();
            after.push(line.pv[0]).expect("the line is legal");
            let Some(probe) = tables.probe(after.position(), RuleSet::Asian) else {
                continue;
            };
            // The value of the first move, for the side that makes it.
            let known = probe.outcome.before_move();
            match line.score.meaning() {
                Meaning::Mates(plies) => {
                    let holds = matches!(known, TableOutcome::Win(dtm) if u32::from(dtm) <= plies);
                    assert!(holds, "{known:?}: {line:?} of {position}");
                    mates += 1;
                }
                Meaning::Mated(plies) => {
                    let holds = matches!(known, TableOutcome::Loss(dtm) if u32::from(dtm) <= plies);
                    let by_rule = matches!(known, TableOutcome::LossByRule(_));
                    assert!(holds || by_rule, "{known:?}: {line:?} of {position}");
                    mates += 1;
                }
                Meaning::Evaluation(_) => {}
            }
        }
    }
    mates
}

#[test]
fn mates_agree_with_the_endgame_tables() {
    assert!(check_against_tables(60, 1, 1) > 20);
    assert!(check_against_tables(60, 2, 2) > 20);
}

#[test]
#[ignore = "takes minutes"]
fn many_mates_agree_with_the_endgame_tables() {
    for threads in [1, 2] {
        let mates = check_against_tables(3_000, 3, threads);
        assert!(mates > 1_000, "{mates}");
    }
}

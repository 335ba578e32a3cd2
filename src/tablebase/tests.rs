//! Whole classes solved: exact counts, and a slow obvious solver beside the fast one.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::index::Indexer;
use super::solved::{DrawsHold, SolvedClass};
use super::value::{DRAW, ILLEGAL, LARGEST_LEVEL};
use super::*;
use crate::board::{Color, Position};
use crate::movegen::legal_moves;
use crate::rules::{MoveThreats, Ply, RuleSet, move_threats};

/// Solves classes with all that their captures lead to, each once.
#[derive(Default)]
pub(super) struct Solutions(HashMap<Material, Arc<SolvedClass>>);

impl Solutions {
    pub(super) fn get(&mut self, material: Material) -> Arc<SolvedClass> {
        if let Some(solved) = self.0.get(&material) {
            return solved.clone();
        }
        let smaller = self.smaller(material);
        let solved = solve(material, Metric::Mate, &smaller, 2, &|_| {}).unwrap();
        let solved = Arc::new(solved);
        self.0.insert(material, solved.clone());
        solved
    }

    /// The classes that captures lead to.
    pub(super) fn smaller(&mut self, material: Material) -> Vec<Arc<SolvedClass>> {
        let smaller = material.after_captures().into_iter();
        smaller.map(|m| self.get(m)).collect()
    }
}

/// Legal, won and longest with red to move; legal, lost and longest with black to move.
const COUNTS: [(&str, [u64; 6]); 30] = [
    ("KR-K", [3834, 3834, 3, 4914, 4806, 4]),
    ("KR-KB", [26808, 26808, 11, 33966, 32436, 12]),
    ("KR-KBB", [80328, 80328, 23, 100602, 94962, 24]),
    ("KR-KA", [18507, 18507, 9, 22806, 22074, 10]),
    ("KR-KAA", [35166, 35166, 19, 41670, 40368, 20]),
    ("KR-KAAB", [242988, 242988, 31, 285948, 270252, 32]),
    ("KR-KAABB", [719532, 590094, 63, 840762, 432474, 64]),
    ("KN-K", [4590, 4590, 13, 4914, 4806, 14]),
    ("KN-KA", [21426, 21366, 37, 22806, 21990, 38]),
    ("KN-KAB", [147942, 13428, 43, 157110, 972, 42]),
    ("KN-KABB", [437760, 246, 35, 463770, 6, 16]),
    ("KN-KAA", [39360, 2859, 43, 41670, 249, 42]),
    ("KP-K", [2826, 2394, 19, 3015, 2469, 20]),
    ("KP-KB", [19401, 684, 13, 20682, 12, 6]),
    ("KP-KBB", [57060, 0, 0, 60777, 0, 0]),
    ("KP-KA", [13092, 1104, 13, 13899, 363, 12]),
    ("KP-KAA", [23904, 264, 13, 25218, 36, 12]),
    ("KP-KAAB", [162792, 210, 13, 171666, 72, 0]),
    ("KP-KAABB", [474912, 450, 1, 500562, 180, 0]),
    ("KC-KAA", [39828, 1968, 1, 41670, 228, 0]),
    ("KCA-K", [22710, 22710, 17, 22806, 22274, 18]),
    ("KCA-KB", [155836, 155836, 29, 157540, 150188, 30]),
    ("KCA-KBB", [458118, 27562, 37, 466320, 3046, 36]),
    ("KCA-KA", [102168, 102168, 27, 104650, 101174, 28]),
    ("KCA-KAA", [180742, 180630, 47, 189166, 182865, 48]),
    ("KCAA-KAA", [323336, 323130, 43, 338392, 326854, 44]),
    ("KCB-KAA", [274652, 13971, 3, 287648, 1750, 2]),
    ("KPP-K", [72369, 70803, 19, 82368, 79884, 20]),
    ("KPP-KB", [487146, 361293, 37, 553602, 342204, 38]),
    ("KPP-KAA", [590010, 506694, 55, 656712, 487212, 56]),
];

#[test]
fn the_counts_are_the_known_ones() {
    let mut solutions = Solutions::default();
    for (name, [armed_legal, armed_won, win, bare_legal, bare_lost, loss]) in COUNTS {
        let known = ClassCounts {
            armed_legal,
            armed_won,
            longest_win: win as u16,
            bare_legal,
            bare_lost,
            longest_loss: loss as u16,
        };
        let solved = solutions.get(name.parse().unwrap());
        assert_eq!(solved.counts(), known, "{name}");
    }
}

/// What a legal move leads to.
enum Successor {
    /// A position of the same class, the other side to move.
    Same(usize),
    /// A position of a smaller class, or of none, with its value.
    Smaller(u8),
}

/// What a position with the side to move to play is worth, found by going over all positions again and
/// again with the engine's own moves until nothing changes. Both mirror images and both classes of
/// captures come out of the solutions themselves.
fn slow_solution(material: Material, metric: Metric, solutions: &mut Solutions) -> SolvedClass {
    let indexer = Indexer::new(material);
    let [red, black] = [Color::Red, Color::Black].map(|side| -> Vec<_> {
        let indices = 0..indexer.len();
        let of = |index| successors(material, &indexer, index, side, solutions);
        let mut all: Vec<_> = indices.map(of).collect();
        if metric == Metric::Conversion {
            for successor in all.iter_mut().flatten().flatten() {
                // Every capture that decides is as good as another.
                if let Successor::Smaller(value) = successor {
                    *value = (*value).min(1);
                }
            }
        }
        all
    });
    let start = |positions: &[Option<Vec<Successor>>]| -> Vec<u8> {
        let value = |legal: &Option<_>| if legal.is_some() { DRAW } else { ILLEGAL };
        positions.iter().map(value).collect()
    };
    let mut solved = SolvedClass {
        material,
        metric,
        armed: start(&red),
        bare: start(&black),
        draws: DrawsHold::Unproven,
    };
    for _ in 0..2 * LARGEST_LEVEL {
        let before = solved.clone();
        for (index, successors) in red.iter().enumerate() {
            if let Some(successors) = successors {
                assert!(!successors.is_empty(), "{index} is stalemate");
                let values = values(successors, &before.bare);
                let won = values.into_iter().filter(|v| *v != DRAW);
                solved.armed[index] = won.min().unwrap_or(DRAW);
            }
        }
        for (index, successors) in black.iter().enumerate() {
            if let Some(successors) = successors {
                let values = values(successors, &before.armed);
                solved.bare[index] = match values.contains(&DRAW) {
                    true => DRAW,
                    false => values.into_iter().max().unwrap_or(0) + 1,
                };
            }
        }
        if solved == before {
            break;
        }
    }
    solved
}

/// Where the legal moves lead; `None` for what is no position.
fn successors(
    material: Material,
    indexer: &Indexer,
    index: usize,
    side: Color,
    solutions: &mut Solutions,
) -> Option<Vec<Successor>> {
    let mut position = indexer.position(index, side)?;
    let mut found = Vec::new();
    for m in legal_moves(&position) {
        let undo = position.make(m);
        found.push(match Material::of(&position) {
            None => Successor::Smaller(DRAW),
            Some((class, armed)) if class == material => {
                Successor::Same(indexer.of_position(&position, armed))
            }
            Some((class, armed)) => {
                let index = Indexer::new(class).of_position(&position, armed);
                Successor::Smaller(solutions.get(class).values(side != armed)[index])
            }
        });
        position.unmake(m, undo);
    }
    Some(found)
}

/// What successors are worth, where `same` has the values of their class with the other side to move.
fn values(successors: &[Successor], same: &[u8]) -> Vec<u8> {
    let value = |successor: &Successor| match *successor {
        Successor::Same(index) => same[index],
        Successor::Smaller(value) => value,
    };
    successors.iter().map(value).collect()
}

#[test]
fn the_slow_solver_agrees() {
    let mut solutions = Solutions::default();
    for name in [
        "KR-K", "KR-KA", "KN-KB", "KP-KAA", "KC-KA", "KCA-K", "KPB-KA", "KPP-K",
    ] {
        let material = name.parse().unwrap();
        let slow = slow_solution(material, Metric::Mate, &mut solutions);
        assert!(*solutions.get(material) == slow, "{name}");
        let smaller = solutions.smaller(material);
        let conversions = solve(material, Metric::Conversion, &smaller, 2, &|_| {}).unwrap();
        let slow = slow_solution(material, Metric::Conversion, &mut solutions);
        assert!(conversions == slow, "{name}: conversions");
    }
}

/// Conversions of a class: no later than the mates and of the same positions; checked one by one, and
/// found wrong where one is changed.
#[test]
fn conversions_come_no_later_than_mates() {
    let mut solutions = Solutions::default();
    for name in ["KR-KAB", "KN-KAA", "KCA-KA", "KPP-KB"] {
        let material: Material = name.parse().unwrap();
        let smaller = solutions.smaller(material);
        let mates = solutions.get(material);
        let mut conversions = solve(material, Metric::Conversion, &smaller, 2, &|_| {}).unwrap();
        let mut sooner = 0;
        for armed_to_move in [true, false] {
            let values = mates.values(armed_to_move).iter();
            for (mate, conversion) in values.zip(conversions.values(armed_to_move)) {
                assert_eq!(*mate == DRAW, *conversion == DRAW, "{name}");
                assert!(conversion <= mate, "{name}");
                sooner += u32::from(conversion < mate);
            }
        }
        assert!(sooner > 100, "{name}");
        verify(&conversions, &smaller, 2, &|_| {}).unwrap();
        let won = conversions.armed.iter().position(|v| *v == 2).unwrap();
        conversions.armed[won] = 3;
        assert!(verify(&conversions, &smaller, 2, &|_| {}).is_err());
    }
}

/// Writes the conversions of a class, long wins or not, to a directory. Returns a position with the longest way
/// to a capture.
pub(crate) fn write_conversions(directory: &Path, class: &str) -> Position {
    let material: Material = class.parse().unwrap();
    let smaller = Solutions::default().smaller(material);
    let solved = solve(material, Metric::Conversion, &smaller, 2, &|_| {}).unwrap();
    let name = format!("{class}.dtc.{EXTENSION}");
    std::fs::write(directory.join(name), solved.to_file(1)).unwrap();
    let longest = TableOutcome::Win(solved.counts().longest_win);
    solved.example(longest).unwrap()
}

/// Writes the table of rook against knight by the Asian rules to a directory. Returns positions that red, to move,
/// wins by these rules in one ply, then some that black, to move, loses by them where it stands.
pub(crate) fn write_rook_against_knight(directory: &Path) -> [Vec<Position>; 2] {
    let material: Material = "KR-KN".parse().unwrap();
    let smaller = Solutions::default().smaller(material);
    let solved = solve_two_sided(material, RuleSet::Asian, &smaller, 2, &|_| {}).unwrap();
    std::fs::write(directory.join("KR-KN.asian.chtb"), solved.to_file(1)).unwrap();
    [
        TableOutcome::WinByRule(Some(1)),
        TableOutcome::LossByRule(Some(0)),
    ]
    .map(|outcome| solved.examples(outcome, 0).collect())
}

#[test]
fn files_tell_conversions_from_mates() {
    let mut solutions = Solutions::default();
    let material: Material = "KR-KAB".parse().unwrap();
    let smaller = solutions.smaller(material);
    let conversions = solve(material, Metric::Conversion, &smaller, 2, &|_| {}).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let position = "2bak4/9/9/9/9/9/9/9/9/R2K5 w".parse().unwrap();
    let add = |name: &str, solved: &SolvedClass| {
        std::fs::write(directory.path().join(name), solved.to_file(1)).unwrap();
        let mut tables = Tables::none();
        let mut skipped = Vec::new();
        tables.add_directory(directory.path(), &mut skipped);
        assert!(skipped.is_empty());
        (
            (tables.probe(&position, RuleSet::Asian)).map(|probe| probe.outcome),
            tables.conversion(&position),
            tables.iter().map(ClassTable::metric).collect::<Vec<_>>(),
        )
    };
    // By itself a table of conversions tells nothing of who wins.
    let alone = add("a.chtb", &conversions);
    assert_eq!((alone.0, alone.2), (None, vec![Metric::Conversion]));
    let both = add("b.chtb", &solutions.get(material));
    let Some(TableOutcome::Win(mate)) = both.0 else {
        panic!("{:?}", both.0);
    };
    assert!(both.1.is_some_and(|conversion| conversion < mate));
    assert_eq!(both.2, [Metric::Mate, Metric::Conversion]);
}

#[test]
fn every_value_is_that_of_its_best_move() {
    let mut solutions = Solutions::default();
    for name in ["KR-KAB", "KCA-KA", "KPP-K", "KNB-KA"] {
        let material: Material = name.parse().unwrap();
        let smaller = solutions.smaller(material);
        let mut solved = (*solutions.get(material)).clone();
        let counts = solved.counts();
        let indexer = Indexer::new(material);
        let listed =
            (0..indexer.len()).flat_map(|i| Color::ALL.map(|side| indexer.position(i, side)));
        let listed = listed.flatten().count() as u64;
        assert!(counts.armed_legal + counts.bare_legal >= listed);
        assert_eq!(
            verify(&solved, &smaller, 2, &|_| {}).unwrap(),
            listed,
            "{name}"
        );
        let won = solved.armed.iter().position(|v| *v == 3).unwrap();
        solved.armed[won] = 4;
        let error = verify(&solved, &smaller, 2, &|_| {}).unwrap_err();
        assert!(error.to_string().contains("value"), "{error}");
    }
}

#[test]
fn the_draws_of_these_classes_hold_under_every_rule_set() {
    let mut solutions = Solutions::default();
    for name in [
        "KN-KAB", "KN-KBB", "KN-KAAB", "KP-KA", "KP-KAB", "KC-KAA", "KCA-KAA", "KPP-KB",
    ] {
        let material: Material = name.parse().unwrap();
        let smaller = solutions.smaller(material);
        let solved = solutions.get(material);
        assert!(solved.counts().armed_won < solved.counts().armed_legal);
        // They rest on those of smaller classes.
        let (unproven, doubtful) = prove_draws((*solved).clone(), &smaller, 2);
        assert_eq!(doubtful, 0, "{name}");
        assert!(unproven == *solved, "{name}");
        let smaller: Vec<_> = smaller.iter().map(|s| Arc::new(proven(s))).collect();
        let (all_proven, doubtful) = prove_draws((*solved).clone(), &smaller, 2);
        assert_eq!(doubtful, 0, "{name}");
        assert!(all_proven == proven(&solved), "{name}");
    }
}

/// The numbers that going over all positions again and again had given.
#[test]
fn draws_that_are_not_proven_are_counted() {
    let mut solutions = Solutions::default();
    for (name, known) in [("KCP-KB", 174_052), ("KNN-KAA", 126)] {
        let material: Material = name.parse().unwrap();
        let smaller = solutions.smaller(material);
        let solved = solutions.get(material);
        let (doubtful, counted) = prove_draws((*solved).clone(), &smaller, 2);
        assert_eq!(counted, known, "{name}");
        assert!(doubtful == *solved, "{name}");
    }
}

/// The armed side cannot lose a draw by the rules: it has a move that neither checks nor chases.
#[test]
fn the_armed_side_always_has_a_harmless_move_in_a_draw() {
    let mut solutions = Solutions::default();
    for name in [
        "KN-KAB", "KP-K", "KP-KAA", "KC-K", "KC-KB", "KC-KAA", "KCA-KAA", "KPP-K",
    ] {
        let solved = solutions.get(name.parse().unwrap());
        let indexer = Indexer::new(solved.material());
        let mut drawn = 0;
        for index in (0..indexer.len()).filter(|i| solved.armed[*i] == DRAW) {
            let position = indexer.position(index, Color::Red).unwrap();
            let has_harmless_move = legal_moves(&position).into_iter().any(|played| {
                let mut after = position.clone();
                let ply = Ply {
                    played,
                    undo: after.make(played),
                };
                let threats = move_threats(&after, &ply, RuleSet::Asian);
                after.captured().is_none() && threats == Some(MoveThreats::default())
            });
            assert!(has_harmless_move, "{name} {position}");
            drawn += 1;
        }
        assert!(drawn > 0, "{name}");
    }
}

/// The class with the word that its draws hold.
pub(super) fn proven(solved: &SolvedClass) -> SolvedClass {
    solved.clone().with_draws_proven(true)
}

#[test]
fn files_round_trip_and_damage_is_found() {
    let mut solutions = Solutions::default();
    let mut seen_constant = false;
    for name in ["KR-KAB", "KC-K", "KPA-KA"] {
        let solved = solutions.get(name.parse().unwrap());
        let bytes = proven(&solved).to_file(2);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.chtb");
        std::fs::write(&path, &bytes).unwrap();
        let table = ClassTable::open(&path).unwrap();
        assert_eq!(table.material(), solved.material());
        assert_eq!(table.draws(), DrawsHold::Always);
        assert_eq!(table.size(), bytes.len() as u64);
        let loaded = table.load().unwrap();
        let legal = |values: &[u8], known: &[u8]| {
            values
                .iter()
                .zip(known)
                .all(|(a, b)| a == b || *b == ILLEGAL)
        };
        assert!(legal(&loaded.armed, &solved.armed) && legal(&loaded.bare, &solved.bare));
        assert_eq!(loaded.counts(), solved.counts(), "{name}");
        seen_constant |= loaded.armed.iter().all(|v| *v == DRAW);
        for at in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            std::fs::write(&path, &damaged).unwrap();
            let read = ClassTable::open(&path).and_then(|table| table.load());
            assert!(read.is_err(), "{name}: byte {at}");
            std::fs::write(&path, &bytes[..at]).unwrap();
            assert!(ClassTable::open(&path).is_err(), "{name}: cut at {at}");
        }
    }
    assert!(seen_constant);
}

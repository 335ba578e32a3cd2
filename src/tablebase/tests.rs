//! Tests with whole classes: exact counts, a comparison with a slow and simple solver, files, and the embedded
//! tables.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::index::{Indexer, Node};
use super::solved::{DrawsHold, SolvedClass};
use super::value::{DRAW, ILLEGAL, LEVEL_LIMIT};
use super::*;
use crate::board::{ByColor, Color, Move, Position, Symmetry};
use crate::movegen::legal_moves;
use crate::rules::{MoveThreats, Ply, RuleSet, move_threats};

/// Solves classes with all smaller classes, each once.
#[derive(Default)]
pub struct Solutions(HashMap<Material, Arc<SolvedClass>>);

impl Solutions {
    pub fn get(&mut self, material: Material) -> Arc<SolvedClass> {
        if let Some(solved) = self.0.get(&material) {
            return solved.clone();
        }
        let smaller = self.smaller(material);
        let solved = solve(material, Metric::Dtm, &smaller, 2, &|_| {}).unwrap();
        let solved = Arc::new(solved);
        self.0.insert(material, solved.clone());
        solved
    }

    /// The class solved by DTC, from smaller classes solved by DTM.
    fn conversions(&mut self, material: Material) -> SolvedClass {
        let smaller = self.smaller(material);
        solve(material, Metric::Dtc, &smaller, 2, &|_| {}).unwrap()
    }

    /// Classes that captures lead to.
    pub fn smaller(&mut self, material: Material) -> Vec<Arc<SolvedClass>> {
        let smaller = material.after_captures().into_iter();
        smaller.map(|m| self.get(m)).collect()
    }
}

/// Numbers of legal and of won positions and plies of the longest win with red, the strong side, to move; numbers of
/// legal and of lost positions and plies of the longest loss with black to move.
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
fn classes_have_known_counts() {
    let mut solutions = Solutions::default();
    for (name, known) in COUNTS {
        let ByColor([strong, weak]) = solutions.get(name.parse().unwrap()).counts();
        let longest = [strong.longest_win, weak.longest_loss].map(u64::from);
        let found = [strong.legal, strong.won, longest[0], weak.legal, weak.lost, longest[1]];
        assert_eq!(found, known, "{name}");
    }
}

/// Result of a legal move.
enum Successor {
    /// A position of the same class with the other side to move.
    Same(Node),
    /// The value of a position of a smaller class, or [`DRAW`] if no class has the position.
    Smaller(u8),
}

/// Solves a class with the move generator of the engine, by passes over all positions until nothing changes.
fn slow_solution(material: Material, metric: Metric, solutions: &mut Solutions) -> SolvedClass {
    let indexer = Indexer::new(material);
    let nodes = (0..2 * indexer.len()).map(Node);
    let mut all: Vec<_> = nodes.map(|node| successors(&indexer, node, solutions)).collect();
    if metric == Metric::Dtc {
        for successor in all.iter_mut().flatten().flatten() {
            // DTC counts plies only up to the capture. All that matters after it is whether the game is decided.
            if let Successor::Smaller(value) = successor {
                *value = (*value).min(1);
            }
        }
    }
    let start = |legal: &Option<_>| if legal.is_some() { DRAW } else { ILLEGAL };
    let mut values: Vec<u8> = all.iter().map(start).collect();
    for _ in 0..2 * LEVEL_LIMIT {
        let before = values.clone();
        for (n, successors) in all.iter().enumerate() {
            let Some(successors) = successors else {
                continue;
            };
            let after = successors.iter().map(|successor| match *successor {
                Successor::Same(node) => before[node.0],
                Successor::Smaller(value) => value,
            });
            values[n] = match Node(n).side() {
                Color::Red => {
                    assert!(!successors.is_empty(), "{n} is stalemate");
                    after.filter(|v| *v != DRAW).min().unwrap_or(DRAW)
                }
                Color::Black if after.clone().any(|v| v == DRAW) => DRAW,
                Color::Black => after.max().unwrap_or(0) + 1,
            };
        }
        if values == before {
            break;
        }
    }
    let of_side = |side: Color| values.iter().skip(side.index()).step_by(2).copied();
    SolvedClass {
        material,
        metric,
        values: ByColor::from_fn(|side| of_side(side).collect()),
        draws: DrawsHold::Unproven,
    }
}

/// Results of the legal moves; `None` for an illegal position.
fn successors(indexer: &Indexer, node: Node, solutions: &mut Solutions) -> Option<Vec<Successor>> {
    let mut position = indexer.position(node)?;
    let mut found = Vec::new();
    for m in legal_moves(&position) {
        let undo = position.make(m);
        found.push(match Material::of(&position) {
            None => Successor::Smaller(DRAW),
            Some((class, strong)) if class == indexer.material => {
                Successor::Same(indexer.of_position(&position, strong))
            }
            Some((class, strong)) => {
                let node = Indexer::new(class).of_position(&position, strong);
                Successor::Smaller(solutions.get(class).value(node))
            }
        });
        position.unmake(m, undo);
    }
    Some(found)
}

#[test]
fn slow_solver_agrees() {
    let mut solutions = Solutions::default();
    for name in ["KR-K", "KR-KA", "KN-KB", "KP-KAA", "KC-KA", "KCA-K", "KPB-KA", "KPP-K"] {
        let material = name.parse().unwrap();
        let slow = slow_solution(material, Metric::Dtm, &mut solutions);
        assert!(*solutions.get(material) == slow, "{name}");
        let conversions = solutions.conversions(material);
        let slow = slow_solution(material, Metric::Dtc, &mut solutions);
        assert!(conversions == slow, "{name}: conversions");
    }
}

/// DTC values never exceed DTM values and decide the same positions; `verify` accepts them and
/// finds a changed one.
#[test]
fn dtc_is_at_most_dtm() {
    let mut solutions = Solutions::default();
    for name in ["KR-KAB", "KN-KAA", "KCA-KA", "KPP-KB"] {
        let material: Material = name.parse().unwrap();
        let smaller = solutions.smaller(material);
        let mates = solutions.get(material);
        let mut conversions = solutions.conversions(material);
        let mut shorter = 0;
        for side in Color::ALL {
            let values = mates.values[side].iter();
            for (mate, conversion) in values.zip(&conversions.values[side]) {
                assert_eq!(*mate == DRAW, *conversion == DRAW, "{name}");
                assert!(conversion <= mate, "{name}");
                shorter += u32::from(conversion < mate);
            }
        }
        assert!(shorter > 100, "{name}");
        verify(&conversions, &smaller, 2, &|_| {}).unwrap();
        let won = conversions.values[Color::Red].iter().position(|v| *v == 2).unwrap();
        conversions.values[Color::Red][won] = 3;
        assert!(verify(&conversions, &smaller, 2, &|_| {}).is_err());
    }
}

/// Writes the DTC table of a class to a directory. Returns a position with the longest DTC.
pub(crate) fn write_conversions(directory: &Path, class: &str) -> Position {
    let solved = Solutions::default().conversions(class.parse().unwrap());
    let name = format!("{class}.dtc.{EXTENSION}");
    std::fs::write(directory.join(name), solved.to_file(1)).unwrap();
    let longest = TableOutcome::Win(solved.counts()[Color::Red].longest_win);
    solved.example(longest).unwrap()
}

/// Writes the `asian` table of rook against knight to a directory. Returns positions that red, to
/// move, wins by rule in one ply, then positions that black, to move, loses by rule in 0 plies.
pub(crate) fn write_rook_against_knight(directory: &Path) -> [Vec<Position>; 2] {
    let material: Material = "KR-KN".parse().unwrap();
    let smaller = Solutions::default().smaller(material);
    let solved = solve_two_sided(material, RuleSet::Asian, &smaller, 2, &|_| {}).unwrap();
    std::fs::write(directory.join("KR-KN.asian.chtb"), solved.to_file(1)).unwrap();
    [TableOutcome::WinByRule(Some(1)), TableOutcome::LossByRule(Some(0))]
        .map(|outcome| solved.examples(outcome, 0).collect())
}

#[test]
fn files_distinguish_dtc_from_dtm() {
    let mut solutions = Solutions::default();
    let material: Material = "KR-KAB".parse().unwrap();
    let conversions = solutions.conversions(material);
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
            tables.dtc(&position),
            tables.iter().map(ClassTable::metric).collect::<Vec<_>>(),
        )
    };
    // A DTC table alone does not give the winner.
    let alone = add("a.chtb", &conversions);
    assert_eq!((alone.0, alone.2), (None, vec![Metric::Dtc]));
    let both = add("b.chtb", &solutions.get(material));
    let Some(TableOutcome::Win(mate)) = both.0 else {
        panic!("{:?}", both.0);
    };
    assert!(both.1.is_some_and(|conversion| conversion < mate));
    assert_eq!(both.2, [Metric::Dtm, Metric::Dtc]);
}

#[test]
fn every_value_is_that_of_its_best_move() {
    let mut solutions = Solutions::default();
    for name in ["KR-KAB", "KCA-KA", "KPP-K", "KNB-KA"] {
        let material: Material = name.parse().unwrap();
        let smaller = solutions.smaller(material);
        let mut solved = (*solutions.get(material)).clone();
        let legal: u64 = solved.counts().iter().map(|side| side.legal).sum();
        let indexer = Indexer::new(material);
        let nodes = (0..2 * indexer.len()).map(Node);
        let listed = nodes.filter_map(|node| indexer.position(node)).count() as u64;
        assert!(legal >= listed);
        assert_eq!(verify(&solved, &smaller, 2, &|_| {}).unwrap(), listed, "{name}");
        let won = solved.values[Color::Red].iter().position(|v| *v == 3).unwrap();
        solved.values[Color::Red][won] = 4;
        let error = verify(&solved, &smaller, 2, &|_| {}).unwrap_err();
        assert!(error.to_string().contains("value"), "{error}");
    }
}

/// Known numbers of draws that are not proven, from repeated passes over all positions.
#[test]
fn draws_are_proven_or_counted() {
    let mut solutions = Solutions::default();
    let proven_classes =
        ["KN-KAB", "KN-KBB", "KN-KAAB", "KP-KA", "KP-KAB", "KC-KAA", "KCA-KAA", "KPP-KB"];
    let proven_classes = proven_classes.map(|name| (name, 0));
    let others = [("KCP-KB", 174_052), ("KNN-KAA", 126)];
    for (name, known) in proven_classes.into_iter().chain(others) {
        let material: Material = name.parse().unwrap();
        let smaller = solutions.smaller(material);
        let solved = solutions.get(material);
        assert!(solved.counts()[Color::Red].drawn > 0);
        // The proof also needs the draws of smaller classes.
        let (result, unproven) = prove_draws((*solved).clone(), &smaller, 2);
        assert_eq!(unproven, known, "{name}");
        assert!(result == *solved, "{name}");
        let smaller: Vec<_> = smaller.iter().map(|s| Arc::new(proven(s))).collect();
        let (result, unproven) = prove_draws((*solved).clone(), &smaller, 2);
        assert_eq!((unproven, result == proven(&solved)), (known, known == 0), "{name}");
    }
}

/// The strong side cannot lose a draw by the rules: it has a move that neither checks nor chases.
#[test]
fn the_strong_side_has_a_harmless_move_in_every_draw() {
    let mut solutions = Solutions::default();
    for name in ["KN-KAB", "KP-K", "KP-KAA", "KC-K", "KC-KB", "KC-KAA", "KCA-KAA", "KPP-K"] {
        let solved = solutions.get(name.parse().unwrap());
        let indexer = Indexer::new(solved.material());
        let mut drawn = 0;
        for index in (0..indexer.len()).filter(|i| solved.values[Color::Red][*i] == DRAW) {
            let node = Node::new(index, Color::Red);
            let position = indexer.position(node).unwrap();
            let has_harmless_move = legal_moves(&position).into_iter().any(|played| {
                let mut after = position.clone();
                let ply = Ply { played, undo: after.make(played) };
                let threats = move_threats(&after, &ply, RuleSet::Asian);
                after.captured().is_none() && threats == Some(MoveThreats::default())
            });
            assert!(has_harmless_move, "{name} {position}");
            drawn += 1;
        }
        assert!(drawn > 0, "{name}");
    }
}

/// The class with its draws marked as proven.
pub fn proven(solved: &SolvedClass) -> SolvedClass {
    SolvedClass { draws: DrawsHold::Always, ..solved.clone() }
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
        let loaded = table.load(&Color::ALL).unwrap();
        let agree = |values: &[u8], known: &[u8]| {
            values.iter().zip(known).all(|(a, b)| a == b || *b == ILLEGAL)
        };
        for side in Color::ALL {
            assert!(agree(&loaded.values[side], &solved.values[side]));
        }
        assert_eq!(loaded.counts(), solved.counts(), "{name}");
        seen_constant |= loaded.values[Color::Red].iter().all(|v| *v == DRAW);
        for at in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            std::fs::write(&path, &damaged).unwrap();
            let read = ClassTable::open(&path).and_then(|table| table.load(&Color::ALL));
            assert!(read.is_err(), "{name}: byte {at}");
            std::fs::write(&path, &bytes[..at]).unwrap();
            assert!(ClassTable::open(&path).is_err(), "{name}: cut at {at}");
        }
    }
    assert!(seen_constant);
}

/// Endings with their known values: W and the plies to mate for the side to move, or D for a draw.
const ENDINGS: [(&str, &str); 19] = [
    ("4ka3/9/9/9/9/9/9/9/9/R2K5 w", "W5"),
    ("2b1k4/9/9/9/9/9/9/9/9/R2K5 w", "W7"),
    ("2b1ka3/9/9/9/9/9/9/9/9/R2K5 w", "W9"),
    ("2baka3/9/9/9/9/9/9/9/9/R2K5 w", "W19"),
    ("3ak1b2/4a4/9/9/9/9/9/9/9/R3K4 w", "W17"),
    ("9/3ka4/5a2b/9/6b2/9/9/9/9/5K1R1 w", "W63"),
    ("2bakab2/9/9/9/9/3R5/9/9/9/3K5 w", "W13"),
    ("3ak4/4a4/9/9/9/4N4/9/9/9/3K5 w", "D"),
    ("5k3/9/b8/9/9/9/4N4/9/9/4K4 w", "D"),
    ("3ak4/9/9/9/4N1b2/9/9/9/9/5K3 w", "W43"),
    ("2bak1b2/9/9/9/9/4N4/9/9/9/3K5 w", "D"),
    ("4k4/9/9/9/9/9/9/9/9/C2K5 w", "D"),
    ("3aka3/9/9/9/9/9/9/9/4A4/C3K4 w", "W37"),
    ("3aka3/9/9/9/9/9/9/3A5/4A4/C3K4 w", "W29"),
    ("4k4/9/9/9/9/P8/9/9/9/3K5 w", "W15"),
    ("4P4/9/4k4/9/9/9/9/9/9/3K5 w", "D"),
    ("2b1k1b2/9/9/3P5/9/9/9/9/9/3K5 w", "D"),
    ("2b1k1b2/9/9/3P1P3/9/9/9/9/9/5K3 w", "W9"),
    ("3ak1b2/9/9/3P1P3/9/9/9/9/9/5K3 w", "W15"),
];

#[test]
fn embedded_tables_have_known_values_in_all_symmetries() {
    let tables = Tables::embedded();
    for (fen, known) in ENDINGS {
        let known = match known.strip_prefix('W') {
            Some(plies) => TableOutcome::Win(plies.parse().unwrap()),
            None => TableOutcome::Draw,
        };
        let position: Position = fen.parse().unwrap();
        let probe = tables.probe(&position, RuleSet::Asian).expect(fen);
        assert_eq!(probe.outcome, known, "{fen}");
        assert!(probe.draw_holds);
        for (ranks, files) in [(false, true), (true, false), (true, true)] {
            let image = position.image(Symmetry { ranks, files });
            assert_eq!(tables.probe(&image, RuleSet::Asian), Some(probe), "{image}");
        }
        let line: Vec<Move> = tables.best_line(&position).collect();
        let end = position.after_all(line.iter().copied());
        match known {
            TableOutcome::Win(plies) => {
                assert_eq!(line.len(), usize::from(plies), "{fen}");
                assert!(legal_moves(&end).is_empty());
            }
            _ => assert!(line.is_empty()),
        }
    }
}

#[test]
fn embedded_tables_are_complete_and_below_two_megabytes() {
    let tables = Tables::embedded();
    let classes: Vec<Material> = tables.iter().map(ClassTable::material).collect();
    let mut wanted = embedded_classes();
    wanted.sort_by_key(|m| m.index());
    let mut dtc = EMBEDDED_DTC.map(|class| class.parse().unwrap());
    dtc.sort_by_key(|m: &Material| m.index());
    wanted.extend(dtc);
    assert_eq!(classes, wanted);
    assert!(tables.iter().map(ClassTable::size).sum::<u64>() <= 2 << 20);
    let mut solutions = Solutions::default();
    for name in ["KR-KAB", "KCA-KA", "KP-KAABB", "KPP-K"] {
        let material = name.parse().unwrap();
        let file = proven(&solutions.get(material)).to_file(1);
        assert_eq!(tables.get(material, RuleSet::Asian).unwrap().size(), file.len() as u64);
        let loaded = tables.get(material, RuleSet::Asian).unwrap().load(&Color::ALL).unwrap();
        assert_eq!(loaded.counts(), solutions.get(material).counts(), "{name}");
    }
    let material = "KCA-KA".parse().unwrap();
    let embedded = tables.dtc_table(material).unwrap();
    assert_eq!(embedded.size(), solutions.conversions(material).to_file(1).len() as u64);
    let loaded = embedded.load(&Color::ALL).unwrap();
    assert_eq!(loaded.counts(), solutions.conversions(material).counts());
}

#[test]
fn valid_files_are_used_and_invalid_ones_reported() {
    let directory = tempfile::tempdir().unwrap();
    let mut solutions = Solutions::default();
    let solved = solutions.get("KRB-K".parse().unwrap());
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("KRB-K.chtb"), proven(&solved).to_file(1)).unwrap();
    std::fs::write(path("bad.chtb"), "no table").unwrap();
    std::fs::write(path("other.txt"), "no matter").unwrap();
    let position: Position = "4k4/9/9/9/9/9/9/4B4/9/R2K5 w".parse().unwrap();
    assert_eq!(Tables::embedded().probe(&position, RuleSet::Asian), None);
    let paths = format!("{} ; /no/such/place;", directory.path().display());
    let (tables, skipped) = Tables::open(&paths);
    let skipped: Vec<String> = skipped.iter().map(ToString::to_string).collect();
    assert_eq!(skipped.len(), 2, "{skipped:?}");
    assert!(skipped[0].ends_with("bad.chtb: not a Chuhe tablebase"), "{skipped:?}");
    assert_eq!(tables.probe(&position, RuleSet::Asian).unwrap().outcome, TableOutcome::Win(3));
    let moves = tables.probe_moves(&position, RuleSet::Asian);
    assert_eq!(moves[0].outcome, Some(TableOutcome::Win(3)));
    assert_eq!(moves.len(), legal_moves(&position).len());
}

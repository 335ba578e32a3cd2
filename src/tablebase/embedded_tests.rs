//! The embedded tables, and those of directories.

use super::tests::{Solutions, proven};
use super::*;
use crate::board::{Move, Piece, Position, Setup};
use crate::movegen::legal_moves;
use crate::rules::RuleSet;

/// Named endings with their values: W and the plies to the win of the side to move, or D.
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
fn the_embedded_tables_know_the_named_endings_from_all_sides() {
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
        for image in images(&position) {
            assert_eq!(tables.probe(&image, RuleSet::Asian), Some(probe), "{image}");
        }
        let line: Vec<Move> = tables.best_line(&position).collect();
        let mut end = position.clone();
        for played in &line {
            end.make(*played);
        }
        match known {
            TableOutcome::Win(plies) => {
                assert_eq!(line.len(), usize::from(plies), "{fen}");
                assert!(legal_moves(&end).is_empty());
            }
            _ => assert!(line.is_empty()),
        }
    }
}

/// The mirror image, the position with colors exchanged, and both.
fn images(position: &Position) -> [Position; 3] {
    let changed = |flip_file: bool, flip_color: bool| {
        let setup = position.setup();
        let mut image = Setup::empty();
        image.side_to_move = match flip_color {
            true => !setup.side_to_move,
            false => setup.side_to_move,
        };
        for (square, piece) in setup.pieces() {
            let file = if flip_file {
                square.flip_file()
            } else {
                square
            };
            let (to, color) = match flip_color {
                true => (file.flip_rank(), !piece.color()),
                false => (file, piece.color()),
            };
            image.squares[to.index()] = Some(Piece::new(piece.kind(), color));
        }
        Position::try_from(&image).unwrap()
    };
    [
        changed(true, false),
        changed(false, true),
        changed(true, true),
    ]
}

#[test]
fn the_embedded_tables_are_whole_and_no_larger_than_two_megabytes() {
    let tables = Tables::embedded();
    let classes: Vec<Material> = tables.iter().map(ClassTable::material).collect();
    let mut wanted = embedded_classes();
    wanted.sort_by_key(|m| m.index());
    assert_eq!(classes, wanted);
    assert!(tables.iter().map(ClassTable::size).sum::<u64>() <= 2 << 20);
    let mut solutions = Solutions::default();
    for name in ["KR-KAB", "KCA-KA", "KP-KAABB", "KPP-K"] {
        let material = name.parse().unwrap();
        let file = proven(&solutions.get(material)).to_file(1);
        assert_eq!(
            tables.get(material, RuleSet::Asian).unwrap().size(),
            file.len() as u64
        );
        let loaded = tables
            .get(material, RuleSet::Asian)
            .unwrap()
            .load()
            .unwrap();
        assert_eq!(loaded.counts(), solutions.get(material).counts(), "{name}");
    }
}

#[test]
fn files_of_directories_are_used_and_the_others_told() {
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
    assert!(
        skipped[0].ends_with("bad.chtb: not a table of Chuhe"),
        "{skipped:?}"
    );
    assert_eq!(
        tables.probe(&position, RuleSet::Asian).unwrap().outcome,
        TableOutcome::Win(3)
    );
    let moves = tables.probe_moves(&position, RuleSet::Asian);
    assert_eq!(moves[0].outcome, Some(TableOutcome::Win(3)));
    assert_eq!(moves.len(), legal_moves(&position).len());
}

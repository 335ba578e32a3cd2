//! Perft counts confirmed by two other engines (`tests/data/perft.txt`).
//!
//! Each line of the table is `FEN ; D1 count ; D2 count ; … ; label`.

use chuhe::board::Position;
use chuhe::movegen::{divide, perft};
use chuhe::notation::fen::parse_position;

const TABLE: &str = include_str!("../data/perft.txt");

#[test]
fn counts_agree_with_the_table() {
    for line in TABLE.lines() {
        let mut fields = line.split(';').map(str::trim);
        let position = parse_position(fields.next().unwrap()).expect(line);
        let counts: Vec<(u32, u64)> = fields.filter_map(read_count).collect();
        assert!(counts.len() >= 4, "{line}");
        for (depth, nodes) in counts {
            assert_eq!(perft(&position, depth), nodes, "depth {depth}: {line}");
        }
    }
}

fn read_count(field: &str) -> Option<(u32, u64)> {
    let (depth, nodes) = field.strip_prefix('D')?.split_once(' ')?;
    Some((depth.parse().ok()?, nodes.parse().ok()?))
}

#[test]
fn start_to_depth_five() {
    let start = Position::startpos();
    let nodes: Vec<u64> = (0..=5).map(|depth| perft(&start, depth)).collect();
    assert_eq!(nodes, [1, 44, 1920, 79_666, 3_290_240, 133_312_995]);
}

#[test]
fn divide_adds_up() {
    let start = Position::startpos();
    assert!(divide(&start, 0).is_empty());
    let parts = divide(&start, 3);
    assert_eq!(parts.len(), 44);
    assert_eq!(parts.iter().map(|(_, nodes)| nodes).sum::<u64>(), 79_666);
}

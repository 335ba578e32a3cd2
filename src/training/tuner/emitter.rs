//! The weights as source text.

use std::fmt::Write as _;

use super::plan::Weights;
use crate::eval::handcrafted::features::{GROUPS, MATERIAL, PIECE_SQUARE};

/// A weight no further from zero belongs to a square where the kind never stands, in units of the
/// evaluation.
const UNUSED: f64 = 0.5;
/// Squares that the table of a kind tells apart: ten ranks, and files by distance from the edge.
const SQUARES_OF_A_KIND: usize = 50;

/// Moves what all squares of a kind have in common into its material value, where `knowledge none`
/// finds it; the evaluation stays the same. Empty squares of the table (where a kind never stands)
/// are left at zero.
pub(super) fn center(weights: &mut Weights) {
    for kind in 1..MATERIAL.len {
        let start = PIECE_SQUARE.start + kind * SQUARES_OF_A_KIND;
        let squares = start..start + SQUARES_OF_A_KIND;
        for half in [0, 1] {
            let used: Vec<usize> = squares
                .clone()
                .filter(|i| weights[*i][half].abs() > UNUSED)
                .collect();
            if used.is_empty() {
                continue;
            }
            let mean = used.iter().map(|i| weights[*i][half]).sum::<f64>() / used.len() as f64;
            used.iter().for_each(|i| weights[*i][half] -= mean);
            weights[MATERIAL.at(kind)][half] += mean;
        }
    }
}

/// The weights as the source file `src/eval/handcrafted/weights.rs`.
pub fn write_weights(weights: &[(i32, i32)]) -> String {
    let mut text = String::from(
        "//! The weights of the evaluation, middlegame and endgame, in units of which a minor piece\n\
         //! has about 450. Written by `chuhe tune`.\n\n\
         use super::features::COUNT;\nuse super::tapered::Tapered;\n\n\
         const fn w(middlegame: i32, endgame: i32) -> Tapered {\n    \
         Tapered::new(middlegame, endgame)\n}\n\n\
         /// Every weight, in the order of [`super::features`].\n\
         #[rustfmt::skip]\npub static WEIGHTS: [Tapered; COUNT] = [\n",
    );
    for group in GROUPS {
        let _ = writeln!(text, "    // {}", group.name);
        for line in weights[group.start..group.start + group.len].chunks(group.row) {
            let cells: Vec<_> = line.iter().map(|(a, b)| format!("w({a}, {b}),")).collect();
            let _ = writeln!(text, "    {}", cells.join(" "));
        }
    }
    text.push_str("];\n");
    text
}

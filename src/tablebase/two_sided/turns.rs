//! Positions that a side holds by moves that avoid some faults in turn.
//!
//! Who chases one piece with one move and another piece with the next does not chase either for ever. So
//! not all chases need be avoided by one and the same move: the faults can be shared out between two aims in
//! any way, and whoever plays for the two in turn is never found at fault, as the module above tells.

use std::collections::HashMap;

use super::arena::ArenaNode;
use super::graph::{Vertex, held};
use super::mates::captures;
use super::moves::Faults;
use super::outlook::Outlook;
use crate::board::Color;

/// The ways to share out the faults between two aims, but for that of [`Aims`](super::moves::Aims).
pub(super) const TURNS: [[Faults; 2]; 6] = [
    Faults::shared_out(4),
    Faults::shared_out(8),
    Faults::shared_out(2),
    Faults::shared_out(1 | 2),
    Faults::shared_out(1 | 4),
    Faults::shared_out(1 | 8),
];

/// The vertex that stands for all that the holder is proven not to lose.
const HELD: usize = 0;
/// The vertex that stands for all that is not proven, whatever is found here.
const ELSEWHERE: usize = 1;
/// The vertices before those of the nodes.
const FIRST: usize = 2;

/// Those of some open `nodes`, not proven to be lost for `holder`, that it holds by one of [`TURNS`], or by
/// one after another. `is_held` tells what it is proven not to lose before.
pub(super) fn find(
    outlook: &Outlook<'_>,
    holder: Color,
    nodes: &[ArenaNode],
    is_held: impl Fn(ArenaNode) -> bool,
) -> Vec<ArenaNode> {
    let is_found = held_by_turns(graph(outlook, holder, nodes, is_held));
    let found = nodes.iter().zip(&is_found[FIRST..]);
    found
        .filter_map(|(node, is_found)| is_found.then_some(*node))
        .collect()
}

/// The vertices from which the holder comes to [`HELD`], or plays for the aims of one of [`TURNS`] for ever.
fn held_by_turns(mut graph: Vec<Vertex>) -> Vec<bool> {
    let mut is_found = vec![false; graph.len()];
    loop {
        let before = is_found.clone();
        for aims in &TURNS {
            let held = held(&graph, aims);
            for number in (FIRST..graph.len()).filter(|number| held[*number]) {
                is_found[number] = true;
                graph[number] = always(HELD, true);
            }
        }
        if is_found == before {
            return is_found;
        }
    }
}

/// A vertex with a single edge, which reaches every aim if the holder chooses it.
fn always(to: usize, chooses: bool) -> Vertex {
    Vertex {
        chooses,
        edges: vec![(to, Faults::NONE)],
    }
}

/// The nodes with their quiet moves, behind [`HELD`] and [`ELSEWHERE`].
fn graph(
    outlook: &Outlook<'_>,
    holder: Color,
    nodes: &[ArenaNode],
    is_held: impl Fn(ArenaNode) -> bool,
) -> Vec<Vertex> {
    let numbers: HashMap<ArenaNode, usize> = nodes.iter().copied().zip(FIRST..).collect();
    let number = |to: ArenaNode| match numbers.get(&to) {
        Some(number) => *number,
        None if is_held(to) => HELD,
        None => ELSEWHERE,
    };
    let vertex = |node: &ArenaNode| {
        let chooses = node.side == holder;
        let mut edges = Vec::new();
        if chooses {
            if outlook.has_capture(*node, captures::HOLD) {
                return always(HELD, true);
            }
            outlook.arena.quiet_moves(*node, |m| {
                edges.push((number(m.to), m.possible_faults(m.threats())));
                true
            });
        } else {
            if outlook.has_capture(*node, captures::DOUBTFUL) {
                return always(ELSEWHERE, false);
            }
            let edge = |to| (number(to), Faults::NO_MOVE);
            outlook.arena.quiet_nodes(*node, |to| edges.push(edge(to)));
        }
        Vertex { chooses, edges }
    };
    // From the vertex that the other side chooses, no aim is ever reached.
    let ends = [always(HELD, true), always(ELSEWHERE, false)];
    ends.into_iter().chain(nodes.iter().map(vertex)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The holder chases to and fro, once this and once that; the other side may lead out.
    fn to_and_fro(chased: [Faults; 2], out: Option<usize>) -> Vec<Vertex> {
        let answer = |to: usize| Vertex {
            chooses: false,
            edges: (Some(to).into_iter().chain(out))
                .map(|to| (to, Faults::NO_MOVE))
                .collect(),
        };
        let chase = |to: usize, faults| Vertex {
            chooses: true,
            edges: vec![(to, faults)],
        };
        vec![
            always(HELD, true),
            always(ELSEWHERE, false),
            chase(3, chased[0]),
            answer(4),
            chase(5, chased[1]),
            answer(2),
        ]
    }

    #[test]
    fn who_chases_one_piece_after_another_holds() {
        let [attacker, advisor, bishop] = Faults::CHASES;
        let both = Faults(advisor.0 | bishop.0);
        for (chased, out, holds) in [
            ([advisor, bishop], None, true),
            ([attacker, bishop], None, true),
            ([Faults::CHECK, attacker], None, true),
            ([advisor, both], None, false),
            ([bishop, bishop], None, false),
            ([Faults::CHECK, Faults::CHECK], None, false),
            // The other side may lead to what is held, but not elsewhere.
            ([advisor, bishop], Some(HELD), true),
            ([advisor, bishop], Some(ELSEWHERE), false),
        ] {
            let found = held_by_turns(to_and_fro(chased, out));
            assert_eq!(found[FIRST..], [holds; 4], "{chased:?} {out:?}");
        }
    }

    #[test]
    fn what_is_held_one_way_serves_another() {
        let [_, advisor, bishop] = Faults::CHASES;
        let mut graph = to_and_fro([advisor, bishop], None);
        // From here a check leads to where chases hold.
        graph.push(Vertex {
            chooses: true,
            edges: vec![(3, Faults::CHECK), (ELSEWHERE, Faults::NONE)],
        });
        assert_eq!(held_by_turns(graph)[FIRST..], [true; 5]);
    }
}

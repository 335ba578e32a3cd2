//! Fixpoints on explicit graphs, and propagation through the game graph on several threads.

use parking_lot::Mutex;

use super::graph::Offenses;
use crate::tablebase::index::Node;
use crate::tablebase::solver_state::{BLOCK, for_each_part};

#[derive(Debug, Default)]
pub struct Vertex {
    /// Whether the side whose goals are examined moves here.
    pub chooses: bool,
    /// The target and the offenses of each move. [`Offenses::NO_MOVE`] means that the move reaches no goal.
    pub edges: Vec<(usize, Offenses)>,
}

/// Winning region of a generalized Büchi game: vertices from which the choosing side can reach each
/// goal again and again without leaving the region. A goal is a move of the choosing side without certain offenses.
pub fn held(graph: &[Vertex], goals: &[Offenses]) -> Vec<bool> {
    let mut alive = vec![true; graph.len()];
    loop {
        let mut left = alive.clone();
        for goal in goals {
            let reached = reaching(graph, *goal, &alive);
            left.iter_mut().zip(reached).for_each(|(l, r)| *l &= r);
        }
        if left == alive {
            return alive;
        }
        alive = left;
    }
}

/// Vertices from which the choosing side can reach a goal within `alive`.
fn reaching(graph: &[Vertex], goal: Offenses, alive: &[bool]) -> Vec<bool> {
    let mut reached = vec![false; graph.len()];
    loop {
        let mut changes = false;
        for (number, vertex) in graph.iter().enumerate() {
            if reached[number] || !alive[number] {
                continue;
            }
            let mut edges = vertex.edges.iter();
            reached[number] = if vertex.chooses {
                edges
                    .any(|(to, offenses)| alive[*to] && (offenses.is_free_of(goal) || reached[*to]))
            } else {
                edges.all(|(to, _)| reached[*to])
            };
            changes |= reached[number];
        }
        if !changes {
            return reached;
        }
    }
}

/// Target of moves to positions without a vertex, for [`trapped`].
pub const OUTSIDE: usize = usize::MAX;

/// Largest set of vertices in which the choosing side always has a move that stays in the set and
/// the other side has none that leaves it.
pub fn trapped(graph: &[Vertex]) -> Vec<bool> {
    let mut alive = vec![true; graph.len()];
    let is_alive = |alive: &[bool], to: usize| to != OUTSIDE && alive[to];
    loop {
        let mut changes = false;
        for (number, vertex) in graph.iter().enumerate() {
            let mut edges = vertex.edges.iter();
            let stays = if vertex.chooses {
                edges.any(|(to, _)| is_alive(&alive, *to))
            } else {
                edges.all(|(to, _)| is_alive(&alive, *to))
            };
            if alive[number] && !stays {
                alive[number] = false;
                changes = true;
            }
        }
        if !changes {
            return alive;
        }
    }
}

/// Nodes that a thread visits before the rest is divided among the threads again.
const VISITS: usize = 16 * BLOCK;

/// Visits all nodes below index `len` for which `is_first` is true, and all nodes that `visit` appends to its list, on
/// `threads` threads. The order is not deterministic; a node may be visited before `is_first` is called for another.
pub fn propagate_from(
    threads: usize,
    len: usize,
    is_first: impl Fn(Node) -> bool + Sync,
    visit: impl Fn(Node, &mut Vec<Node>) + Sync,
) {
    let left = Mutex::new(Vec::new());
    for_each_part(threads, len.div_ceil(BLOCK), |block| {
        let nodes = 2 * block * BLOCK..2 * len.min((block + 1) * BLOCK);
        let first = nodes.map(Node).filter(|node| is_first(*node));
        visit_some(first.collect(), &visit, &left);
    });
    propagate(threads, left.into_inner(), visit);
}

/// Visits `open` and all nodes that `visit` appends to its list, on `threads` threads, in no
/// particular order.
pub fn propagate(threads: usize, mut open: Vec<Node>, visit: impl Fn(Node, &mut Vec<Node>) + Sync) {
    while !open.is_empty() {
        let parts: Vec<&[Node]> = open.chunks(BLOCK).collect();
        let left = Mutex::new(Vec::new());
        for_each_part(threads.min(parts.len()), parts.len(), |part| {
            visit_some(parts[part].to_vec(), &visit, &left);
        });
        open = left.into_inner();
    }
}

/// Visits up to [`VISITS`] nodes, the last one first, and moves the rest to `left`.
fn visit_some(mut stack: Vec<Node>, visit: impl Fn(Node, &mut Vec<Node>), left: &Mutex<Vec<Node>>) {
    for _ in 0..VISITS {
        let Some(node) = stack.pop() else {
            return;
        };
        visit(node, &mut stack);
    }
    left.lock().append(&mut stack);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::*;

    /// A move that reaches no goal.
    const NO_GOAL: Offenses = Offenses::NO_MOVE;

    fn vertex(chooses: bool, edges: &[(usize, Offenses)]) -> Vertex {
        Vertex { chooses, edges: edges.to_vec() }
    }

    #[test]
    fn vertices_that_reach_every_goal_repeatedly_are_held() {
        let goals = [Offenses::CHECK, Offenses::CHASE];
        let graph = [
            // Back and forth between 0 and 1; each of two moves reaches one goal.
            vertex(true, &[(1, Offenses::CHASE), (1, Offenses::CHECK)]),
            vertex(false, &[(0, NO_GOAL)]),
            // A cycle without a goal; the other side need not leave it.
            vertex(true, &[(3, NO_GOAL)]),
            vertex(false, &[(2, NO_GOAL), (0, NO_GOAL)]),
            // Each goal only once, on the way into that cycle.
            vertex(true, &[(3, Offenses::NONE)]),
        ];
        let expected = [true, true, false, false, false];
        assert_eq!(held(&graph, &goals), expected);
        assert_eq!(held(&graph, &goals[..1]), expected);
        let one_goal = [vertex(true, &[(1, Offenses::CHASE)]), vertex(false, &[(0, NO_GOAL)])];
        assert_eq!(held(&one_goal, &goals[..1]), [true, true]);
        assert_eq!(held(&one_goal, &goals), [false, false]);
    }

    #[test]
    fn vertices_without_an_exit_are_trapped() {
        let none = NO_GOAL;
        let graph = [
            vertex(true, &[(1, none)]),
            vertex(false, &[(0, none)]),
            vertex(true, &[(3, none), (OUTSIDE, none)]),
            vertex(false, &[(2, none), (OUTSIDE, none)]),
        ];
        assert_eq!(trapped(&graph), [true, true, false, false]);
    }

    #[test]
    fn added_nodes_are_visited_once() {
        // A binary tree with the numbering of a heap, larger than what is visited before the work
        // is divided again.
        let visits: Vec<AtomicU8> = (0..10 * VISITS).map(|_| AtomicU8::new(0)).collect();
        let visit = |at: Node, open: &mut Vec<Node>| {
            visits[at.0].fetch_add(1, Ordering::Relaxed);
            let children = [1, 2].map(|child| Node(2 * at.0 + child));
            open.extend(children.into_iter().filter(|n| n.0 < visits.len()));
        };
        for threads in [1, 3] {
            let check = || {
                let mut visits = visits.iter().map(|v| v.swap(0, Ordering::Relaxed));
                assert!(visits.all(|visits| visits == 1));
            };
            propagate(threads, vec![Node(0)], visit);
            check();
            propagate_from(threads, visits.len() / 2, |at| at == Node(0), visit);
            check();
        }
        propagate(2, Vec::new(), |_, _| unreachable!());
    }
}

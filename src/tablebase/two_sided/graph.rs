//! Games on small graphs: which side can force its aims.

use super::moves::Faults;

/// A node of a graph.
#[derive(Debug, Default)]
pub(super) struct Vertex {
    /// Whether the side whose aims are in question chooses the move here.
    pub chooses: bool,
    /// Where the moves lead, and the faults that each may have.
    pub edges: Vec<(usize, Faults)>,
}

/// The vertices from which the choosing side can reach each of its aims again and again, never leaving
/// these vertices, whatever the other side does. An aim is a move of its own without certain faults.
pub(super) fn held(graph: &[Vertex], aims: &[Faults]) -> Vec<bool> {
    let mut alive = vec![true; graph.len()];
    loop {
        let mut left = alive.clone();
        for aim in aims {
            let reached = reaching(graph, *aim, &alive);
            left.iter_mut().zip(reached).for_each(|(l, r)| *l &= r);
        }
        if left == alive {
            return alive;
        }
        alive = left;
    }
}

/// The vertices among those alive from which the choosing side can reach an aim on vertices alive.
fn reaching(graph: &[Vertex], aim: Faults, alive: &[bool]) -> Vec<bool> {
    let mut reached = vec![false; graph.len()];
    loop {
        let mut changes = false;
        for (number, vertex) in graph.iter().enumerate() {
            if reached[number] || !alive[number] {
                continue;
            }
            let mut edges = vertex.edges.iter();
            reached[number] = match vertex.chooses {
                true => {
                    edges.any(|(to, faults)| alive[*to] && (faults.is_free_of(aim) || reached[*to]))
                }
                false => edges.all(|(to, _)| reached[*to]),
            };
            changes |= reached[number];
        }
        if !changes {
            return reached;
        }
    }
}

/// The vertices that are left when, again and again, those are taken out at which the choosing side has no
/// move to what is left, or the other side has one that leads elsewhere.
pub(super) fn trapped(graph: &[Vertex], outside: usize) -> Vec<bool> {
    let mut alive = vec![true; graph.len()];
    let is_alive = |alive: &[bool], to: usize| to != outside && alive[to];
    loop {
        let mut changes = false;
        for (number, vertex) in graph.iter().enumerate() {
            let mut edges = vertex.edges.iter();
            let stays = match vertex.chooses {
                true => edges.any(|(to, _)| is_alive(&alive, *to)),
                false => edges.all(|(to, _)| is_alive(&alive, *to)),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A move that reaches no aim.
    const FAULTY: Faults = Faults::NO_MOVE;

    fn vertex(chooses: bool, edges: &[(usize, Faults)]) -> Vertex {
        Vertex {
            chooses,
            edges: edges.to_vec(),
        }
    }

    #[test]
    fn aims_are_held_where_they_can_be_reached_again_and_again() {
        let aims = [Faults::CHECK, Faults::CHASE];
        let graph = [
            // To and fro between 0 and 1, each aim on one of two ways.
            vertex(true, &[(1, Faults::CHASE), (1, Faults::CHECK)]),
            vertex(false, &[(0, FAULTY)]),
            // A cycle without an aim, from which the other side lets nothing out.
            vertex(true, &[(3, FAULTY)]),
            vertex(false, &[(2, FAULTY), (0, FAULTY)]),
            // One last aim on the way into that cycle.
            vertex(true, &[(3, Faults::NONE)]),
        ];
        let expected = [true, true, false, false, false];
        assert_eq!(held(&graph, &aims), expected);
        assert_eq!(held(&graph, &aims[..1]), expected);
        let one_aim = [
            vertex(true, &[(1, Faults::CHASE)]),
            vertex(false, &[(0, FAULTY)]),
        ];
        assert_eq!(held(&one_aim, &aims[..1]), [true, true]);
        assert_eq!(held(&one_aim, &aims), [false, false]);
    }

    #[test]
    fn what_cannot_leave_is_trapped() {
        let none = FAULTY;
        let outside = usize::MAX;
        let graph = [
            vertex(true, &[(1, none)]),
            vertex(false, &[(0, none)]),
            vertex(true, &[(3, none), (outside, none)]),
            vertex(false, &[(2, none), (outside, none)]),
        ];
        assert_eq!(trapped(&graph, outside), [true, true, false, false]);
    }
}

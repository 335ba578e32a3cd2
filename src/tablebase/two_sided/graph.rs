//! Games on small graphs: which side can force its aims.

use super::moves::Aims;

/// A node of a graph.
#[derive(Debug, Default)]
pub(super) struct Vertex {
    /// Whether the side whose aims are in question chooses the move here.
    pub chooses: bool,
    /// Where the moves lead, and the aims that each reaches.
    pub edges: Vec<(usize, Aims)>,
}

/// The vertices from which the choosing side can reach each of its aims again and again, never leaving
/// these vertices, whatever the other side does.
pub(super) fn held(graph: &[Vertex], aims: Aims) -> Vec<bool> {
    let mut alive = vec![true; graph.len()];
    loop {
        let mut left = alive.clone();
        for aim in Aims::EACH {
            if aims.has(aim) {
                let reached = reaching(graph, aim, &alive);
                left.iter_mut().zip(reached).for_each(|(l, r)| *l &= r);
            }
        }
        if left == alive {
            return alive;
        }
        alive = left;
    }
}

/// The vertices among those alive from which the choosing side can reach an aim on vertices alive.
fn reaching(graph: &[Vertex], aim: Aims, alive: &[bool]) -> Vec<bool> {
    let mut reached = vec![false; graph.len()];
    loop {
        let mut changes = false;
        for (number, vertex) in graph.iter().enumerate() {
            if reached[number] || !alive[number] {
                continue;
            }
            let mut edges = vertex.edges.iter();
            reached[number] = match vertex.chooses {
                true => edges.any(|(to, aims)| alive[*to] && (aims.has(aim) || reached[*to])),
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

    fn vertex(chooses: bool, edges: &[(usize, Aims)]) -> Vertex {
        Vertex {
            chooses,
            edges: edges.to_vec(),
        }
    }

    #[test]
    fn aims_are_held_where_they_can_be_reached_again_and_again() {
        let none = Aims::NONE;
        let graph = [
            // To and fro between 0 and 1, each aim on one of two ways.
            vertex(true, &[(1, Aims::NO_CHECK), (1, Aims::NO_CHASE)]),
            vertex(false, &[(0, none)]),
            // A cycle without an aim, from which the other side lets nothing out.
            vertex(true, &[(3, none)]),
            vertex(false, &[(2, none), (0, none)]),
            // One last aim on the way into that cycle.
            vertex(true, &[(3, Aims::BOTH)]),
        ];
        assert_eq!(held(&graph, Aims::BOTH), [true, true, false, false, false]);
        assert_eq!(
            held(&graph, Aims::NO_CHECK),
            [true, true, false, false, false]
        );
        let one_aim = [
            vertex(true, &[(1, Aims::NO_CHECK)]),
            vertex(false, &[(0, none)]),
        ];
        assert_eq!(held(&one_aim, Aims::NO_CHECK), [true, true]);
        assert_eq!(held(&one_aim, Aims::BOTH), [false, false]);
    }

    #[test]
    fn what_cannot_leave_is_trapped() {
        let none = Aims::NONE;
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

//! Going from nodes to others that they lead to, on several threads.

use std::sync::{Mutex, PoisonError};

use super::arena::ArenaNode;
use crate::board::Color;
use crate::tablebase::parallel::for_each_part;

/// How many nodes a thread begins with, or numbers of positions among which it looks for them.
const PART: usize = 1 << 12;
/// How many nodes a thread visits before what is left is shared out again.
const VISITS: usize = 16 * PART;

/// Has `threads` threads visit the nodes of `len` numbers of positions for which `is_first` says so, and all
/// those that `visit` adds to the list handed to it. The order is not determined, and some are visited
/// before others are asked for.
pub(super) fn spread_from(
    threads: usize,
    len: usize,
    is_first: impl Fn(ArenaNode) -> bool + Sync,
    visit: impl Fn(ArenaNode, &mut Vec<ArenaNode>) + Sync,
) {
    let left = Mutex::new(Vec::new());
    for_each_part(threads, len.div_ceil(PART), |part| {
        let mut stack = Vec::new();
        for index in part * PART..len.min((part + 1) * PART) {
            let nodes = Color::ALL.map(|side| ArenaNode { index, side });
            stack.extend(nodes.into_iter().filter(|node| is_first(*node)));
        }
        visit_some(stack, &visit, &left);
    });
    let left = left.into_inner().unwrap_or_else(PoisonError::into_inner);
    spread(threads, left, visit);
}

/// Has `threads` threads visit nodes, and all those that `visit` adds to the list handed to it, until there
/// are no more. The order is not determined.
pub(super) fn spread(
    threads: usize,
    mut open: Vec<ArenaNode>,
    visit: impl Fn(ArenaNode, &mut Vec<ArenaNode>) + Sync,
) {
    while !open.is_empty() {
        let parts: Vec<&[ArenaNode]> = open.chunks(PART).collect();
        let left = Mutex::new(Vec::new());
        for_each_part(threads.min(parts.len()), parts.len(), |part| {
            visit_some(parts[part].to_vec(), &visit, &left);
        });
        open = left.into_inner().unwrap_or_else(PoisonError::into_inner);
    }
}

/// Visits nodes, the last one first, and leaves those that are too many.
fn visit_some(
    mut stack: Vec<ArenaNode>,
    visit: impl Fn(ArenaNode, &mut Vec<ArenaNode>),
    left: &Mutex<Vec<ArenaNode>>,
) {
    for _ in 0..VISITS {
        let Some(node) = stack.pop() else {
            return;
        };
        visit(node, &mut stack);
    }
    let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
    left.append(&mut stack);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::*;

    #[test]
    fn all_that_is_added_is_visited_once() {
        // A binary tree, by the numbers of a heap, larger than what is visited before all is shared out anew.
        let visits: Vec<AtomicU8> = (0..10 * VISITS).map(|_| AtomicU8::new(0)).collect();
        let node = |index| ArenaNode {
            index,
            side: Color::Red,
        };
        let visit = |at: ArenaNode, open: &mut Vec<ArenaNode>| {
            visits[at.index].fetch_add(1, Ordering::Relaxed);
            let children = [1, 2].map(|child| node(2 * at.index + child));
            open.extend(children.into_iter().filter(|n| n.index < visits.len()));
        };
        for threads in [1, 3] {
            let check = || {
                let mut visits = visits.iter().map(|v| v.swap(0, Ordering::Relaxed));
                assert!(visits.all(|visits| visits == 1));
            };
            spread(threads, vec![node(0)], visit);
            check();
            spread_from(threads, visits.len(), |at| at == node(0), visit);
            check();
        }
        spread(2, Vec::new(), |_, _| unreachable!());
    }
}

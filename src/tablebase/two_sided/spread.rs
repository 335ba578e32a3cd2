//! Going from nodes to others that they lead to, on several threads.

use std::sync::{Mutex, PoisonError};

use super::arena::ArenaNode;
use crate::tablebase::parallel::for_each_part;

/// How many nodes a thread begins with.
const PART: usize = 256;
/// How many nodes a thread visits before what is left is shared out again.
const VISITS: usize = 16 * PART;

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
            let mut stack = parts[part].to_vec();
            for _ in 0..VISITS {
                let Some(node) = stack.pop() else {
                    return;
                };
                visit(node, &mut stack);
            }
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            left.append(&mut stack);
        });
        open = left.into_inner().unwrap_or_else(PoisonError::into_inner);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::*;
    use crate::board::Color;

    #[test]
    fn all_that_is_added_is_visited_once() {
        // A binary tree, by the numbers of a heap, larger than what is visited before all is shared out anew.
        let visits: Vec<AtomicU8> = (0..10 * VISITS).map(|_| AtomicU8::new(0)).collect();
        let node = |index| ArenaNode {
            index,
            side: Color::Red,
        };
        for threads in [1, 3] {
            spread(threads, vec![node(0)], |at, open| {
                visits[at.index].fetch_add(1, Ordering::Relaxed);
                let children = [1, 2].map(|child| node(2 * at.index + child));
                open.extend(children.into_iter().filter(|n| n.index < visits.len()));
            });
            let visits = visits.iter().map(|v| v.swap(0, Ordering::Relaxed));
            assert!(visits.into_iter().all(|visits| visits == 1));
        }
        spread(2, Vec::new(), |_, _| unreachable!());
    }
}

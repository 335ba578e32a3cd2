//! Moves judged before. A search comes by the same repetitions over and over.

use std::cell::RefCell;

use super::classify::MoveContext;
use crate::rules::move_class::MoveClass;

/// How many moves are kept for a thread.
const ENTRIES: usize = 1 << 12;

/// What is remembered of a move: what it is, and whether it chases jointly.
type CachedClass = (MoveClass, bool);

thread_local! {
    static CACHE: RefCell<Vec<Option<(u64, CachedClass)>>> = const { RefCell::new(Vec::new()) };
}

/// What the move of `context` was judged to be before, or else what `judge` says now.
pub(super) fn get_or_insert(
    context: &MoveContext<'_>,
    judge: impl FnOnce() -> CachedClass,
) -> CachedClass {
    let key = context.key();
    let slot = key as usize % ENTRIES;
    let known = CACHE.with_borrow(|memory| memory.get(slot).copied().flatten());
    if let Some((_, class)) = known.filter(|(owner, _)| *owner == key) {
        return class;
    }
    let class = judge();
    CACHE.with_borrow_mut(|memory| {
        memory.resize(ENTRIES, None);
        memory[slot] = Some((key, class));
    });
    class
}

//! Moves judged before. A search comes by the same repetitions over and over.

use std::cell::RefCell;

use super::act::Scene;
use crate::rules::deed::Deed;

/// How many moves a thread remembers.
const ENTRIES: usize = 1 << 12;

/// What is remembered of a move: what it is, and whether it chases jointly.
type Outline = (Deed, bool);

thread_local! {
    static MEMORY: RefCell<Vec<Option<(u64, Outline)>>> = const { RefCell::new(Vec::new()) };
}

/// What the move of `scene` was judged to be before, or else what `judge` says now.
pub(super) fn remember(scene: &Scene<'_>, judge: impl FnOnce() -> Outline) -> Outline {
    let key = scene.key();
    let slot = key as usize % ENTRIES;
    let known = MEMORY.with_borrow(|memory| memory.get(slot).copied().flatten());
    if let Some((_, outline)) = known.filter(|(owner, _)| *owner == key) {
        return outline;
    }
    let outline = judge();
    MEMORY.with_borrow_mut(|memory| {
        memory.resize(ENTRIES, None);
        memory[slot] = Some((key, outline));
    });
    outline
}

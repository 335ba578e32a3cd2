//! How much the judgement of one move may look at.

/// Positions that may still be looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeBudget(u32);

impl NodeBudget {
    /// So many positions.
    pub(super) const fn new(positions: u32) -> Self {
        Self(positions)
    }

    /// Takes one position off; `false` when none is left.
    pub(super) fn spend(&mut self) -> bool {
        let left = self.0.checked_sub(1);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

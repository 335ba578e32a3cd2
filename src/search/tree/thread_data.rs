//! What a search thread keeps from one search to the next.

use std::sync::Arc;

use super::line_evaluator::LineEvaluator;
use super::stack::Stack;
use crate::search::ordering::Histories;
use crate::search::table::TranspositionTable;

/// The state of a thread that outlives its searches.
pub(in crate::search) struct ThreadData {
    /// 0 for the thread that decides and reports.
    pub id: usize,
    pub table: Arc<TranspositionTable>,
    pub histories: Histories,
    pub(super) evaluator: LineEvaluator,
    pub(super) stack: Stack,
}

impl ThreadData {
    pub(in crate::search) fn new(id: usize, table: Arc<TranspositionTable>) -> Self {
        Self {
            id,
            table,
            histories: Histories::new(),
            evaluator: LineEvaluator::new(),
            stack: Stack::new(),
        }
    }
}

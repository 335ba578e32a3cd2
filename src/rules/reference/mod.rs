//! The rules a second time, slow and obvious, for tests to compare with.

pub(super) mod asian;
pub(super) mod chinese;
mod chinese_captures;

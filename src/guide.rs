//! Guides for users, also readable where the repository is browsed (`src/guide/*.md`).

#[doc = include_str!("guide/books.md")]
pub mod books {}

#[doc = include_str!("guide/cloud.md")]
pub mod cloud {}

#[doc = include_str!("guide/contributing.md")]
pub mod contributing {}

#[doc = include_str!("guide/options.md")]
pub mod options {}

#[doc = include_str!("guide/rules.md")]
pub mod rules {}

#[doc = include_str!("guide/scripting.md")]
pub mod scripting {}

#[doc = include_str!("guide/tables.md")]
pub mod tables {}

#[doc = include_str!("guide/tournaments.md")]
pub mod tournaments {}

#[doc = include_str!("guide/zh.md")]
pub mod zh {}

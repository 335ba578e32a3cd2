//! The guides. The files are `src/guide/*.md`.
//!
//! Links between guides are defined twice: here for rustdoc, where the first definition counts, and at the end of each
//! file for readers of the repository.

#[doc = "[serve]: crate::guide::cloud"]
#[doc = "[cloud library]: crate::guide::cloud"]
#[doc = ""]
#[doc = include_str!("guide/board.md")]
pub mod board {}

#[doc = include_str!("guide/books.md")]
pub mod books {}

#[doc = include_str!("guide/changelog.md")]
pub mod changelog {}

#[doc = include_str!("guide/cloud.md")]
pub mod cloud {}

#[doc = "[tournaments]: crate::guide::tournaments"]
#[doc = "[training log]: crate::guide::training_log"]
#[doc = ""]
#[doc = include_str!("guide/contributing.md")]
pub mod contributing {}

#[doc = "[books]: crate::guide::books"]
#[doc = "[tables]: crate::guide::tables"]
#[doc = "[cloud]: crate::guide::cloud"]
#[doc = "[rules]: crate::guide::rules"]
#[doc = ""]
#[doc = include_str!("guide/options.md")]
pub mod options {}

#[doc = include_str!("guide/records.md")]
pub mod records {}

#[doc = include_str!("guide/rules.md")]
pub mod rules {}

#[doc = "[cloud]: crate::guide::cloud"]
#[doc = ""]
#[doc = include_str!("guide/scripting.md")]
pub mod scripting {}

#[doc = "[board]: crate::guide::board"]
#[doc = ""]
#[doc = include_str!("guide/systems.md")]
pub mod systems {}

#[doc = include_str!("guide/tables.md")]
pub mod tables {}

#[doc = "[rules]: crate::guide::rules"]
#[doc = "[format]: crate::guide::records"]
#[doc = ""]
#[doc = include_str!("guide/tournaments.md")]
pub mod tournaments {}

#[doc = "[contributing]: crate::guide::contributing"]
#[doc = ""]
#[doc = include_str!("guide/training-log.md")]
pub mod training_log {}

#[doc = "[tables]: crate::guide::tables"]
#[doc = "[cloud]: crate::guide::cloud"]
#[doc = "[books]: crate::guide::books"]
#[doc = "[systems]: crate::guide::systems"]
#[doc = "[tournaments]: crate::guide::tournaments"]
#[doc = ""]
#[doc = include_str!("guide/zh.md")]
pub mod zh {}

//! Guides for users, also readable where the repository is browsed (`src/guide/*.md`).
//!
//! Links between them are defined twice: the definitions here, which come first, hold in these pages, those at the
//! end of each file where it is read by itself.

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

#[doc = include_str!("guide/rules.md")]
pub mod rules {}

#[doc = "[cloud]: crate::guide::cloud"]
#[doc = ""]
#[doc = include_str!("guide/scripting.md")]
pub mod scripting {}

#[doc = include_str!("guide/tables.md")]
pub mod tables {}

#[doc = include_str!("guide/tournaments.md")]
pub mod tournaments {}

#[doc = "[contributing]: crate::guide::contributing"]
#[doc = ""]
#[doc = include_str!("guide/training-log.md")]
pub mod training_log {}

#[doc = "[tables]: crate::guide::tables"]
#[doc = "[cloud]: crate::guide::cloud"]
#[doc = "[books]: crate::guide::books"]
#[doc = ""]
#[doc = include_str!("guide/zh.md")]
pub mod zh {}

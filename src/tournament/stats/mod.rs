//! Statistics: Elo with confidence intervals, ratings, the SPRT, and standings.

mod elo;
mod factors;
mod ratings;
mod sprt;
mod standings;

pub use elo::{Estimate, Interval, Scores};
pub use factors::{Effect, FactorRun, Factors, FactorsError};
pub use ratings::{Rating, ratings};
pub use sprt::{Decision, EloModel, ParseEloModelError, Sprt, SprtRun};
pub use standings::{EngineStats, Standings};

//! The search for the best move.
//!
//! A [`Pool`] takes a [`SearchRequest`] and reports [`Event`]s.
//!
//! | module | contents |
//! |---|---|
//! | `score`, `event`, `request` | scores, reports and answers, requests |
//! | `game_occurrences` | how often the positions of the game have occurred |
//! | `parameters` | the parameters of the search |
//! | `tt` | the transposition table, shared by all threads |
//! | `ordering` | the move picker and the histories that it uses |
//! | `time` | time limits of a move |
//! | `mate` | proofs of mates by checks alone |
//! | `tree` | iterative deepening, principal variation search, quiescence |
//! | `proof_number` | proof-number search for mates, also with quiet moves |
//! | `threads` | the pool of search threads, the choice of the move |
//! | `bench` | searches of fixed positions, whose node count identifies a version of the search |
//!
//! Modules use only modules to their left: score <- event, request, game_occurrences <- parameters <- tt, ordering,
//! time, mate <- tree <- proof_number <- threads <- bench.

mod bench;
mod event;
mod game_occurrences;
mod mate;
mod ordering;
mod parameters;
mod proof_number;
mod request;
mod score;
mod threads;
mod time;
mod tree;
mod tt;

pub use bench::{BENCH_DEPTH, BENCH_POSITIONS, BenchResult, bench};
pub use event::{Bound, Event, Info, Outcome, Report, SearchLine, SearchResult, nodes_per_second};
#[cfg(feature = "training")]
pub(crate) use parameters::evaluation_scale;
#[cfg(feature = "tune")]
pub use parameters::values::{PARAMETERS, Parameter};
pub use request::{
    Control, Degree, Driver, ExtraReports, Limits, MAX_DEPTH, PlayerClock, Randomness,
    SearchRequest, Settings, Style, Techniques,
};
pub(crate) use score::plies_of_mate;
pub use score::{MAX_PLY, Meaning, Score};
#[cfg(feature = "training")]
pub(crate) use threads::has_room_for_searches;
pub use threads::{
    HashProbe, MAX_HASH, MAX_THREADS, Pool, ResizeError, Searcher, StartError, free_megabytes,
};
pub(crate) use threads::{USUAL_STACK, start_thread};
#[cfg(feature = "cli")]
pub(crate) use threads::{cores, search_in_parallel, spawn_search_thread};
pub use tree::static_score;

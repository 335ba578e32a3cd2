//! The cloud library (云库): scores of moves that many clients share, asked and filled over HTTP with the API
//! of the public Chinese cloud library, as its clients use it.
//!
//! ```text
//! request ──► server ──► parameters ──► library ──► reply ──► bytes
//!                                        │    ▲
//!                                 writes ▼    │ snapshots
//!                                   store (an SQLite file, or a PostgreSQL database)
//! ```
//!
//! | room | what is in it |
//! |---|---|
//! | [`parameters`], [`reply`] | requests and replies, byte for byte |
//! | [`fen`], [`key`], `moves`, `place` | boards as clients write them; how positions and moves are stored |
//! | [`classes`], [`value`], [`score`], `row` | which moves are good; what a position is worth to its parents; what is stored |
//! | [`store`] | the file or database: readers, the writer, values handed up, tasks to be searched |
//! | [`library`] | the actions of the API |
//! | [`client`] | asking a library over HTTP |
//! | [`worker`] | tasks searched by threads at low priority, in the server or on other machines |
//! | [`access`], [`server`] | tokens and roles; HTTP, limits, metrics |
//!
//! Replies hold nothing that comes from a request: every text in them is one of ours, a number or a move.

pub mod access;
pub mod classes;
pub mod client;
pub mod fen;
pub mod key;
pub mod library;
mod moves;
pub mod parameters;
mod place;
pub mod reply;
mod row;
pub mod score;
pub mod server;
pub mod store;
pub mod value;
pub mod worker;

pub use place::Place;
pub use row::{Entry, EntrySource, Row};

//! The cloud library (云库): scores of moves that many clients share over HTTP, with the API of the public Chinese
//! cloud library, chessdb.cn.
//!
//! ```text
//! request ──► server ──► library ──► reply
//!                        │    ▲
//!                 writes ▼    │ snapshots
//!                   store (an SQLite file, or a PostgreSQL database)
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`api`] | parameters of requests, and replies |
//! | [`fen`], [`key`], `row` | FEN of the API; keys of positions, stored moves |
//! | [`score`] | scores, values of positions, classes of moves |
//! | [`store`] | the database: readers, the writer, propagation of values, task queues |
//! | [`library`] | the actions of the API |
//! | [`client`] | HTTP client |
//! | [`worker`] | worker threads, in the server or on other machines |
//! | [`access`], [`server`] | tokens and roles; HTTP, limits, metrics |
//! | `recent` | maps whose entries expire, work done in the last minute |
//!
//! The replies of the public library's API ([`api::ApiReply`]) never contain text of a request, only fixed words,
//! numbers and moves. The JSON of the additional paths, such as notes and jobs, contains stored text.

pub mod access;
pub mod api;
pub mod client;
pub mod fen;
pub mod key;
pub mod library;
mod recent;
mod row;
pub mod score;
pub mod server;
pub mod store;
pub mod worker;

pub use row::{Edge, Entry, Row};

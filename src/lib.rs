//! Chuhe (楚河), a xiangqi engine, as a program and as a library.
//!
//! # The best move in ten lines
//!
//! ```
//! use chuhe::rules::Game;
//! use chuhe::search::{Limits, Searcher};
//!
//! let mut game = Game::new("2bakab2/9/9/9/9/9/9/9/4A4/R2AK4 w".parse()?);
//! let mut searcher = Searcher::new(16)?; // MB of hash table
//! let outcome = searcher.think(&game, Limits::depth(3))?;
//! let best = outcome.best.expect("red has legal moves");
//! println!("{outcome}"); // a0b0, +0.48 at depth 3, 132 nodes in 3 ms
//! game.push(best)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! On x86-64, compile for x86-64-v2 or newer, because the search counts bits in nearly every step. Cargo ignores the
//! flags of a dependency, so set `RUSTFLAGS="-C target-cpu=x86-64-v2"`, or in the `.cargo/config.toml` of your project:
//!
//! ```toml
//! [target.'cfg(target_arch = "x86_64")']
//! rustflags = ["-C", "target-cpu=x86-64-v2"]
//! ```
//!
//! Start with [`board::Position`], [`movegen::legal_moves`], [`notation`] (moves and games as text),
//! [`rules::judge`] (repetitions and limits) and [`search::Searcher`].
//!
//! # The path of a command
//!
//! ```text
//! stdin ──► stdio ──► line ──► codec ──► Command ──► session ──► SearchRequest ──► search threads
//! stdout ◄─ stdio ◄── line ◄── codec ◄── Reply ◄──── session ◄── Event ◄────────── search threads
//! ```
//!
//! A reader thread turns bytes into lines, and the codec of a protocol (UCCI, UCI, XBoard or CXBoard), which belongs
//! to the session, turns lines into typed commands. The session is the state machine of the engine. It waits for lines
//! and search events, and only the session writes to standard output. The search threads are kept between searches, are
//! independent of the protocols and never print.
//!
//! A `go` in UCCI passes through these files:
//!
//! | file | on the way in | on the way out |
//! |---|---|---|
//! | `main.rs`, `cli/mod.rs`, `protocol/mod.rs` | the engine starts | |
//! | `protocol/stdio.rs` | the line is read | `bestmove` is written |
//! | `protocol/session/mod.rs` | the session takes the line and runs its command | it sends the reply |
//! | `protocol/ucci.rs`, `protocol/go.rs` | the line becomes a command | the reply becomes a line |
//! | `protocol/session/search.rs` | the command becomes a request | the outcome becomes a reply |
//! | `search/threads/mod.rs` | the pool and its search threads | |
//! | `search/threads/request_handler.rs`, `search/time.rs` | time limits | choice of the move |
//! | `search/tree/root.rs` | iterative deepening | reports, stop at the soft time limit |
//! | `search/tree/state.rs` | moves are played | stop at the hard time limit |
//! | `search/tree/node.rs`, `search/ordering/mod.rs` | nodes and the order of their moves | |
//!
//! A `go` also uses these modules:
//!
//! - `protocol::codec`: the commands, the replies and the trait of the codecs
//! - `protocol::session::stage`, `protocol::session::state`: the stages of a `go` and the search in progress
//! - `protocol::session::game`: the root moves
//! - `protocol::session::adjudication`: resignations and draw offers in the answer
//! - `search::mate`: mates by checks, before the search
//! - `search::tree::shared`, `search::tree::iteration`: the state of all threads, and one iteration
//! - `search::tree::pruning`, `search::tree::repetition`, `search::tt`: parts of a node
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`text`] | external text: bounded lines, excerpts, printable text; messages in English and Chinese |
//! | [`board`] | squares, pieces, moves, attacks, legal positions, static exchange evaluation |
//! | [`movegen`] | pseudo-legal and legal moves, perft |
//! | [`notation`] | FEN; moves as coordinates, 炮二平五, WXF and SAN; PGN, and game records in all formats (`records`) |
//! | `page` | the web page of `chuhe board`, `serve` and `review --html` |
//! | [`rules`] | the end of a game: repetitions, limits, rule sets |
//! | [`random`] | random positions and games |
//! | [`book`] | opening books: formats, lookup, choice by weight |
//! | [`tablebase`] | endgame tablebases: index, generator, files, probes |
//! | [`eval`] | evaluation: a neural network, and a handcrafted evaluation with several levels |
//! | [`search`] | the best move: threads, transposition table, time control, pruning |
//! | [`compositions`] | mates, wins and draws of composed problems: proofs and their verification |
//! | `cloud` | a library of scores over HTTP, with the cloud API: store, server, workers |
//! | [`protocol`] | UCCI, UCI, XBoard and CXBoard, the options, the session |
//! | `training` | self-play, game files, network training, books from games |
//! | `tournament` | games between engines in separate processes: referee, openings, statistics |
//! | `cli` | the command line and its subcommands |
//! | [`guide`] | the guides for users in English, and one in Chinese |
//!
//! Dependencies point one way: text <- board <- movegen <- notation <- rules, page <- random <- book, tablebase,
//! eval <- search <- cloud, compositions <- protocol, training, tournament <- cli. A module imports only from modules
//! further left, and no files import each other in a cycle; `tests/architecture.rs` checks both.
//! `tournament` communicates with all engines, including this one, through pipes; it uses the search only
//! to find openings.
//!
//! # Cargo features
//!
//! All features except `postgres` and `tune` are enabled by default.
//!
//! | feature | adds |
//! |---|---|
//! | `cli` | the modules `cli` and `page`: subcommands and the log; without it the program is only the engine |
//! | `cloud` | the module `cloud`; the subcommands `board`, `serve` and `cloud` |
//! | `match` | the module `tournament`; the subcommands `match`, `check`, `openings` and `replay` |
//! | `postgres` | cloud libraries in PostgreSQL databases, in addition to files |
//! | `records` | `notation::records` (all formats) and `notation::opening` (names of openings); enabled by `cli` |
//! | `serde` | serialization of moves, squares, positions, results, scores, verdicts and solutions |
//! | `sqlite` | opening books that are SQLite databases |
//! | `tune` | the search parameters as protocol options, for tuners; costs some speed |
//! | `training` | the module `training`; the subcommands `selfplay`, `data`, `train` and `book build` |
//!
//! Without the default features, the library contains the board, the rules, the search and the protocols, and has few
//! dependencies. With `serde`, scores are serialized in units of the evaluation and positions as FENs. Positions of the
//! promotion variant cannot be serialized, because a FEN does not contain the variant. Moves, squares, colors,
//! positions, results and solutions can also be deserialized; scores cannot, nor can types that are serialized as
//! names, such as verdicts.
//!
//! The crates whose types are part of the public API are re-exported: `arrayvec`, `crossbeam_channel`, `encoding_rs`,
//! `rand` and, with the feature `sqlite`, `rusqlite`. With `serde`, types implement its traits. The modules of the
//! subcommands (`cli`, `cloud`, `page`, `tournament`, `training`) also use types of other crates, such as `clap`.
//!
//! # Invariants
//!
//! - An engine that misbehaves in a game of a tournament can lose only this game; the other games continue. Only an
//!   engine that cannot be started or refuses its network ends the tournament.
//! - `board`, `movegen` and `rules` do no I/O and start no threads; `eval` never calls `search`.
//! - Reading a protocol line does not panic: in `protocol`, lints deny `unwrap`, `expect`, indexing and
//!   `panic!`. A refused line is reported and changes nothing.
//! - A `go` is answered exactly once. A `stop` cannot be lost: each request carries its own
//!   [`search::Control`], created before the request is sent.
//! - Outside tests, all `unsafe` code is in [`eval::nnue::simd`]: vector instructions and the blocks of numbers for
//!   them, prefetching, large pages and the check of the processor. The transposition table consists of pairs of
//!   atomics, and torn entries are recognized.
//! - `chuhe bench` prints the same node count on every machine, because all scores are integers. The search uses
//!   floating-point numbers only for times and for the table of late move reductions. CI compares the count on Linux,
//!   Windows and macOS.
//! - One table defines the options; each protocol lists them in its own form.
//! - There is no build script, and the binary needs no other file. On x86-64, `.cargo/config.toml` has the program
//!   compiled for x86-64-v2, not for the processor of the machine that builds it.

#[cfg(feature = "sqlite")]
pub use rusqlite;
pub use {arrayvec, crossbeam_channel, encoding_rs, rand};

// In the modules of the subcommands, items whose name says everything need no documentation.
pub mod board;
pub mod book;
#[cfg(feature = "cli")]
#[allow(missing_docs)]
pub mod cli;
#[cfg(feature = "cloud")]
#[allow(missing_docs)]
pub mod cloud;
pub mod compositions;
pub mod eval;
pub mod guide;
pub mod movegen;
pub mod notation;
#[cfg(feature = "cli")]
#[allow(missing_docs)]
pub mod page;
pub mod protocol;
pub mod random;
pub mod rules;
pub mod search;
pub mod tablebase;
pub mod text;
#[cfg(feature = "match")]
#[allow(missing_docs)]
pub mod tournament;
#[cfg(feature = "training")]
#[allow(missing_docs)]
pub mod training;

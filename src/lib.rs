//! Chuhe (楚河), a xiangqi engine, as a program and as a library.
//!
//! # The best move in ten lines
//!
//! ```
//! use chuhe::rules::Game;
//! use chuhe::search::{Limits, Searcher};
//!
//! let mut game = Game::new("2bakab2/9/9/9/9/9/9/9/4A4/R2AK4 w".parse()?);
//! let searcher = Searcher::new(16)?; // MB of hash table
//! let limits = Limits { depth: Some(3), ..Limits::default() };
//! let outcome = searcher.think(&game, limits).expect("the search threads run");
//! let best = outcome.best.expect("red has legal moves");
//! println!("{best} is worth {:?}", outcome.score);
//! game.push(best)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Begin at [`board::Position`] (the board), [`movegen::legal_moves`], [`notation`] (moves and games
//! as text), [`rules::judge`] (repetitions and limits) and [`search::Searcher`].
//!
//! # The way of one command
//!
//! ```text
//! stdin ──► protocol::input ──► Command ──► session ──► SearchRequest ──► search threads
//! stdout ◄─ one writer ◄─ codec (ucci | uci | xboard | cxboard) ◄─ Event ◄─ info / best move
//! ```
//!
//! A reader thread turns bytes into lines, a codec turns lines into typed commands. The session,
//! the engine's state machine, waits on commands and search events at once and is the only one that
//! writes to standard output. The search threads wait from one search to the next, depend on no protocol
//! and never print.
//!
//! # The rooms
//!
//! | room | what is in it |
//! |---|---|
//! | [`text`] | text from outside: bounded lines, excerpts, what is safe to print |
//! | [`board`] | squares, pieces, moves, attacks, positions that the rules allow, exchanges |
//! | [`movegen`] | pseudo-legal and legal moves, perft |
//! | [`notation`] | FEN; moves as coordinates, 炮二平五, WXF and SAN; PGN, XQF, CBR, CBL, CBF, DhtmlXQ |
//! | [`rules`] | what a game's history means: repetitions, limits, rule sets |
//! | [`random`] | random positions and games |
//! | [`book`] | opening books: formats, look-up, choice by weight |
//! | [`tablebase`] | endgame tables: index, generator, files, probes |
//! | [`eval`] | what a position is worth: a neural network, or features with tuned weights, graded by `knowledge` |
//! | [`search`] | the best move: threads, hash table, clock, pruning |
//! | `cloud` | a library of scores over HTTP, with the cloud API: store, server, workers |
//! | [`protocol`] | UCCI, UCI, XBoard and CXBoard, the options, the session |
//! | `training` | self-play, files of games, what is fitted to them |
//! | `tournament` | games between engines in their own processes: referee, openings, statistics |
//! | `cli` | arguments and one file or folder a subcommand |
//! | [`guide`] | the guides for users, as pages of this documentation |
//!
//! Arrows point one way: text <- board <- movegen <- notation <- rules <- random <- book, tablebase,
//! eval <- search <- cloud <- protocol, training, tournament <- cli. A room never imports from a room
//! further right, and no files of a room import in a circle; `tests/architecture.rs` holds it to that.
//! The tournament room talks to engines, our own included, through pipes alone; it searches only to find
//! openings.
//!
//! # Cargo features
//!
//! All but `postgres` and `tune` are on by default.
//!
//! | feature | what it adds |
//! |---|---|
//! | `cli` | the room `cli`: subcommands and the log; without it the program is the bare engine |
//! | `cloud` | the room `cloud`; the subcommands `serve` and `cloud` |
//! | `match` | the room `tournament`; the subcommands `match`, `check`, `openings` and `replay` |
//! | `postgres` | cloud libraries in PostgreSQL databases, beside those in files |
//! | `sqlite` | opening books that are SQLite databases |
//! | `tune` | the numbers of the search as options of the protocols, for tuners; it costs some speed |
//! | `training` | the room `training`; the subcommands `selfplay`, `data`, `train` and `book build` |
//!
//! `default-features = false` gives a library of board, rules, search and protocols with few
//! dependencies.
//!
//! The [`guide`] tells users of options, rules, scripting, tournaments and the cloud library, in English
//! and Chinese.
//!
//! # Invariants
//!
//! - Nothing that an engine does in a tournament can do more than lose it the game; it never ends, stops or
//!   slows the others.
//! - `board`, `movegen` and `rules` do no I/O and start no threads; `eval` never calls `search`.
//! - Reading a protocol line cannot panic: the protocol room denies `unwrap`, `expect`, indexing and
//!   `panic!` by lint. A refused line changes nothing and is reported.
//! - A `go` is answered exactly once. A `stop` cannot be lost: each request carries its own
//!   [`search::Control`], made before the request is sent.
//! - `unsafe` stands in [`eval::nnue::simd`] alone, where code for the processor's vector instructions is
//!   entered, and memory asked for ahead of need or in large pages. The hash table is pairs of atomics,
//!   and torn entries are recognised.
//! - The evaluation is whole numbers, so that the node count of `chuhe bench` is the same on every
//!   machine.
//! - One option table, which each protocol renders.
//! - No build script, no file beside the binary. The code is built for x86-64-v2 where that exists,
//!   never for the machine that builds it.

pub mod board;
pub mod book;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cloud")]
pub mod cloud;
pub mod eval;
pub mod guide;
pub mod movegen;
pub mod notation;
pub mod protocol;
pub mod random;
pub mod rules;
pub mod search;
pub mod tablebase;
pub mod text;
#[cfg(feature = "match")]
pub mod tournament;
#[cfg(feature = "training")]
pub mod training;

//! Tests of the program `chuhe`: protocols, commands, tournaments, the cloud library, and the examples of the guides.
//!
//! They are one binary, because linking each binary takes long.

mod dialects;
mod ucci;

// Its tests send signals to the server.
#[cfg(all(feature = "cloud", unix))]
mod cloud;
#[cfg(all(feature = "match", feature = "training", feature = "sqlite"))]
mod commands;
#[cfg(all(feature = "match", feature = "training", feature = "cloud"))]
mod readme;
#[cfg(feature = "match")]
mod sprt;
// Its tests read the list of processes from /proc.
#[cfg(all(feature = "match", target_os = "linux"))]
mod tournament;

mod engine_client;
#[cfg(all(feature = "match", target_os = "linux"))]
mod terminal;

//! The cloud library: its server, its commands, and the engine as its client.

mod admin;
mod api;
mod commands;
mod crash;
mod engine;
mod limits;
mod notes;
#[cfg(feature = "postgres")]
mod postgres;
mod public_workers;
mod server;
#[cfg(feature = "postgres")]
#[path = "../postgres/database.rs"]
mod test_database;
mod work;

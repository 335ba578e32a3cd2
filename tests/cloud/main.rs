//! The cloud library as a server, asked over HTTP.

mod admin;
mod api;
mod commands;
mod crash;
mod engine;
mod limits;
mod public_workers;
mod server;
mod work;

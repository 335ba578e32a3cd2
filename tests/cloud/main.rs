//! The cloud library as a server, asked over HTTP.

mod api;
mod crash;
mod limits;
mod server;
